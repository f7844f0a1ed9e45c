"""A judge that is a Python function: how the Python API takes a callable as its judge.

The function gets the two candidates in the order in which they would be shown and returns `"first"`,
`"second"`, `"draw"`, the probability (0 to 1) that the first is better, or a `Verdict`. It may be
async; a plain function runs in worker threads, as many at once as comparisons are in flight.
"""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from arena_tui.candidate import Candidate
from arena_tui.errors import JudgeError
from arena_tui.judging.base import Desk, Question, Reply, Verdict
from arena_tui.judging.one_call import OneCall
from arena_tui.vocabulary import Said

Answer = Said | float | Verdict
JudgeFunction = Callable[[Candidate, Candidate], Answer | Awaitable[Answer]]

FAILURES_IN_A_ROW = 3  # exceptions after which the function is taken to be broken
_THREADS = 64  # at most; a thread starts only when all others are busy
_SAID: tuple[Said, ...] = ("first", "second", "draw", "invalid")


class CallableJudge(OneCall):
    """Implements `Judge` with a function.

    An exception of the function makes that one comparison invalid, with its class and text as the
    reason; the third in a row (in the order in which calls end) is raised as `JudgeError`, with the
    function's own exception as its cause. An answer of another kind is an invalid verdict that says so.
    """

    keeps_replies = False

    def __init__(self, function: JudgeFunction, *, draws: bool = True) -> None:
        self._function = function
        self._draws = draws
        self.label = str(getattr(function, "__name__", type(function).__name__))
        call = getattr(function, "__call__", None)  # noqa: B004 - an object may have an async __call__
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)
        self._threads: ThreadPoolExecutor | None = None
        self._failures = 0

    async def ask(self, question: Question, desk: Desk) -> None:
        """Lay down what the function returned, as JSON; `failure` when it raised."""
        try:
            answer = await self._call(question.first, question.second)
        except Exception as error:
            # Whatever a user's function raises is its answer to this pair, until it keeps raising.
            self._failures += 1
            told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            if self._failures >= FAILURES_IN_A_ROW:
                message = f"the judge function {self.label} failed {self._failures} times in a row: {told}"
                raise JudgeError(message) from error
            desk.keep(Reply("", failure=told))
            return
        self._failures = 0
        desk.keep(Reply(json.dumps(dataclasses.asdict(_verdict(answer)))))

    def read(self, question: Question, replies: Sequence[Reply]) -> Verdict:
        """The verdict that `ask` wrote down."""
        reply = replies[-1]
        if reply.failure:
            return Verdict("invalid", reason=reply.failure)
        row = json.loads(reply.text)
        verdict = Verdict(row["winner"], row["p_first"], row["reason"], tuple(row["flags"]))
        if verdict.winner == "draw" and not self._draws:
            return Verdict("invalid", reason="the function called a draw, and judge.draws is off")
        return verdict

    async def close(self) -> None:
        """Let the worker threads go; one that is still inside the function ends with it."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None

    async def _call(self, first: Candidate, second: Candidate) -> Any:
        if self._is_async:
            answer = self._function(first, second)
        else:
            self._threads = self._threads or ThreadPoolExecutor(_THREADS, thread_name_prefix="judge")
            run = copy_context().run
            loop = asyncio.get_running_loop()
            answer = await loop.run_in_executor(self._threads, run, self._function, first, second)
        return await answer if inspect.isawaitable(answer) else answer


def _verdict(answer: object) -> Verdict:
    """The verdict that a returned value stands for; invalid, saying what came, when it is none."""
    match answer:
        case Verdict() if answer.winner in _SAID and _is_probability(answer.p_first, none=True):
            return answer
        case "first" | "second" | "draw":
            return Verdict(answer)
        case int() | float() if _is_probability(answer):
            said: Said = "draw" if answer == 0.5 else "first" if answer > 0.5 else "second"
            return Verdict(said, float(answer))
    wanted = "'first', 'second', 'draw', a number from 0 to 1 or a Verdict"
    return Verdict("invalid", reason=f"the function returned {repr(answer)[:80]}; expected {wanted}")


def _is_probability(value: object, *, none: bool = False) -> bool:
    if value is None:
        return none
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1

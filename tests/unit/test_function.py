"""A Python function as judge: what it may return, how it may be written, what becomes of its exceptions."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable
from typing import Any

import pytest

from arena_tui.candidate import Candidate
from arena_tui.errors import JudgeError
from arena_tui.judging.base import FREE, Question, Verdict
from arena_tui.judging.build import CallableJudge
from arena_tui.judging.desk import MemoryDesk, judge_alone

FIRST, SECOND = Candidate("one", "the longer text"), Candidate("two", "text")
QUESTION = Question("main", 1, "ab", "pairwise", FIRST, SECOND)


async def answer(judge: CallableJudge, asked: Question = QUESTION) -> Verdict:
    judge.planned(asked)
    assert judge.worst_case(asked) == FREE
    return (await judge_alone(judge, asked))[0]


def says(answered: Any) -> CallableJudge:
    return CallableJudge(lambda first, second: answered)


@pytest.mark.parametrize(
    ("answered", "verdict"),
    [
        ("first", Verdict("first")),
        ("second", Verdict("second")),
        ("draw", Verdict("draw")),
        (0.75, Verdict("first", 0.75)),
        (0.25, Verdict("second", 0.25)),
        (0.5, Verdict("draw", 0.5)),
        (1, Verdict("first", 1.0)),
        (Verdict("second", 0.1, "why", ("slow",)), Verdict("second", 0.1, "why", ("slow",))),
        (Verdict("invalid", reason="no idea"), Verdict("invalid", reason="no idea")),
    ],
)
async def test_function_answers_in_words_probabilities_or_verdicts(answered: Any, verdict: Verdict) -> None:
    judge = says(answered)
    assert await answer(judge) == verdict
    await judge.close()


@pytest.mark.parametrize(
    "answered", [None, True, "a", 1.5, float("nan"), [], Verdict("a"), Verdict("first", 2.0)]
)  # type: ignore[arg-type]  # wrong on purpose
async def test_function_that_answers_something_else_is_told_what_was_expected(answered: Any) -> None:
    judge = says(answered)
    verdict = await answer(judge)
    assert verdict.winner == "invalid"
    assert "expected 'first', 'second', 'draw'" in verdict.reason
    await judge.close()


async def test_function_sees_the_candidates_in_the_order_shown() -> None:
    async def longer(first: Candidate, second: Candidate) -> str:
        return "first" if len(first.text) > len(second.text) else "second"

    judge = CallableJudge(longer)  # type: ignore[arg-type]  # a str that happens to be a Said
    assert judge.label == "longer"
    assert (await answer(judge)).winner == "first"
    swapped = Question("main", 1, "ba", "pairwise", SECOND, FIRST)
    assert (await answer(judge, swapped)).winner == "second"


async def test_object_with_an_async_call_and_function_returning_an_awaitable() -> None:
    class Model:
        async def __call__(self, first: Candidate, second: Candidate) -> float:
            return 0.9

    def later(first: Candidate, second: Candidate) -> Awaitable[float]:
        return Model()(first, second)

    for judge in (CallableJudge(Model()), CallableJudge(later)):
        assert await answer(judge) == Verdict("first", 0.9)
        await judge.close()


async def test_slow_plain_functions_run_side_by_side() -> None:
    meeting = threading.Barrier(6, timeout=20)

    def waits_for_the_others(first: Candidate, second: Candidate) -> float:
        meeting.wait()
        return 1.0

    judge = CallableJudge(waits_for_the_others)
    verdicts = await asyncio.gather(*(answer(judge) for _ in range(6)))
    assert verdicts == [Verdict("first", 1.0)] * 6
    await judge.close()


async def test_failing_now_and_then_is_invalid_and_failing_for_good_ends_the_run() -> None:
    outcomes: list[Any] = [
        KeyError("x"),
        OSError(),
        "first",
        ValueError("bad"),
        ValueError("bad"),
        ValueError("bad"),
    ]

    async def moody(first: Candidate, second: Candidate) -> Any:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    judge = CallableJudge(moody)
    told = [await answer(judge) for _ in range(5)]
    assert [verdict.reason for verdict in told] == [
        "KeyError: 'x'",
        "OSError",
        "",
        "ValueError: bad",
        "ValueError: bad",
    ]
    with pytest.raises(JudgeError, match=r"moody failed 3 times in a row: ValueError: bad") as caught:
        await judge.ask(QUESTION, MemoryDesk())
    assert isinstance(caught.value.__cause__, ValueError)


async def test_draw_of_a_function_is_unusable_when_draws_are_off() -> None:
    judge = CallableJudge(lambda first, second: 0.5, draws=False)
    assert (await answer(judge)).winner == "invalid"
    await judge.close()

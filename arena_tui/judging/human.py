"""A person as judge: questions wait in a queue until somebody answers them.

A console shows what is `waiting` and calls `answer`. On a plain terminal `terminal.TerminalPrompt` does
the same, one question after the other. The person sees the two texts without names, ids or ratings.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from arena_tui.errors import JudgeError
from arena_tui.judging.base import Desk, Question, Reply, Verdict
from arena_tui.judging.one_call import OneCall
from arena_tui.judging.strict_json import optional_text, strict_object
from arena_tui.vocabulary import Orientation, Said

if TYPE_CHECKING:
    from arena_tui import settings
    from arena_tui.judge_settings import AnyJudge

Key = tuple[str, int, Orientation]
SAID: Mapping[str, Said] = {"first": "first", "second": "second", "draw": "draw", "invalid": "invalid"}
CANNOT_SAY = "the person could not say"
DRAWS_OFF = "a draw was called, and judge.draws is off"


def has_person(judge: AnyJudge) -> bool:
    """True when a person judges, alone or in a panel."""
    return any(member.kind == "human" for member in getattr(judge, "judges", (judge,)))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that waits for a person. `key` names it, `since` (when it was queued) is on the monotonic
    clock."""

    key: Key
    question: Question
    since: float
    answer: asyncio.Future[tuple[Said, str]] = field(compare=False, repr=False)
    desk: Desk = field(compare=False, repr=False)


class Prompt(Protocol):
    """Whoever puts the waiting questions to a person, if no console does."""

    async def run(self, judge: HumanJudge) -> None:
        """Answer questions of `judge` as they come, until cancelled. Raises JudgeError when nobody can."""
        ...


class HumanJudge(OneCall):
    """Implements `Judge`. With a `prompt` it is run from the first question to the end of the judge.

    `changed` is called whenever the queue has changed.
    """

    label = "human"
    keeps_replies = True

    def __init__(
        self,
        settings: settings.HumanJudge,
        task: str,
        criteria: Mapping[str, str],
        prompt: Prompt | None = None,
    ) -> None:
        self.task = task
        self.criteria = dict(criteria)
        self.draws = settings.draws
        self.changed: Callable[[], None] = lambda: None
        self._waiting: dict[Key, Asked] = {}
        self._shown: dict[Key, float] = {}
        self._prompt = prompt
        self._prompting: asyncio.Task[None] | None = None

    def waiting(self) -> Sequence[Asked]:
        """The questions that wait for an answer, the longest waiting first."""
        return tuple(self._waiting.values())

    def shown(self, key: Key) -> None:
        """The person sees the question from now on: what it takes them counts from here, not its wait in
        the queue."""
        if key in self._waiting:
            self._shown.setdefault(key, monotonic())

    def answer(self, key: Key, said: Said, reason: str = "") -> bool:
        """A person's answer; `invalid` means that they cannot say. False when the question is gone.

        Raises ValueError for a draw where draws are off.
        """
        if said == "draw" and not self.draws:
            raise ValueError(DRAWS_OFF)
        asked = self._waiting.pop(key, None)
        if asked is None or asked.answer.done():
            return False
        asked.desk.waits(False)  # it counts, also when the run is told to stop in this very moment
        asked.answer.set_result((said, reason))
        self.changed()
        return True

    async def ask(self, question: Question, desk: Desk) -> None:
        """Wait for the answer and lay it down. Raises JudgeError when the terminal was closed."""
        desk.waits(True)  # for a person, which costs nothing
        key = (question.group, question.seq, question.orientation)
        answer: asyncio.Future[tuple[Said, str]] = asyncio.get_running_loop().create_future()
        asked = Asked(key, question, monotonic(), answer, desk)
        self._waiting[key] = asked
        self._shown.pop(key, None)
        self.changed()
        try:
            self._see_to_prompt()
            said, reason = await answer
        finally:
            if self._waiting.get(key) is asked:
                del self._waiting[key]
                self.changed()
        seconds = monotonic() - self._shown.pop(key, asked.since)
        desk.keep(Reply(json.dumps({"winner": said, "reason": reason}), model="human", seconds=seconds))

    def read(self, question: Question, replies: Sequence[Reply]) -> Verdict:
        """What the person said."""
        try:
            row = strict_object(replies[-1].text)
            said, reason = SAID[str(row.get("winner"))], optional_text(row, "reason")
        except (ValueError, KeyError):
            return Verdict("invalid", reason=replies[-1].failure or "no answer of a person")
        if said == "invalid":
            return Verdict("invalid", reason=f"{CANNOT_SAY}: {reason}" if reason else CANNOT_SAY)
        if said == "draw" and not self.draws:
            return Verdict("invalid", reason=DRAWS_OFF)
        return Verdict(said, reason=reason)

    async def close(self) -> None:
        """Ask nobody any more."""
        if self._prompting is not None:
            self._prompting.cancel()
            await asyncio.wait([self._prompting])
            self._prompting = None

    def _see_to_prompt(self) -> None:
        """Start the prompt with the first question. When it ends, nothing that waits will be answered."""
        if self._prompt is None:
            return
        if self._prompting is None:
            # A task of the judge's own, not of a comparison: it goes on from one to the next.
            self._prompting = asyncio.create_task(self._prompt.run(self), name="human-prompt")
            self._prompting.add_done_callback(self._prompt_ended)
        elif self._prompting.done():
            self._prompt_ended(self._prompting)

    def _prompt_ended(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        told = error if isinstance(error, JudgeError) else JudgeError("nobody asks the person any more")
        if error is not None and not isinstance(error, JudgeError):
            told.__cause__ = error
        for asked in self._waiting.values():
            if not asked.answer.done():
                asked.answer.set_exception(told)

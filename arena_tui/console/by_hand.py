"""Where the questions of a person who judges come from, and where the answers go.

`SessionQuestions` are those of a run that waits for its person; `BlindMatches` are matches that a judge has
decided, put to a person again to see how far both agree. Neither knows a widget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from arena_tui.console.ports import Session, Waiting
from arena_tui.vocabulary import Orientation, Said

Key = tuple[str, int, Orientation]


class Questions(Protocol):
    """What a screen for judging by hand asks about."""

    rest: str
    """What to tell while nothing waits and the last answer is not passed on yet, or more may come."""

    def waiting(self) -> Sequence[Waiting]:
        """The questions without an answer, the longest waiting first."""
        ...

    def shown(self, key: Key) -> None:
        """The person sees the question from now on."""
        ...

    def answer(self, key: Key, said: Said, reason: str) -> bool:
        """The answer, for good; `invalid` when the person cannot say. False when the question is gone."""
        ...

    def when_stopping(self, call: Callable[[], None]) -> None:
        """Have `call` called when no more answers will be taken soon."""
        ...

    def progress(self) -> str:
        """How far it is, in a few words."""
        ...

    def ending(self) -> Sequence[str]:
        """What to tell when nothing waits any more and nothing more will; empty while more may come."""
        ...


class SessionQuestions:
    """Implements `Questions` for a run that is being driven."""

    rest = "nothing waits for you; the next question comes by itself"

    def __init__(self, session: Session) -> None:
        self._session = session
        self._answered = 0

    def waiting(self) -> Sequence[Waiting]:
        """The questions of the run's judge."""
        return self._session.waiting()

    def shown(self, key: Key) -> None:
        """Tell the judge, which counts the seconds from here."""
        self._session.shown(key)

    def answer(self, key: Key, said: Said, reason: str) -> bool:
        """Hand it to the judge."""
        taken = self._session.answer(key, said, reason)
        self._answered += taken
        return taken

    def when_stopping(self, call: Callable[[], None]) -> None:
        """When the run is told to stop."""
        self._session.stopping = call

    def progress(self) -> str:
        """Answers given and questions that wait."""
        return f"{self._answered} answered, {len(self._session.waiting())} waiting"

    def ending(self) -> Sequence[str]:
        """Nothing once the run goes on; that it is over when it is."""
        state = self._session.state
        if state.phase != "stopped":
            return ()
        return (
            f"the run has stopped: {state.stop_detail or state.stop_reason or 'no further question comes'}",
        )


@dataclass(frozen=True, slots=True)
class HandAnswer:
    """What a person said of a match, and what its judge had said, of the texts as the person saw them."""

    key: Key
    judge: Said
    person: Said
    reason: str


class BlindMatches:
    """Implements `Questions` for matches that are decided: (question, the judge's verdict in the order in
    which the question shows the texts). `named` gives the titles of text 1 and text 2, told at the end.

    `overrulable`: it was asked from the screen of a match, where the outcome can be changed.
    """

    rest = "that was the last one; how far you and the judge agree comes next"

    def __init__(
        self,
        matches: Sequence[tuple[Waiting, Said]],
        named: Mapping[Key, tuple[str, str]] | None = None,
        *,
        overrulable: bool = False,
    ) -> None:
        self._overrulable = overrulable
        self._matches = {question.key: (question, judge) for question, judge in matches}
        self._named = dict(named or {})
        self._total = len(self._matches)
        self.answers: list[HandAnswer] = []

    def waiting(self) -> Sequence[Waiting]:
        """Those without an answer."""
        return [question for question, _ in self._matches.values()]

    def shown(self, key: Key) -> None:
        """Nothing counts the seconds."""

    def answer(self, key: Key, said: Said, reason: str) -> bool:
        """Keep it."""
        found = self._matches.pop(key, None)
        if found is None:
            return False
        self.answers.append(HandAnswer(key, found[1], said, reason))
        return True

    def when_stopping(self, call: Callable[[], None]) -> None:
        """Nothing stops these."""

    @property
    def judged(self) -> list[HandAnswer]:
        """The answers that say something."""
        return [answer for answer in self.answers if answer.person != "invalid"]

    def progress(self) -> str:
        """How many of how many."""
        return f"{len(self.answers)} of {self._total} answered"

    def ending(self) -> Sequence[str]:
        """How far both agree, and where they do not."""
        if self._matches:
            return ()
        judged = self.judged
        skipped = len(self.answers) - len(judged)
        after = ["nothing is stored; o on the match overrules it"] if self._overrulable else []
        if not judged:
            return ["nothing was judged", *after]
        same = [answer for answer in judged if answer.judge == answer.person]
        lines = [f"you and the judge agree on {len(same)} of {len(judged)}"]
        lines += [f"{skipped} skipped"] if skipped else []
        lines += [self._disagreement(answer) for answer in judged if answer not in same]
        return lines + after

    def _disagreement(self, answer: HandAnswer) -> str:
        group, seq, _ = answer.key
        judge, person = (self._side(answer.key, said) for said in (answer.judge, answer.person))
        reason = f" ({answer.reason})" if answer.reason else ""
        return f"match {group}:{seq}: the judge said {judge}, you {person}{reason}"

    def _side(self, key: Key, said: Said) -> str:
        if said in ("draw", "invalid"):
            return "a draw" if said == "draw" else "nothing"
        number = 1 if said == "first" else 2
        titles = self._named.get(key)
        return f"text {number}" if titles is None else titles[number - 1]

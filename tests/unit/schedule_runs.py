"""A driver for tests of formats that plan rounds: it plans, applies and acts as an engine does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Intervention, Match, Outcome
from arena_tui.formats.base import Format
from arena_tui.vocabulary import Winner

Judge = Callable[[Match], Winner]


def pool(size: int, classes: int = 1, **fields: Any) -> Group:
    """c0, c1, ...; with several classes x, y, ... in turn."""
    names = [None] if classes == 1 else list("xyzuvw"[:classes])
    return Group(
        "main",
        tuple(Candidate(f"c{i}", f"text {i}", class_=names[i % classes], **fields) for i in range(size)),
    )


def by_seed(seed: int) -> Judge:
    """A judge that is a function of seed and step alone."""
    winners: list[Winner] = ["a", "b", "draw", "void"]
    return lambda step: Random(f"{seed}:{step.seq}").choices(winners, [6, 5, 2, 2])[0]


def lower_wins(step: Match) -> Winner:
    """c0 beats c1 beats c2 ..."""
    return "a" if int(step.a[1:]) < int(step.b[1:]) else "b"


class Driven:
    """A format under an engine's rules: steps apply in the order planned, those of the rejected as void.

    `chance`, in place of a judge: its probability that a is better.
    """

    def __init__(
        self,
        format_: Format,
        judge: Judge = lower_wins,
        *,
        chance: Callable[[Match], float] | None = None,
    ) -> None:
        self.format = format_
        self.judge = judge
        self.chance = chance
        self.waiting: deque[Match] = deque()
        self.withdrawn: set[int] = set()
        self.journal: list[Any] = []
        self.states: dict[str, bool] = {}  # of those acted on: may play

    @property
    def steps(self) -> list[Match]:
        return [entry for entry in self.journal if isinstance(entry, Match)]

    @property
    def outcomes(self) -> list[Outcome]:
        return [entry for entry in self.journal if isinstance(entry, Outcome)]

    def plan(self, most: int = 1 << 30) -> list[Match]:
        """What an engine plans now, one step after the other."""
        made: list[Match] = []
        while len(made) < most and (steps := self.format.next_steps(1)):
            made += steps
        self.waiting += made
        self.journal += made
        return made

    def apply(self) -> Outcome:
        step = self.waiting.popleft()
        gone = step.seq in self.withdrawn
        winner: Winner = "void" if gone else self.judge(step)
        p_a = None
        if self.chance is not None and not gone:
            p_a = self.chance(step)
            winner = "draw" if p_a == 0.5 else "a" if p_a > 0.5 else "b"
        outcome = Outcome(step, winner, len(self.outcomes) + 1, p_a, "withdrawn" if gone else "")
        self.format.record(outcome)
        self.journal.append(outcome)
        return outcome

    def act(
        self, kind: Any, candidate: str | None = None, other: str | None = None, **fields: Any
    ) -> str | None:
        """Take an action unless the format objects; its objection."""
        action = Intervention(kind, "main", candidate, other, **fields)
        objection = self.format.objection(action)
        if objection is None:
            self.format.intervene(action)
            self.journal.append(action)
            if kind == "reject":
                self.withdrawn |= {step.seq for step in self.waiting if candidate in (step.a, step.b)}
        return objection

    def round(self) -> list[Match]:
        """Plan and apply until nothing is under way; the next round is not planned yet."""
        made = self.plan()
        while self.waiting:
            self.apply()
            if self.waiting:
                made += self.plan()
        return made

    def finish(self, most: int = 5_000) -> Driven:
        """To the end."""
        self.plan()
        while self.waiting:
            self.apply()
            self.plan()
            assert len(self.outcomes) < most, "it does not end"
        assert self.format.finished() == "COMPLETED"
        return self


def replay(format_: Format, journal: Sequence[Any]) -> None:
    for entry in journal:
        if isinstance(entry, Match):
            format_.adopt(entry)
        elif isinstance(entry, Outcome):
            format_.record(entry)
        else:
            format_.intervene(entry)


def told(format_: Format) -> list[Any]:
    """All that a format says of itself without a fit."""
    return [
        format_.details(),
        list(format_.pairings()),
        list(format_.scores()),
        list(format_.history()),
        format_.progress(),
        format_.finished(),
    ]


def pairs(steps: Sequence[Match]) -> list[tuple[str, str]]:
    return [(step.a, step.b) for step in steps]

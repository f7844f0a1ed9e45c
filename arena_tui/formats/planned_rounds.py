"""What the formats that plan whole rounds have in common: the round being handed out, byes, withdrawals.

A subclass says what the next round is (`draw`, which changes nothing) and takes it (`begin`). A round is
drawn when everything before it is applied and nothing is left to hand out; that it was drawn is a fact
only once its first match is planned. So it is the same whether it is chosen or adopted, and an action in
between is still heeded.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from arena_tui.candidate import Group
from arena_tui.facts import Match
from arena_tui.formats.fielded import Fielded
from arena_tui.formats.meetings import Meeting
from arena_tui.vocabulary import Mode, Orientation, StopReason

Orders = Literal["alternate", "both", "given"]

LARGE_FIELD = 500  # entrants whose round takes some 4 ms to draw


@dataclass(frozen=True, slots=True)
class Pairing:
    """A match to be planned: `a` stands first. `key` is the format's own name for it."""

    round: int
    a: int
    b: int
    why: str
    key: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Bye:
    """An entrant that has no match in a round, and why."""

    round: int
    entrant: int
    why: str


@dataclass(slots=True)
class Draft:
    """The next round: its pairings in the order in which they are planned, at least one."""

    round: int
    pairings: list[Pairing]
    byes: list[Bye]


D = TypeVar("D", bound=Draft)


class PlannedRounds(Fielded, Generic[D]):
    """The shared part of a round format; see the module's docstring."""

    windowed = False

    def __init__(
        self, group: Group, *, seed: int, mode: Mode, orders: Orders = "alternate", soft: bool = False
    ) -> None:
        super().__init__(group, soft=soft)
        self.seed = seed
        self.mode = mode
        self.orders = orders
        self.round = 0  # rounds begun
        self.queue: deque[Pairing] = deque()  # of the round begun, still to be planned
        self.withdrawn: set[int] = set()  # seqs planned with somebody who was then rejected
        self._round_start = 0  # matches planned before this round
        self._byes: list[Bye] = []

    @property
    def off_loop(self) -> bool:
        """True when drawing a round may take longer than 5 ms."""
        return len(self.field) > LARGE_FIELD

    # -- what a format supplies ------------------------------------------------------------------

    @abstractmethod
    def draw(self) -> D | None:
        """The next round, or None when there is none. It changes nothing."""

    @abstractmethod
    def begin(self, draft: D) -> None:
        """The drawn round has begun: remember what later rounds need to know of it."""

    def planned(self, pairing: Pairing, meeting: Meeting) -> None:
        """A pairing was handed out."""

    # -- the format protocol ---------------------------------------------------------------------

    def next_steps(self, room: int) -> list[Match]:
        """Up to `room` further matches of the round; none while an earlier round is being played."""
        steps: list[Match] = []
        while len(steps) < room:
            if not self.queue:
                draft = None if self.pending else self.draw()
                if draft is None:
                    break
                self._begin(draft)
            step = self._step(self.queue[0])
            self._take(step)
            steps.append(step)
        return steps

    def adopt(self, step: Match) -> None:
        """Take a journaled plan; ValueError for one that is not the next of the schedule."""
        if step.seq != self.field.planned + 1:
            raise ValueError(f"step {step.seq} was planned after step {self.field.planned}")
        draft = None if self.queue or self.pending else self.draw()
        due = draft.pairings[0] if draft else self.queue[0] if self.queue else None
        if due is None:
            raise ValueError(f"step {step.seq} was planned where the schedule has no match")
        expected = self._step(due)
        if (step.a, step.b, step.round) != (expected.a, expected.b, expected.round):
            raise ValueError(
                f"step {step.seq} lets {step.a} meet {step.b} in round {step.round}; "
                f"the schedule has {expected.a} and {expected.b} in round {expected.round}"
            )
        if draft:
            self._begin(draft)
        self._take(step)

    def finished(self) -> StopReason | None:
        """COMPLETED when every planned match is applied and no round is left."""
        return None if self.queue or self.pending or self.draw() is not None else "COMPLETED"

    def pairings(self) -> Iterable[dict[str, Any]]:
        """Round by round: one row a planned match, then one a bye, each with its reason."""
        rows = [*super().pairings(), *map(self._bye_row, dict.fromkeys(self._byes))]
        return sorted(rows, key=lambda row: (row["round"], row["seq"] is None))

    # -- what a format uses ----------------------------------------------------------------------

    @property
    def pending(self) -> bool:
        """True while a planned match has no outcome."""
        return self.field.applied < self.field.planned

    def first_of(self, one: int, other: int) -> int:
        """Who stands first under `orders: given`: the smaller id."""
        return one if self.field.id(one) < self.field.id(other) else other

    def unplanned(self, keep: Iterable[Pairing]) -> None:
        """Hand out only these of what is left of the round."""
        self.queue = deque(keep)

    def sits_out(self, round_: int, entrant: int, why: str) -> None:
        """Note a bye."""
        self._byes.append(Bye(round_, entrant, why))

    def left(self, entrant: int) -> None:
        """The rest of the round goes on without it; who was to meet it has a bye."""
        for meeting in self.withdraw(entrant):
            self._widow(entrant, meeting.round or self.round, meeting.a, meeting.b)
        for pairing in self.queue:
            if entrant in (pairing.a, pairing.b):
                self._widow(entrant, pairing.round, pairing.a, pairing.b)
        self.unplanned(pairing for pairing in self.queue if entrant not in (pairing.a, pairing.b))

    def withdraw(self, entrant: int) -> list[Meeting]:
        """The entrant's planned matches that will now come as void; each is given once."""
        gone = [meeting for meeting in self._waiting() if entrant in (meeting.a, meeting.b)]
        self.withdrawn.update(meeting.seq for meeting in gone)
        return gone

    def in_force(self) -> Iterator[Meeting]:
        """All planned matches but the withdrawn ones."""
        return (meeting for meeting in self.field.meetings if meeting.seq not in self.withdrawn)

    # -- bookkeeping -----------------------------------------------------------------------------

    def _waiting(self) -> Iterator[Meeting]:
        for meeting in self.field.meetings[self._round_start :]:
            if meeting.winner is None and meeting.seq not in self.withdrawn:
                yield meeting

    def _widow(self, gone: int, round_: int, a: int, b: int) -> None:
        other = b if gone == a else a
        if self.field.plays(other):
            self.sits_out(round_, other, f"bye: {self.field.id(gone)} was rejected")

    def _begin(self, draft: D) -> None:
        self.round = draft.round
        self.queue = deque(draft.pairings)
        self._round_start = self.field.planned
        self._byes += draft.byes
        self.begin(draft)

    def _take(self, step: Match) -> None:
        meeting = self.field.plan(step)
        self.planned(self.queue.popleft(), meeting)

    def _step(self, pairing: Pairing) -> Match:
        return Match(
            group=self.field.group,
            seq=self.field.planned + 1,
            a=self.field.id(pairing.a),
            b=self.field.id(pairing.b),
            mode=self.mode,
            orders=self.orientations(),
            round=pairing.round,
            why=pairing.why,
        )

    def orientations(self) -> tuple[Orientation, ...]:
        """The comparisons of each match."""
        return ("ab", "ba") if self.orders == "both" else ("ab",)

    def _bye_row(self, bye: Bye) -> dict[str, Any]:
        return {
            "group": self.field.group,
            "round": bye.round,
            "seq": None,
            "a": self.field.id(bye.entrant),
            "b": None,
            "why": bye.why,
        }


def round_of(number: int, total: int) -> str:
    """The phase of a progress: which round of how many."""
    return f"round {number} of {max(number, total)}"


def balanced(one: int, other: int, balance: Sequence[int]) -> bool:
    """True when `one` should stand first: it did so less often than `other`, by firsts minus seconds."""
    return (balance[one], one) < (balance[other], other)

"""Everybody meets everybody of its class, once or more often, in rounds where each has at most one match.

The rounds are those of the circle method over a seeded order. Who comes late enters with the next round:
it meets whoever is idle, else it takes an opponent out of a pair of the circle. What was missed, by a late
entrant, by one whose pair gave way or by one that was rejected and is back, is played in rounds of its own
after the circle. A void match has been played.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from arena_tui.candidate import Group
from arena_tui.facts import Progress, Standing
from arena_tui.formats.circle import meeting_round, opponent, rounds_of, stands_first
from arena_tui.formats.meetings import Meeting
from arena_tui.formats.owed import matched
from arena_tui.formats.planned_rounds import (
    Bye,
    Draft,
    Orders,
    Pairing,
    PlannedRounds,
    balanced,
    round_of,
)
from arena_tui.vocabulary import Mode

if TYPE_CHECKING:
    from arena_tui.settings import RoundRobinFormat

Class = str | None
Key = tuple[int, int, int]  # a match: its leg, from 0, the lower and the higher entrant


@dataclass(slots=True)
class Table:
    """A class at the table: the circle's order, who came later, the circle's rounds gone, what is owed."""

    circle: list[int]
    late: list[int] = field(default_factory=list)
    gone: int = 0
    owed: dict[Key, None] = field(default_factory=dict)
    place: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.place = {entrant: place for place, entrant in enumerate(self.circle)}


@dataclass(slots=True)
class Turn:
    """What a class does in a round: its matches with the reason of each, and what follows for its table."""

    table: Table
    gone: int
    matches: dict[Key, str]
    gave_way: dict[Key, int]  # pairs of the circle that are played later, and for whom
    byes: dict[int, str]


@dataclass(slots=True)
class RobinDraft(Draft):
    """A round, with the turns of the classes that play in it."""

    turns: dict[Class, Turn]


class RoundRobinTournament(PlannedRounds[RobinDraft]):
    """One group's round robin; see the module's docstring."""

    def __init__(
        self,
        group: Group,
        settings: RoundRobinFormat,
        *,
        seed: int,
        mode: Mode = "pairwise",
        orders: Orders = "alternate",
    ) -> None:
        super().__init__(group, seed=seed, mode=mode, orders=orders)
        self._legs = settings.cycles * (2 if settings.double else 1)
        self._tables: dict[Class, Table] = {}
        self._asked: dict[Key, int] = {}  # planned and not withdrawn: its seq
        self._balance: list[int] = [0] * len(self.field)  # planned firsts minus seconds
        self._ahead: int | None = None  # matches still to be planned; None: to be counted anew

    # -- rounds ----------------------------------------------------------------------------------

    def draw(self) -> RobinDraft | None:
        """The next round of every class that has one."""
        turns: dict[Class, Turn] = {}
        for class_, members in self.field.classes().items():
            turn = self._turn(self._table(class_, members), members)
            if turn.matches:
                turns[class_] = turn
        if not turns:
            return None
        number = self.round + 1
        return RobinDraft(
            number,
            [
                self._pairing(number, turn.table, key, why)
                for turn in turns.values()
                for key, why in turn.matches.items()
            ],
            [Bye(number, e, f"bye: {why}") for turn in turns.values() for e, why in turn.byes.items()],
            turns,
        )

    def begin(self, draft: RobinDraft) -> None:
        """The circle has moved on; pairs that gave way are owed."""
        for class_, turn in draft.turns.items():
            turn.table.gone = turn.gone
            turn.table.owed.update(dict.fromkeys(turn.gave_way))
            self._tables[class_] = turn.table

    def planned(self, pairing: Pairing, meeting: Meeting) -> None:
        """The pair has met in this leg."""
        leg, low, high = pairing.key
        key = leg, low, high
        self._asked[key] = meeting.seq
        self._tables[self.field.entrants[low].class_].owed.pop(key, None)
        self._balance[meeting.a] += 1
        self._balance[meeting.b] -= 1
        if self._ahead is not None:
            self._ahead -= 1

    def _table(self, class_: Class, members: list[int]) -> Table:
        """The class's table; before its first match it is laid anew each time."""
        table = self._tables.get(class_)
        if table is None:
            circle = members[:]
            Random(f"{self.seed}:{self.field.group}:circle:{class_ or ''}").shuffle(circle)
            table = Table(circle)
        return table

    def _turn(self, table: Table, members: list[int]) -> Turn:
        """The next round of the circle in which somebody can play, else a round of what is owed."""
        owed = [key for key in table.owed if self._can_play(key)]
        playing = [entrant for entrant in table.circle if self.field.plays(entrant)]
        total = self._legs * rounds_of(len(table.circle)) if len(playing) > 1 else 0
        for gone in range(table.gone, total):
            pairs = self._circle_pairs(table, gone, playing)
            if pairs:
                return self._circle_turn(table, gone, pairs, owed, members)
        matches = dict.fromkeys(matched(owed), "missed in its round")
        paired = _entrants(matches)
        owing = {e for e in _entrants(owed) if e not in paired}
        byes = dict.fromkeys(sorted(owing), "whom it has not met is taken")
        return Turn(table, max(table.gone, total), matches, {}, byes)

    def _circle_pairs(self, table: Table, gone: int, playing: list[int]) -> dict[int, int]:
        """Who meets whom in a round of the circle, both ways, among those who play."""
        n, round_ = len(table.circle), gone % rounds_of(len(table.circle))
        pairs: dict[int, int] = {}
        for entrant in playing:
            place = opponent(n, round_, table.place[entrant])
            if place is not None and self.field.plays(table.circle[place]):
                pairs[entrant] = table.circle[place]
        return pairs

    def _circle_turn(
        self, table: Table, gone: int, pairs: dict[int, int], owed: list[Key], members: list[int]
    ) -> Turn:
        leg, round_ = divmod(gone, rounds_of(len(table.circle)))
        gave_way: dict[Key, int] = {}
        idle = dict.fromkeys(entrant for entrant in members if entrant not in pairs)
        both_idle = matched(key for key in owed if key[1] in idle and key[2] in idle)
        extra = dict.fromkeys(both_idle, "both idle, not met")
        for entrant in _entrants(extra):
            del idle[entrant]
        owes = _opponents(owed, table.late)
        for late in table.late:
            met_now = self._for_late(owes[late], idle, pairs) if late in idle else None
            if met_now is None:
                continue
            key, other = met_now
            extra[key] = f"{self.field.id(late)} came late"
            del idle[late]
            if other in idle:
                del idle[other]
            else:
                left = pairs.pop(other)
                del pairs[left]
                gave_way[_key(leg, other, left)] = late
                idle[left] = None
        why = f"round {gone + 1} of the circle"
        met = {_key(leg, one, other): why for one, other in pairs.items()}
        byes = {entrant: self._why_idle(table, leg, round_, entrant, gave_way) for entrant in idle}
        return Turn(table, gone + 1, met | extra, gave_way, byes)

    @staticmethod
    def _for_late(
        owes: list[tuple[Key, int]], idle: Mapping[int, None], pairs: Mapping[int, int]
    ) -> tuple[Key, int] | None:
        """A match for an idle late entrant: against one that is idle too, else out of the circle."""
        free = (each for each in owes if each[1] in idle)
        return next(free, None) or next((each for each in owes if each[1] in pairs), None)

    def _why_idle(
        self, table: Table, leg: int, round_: int, entrant: int, gave_way: Mapping[Key, int]
    ) -> str:
        place = table.place.get(entrant)
        across = None if place is None else opponent(len(table.circle), round_, place)
        if across is None:
            return "an odd number"
        other = table.circle[across]
        late = gave_way.get(_key(leg, entrant, other))
        name = self.field.id(other)
        return f"{name} is out of play" if late is None else f"{name} meets {self.field.id(late)}"

    def _pairing(self, number: int, table: Table, key: Key, why: str) -> Pairing:
        first = self._first(table, *key)
        return Pairing(number, first, key[1] + key[2] - first, why, key)

    def _first(self, table: Table, leg: int, low: int, high: int) -> int:
        """Who has the first slot: who had it not in the next leg; else by the circle, else by balance."""
        for next_to in (leg - 1, leg + 1):
            asked = self._asked.get((next_to, low, high))
            if asked is not None:
                return self.field.meeting(asked).b
        if self.orders == "given":
            first = self.first_of(low, high)
            return first if leg % 2 == 0 else low + high - first
        if low in table.place and high in table.place:
            n, place, other = len(table.circle), table.place[low], table.place[high]
            return low if stands_first(n, meeting_round(n, place, other), place, other) else high
        return low if balanced(low, high, self._balance) else high

    # -- who comes and goes ----------------------------------------------------------------------

    def entered(self, entrant: int) -> None:
        """It is owed what the circle has played without it, or all matches when it is new."""
        self._balance += [0] * (len(self.field) - len(self._balance))
        self._ahead = None
        table = self._table_of(entrant)
        if table is None or entrant in table.late or not self.field.plays(entrant):
            return  # before the first match, or what it owes is known
        if entrant in table.place:
            missed = list(self._missed(table, entrant))
        else:
            everyone = [*table.circle, *table.late]
            missed = [_key(leg, entrant, other) for leg in range(self._legs) for other in everyone]
            table.late.append(entrant)
        table.owed.update(dict.fromkeys(key for key in missed if key not in self._asked))

    def left(self, entrant: int) -> None:
        """The rest of the round goes on without it."""
        super().left(entrant)
        self._ahead = None

    def withdraw(self, entrant: int) -> list[Meeting]:
        """The matches that come as void have not been played."""
        gone = super().withdraw(entrant)
        for meeting in gone:
            for leg in range(self._legs):
                key = _key(leg, meeting.a, meeting.b)
                if self._asked.get(key) == meeting.seq:
                    del self._asked[key]
                    self._tables[self.field.entrants[entrant].class_].owed[key] = None
            self._balance[meeting.a] -= 1
            self._balance[meeting.b] += 1
        return gone

    def _missed(self, table: Table, entrant: int) -> Iterator[Key]:
        n, place = len(table.circle), table.place[entrant]
        for gone in range(table.gone):
            leg, round_ = divmod(gone, rounds_of(n))
            other = opponent(n, round_, place)
            if other is not None:
                yield _key(leg, entrant, table.circle[other])

    # -- what came of it -------------------------------------------------------------------------

    def standings(self) -> list[Standing]:
        """By the fitted rating; the score shown is the points."""
        return self.field.standings(score=list(self.field.points))

    def progress(self) -> Progress:
        """Matches done of all that those who play have to play."""
        if self._ahead is None:
            self._ahead = self._count_ahead()
        total = max((self._legs * rounds_of(len(t.circle)) for t in self._tables.values()), default=0)
        phase = round_of(self.round, total) if self.round else ""
        return Progress(self.field.applied, self.field.planned + self._ahead, phase)

    def _count_ahead(self) -> int:
        plays = self.field.plays
        members = self.field.classes().values()
        pairs = sum(len(playing) * (len(playing) - 1) // 2 for playing in members)
        return self._legs * pairs - sum(plays(low) and plays(high) for _, low, high in self._asked)

    # -- bookkeeping -----------------------------------------------------------------------------

    def _table_of(self, entrant: int) -> Table | None:
        return self._tables.get(self.field.entrants[entrant].class_)

    def _can_play(self, key: Key) -> bool:
        return self.field.plays(key[1]) and self.field.plays(key[2])


def _key(leg: int, one: int, other: int) -> Key:
    return (leg, one, other) if one < other else (leg, other, one)


def _opponents(owed: list[Key], late: list[int]) -> dict[int, list[tuple[Key, int]]]:
    """The matches that late entrants are owed, with whom."""
    theirs: dict[int, list[tuple[Key, int]]] = {entrant: [] for entrant in late}
    for key in owed:
        _, low, high = key
        if low in theirs:
            theirs[low].append((key, high))
        if high in theirs:
            theirs[high].append((key, low))
    return theirs


def _entrants(keys: Iterable[Key]) -> set[int]:
    return {entrant for key in keys for entrant in key[1:]}

"""A candidate as the facts so far leave it, and the tables that keep them in the order of standings.

A table is sorted anew only where ratings have moved: at 10,000 candidates one more match costs a millisecond.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena_tui.console.format_scores import WALKOVER, SatOut, idle_points, rounds_won
from arena_tui.store.board_rows import USUAL, EntrantFact, Rules
from arena_tui.vocabulary import PLAYING, CandidateState

MOVEMENT = 10  # matches of its group over which a candidate's movement on the board is told
_RESORTED = 64  # changed candidates beyond which a table is sorted as a whole

Worth = float | tuple[float, ...]
Key = tuple[int, Any, int, "Entrant"]  # plays, played once or never did (0, 1, 2); -worth; number; who
MIDDLE = 1500.0  # where fitted ratings are on average, and stand before there is a fit
Recent = deque[tuple[int, "Entrant", "Entrant"]]  # matches as index in the ledger and the two who met


@dataclass(slots=True, eq=False)
class Entrant:
    """A candidate as the facts so far leave it. `number` counts over the run, in admission order.

    `rating` is its Elo rating, or its points in the other formats; `history` holds that after each of its
    rated matches, `history_at` the index of each in `Ledger.match`, and before the first it is `start`.
    `fitted` is its Bradley-Terry rating in the last fit, with the interval `low` to `high`, the ranks it
    cannot be told apart from and its chance to be the best; all None until a fit exists. `index` counts the
    candidates of its group without twins, `rounds` tells games won less games lost by round of a knockout and
    `games` its valid ones there (see `rounds_won`), `dealt` wins, draws and losses by the group whose texts
    were shown, where systems meet.
    """

    number: int
    group: str
    id: str
    title: str
    class_: str | None
    system: str | None
    parent_ids: tuple[str, ...]
    generation: int
    twin_of: str | None
    state: CandidateState
    start: float
    rating: float
    table: Table
    entered: bool  # plays, or once did: others have no rank
    index: int = 0
    flags: tuple[str, ...] = ()
    wins: int = 0
    losses: int = 0
    draws: int = 0
    voids: int = 0
    rank_low: int | None = None
    rank_high: int | None = None
    fitted: float | None = None
    low: float | None = None
    high: float | None = None
    p_best: float | None = None
    history: array[float] = field(default_factory=lambda: array("d"))
    history_at: array[int] = field(default_factory=lambda: array("I"))
    unrated_at: array[int] | None = None  # indices of its void and withdrawn matches
    rounds: dict[int, int] | None = None
    games: dict[int, int] | None = None
    dealt: dict[str, list[int]] | None = None
    place: int = 0  # as of the table's last settling
    climbed: int = 0  # as of the table's last settling
    filed: Key | None = None  # where the table has it

    @property
    def matches(self) -> int:
        """Valid matches."""
        return self.wins + self.losses + self.draws

    @property
    def plays(self) -> bool:
        """True for one that may be paired."""
        return self.state in PLAYING and self.twin_of is None

    @property
    def rank(self) -> int:
        """Its place in its class from 1; 0 for one that never played."""
        self.table.settle()
        return self.place

    @property
    def moved(self) -> int:
        """Places gained (lost: below 0) over the last `MOVEMENT` matches of its group."""
        self.table.settle()
        return self.climbed

    @property
    def figure(self) -> float | None:
        """The rating that screens show: Elo, or the fitted one; None for one that no fit has seen yet."""
        if self.table.kind == "elo":
            return self.rating
        return self.fitted

    @property
    def share(self) -> float | None:
        """Points for each valid match, w/c of a pivot tournament; None before the first."""
        return self.rating / self.matches if self.matches else None

    @property
    def score(self) -> float:
        """What its format counts, as the result has it: points, with those for byes, or rounds won."""
        match self.table.kind:
            case "swiss":
                return self.rating + idle_points(self.table.rules, self.table.sat_out(self), self.voids)
            case "knockout":
                return rounds_won(self.rounds or {}, self.games or {}, self.table.rules.best_of)
        return self.rating

    @property
    def worth(self) -> Worth:
        """What its format ranks it by, the more the better."""
        match self.table.kind:
            case "elo":
                return self.rating
            case "pivot":
                share = self.share
                return -1.0 if share is None else share
            case "knockout":
                return (*placing(self.rounds or {}, self.table.round), self._strength)
        return self._strength

    @property
    def _strength(self) -> float:
        return MIDDLE if self.fitted is None else self.fitted

    def rating_before(self, match: int) -> float:
        """Its rating before the match of index `match` was applied."""
        at = bisect_right(self.history_at, match - 1) if match else 0
        return self.history[at - 1] if at else self.start

    def key(self, worth: Worth) -> Key:
        """Where it stands in its table with that worth: ties keep the order of the pool."""
        falling = tuple(-each for each in worth) if isinstance(worth, tuple) else -worth
        return (2 if not self.entered else 0 if self.plays else 1, falling, self.number, self)


def placing(rounds: Mapping[int, int], latest: int) -> tuple[float, float, float]:
    """How far one came in a knockout, comparable: (1, the deepest round won, the deepest round played) while
    it is not out, else (0, the round in which it went out, how a match for the third place went).

    `rounds`: games won less games lost by round; `latest` is the newest round of its bracket. Level counts as
    out once a later round is played without it.
    """
    deepest = max(rounds, default=0)
    for number in sorted(rounds):
        if rounds[number] < 0 or (rounds[number] == 0 and number == deepest < latest):
            return 0.0, float(number), float(rounds[deepest] if deepest > number else 0)
    return 1.0, float(max((each for each in rounds if rounds[each] > 0), default=0)), float(deepest)


def count_round(a: Entrant, b: Entrant, round_: int, code: int) -> None:
    """One more game of a knockout's round."""
    for each, net in ((a, (code == 0) - (code == 1)), (b, (code == 1) - (code == 0))):
        each.rounds = each.rounds or {}
        each.rounds[round_] = each.rounds.get(round_, 0) + net
        each.games = each.games or {}
        each.games[round_] = each.games.get(round_, 0) + 1
    a.table.begin_round(round_)


def count_unplayed(a: Entrant, b: Entrant, round_: int, *, withdrawn: bool) -> None:
    """A knockout's game that decides nothing: void, or `withdrawn` since one of the two was rejected."""
    for each in (a, b):
        each.games = each.games or {}
        if withdrawn and each.plays:
            each.games[round_] = WALKOVER
        else:
            each.games.setdefault(round_, 0)


def count_met(a: Entrant, b: Entrant, round_: int, planned: int, *, withdrawn: bool) -> None:
    """A match of a Swiss round, or one that was to be: then who is left of it has a bye."""
    table = a.table
    table.sitting.met(round_, planned, a.number, b.number)
    for each in (a, b):
        if withdrawn and each.plays:
            table.sitting.walked_over(each.number)
    table.recount()


def count_dealt(a: Entrant, b: Entrant, group: str, code: int) -> None:
    """One more match of two systems over the texts of a group."""
    for each, place in ((a, (0, 2, 1)[code]), (b, (2, 0, 1)[code])):
        each.dealt = each.dealt or {}
        each.dealt.setdefault(group, [0, 0, 0])[place] += 1


class Twin(Entrant):
    """A later candidate of equal text: what it does not have of its own, it has of its original."""

    __slots__ = ("original",)

    def __init__(self, original: Entrant, number: int, title: str, fact: EntrantFact) -> None:
        self.original = original
        self.number = number
        self.title = title
        self.group, self.id = fact.group, fact.id
        self.class_, self.system = fact.class_, fact.system
        self.parent_ids, self.generation = fact.parent_ids, fact.generation
        self.twin_of, self.state = fact.twin_of, fact.state

    def __getattr__(self, name: str) -> Any:
        if name == "original":
            raise AttributeError(name)
        return getattr(self.original, name)


class Table:
    """The entrants of one class of a group, best first: who plays, who played once, who never did.

    `recent` are the group's last matches, shared by its tables; `rules` those of the run, `round` the newest
    round of a knockout, `sitting` who sat out a Swiss's, whose schedule is `over` or not. Movements are told
    where ratings move match by match: in Elo.
    """

    __slots__ = (
        "_climbed",
        "_keys",
        "_sat",
        "_stale",
        "_touched",
        "kind",
        "over",
        "recent",
        "round",
        "rules",
        "sitting",
    )

    def __init__(self, recent: Recent, rules: Rules = USUAL) -> None:
        self.recent = recent
        self.rules = rules
        self.kind = rules.kind
        self.round = 0
        self.sitting = SatOut(rules)
        self.over = False
        self._sat: Mapping[int, int] | None = None
        self._keys: list[Key] = []
        self._touched: dict[int, Entrant] = {}  # to be filed anew, by number
        self._climbed: list[Entrant] = []
        self._stale = True

    def sat_out(self, entrant: Entrant) -> int:
        """How many rounds of a Swiss it sat out."""
        if self._sat is None:
            known = {each.number: (each.id, each.plays) for each in self.ranked()}
            self._sat = self.sitting.count(known, self.over)
        return self._sat.get(entrant.number, 0)

    def recount(self) -> None:
        """Who sat out may be another."""
        self._sat = None

    def touch(self, entrant: Entrant) -> None:
        """Its rating or state has changed, or it is new."""
        self._touched[entrant.number] = entrant
        self._stale = True

    def begin_round(self, number: int) -> None:
        """A knockout has come to a round: who does not play in it may be out."""
        if number > self.round:
            self.round = number
            for *_, entrant in self._keys:
                self.touch(entrant)

    def aged(self) -> None:
        """The group has played: what counts as a recent match is another."""
        self._stale = True

    def settle(self) -> None:
        """Bring places and movements up to date."""
        if not self._stale:
            return
        self._stale = False
        if self._touched:
            self._file()
            for place, key in enumerate(self._keys, 1):
                key[3].place = place if key[0] < 2 else 0
        self._climb()

    def ranked(self) -> list[Entrant]:
        """Everybody, best first."""
        self.settle()
        return [key[3] for key in self._keys]

    def _file(self) -> None:
        touched, keys = self._touched, self._keys
        self._touched = {}
        if len(touched) > _RESORTED:
            members = {key[2]: key[3] for key in keys} | touched
            for entrant in touched.values():
                entrant.filed = entrant.key(entrant.worth)
            self._keys = sorted(entrant.filed for entrant in members.values() if entrant.filed is not None)
            return
        for entrant in touched.values():
            if entrant.filed is not None:
                del keys[bisect_left(keys, entrant.filed)]
            entrant.filed = entrant.key(entrant.worth)
            insort(keys, entrant.filed)

    def _climb(self) -> None:
        """Movements: whoever had a recent match may have passed others, and these lost or gained by it."""
        for entrant in self._climbed:
            entrant.climbed = 0
        self._climbed = []
        if not self.recent or self.kind != "elo":
            return
        since, keys = self.recent[0][0], self._keys
        players = {e.number: e for _, *two in self.recent for e in two if e.table is self and e.place}
        if not players:
            return
        now = sorted(entrant.key(entrant.rating) for entrant in players.values())
        then = sorted(entrant.key(entrant.rating_before(since)) for entrant in players.values())
        for entrant in players.values():
            before = entrant.key(entrant.rating_before(since))
            others = bisect_left(keys, before) - bisect_left(now, before)
            self._climb_to(entrant, others + bisect_left(then, before) + 1)
        # How many more players are above a place now than then changes only where one was or is.
        marks = sorted({bisect_left(keys, key) for key in (*now, *then)})
        for start, end in zip(marks, [*marks[1:], len(keys)], strict=True):
            if start == end:
                continue
            last = keys[end - 1]
            lost = bisect_left(now, last) - bisect_left(then, last)
            if lost:
                for *_, entrant in keys[start:end]:
                    if entrant.number not in players and entrant.place:
                        self._climb_to(entrant, entrant.place - lost)

    def _climb_to(self, entrant: Entrant, then: int) -> None:
        if then != entrant.place:
            entrant.climbed = then - entrant.place
            self._climbed.append(entrant)

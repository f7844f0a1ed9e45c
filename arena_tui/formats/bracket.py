"""A knockout bracket: who meets whom by seeds, and what a meeting's games make of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from arena_tui.vocabulary import Winner

LEVEL = "level: higher seed passes"
VOID = "void: higher seed passes"
WALKOVER = "walkover"
BYE = "bye"


def rounds_for(n: int) -> int:
    """Rounds until one of n is left: the binary logarithm, rounded up."""
    return max(0, n - 1).bit_length()


def seed_order(rounds: int) -> list[int]:
    """The seeds, from 1, from top to bottom of a bracket of 2 ** rounds places, neighbours meeting first.

    The best two can meet only in the final, the best four only in the semi-finals, and so on.
    """
    order = [1]
    for number in range(1, rounds + 1):
        size = 2**number
        order = [seed for one in order for seed in (one, size + 1 - one)]
    return order


class Result(NamedTuple):
    """How a meeting ended. `loser` is None where only one came; both are None where nobody did."""

    winner: int | None
    loser: int | None
    flag: str | None


@dataclass(slots=True)
class Duel:
    """A meeting of a bracket; a place is None where nobody can come.

    `first` stands first in the odd games. `games` are (number from 1, seq) in the order of planning: a
    number comes twice when its game was void and is asked again. `result` is set once the next round has
    begun.
    """

    a: int | None
    b: int | None
    third_place: bool = False
    first: int | None = None
    games: list[tuple[int, int]] = field(default_factory=list)
    result: Result | None = None

    @property
    def both(self) -> tuple[int, int] | None:
        """The two, where two come."""
        return None if self.a is None or self.b is None else (self.a, self.b)


@dataclass(slots=True)
class Bracket:
    """A class's bracket: entrants by seed, best first, and the rounds that have begun."""

    class_: str | None
    seeds: list[int]
    rounds: list[list[Duel]] = field(default_factory=list)
    _seed: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self._seed = {entrant: seed for seed, entrant in enumerate(self.seeds, 1)}

    @property
    def total(self) -> int:
        """Rounds until somebody has won."""
        return rounds_for(len(self.seeds))

    def seed(self, entrant: int) -> int:
        """Its seed, from 1."""
        return self._seed[entrant]

    def higher(self, one: int, other: int) -> int:
        """The better seed of two."""
        return min(one, other, key=self.seed)

    def first_round(self) -> list[Duel]:
        """Seeds against each other; the best have no opponent where the bracket is not full."""
        places = [self.seeds[s - 1] if s <= len(self.seeds) else None for s in seed_order(self.total)]
        return [Duel(a, b) for a, b in zip(places[::2], places[1::2], strict=True)]


def next_round(results: Sequence[Result], *, third_place: bool) -> list[Duel]:
    """Winners of neighbouring meetings meet; with `third_place`, so do the losers of two semi-finals."""
    duels = [Duel(a.winner, b.winner) for a, b in zip(results[::2], results[1::2], strict=True)]
    if third_place and len(results) == 2:
        losers = [result.loser for result in results]
        if losers != [None, None]:
            duels.append(Duel(losers[0], losers[1], third_place=True))
    return duels


class Stand(NamedTuple):
    """Where a meeting of two stands: who has won it ("level" and "void": nobody, for that reason), or the
    numbers of the games that must be played next."""

    won_by: Winner | None
    needed: tuple[int, ...] = ()


def stand(best_of: int, games: Mapping[int, Sequence[Winner]]) -> Stand:
    """What the decided games say; `games`: by number, the outcomes of its one or two attempts, seen from a.

    A void game is asked once more and then counts for nobody. A meeting is over once the one behind can
    no longer draw level; level after `best_of`, one more game decides. No more games are needed at once
    than must be played in any case. won_by "draw": level after that too; "void": nothing to decide by.
    """
    counted = {number: _counts(attempts) for number, attempts in games.items()}
    regular = [counted.get(number) for number in range(1, best_of + 1)]
    lead = regular.count("a") - regular.count("b")
    open_ = [number for number, said in enumerate(regular, 1) if said is None]
    open_.sort(key=lambda number: number not in games)  # what was void before what is new
    if abs(lead) > len(open_):
        return Stand("a" if lead > 0 else "b")
    if open_:
        return Stand(None, tuple(open_[: (len(open_) - abs(lead)) // 2 + 1]))
    if all(said == "void" for said in regular):
        return Stand("void")
    decider = counted.get(best_of + 1)
    return Stand(None, (best_of + 1,)) if decider is None else Stand(decider)


def _counts(attempts: Sequence[Winner]) -> Winner | None:
    """What a game counts as: its last outcome that is not void; None when it has to be asked (again)."""
    said = [winner for winner in attempts if winner != "void"]
    if said:
        return said[-1]
    return "void" if len(attempts) >= 2 else None

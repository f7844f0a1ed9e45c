"""Who meets next: the three buckets of the Co-Scientist tournament, drawn exactly.

New entrants meet the nearest warm one, close ratings meet distant ideas, and the top half meets at
random. Every draw is exact at any pool size: pairs are proposed by number and accepted by weight, and
only after as many refusals as a full count would cost are all weights added up.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Literal, Protocol

from arena_tui.formats.ladder import Ladder

Bucket = Literal["new", "close", "random"]
LEAST_TRIES = 32


class Table(Protocol):
    """What a choice is made from; entrants are pool indexes."""

    def rating(self, entrant: int) -> float:
        """The entrant's rating now."""
        ...

    def load(self, entrant: int) -> int:
        """Its valid matches plus planned ones."""
        ...

    def met(self, one: int, other: int) -> int:
        """How often the two have met or are planned to."""
        ...

    def affinity(self, one: int, other: int) -> float:
        """How much their ideas speak for a meeting, in [0, 1]."""
        ...


@dataclass(frozen=True, slots=True)
class Rules:
    """The settings of pair choice, under their names."""

    p_new: float
    p_close: float
    p_random: float
    close_gap: float
    rematch_penalty: bool


class Division:
    """The playing entrants of one class: all by rating, the warm ones by rating, the new ones by index."""

    def __init__(self, new_matches_lt: int) -> None:
        self._new_matches_lt = new_matches_lt
        self.everyone = Ladder()
        self.warm = Ladder()
        self.new: list[int] = []
        self.planned = 0

    def copy(self) -> Division:
        """An independent copy."""
        twin = Division(self._new_matches_lt)
        twin.everyone, twin.warm = self.everyone.copy(), self.warm.copy()
        twin.new, twin.planned = self.new[:], self.planned
        return twin

    def enter(self, entrant: int, rating: float, load: int) -> None:
        """The entrant plays from now on."""
        self.everyone.add(entrant, rating)
        self._file(entrant, rating, load)

    def leave(self, entrant: int, rating: float, load: int) -> None:
        """The entrant plays no more."""
        self.everyone.remove(entrant, rating)
        self._unfile(entrant, rating, load)

    def move(self, entrant: int, before: float, after: float, load: int) -> None:
        """The rating moved."""
        self.everyone.remove(entrant, before)
        self.everyone.add(entrant, after)
        if load >= self._new_matches_lt:
            self.warm.remove(entrant, before)
            self.warm.add(entrant, after)

    def reload(self, entrant: int, rating: float, before: int, after: int) -> None:
        """The load changed."""
        if (before < self._new_matches_lt) != (after < self._new_matches_lt):
            self._unfile(entrant, rating, before)
            self._file(entrant, rating, after)

    def _file(self, entrant: int, rating: float, load: int) -> None:
        if load < self._new_matches_lt:
            insort(self.new, entrant)
        else:
            self.warm.add(entrant, rating)

    def _unfile(self, entrant: int, rating: float, load: int) -> None:
        if load < self._new_matches_lt:
            del self.new[bisect_left(self.new, entrant)]
        else:
            self.warm.remove(entrant, rating)


def choose_pair(rng: Random, division: Division, table: Table, rules: Rules) -> tuple[int, int, Bucket]:
    """Two entrants of a division with at least two, and the bucket they came from.

    The bucket is drawn among those that can be filled, by their probabilities; where all of these
    are 0 the random bucket steps in, since it can always be filled.
    """
    bucket = _draw_bucket(rng, division, rules)
    if bucket == "new":
        entrant = division.new[rng.randrange(len(division.new))]
        return entrant, nearest(division.warm, entrant, table, rules, unmet=rules.rematch_penalty), bucket
    if bucket == "close":
        return *_draw_close(rng, division.warm, table, rules), bucket
    return *_draw_random(rng, division, table, rules), bucket


def nearest(ladder: Ladder, entrant: int, table: Table, rules: Rules, *, unmet: bool) -> int:
    """The nearest-rated other member of a ladder that has one.

    With `unmet`, one that the entrant met less often goes before a nearer one. Equally near ones:
    fewest meetings, then fewest matches, then the order of the standings; without a rematch penalty
    the order of the standings alone.
    """
    best: tuple[int, float, int, int, int] | None = None
    chosen = entrant
    for gap, position, member in ladder.outward(table.rating(entrant)):
        if best is not None and gap > best[1] and best[0] == 0:
            break
        if member == entrant:
            continue
        met = table.met(entrant, member) if rules.rematch_penalty else 0
        load = table.load(member) if rules.rematch_penalty else 0
        key = (met if unmet else 0, gap, met, load, -position)
        if best is None or key < best:
            best, chosen = key, member
    return chosen


def _draw_bucket(rng: Random, division: Division, rules: Rules) -> Bucket:
    odds: list[tuple[Bucket, float]] = [("random", rules.p_random)]
    if division.warm.has_close_pair(rules.close_gap):
        odds.insert(0, ("close", rules.p_close))
    if division.new and len(division.warm):
        odds.insert(0, ("new", rules.p_new))
    odds = [(bucket, chance) for bucket, chance in odds if chance > 0.0] or [("random", 1.0)]
    mark = rng.random() * math.fsum(chance for _, chance in odds)
    for bucket, chance in odds:
        if mark < chance:
            return bucket
        mark -= chance
    return odds[-1][0]


def _draw_close(rng: Random, warm: Ladder, table: Table, rules: Rules) -> tuple[int, int]:
    """Every warm pair closer than the gap, by exp(-distance / gap) x affinity / (1 + meetings)."""
    gap = rules.close_gap

    def close(number: int) -> tuple[int, int]:
        return warm.close_pair(number, gap)

    def by_rating(one: int, other: int) -> float:
        distance = abs(table.rating(one) - table.rating(other))
        return math.exp(-distance / gap) * _freshness(table, rules, one, other)

    pairs = warm.close_pairs(gap)[-1]
    pair = draw_exactly(rng, pairs, close, by_rating, table.affinity)
    # No affinity anywhere (all ideas are the same idea): ratings and meetings decide alone.
    return pair or draw_exactly(rng, pairs, close, by_rating) or close(0)


def _draw_random(rng: Random, division: Division, table: Table, rules: Rules) -> tuple[int, int]:
    """Two of the top half (at least two), or of all while nobody is warm, by 1 / (1 + meetings)."""
    everyone = division.everyone
    size = len(everyone)
    top = max(2, size // 2) if len(division.warm) else size

    def drawn(number: int) -> tuple[int, int]:
        # The triangle of pairs (low < high), numbered row by row.
        high = (1 + math.isqrt(1 + 8 * number)) // 2
        low = number - high * (high - 1) // 2
        return everyone.at(size - 1 - low), everyone.at(size - 1 - high)

    def fresh(one: int, other: int) -> float:
        return _freshness(table, rules, one, other)

    return draw_exactly(rng, math.comb(top, 2), drawn, fresh) or drawn(0)


def _freshness(table: Table, rules: Rules, one: int, other: int) -> float:
    return 1.0 / (1 + table.met(one, other)) if rules.rematch_penalty else 1.0


def draw_exactly(
    rng: Random,
    pairs: int,
    pair: Callable[[int], tuple[int, int]],
    *weights: Callable[[int, int], float],
) -> tuple[int, int] | None:
    """One of `pairs` numbered pairs with probability proportional to the product of its weights.

    Weights are in [0, 1]; cheap ones go first, since a later one is only asked where the earlier
    ones let a proposal pass. None if all products are 0.
    """
    for _ in range(max(LEAST_TRIES, pairs // 4)):
        proposed = pair(rng.randrange(pairs))
        for weight in weights:
            if rng.random() >= weight(*proposed):
                break
        else:
            return proposed
    # Refusals carry no information about the pair to come, so the sum below keeps the draw exact.
    sums = array("d")
    total = 0.0
    for number in range(pairs):
        proposed = pair(number)
        total += math.prod(weight(*proposed) for weight in weights)
        sums.append(total)
    if total == 0.0:
        return None
    return pair(min(bisect_right(sums, rng.random() * total), pairs - 1))

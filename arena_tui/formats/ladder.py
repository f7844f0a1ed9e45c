"""Entrants in order of rating, kept sorted while ratings move one by one.

Two flat arrays and binary search: a move is two searches and two shifts of memory, at 10,000 entrants
a few microseconds. Pair choice walks it; standings read it from the top.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise


class Ladder:
    """Members (pool indexes) by rising rating; of equal ratings the later one in the pool comes first.

    Read backwards it is the order of the standings. Positions count from 0 at the bottom.
    """

    __slots__ = ("_close", "_keys", "_ratings")

    def __init__(self) -> None:
        self._ratings = array("d")
        self._keys = array("i")  # ~member, so that equal ratings sort by falling pool index
        self._close: list[int] | None = None

    def __len__(self) -> int:
        return len(self._keys)

    def copy(self) -> Ladder:
        """An independent copy."""
        twin = Ladder()
        twin._ratings, twin._keys = self._ratings[:], self._keys[:]
        return twin

    def add(self, member: int, rating: float) -> None:
        """Put `member` in its place."""
        at = self._place(member, rating)
        self._ratings.insert(at, rating)
        self._keys.insert(at, ~member)
        self._close = None

    def remove(self, member: int, rating: float) -> None:
        """Take `member` out; `rating` is the one it was put in with."""
        at = self._place(member, rating)
        assert self._keys[at] == ~member
        del self._ratings[at]
        del self._keys[at]
        self._close = None

    def at(self, position: int) -> int:
        """The member at a position."""
        return ~self._keys[position]

    def best(self, count: int) -> list[int]:
        """The `count` best members, best first."""
        return [~key for key in reversed(self._keys[max(0, len(self._keys) - count) :])]

    def outward(self, rating: float) -> Iterator[tuple[float, int, int]]:
        """All (gap, position, member) by growing distance from `rating`; the higher one first on a tie."""
        ratings, keys = self._ratings, self._keys
        above = bisect_left(ratings, rating)
        below = above - 1
        while above < len(ratings) or below >= 0:
            gap_above = ratings[above] - rating if above < len(ratings) else float("inf")
            gap_below = rating - ratings[below] if below >= 0 else float("inf")
            if below < 0 or (above < len(ratings) and gap_above <= gap_below):
                yield gap_above, above, ~keys[above]
                above += 1
            else:
                yield gap_below, below, ~keys[below]
                below -= 1

    def has_close_pair(self, gap: float) -> bool:
        """True if any two ratings differ by less than `gap`."""
        return any(upper - lower < gap for lower, upper in pairwise(self._ratings))

    def close_pairs(self, gap: float) -> list[int]:
        """For each position, how many pairs closer than `gap` have their upper member at or below it.

        These prefix sums number all close pairs from 0; they are kept until a rating moves.
        """
        if self._close is None:
            ratings = self._ratings.tolist()
            low = total = 0
            sums = []
            for position, rating in enumerate(ratings):
                while low < position and rating - ratings[low] >= gap:
                    low += 1
                total += position - low
                sums.append(total)
            self._close = sums
        return self._close

    def close_pair(self, number: int, gap: float) -> tuple[int, int]:
        """The two members of the close pair of that number, the lower-rated one first."""
        sums = self.close_pairs(gap)
        upper = bisect_right(sums, number)
        lower = upper - (sums[upper] - number)
        return self.at(lower), self.at(upper)

    def _place(self, member: int, rating: float) -> int:
        start = bisect_left(self._ratings, rating)
        end = bisect_right(self._ratings, rating, start)
        return bisect_left(self._keys, ~member, start, end)

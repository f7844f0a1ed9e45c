"""The comparisons a fit is made from: a compact log of who stood in which slot and what came of it.

Entrants, matches and clusters are small numbers of the caller's own. A row costs some 50 bytes in flat
arrays.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Masses = tuple[float, float, float]
"""What one comparison weighs for the first, for the second, and as a tie; together its weight."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The rows as arrays of one length. `won`, `lost` and `tied` are masses, seen from the first."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    won: NDArray[np.float64]
    lost: NDArray[np.float64]
    tied: NDArray[np.float64]
    match: NDArray[np.int32]
    cluster: NDArray[np.int32]
    judge: NDArray[np.int32]

    def only(self, which: NDArray[np.bool_]) -> Columns:
        """Some of the rows."""
        return Columns(*(getattr(self, name)[which] for name in self.__slots__))


class Rows:
    """A log that grows by matches; the comparisons of one match share its number.

    A match's rows can be replaced (it was overruled); rows without mass are void and count nothing.
    """

    __slots__ = ("_at", "_cluster", "_first", "_judge", "_lost", "_match", "_second", "_tied", "_won")

    def __init__(self) -> None:
        self._first, self._second = array("i"), array("i")
        self._won, self._lost, self._tied = array("d"), array("d"), array("d")
        self._match, self._cluster, self._judge = array("i"), array("i"), array("i")
        self._at = array("i")  # by match: its first row + 1, 0 for none; a match's rows stand together

    def __len__(self) -> int:
        return len(self._first)

    def __iter__(self) -> Iterator[tuple[int, int, int, Masses, int]]:
        """(match, first, second, masses, cluster) of every row, void ones included."""
        masses = zip(self._won, self._lost, self._tied, strict=True)
        return zip(self._match, self._first, self._second, masses, self._cluster, strict=True)

    def copy(self) -> Rows:
        """An independent copy."""
        twin = Rows()
        for name in self.__slots__:
            setattr(twin, name, getattr(self, name)[:])
        return twin

    def add(
        self,
        match: int,
        comparisons: Iterable[tuple[int, int, Masses]],
        *,
        cluster: int = 0,
        judge: int = 0,
    ) -> None:
        """The comparisons of a match as (first, second, masses); a match is added once."""
        if self.knows(match):
            raise ValueError(f"match {match} has its comparisons already")
        if match >= len(self._at):
            self._at.frombytes(bytes(self._at.itemsize * (match + 1 - len(self._at))))
        before = len(self._first)
        for first, second, (won, lost, tied) in comparisons:
            self._first.append(first)
            self._second.append(second)
            self._won.append(won)
            self._lost.append(lost)
            self._tied.append(tied)
            self._match.append(match)
            self._cluster.append(cluster)
            self._judge.append(judge)
        self._at[match] = before + 1 if len(self._first) > before else 0

    def overrule(self, match: int, first: int, masses: Masses) -> None:
        """Give a match, seen from `first`, another outcome: each of its rows an equal share of it.

        A match without rows (it was void) is unknown here: add it instead, and see `knows`.
        """
        at = end = self._at[match] - 1
        while end < len(self._match) and self._match[end] == match:
            end += 1
        won, lost, tied = (mass / (end - at) for mass in masses)
        for row in range(at, end):
            straight = self._first[row] == first
            self._won[row], self._lost[row] = (won, lost) if straight else (lost, won)
            self._tied[row] = tied

    def knows(self, match: int) -> bool:
        """True when the match has rows."""
        return match < len(self._at) and self._at[match] > 0

    def columns(self) -> Columns:
        """The rows with mass, as arrays of their own."""
        import numpy as np

        first, second = (np.array(column, dtype=np.int32) for column in (self._first, self._second))
        masses = (self._won, self._lost, self._tied)
        won, lost, tied = (np.array(column, dtype=np.float64) for column in masses)
        labels = (self._match, self._cluster, self._judge)
        match, cluster, judge = (np.array(column, dtype=np.int32) for column in labels)
        has = (won + lost + tied) > 0.0
        columns = Columns(first, second, won, lost, tied, match, cluster, judge)
        return columns if has.all() else columns.only(has)

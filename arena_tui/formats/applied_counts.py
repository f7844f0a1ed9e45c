"""Comparisons added up by ordered pair, as they stood at a stated moment: what a scheduler's fit takes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING

from arena_tui.ratings.rows import Columns, Masses

if TYPE_CHECKING:
    from arena_tui.ratings.posterior import Counts


class AppliedCounts:
    """Counts that stand still between calls of `settle`, however many comparisons come meanwhile."""

    def __init__(self) -> None:
        self._first: array[int] = array("q")
        self._second: array[int] = array("q")
        self._mass: array[float] = array("d")
        self._points: array[float] = array("d")
        self._cell: dict[tuple[int, int], int] = {}
        self._waiting: list[tuple[int, int, Masses]] = []

    def add(self, comparisons: Iterable[tuple[int, int, Masses]]) -> None:
        """Comparisons that count from the next `settle` on, as (first, second, masses)."""
        self._waiting.extend(comparisons)

    def settle(self) -> None:
        """Let everything count that was added so far."""
        for first, second, (won, lost, tied) in self._waiting:
            self._count(first, second, won + lost + tied, won + tied / 2)
        self._waiting.clear()

    def restate(self, columns: Columns) -> None:
        """Forget all; let these rows count."""
        self._cell.clear()
        self._waiting.clear()
        del self._first[:], self._second[:], self._mass[:], self._points[:]
        masses = columns.won + columns.lost + columns.tied, columns.won + columns.tied / 2
        rows = (columns.first, columns.second, *masses)
        for first, second, mass, points in zip(*(column.tolist() for column in rows), strict=True):
            self._count(first, second, mass, points)

    def _count(self, first: int, second: int, mass: float, points: float) -> None:
        cell = self._cell.get((first, second))
        if cell is None:
            self._cell[first, second] = len(self._first)
            self._first.append(first)
            self._second.append(second)
            self._mass.append(mass)
            self._points.append(points)
        else:
            self._mass[cell] += mass
            self._points[cell] += points

    def counts(self) -> Counts:
        """The counts as arrays of their own."""
        import numpy as np

        from arena_tui.ratings.posterior import Counts

        first, second = np.array(self._first, dtype=np.intp), np.array(self._second, dtype=np.intp)
        return Counts(first, second, np.array(self._mass), np.array(self._points))

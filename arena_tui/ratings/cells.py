"""Comparisons added up before they are fitted: one cell for all rows of a pair, order and judge.

A fit's time then depends on how many pairs met, not on how often. Rows that cannot be meant are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from arena_tui.ratings.rows import Columns

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Groups = tuple[tuple[int, ...], ...]

_CLOSURE = 200  # entrants up to which squaring a table of paths is quicker than building a sparse graph
_TABLE = 1_000_000  # cells that are rather counted in a table than found by sorting


@dataclass(frozen=True, slots=True)
class Cells:
    """Masses by (first, second, judge), each combination once and in ascending order.

    `judge` counts from 0 in the order of `judges`, the callers' numbers. Without slots `first` is the
    lower of the two and there is one judge.
    """

    n: int
    judges: tuple[int, ...]
    first: Indices
    second: Indices
    judge: Indices
    won: Floats
    lost: Floats
    tied: Floats

    def __len__(self) -> int:
        return len(self.first)

    @property
    def pair(self) -> Indices:
        """The unordered pair of each cell as lower * n + higher."""
        return np.minimum(self.first, self.second) * self.n + np.maximum(self.first, self.second)


def add_up(values: Floats, at: Indices, size: int) -> Floats:
    """Sums (size,) of the values that stand at the same number."""
    return np.bincount(at, values, size).astype(np.float64, copy=False)


def check(n: int, columns: Columns) -> None:
    """ValueError naming the first row with an unknown entrant, one entrant twice, or an impossible mass."""
    first, second = columns.first, columns.second
    masses = (columns.won, columns.lost, columns.tied)
    if not len(first):
        return
    self_match = first == second
    unknown = (np.minimum(first, second) < 0) | (np.maximum(first, second) >= n)
    impossible = np.zeros(len(first), dtype=bool)
    for mass in masses:
        impossible |= ~(np.isfinite(mass) & (mass >= 0.0))
    if not (self_match.any() or unknown.any() or impossible.any()):
        return
    row = int(np.flatnonzero(self_match | unknown | impossible)[0])
    if unknown[row]:
        raise ValueError(f"row {row} names entrants {first[row]} and {second[row]}, but there are {n}")
    if self_match[row]:
        raise ValueError(f"row {row} compares entrant {first[row]} with itself")
    written = ", ".join(f"{mass[row]:g}" for mass in masses)
    raise ValueError(f"row {row} weighs {written}: weights must be finite and not negative")


def cells_of(n: int, columns: Columns, *, slots: bool) -> Cells:
    """The rows added up; with `slots` by order and judge, without by pair alone."""
    check(n, columns)
    first, second = columns.first.astype(np.intp), columns.second.astype(np.intp)
    won, lost = columns.won, columns.lost
    judges: tuple[int, ...] = (0,)
    judge = np.zeros(len(first), dtype=np.intp)
    if slots:
        if len(first) and columns.judge.any():
            known, judge = np.unique(columns.judge, return_inverse=True)
            judges = tuple(int(number) for number in known)
    else:
        turned = first > second
        won, lost = np.where(turned, lost, won), np.where(turned, won, lost)
        first, second = np.minimum(first, second), np.maximum(first, second)
    several = len(judges)
    key = (first * n + second) * several + judge
    if n * n * several <= _TABLE:
        size = n * n * several
        sums = [add_up(mass, key, size) for mass in (won, lost, columns.tied)]
        kept = np.flatnonzero(sums[0] + sums[1] + sums[2])
        sums = [mass[kept] for mass in sums]
    else:
        kept, at = np.unique(key, return_inverse=True)
        sums = [add_up(mass, at, len(kept)) for mass in (won, lost, columns.tied)]
    pair, judge = np.divmod(kept, several)
    first, second = np.divmod(pair, n) if n else (pair, pair)
    return Cells(n, judges, first, second, judge, *sums)


def components(cells: Cells) -> Groups:
    """Who is linked by comparisons, directly or through others: index tuples by their lowest index."""
    return _grouped(_labels(cells.n, cells.first, cells.second, "weak"))


def strong_components(cells: Cells) -> Groups:
    """Sets in which everyone can be reached from everyone by wins; a tie counts both ways.

    A maximum of the likelihood (ties as half a win, no slot term) exists where these are the components.
    Source: Ford 1957, "Solution of a ranking problem from binary comparisons".
    """
    gave_first, gave_second = cells.won + cells.tied > 0, cells.lost + cells.tied > 0
    winners = np.concatenate([cells.first[gave_first], cells.second[gave_second]])
    losers = np.concatenate([cells.second[gave_first], cells.first[gave_second]])
    return _grouped(_labels(cells.n, winners, losers, "strong"))


@dataclass(frozen=True, slots=True)
class Tally:
    """What each entrant won, lost and tied, as masses (n,)."""

    won: Floats
    lost: Floats
    tied: Floats

    @property
    def undefeated(self) -> tuple[int, ...]:
        """Who won every comparison they had, without a tie."""
        return tuple(np.flatnonzero((self.won > 0) & (self.lost == 0) & (self.tied == 0)).tolist())

    @property
    def winless(self) -> tuple[int, ...]:
        """Who lost every comparison they had, without a tie."""
        return tuple(np.flatnonzero((self.lost > 0) & (self.won == 0) & (self.tied == 0)).tolist())


def tally(cells: Cells) -> Tally:
    """The masses of all cells by entrant."""
    n, first, second = cells.n, cells.first, cells.second
    return Tally(
        add_up(cells.won, first, n) + add_up(cells.lost, second, n),
        add_up(cells.lost, first, n) + add_up(cells.won, second, n),
        add_up(cells.tied, first, n) + add_up(cells.tied, second, n),
    )


def _labels(n: int, source: Indices, target: Indices, connection: Literal["weak", "strong"]) -> Indices:
    """A number for each index's component; the same for both kinds of search."""
    if n <= _CLOSURE:
        reach = np.eye(n, dtype=np.float32)
        reach[source, target] = 1.0
        if connection == "weak":
            reach[target, source] = 1.0
        paths = -1
        while (known := int(np.count_nonzero(reach))) != paths:
            paths = known
            reach = (reach @ reach > 0.0).astype(np.float32)
        if paths == n * n:
            return np.zeros(n, dtype=np.intp)
        both = (reach > 0.0) & (reach.T > 0.0)
        return np.unique(both.argmax(axis=1), return_inverse=True)[1] if n else np.empty(0, dtype=np.intp)
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    graph = csr_array((np.ones(len(source), dtype=np.int8), (source, target)), shape=(n, n))
    _, labels = connected_components(graph, directed=True, connection=connection)
    return np.asarray(labels, dtype=np.intp)


def _grouped(labels: Indices) -> Groups:
    members: dict[int, list[int]] = {}
    for index, label in enumerate(labels.tolist()):
        members.setdefault(label, []).append(index)
    return tuple(tuple(group) for group in members.values())

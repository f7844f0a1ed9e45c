"""Comparisons for tests of ratings: from short lists, from the shared data, or drawn from known strengths."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from arena_tui.ratings.cells import Floats
from arena_tui.ratings.rows import Columns, Masses

SHARED = Path(__file__).parents[3] / "shared" / "data"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not beside this checkout")

WON: Masses = (1.0, 0.0, 0.0)
LOST: Masses = (0.0, 1.0, 0.0)
TIED: Masses = (0.0, 0.0, 1.0)


def compared(
    *rows: tuple[int, int, Masses],
    match: Iterable[int] | None = None,
    cluster: Iterable[int] | None = None,
    judge: Iterable[int] | None = None,
) -> Columns:
    """The rows as columns; each its own match of one cluster and one judge, unless told otherwise."""
    masses = np.array([row[2] for row in rows], dtype=np.float64).reshape(-1, 3)
    size = len(rows)

    def numbers(given: Iterable[int] | None, otherwise: Iterable[int]) -> NDArray[np.int32]:
        return np.array(list(otherwise if given is None else given), dtype=np.int32)

    return Columns(
        first=numbers([row[0] for row in rows], ()),
        second=numbers([row[1] for row in rows], ()),
        won=masses[:, 0],
        lost=masses[:, 1],
        tied=masses[:, 2],
        match=numbers(match, range(size)),
        cluster=numbers(cluster, [0] * size),
        judge=numbers(judge, [0] * size),
    )


def simulated(
    n: int, m: int, seed: int, *, slot: float = 0.3, ties: float = 0.1, spread: float = 1.0
) -> tuple[Floats, Columns]:
    """Normal strengths, and comparisons of random pairs by them: flat ties, a bias to the first slot."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(scale=spread, size=n)
    first = rng.integers(n, size=m)
    second = (first + 1 + rng.integers(n - 1, size=m)) % n
    won = rng.random(m) < 1.0 / (1.0 + np.exp(strength[second] - strength[first] - slot))
    tied = rng.random(m) < ties
    nothing = np.zeros(m, dtype=np.int32)
    return strength, Columns(
        first=first.astype(np.int32),
        second=second.astype(np.int32),
        won=(won & ~tied).astype(np.float64),
        lost=(~won & ~tied).astype(np.float64),
        tied=tied.astype(np.float64),
        match=np.arange(m, dtype=np.int32),
        cluster=nothing,
        judge=nothing,
    )


def picked(columns: Columns, order: NDArray[np.intp] | slice) -> Columns:
    """The same rows in another order, or some of them."""
    return Columns(*(getattr(columns, name)[order] for name in Columns.__slots__))

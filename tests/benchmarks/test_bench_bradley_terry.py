"""What a Bradley-Terry fit costs, beside evalica's in the same process.

The bars: with intervals at 64 entrants and 1,000 comparisons no slower than evalica's fit alone; at 10,000
and 1,000,000 at least 8 times as fast. Run with OPENBLAS_NUM_THREADS=1: on a busy machine BLAS threads wait
for each other longer than they work.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import pytest
from report import heading, show

from arena_tui.ratings.bradley_terry import fit
from arena_tui.ratings.rows import Columns


def compared(n: int, m: int) -> Columns:
    """Comparisons of random pairs by normal strengths, 10 % ties."""
    rng = np.random.default_rng(n)
    strength = rng.normal(size=n)
    first = rng.integers(n, size=m)
    second = (first + 1 + rng.integers(n - 1, size=m)) % n
    won = rng.random(m) < 1.0 / (1.0 + np.exp(strength[second] - strength[first]))
    tied = rng.random(m) < 0.1
    nothing = np.zeros(m, dtype=np.int32)
    return Columns(
        first=first.astype(np.int32),
        second=second.astype(np.int32),
        won=(won & ~tied).astype(np.float64),
        lost=(~won & ~tied).astype(np.float64),
        tied=tied.astype(np.float64),
        match=np.arange(m, dtype=np.int32),
        cluster=nothing,
        judge=nothing,
    )


def seconds(call: Callable[[], object], repeats: int) -> float:
    """The median time of some calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


@pytest.mark.benchmark
@pytest.mark.parametrize(
    ("n", "m", "repeats", "ratio"),
    [(64, 1_000, 101, 1.0), (1_000, 100_000, 3, None), (10_000, 1_000_000, 1, 1 / 8)],
)
def test_a_fit_against_evalica(n: int, m: int, repeats: int, ratio: float | None) -> None:
    evalica = pytest.importorskip("evalica")
    rows = compared(n, m)
    names = [f"{at:05d}" for at in range(n)]
    first, second = ([names[at] for at in side.tolist()] for side in (rows.first, rows.second))
    said = [
        evalica.Winner.X if won else evalica.Winner.Y if lost else evalica.Winner.Draw
        for won, lost in zip(rows.won.tolist(), rows.lost.tolist(), strict=True)
    ]
    fit(n, rows, prior=None, slot=False)  # scipy is imported by now
    floor = seconds(lambda: evalica.bradley_terry(first, second, said), repeats)
    ours = seconds(lambda: fit(n, rows, prior=None, slot=False), repeats)
    learnt = seconds(lambda: fit(n, rows), repeats)
    heading(f"{n:,} entrants, {m:,} comparisons" + ("" if n <= 2_500 else ", no covariance matrix"))
    milli, floor_is = 1e3, "evalica's fit"
    show("maximum likelihood" + (" and intervals" if n <= 2_500 else ""), ours * milli, "ms",
         floor=floor * milli, floor_is=floor_is, ratio_at_most=ratio)  # fmt: skip
    show("learnt prior, slot term", learnt * milli, "ms", floor=floor * milli, floor_is=floor_is)
    assert fit(n, rows).comparisons == m

"""What a ranking is worth beside the truth, and what many of them are worth on average."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena_tui.facts import Standing
from arena_tui.ratings.estimates import elo

TOP = 3
DEEP = 10  # nDCG looks at so many places


class Measures(NamedTuple):
    """One tournament: Kendall's tau in [-1, 1], the others shares of 1; `coverage` None without intervals."""

    tau: float
    top1: float
    top3: float
    ndcg: float
    coverage: float | None
    calls: float


class Means(NamedTuple):
    """The same over many tournaments, with standard errors; None where nothing or too little is known."""

    mean: Mapping[str, float | None]
    se: Mapping[str, float | None]


def measured(
    order: Sequence[str], truth: Mapping[str, float], coverage: float | None, calls: int
) -> Measures:
    """What the ranking `order` (ids, best first) of all of `truth` is worth. A single entrant is all right.

    nDCG: place p (from 1) of the first k = min(10, N) gives the gain k - true rank (from 0; at least 0) over
    log2(1 + p), as a share of the most there is.
    """
    best_first = sorted(truth, key=lambda id_: -truth[id_])
    rank = {id_: place for place, id_ in enumerate(best_first)}
    deep = min(DEEP, len(order))
    most = _discounted(range(deep), deep)
    return Measures(
        tau=_tau([rank[id_] for id_ in order]),
        top1=float(order[0] == best_first[0]),
        top3=len(set(order[:TOP]) & set(best_first[:TOP])) / min(TOP, len(order)),
        ndcg=_discounted([rank[id_] for id_ in order[:deep]], deep) / most,
        coverage=coverage,
        calls=float(calls),
    )


def covered(standings: Sequence[Standing], truth: Mapping[str, float]) -> float | None:
    """The share of the 95 % intervals shown that hold the true strength less the mean; None without any."""
    mean = math.fsum(truth.values()) / len(truth)
    hits = [
        standing.low <= elo(truth[standing.id] - mean) <= standing.high
        for standing in standings
        if standing.low is not None and standing.high is not None
    ]
    return sum(hits) / len(hits) if hits else None


def averaged(arenas: Sequence[Sequence[Measures]]) -> Means:
    """The mean over arenas of the mean over their tournaments (seeds).

    Standard errors are over seeds, the arenas being taken as they are.
    """
    mean: dict[str, float | None] = {}
    se: dict[str, float | None] = {}
    for at, name in enumerate(Measures._fields):
        known = [[row[at] for row in rows if row[at] is not None] for rows in arenas]
        columns = [[float(value) for value in values if value is not None] for values in known if values]
        if not columns:
            mean[name] = se[name] = None
            continue
        means = [math.fsum(values) / len(values) for values in columns]
        mean[name] = math.fsum(means) / len(means)
        if min(map(len, columns)) < 2:
            se[name] = None
            continue
        squares = [
            math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1) / len(values)
            for values, middle in zip(columns, means, strict=True)
        ]
        se[name] = math.sqrt(math.fsum(squares)) / len(columns)
    return Means(mean, se)


def _tau(ranks: Sequence[int]) -> float:
    """Kendall's tau of a permutation with 0, 1, 2...; 1 for a single one."""
    seen: list[int] = []
    swapped = 0
    for rank in ranks:
        swapped += len(seen) - bisect_left(seen, rank)
        insort(seen, rank)
    pairs = math.comb(len(ranks), 2)
    return 1.0 - 2.0 * swapped / pairs if pairs else 1.0


def _discounted(ranks: Sequence[int], deep: int) -> float:
    return math.fsum(max(0, deep - rank) / math.log2(place + 1) for place, rank in enumerate(ranks, 1))

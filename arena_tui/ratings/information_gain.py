"""Which comparison teaches most: expected information gain, whose place matters, verdicts not yet in.

Pure numpy on a normal posterior of strengths; entrants are numbers from 0. What a verdict teaches is
measured in nats. Source of the scheme: expected information gain as in ASAP (Mikhailiuk et al. 2020), with
weights for the places that matter and pending verdicts taken as a shrunk covariance.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Goal = Literal["best", "balanced", "order"]

DRAWS = 64
"""Draws from the posterior behind the weights."""
ALL_PAIRS = 256
"""Up to so many entrants every pair is scored, above that near ones only."""
NEAR = 32
"""Ranks between two that are near."""
EQUAL = 1e-9
"""Scores, and means where ranks are made of them, that differ by no more count as equal."""
_TOP = 3
_FLOOR = 0.02  # of a weight for the goal `best`: nobody is quite forgotten
_NODES, _MASSES = hermegauss(5)
_MASSES = _MASSES / _MASSES.sum()


def information_gain(gap: Floats, variance: Floats) -> Floats:
    """What the verdict on a pair is expected to teach of its gap, normal with these moments, in nats.

    The entropy of the verdict less its expected entropy once the gap is known, H(E p) - E H(p) with p the
    logistic function of the gap, by five Gauss-Hermite nodes. Shapes are those of `gap`.
    """
    odds = np.abs(gap) + np.multiply.outer(_NODES, np.sqrt(variance))
    small = np.exp(-np.abs(odds))
    loser = small / (1.0 + small)
    known = _sum(np.log(1.0 + small) + np.abs(odds) * loser)
    chance = _sum(np.where(odds < 0.0, loser, 1.0 - loser))
    other = 1.0 - chance
    return np.asarray(-chance * np.log(chance) - other * np.log(np.maximum(other, 1e-300)) - known)


def _sum(values: Floats) -> Floats:
    total: Floats = _MASSES[0] * values[0]
    for mass, row in zip(_MASSES[1:], values[1:], strict=True):
        total += mass * row
    return total


def place_weights(goal: Goal, mean: Floats, spread: Floats, draws: Floats) -> Floats:
    """How much each entrant's place matters (n,).

    `best`: the chance of the first three places, plus .02. `balanced`: the expected discount of its rank,
    1 / log2(1 + rank). `order`: 1/2 for all. `spread` is the covariance (n, n) or the variances (n,);
    `draws` (k, n) are standard normal.
    """
    if goal == "order":
        return np.full(len(mean), 0.5)
    strength = mean + (draws * np.sqrt(spread) if spread.ndim == 1 else draws @ np.linalg.cholesky(spread).T)
    order = np.argsort(-strength, axis=1, kind="stable")
    if goal == "best":
        share = np.bincount(order[:, :_TOP].ravel(), minlength=len(mean)) / len(draws)
        return np.asarray(share + _FLOOR)
    discount = np.broadcast_to(1.0 / np.log2(2.0 + np.arange(len(mean))), order.shape)
    total = np.bincount(order.ravel(), discount.ravel(), len(mean))
    return np.asarray(total / len(draws), dtype=np.float64)


class PairGains:
    """What a verdict on each pair would teach, weighted, with verdicts pending.

    `mean` (n,), `spread` a covariance (n, n) or variances (n,) of independent strengths, `weight` (n,) as
    of `place_weights`. Scores that differ by 1e-9 at most are equal and go to the lower pair, so that the
    choice does not hang on how sums are rounded.
    """

    def __init__(self, mean: Floats, spread: Floats, weight: Floats) -> None:
        first, second = _every_pair(len(mean)) if len(mean) <= ALL_PAIRS else near_pairs(mean)
        self.first, self.second = first, second
        self._mean, self._spread = mean, spread
        self._gap = mean[first] - mean[second]
        self._weight = weight[first] + weight[second]
        self._shrinks = np.empty((0, len(mean)))  # the covariance is `spread` less the squares of the rows
        self._pending = 0
        if spread.ndim == 1:
            self._spread = spread.copy()
            self._variance = spread[first] + spread[second]
        else:
            own = spread.diagonal()
            self._variance = own[first] + own[second] - 2.0 * spread[first, second]

    def expect(self, one: int, other: int) -> None:
        """A verdict on the two is on its way: shrink the covariance as it will, whichever it is."""
        if self._spread.ndim == 1:
            self._expect_apart(one, other)
            return
        shrinks = self._shrinks[: self._pending]
        shift = self._spread[:, one] - self._spread[:, other]
        shift = shift - (shrinks[:, one] - shrinks[:, other]) @ shrinks
        variance = max(float(shift[one] - shift[other]), 0.0)
        share = _shrinkage(float(self._mean[one] - self._mean[other]), variance)
        row = np.sqrt(share) * shift
        if self._pending == len(self._shrinks):
            more = np.empty((max(16, 2 * self._pending), len(row)))
            more[: self._pending] = shrinks
            self._shrinks = more
        self._shrinks[self._pending] = row
        self._pending += 1
        self._variance = self._variance - np.square(row[self.first] - row[self.second])

    def _expect_apart(self, one: int, other: int) -> None:
        variance = self._spread[one] + self._spread[other]
        share = _shrinkage(float(self._mean[one] - self._mean[other]), float(variance))
        for entrant in (one, other):
            self._spread[entrant] -= share * self._spread[entrant] ** 2
        self._variance = self._spread[self.first] + self._spread[self.second]

    def scores(self) -> Floats:
        """The weighted gain of each pair, in the order of `first` and `second`."""
        return information_gain(self._gap, np.maximum(self._variance, 0.0)) * self._weight

    def best(self, including: int | None = None) -> tuple[int, int]:
        """The pair with the highest score, lower number first; with `including`, of that entrant's."""
        scores = self.scores()
        if including is not None:
            scores[(self.first != including) & (self.second != including)] = -1.0
        tied = np.flatnonzero(scores >= scores.max() - EQUAL)
        pairs = zip(self.first[tied].tolist(), self.second[tied].tolist(), strict=True)
        return min((min(pair), max(pair)) for pair in pairs)


def _shrinkage(gap: float, variance: float) -> float:
    """v / (1 + v variance), v the expected information p (1 - p) of one verdict on the gap.

    p is the logistic function averaged over the gap. Source: MacKay 1992, "The evidence framework applied
    to classification networks".
    """
    chance = 1.0 / (1.0 + np.exp(gap / np.sqrt(1.0 + np.pi * variance / 8.0)))
    information = chance * (1.0 - chance)
    return float(information / (1.0 + information * variance))


@lru_cache(maxsize=8)
def _every_pair(n: int) -> tuple[Indices, Indices]:
    first, second = np.triu_indices(n, 1)
    return first, second


def near_pairs(mean: Floats) -> tuple[Indices, Indices]:
    """All pairs within 32 ranks by falling mean, about 32 n; those equal in the mean in index order."""
    order = np.argsort(-mean, kind="stable")
    level = np.concatenate([[0], np.cumsum(-np.diff(mean[order]) > EQUAL)])
    order = order[np.lexsort((order, level))]
    first = [order[:-apart] for apart in range(1, min(NEAR, len(mean) - 1) + 1)]
    second = [order[apart:] for apart in range(1, len(first) + 1)]
    return np.concatenate(first), np.concatenate(second)

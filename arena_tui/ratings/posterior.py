"""The posterior of strengths that a scheduler goes by: the default model of `bradley_terry`, made for speed.

A scheduler fits again after every few verdicts, so here strengths, slot term and prior scale take each
Newton step together and nothing else is worked out. `bradley_terry.fit` gives the same figures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_tui.ratings.bradley_terry import SLOT_VARIANCE, fit
from arena_tui.ratings.information import DENSE_LIMIT
from arena_tui.ratings.rows import Columns

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_CLOSE = 1e-10  # a step below this is the last
_OVERFLOW = 700.0  # log-odds whose exponential is still a number
_STEPS = 200  # eight to twelve are usual
_SHORT = 0.1  # log-odds: from here on the scale moves by the secant of its last two moves
_SMALL = 64  # below this OpenBLAS keeps all but dpotri, which would wake its threads, in this thread
_LONG = 1.0  # log-odds that one step may move a comparison before it is shortened


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """Normal approximation at the maximum: `mean` (n,) in logits, `variance` (n,), `covariance` (n, n).

    Above 2,500 entrants there is no covariance and a variance is the inverse of the information about
    that entrant with all others held fixed: too small, most for those who met few.
    """

    mean: Floats
    variance: Floats
    covariance: Floats | None
    scale: float
    slot: float


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Comparisons added up by ordered pair: `first` took `points` (ties half) of `mass` from `second`."""

    first: Indices
    second: Indices
    mass: Floats
    points: Floats


def posterior(n: int, counts: Counts) -> Posterior:
    """Strengths of `n` entrants a posteriori; a function of the counts alone.

    Log-odds of the first are strength - strength + slot term; ties are half a win; strengths N(0, s^2)
    with s^2 = (sum of squared strengths + trace of their covariance + 4.5) / (n + 2); slot term
    N(0, 0.25).
    """
    return _dense(n, counts) if n <= DENSE_LIMIT else _sparse(n, counts)


def _dense(n: int, counts: Counts) -> Posterior:
    first, second, mass, points = counts.first, counts.second, counts.mass, counts.points
    pair = first * n + second
    at = np.zeros(n + 1)
    tau = np.empty(n + 1)
    tau[n] = 1.0 / SLOT_VARIANCE
    log_scale = 0.0  # of the variance
    before: tuple[float, float] | None = None
    for _ in range(_STEPS):
        variance = math.exp(log_scale)
        tau[:n] = 1.0 / variance
        chance = 1.0 / (1.0 + np.exp(np.minimum(at[second] - at[first] - at[n], _OVERFLOW)))
        miss = points - mass * chance
        weight = mass * chance * (1.0 - chance)
        gradient = _differences(first, second, miss, n) - tau * at
        inverse = _inverse(_information(n, pair, first, second, weight), tau)
        step = inverse @ gradient
        longest = float(np.abs(step[first] - step[second] + step[n]).max(initial=0.0))
        if longest > _LONG:  # shortened so that it still climbs: Bach 2010, self-concordance of the logistic
            step *= math.log1p(longest) / longest
        at = at + step
        theta, block = at[:n], inverse[:n, :n]
        pull = block @ theta
        asked = (theta @ theta + block.trace() + 4.5) / (n + 2)
        log_asked = math.log(asked)
        if longest < _SHORT and before is not None and log_scale != before[0]:
            slope = (log_asked - before[1]) / (log_scale - before[0])
        else:  # as if the information did not depend on the strengths
            slope = (2.0 * (theta @ pull) + np.square(block).sum()) / (variance * (n + 2)) / asked
        before = log_scale, log_asked
        move = (log_asked - log_scale) / (1.0 - max(0.0, min(float(slope), 0.99)))
        move = max(-2.0, min(2.0, move))
        log_scale += move
        at += (inverse[:, :n] @ theta) * (1.0 / variance - math.exp(-log_scale))
        if longest < _CLOSE and abs(move) < _CLOSE:
            break
    return Posterior(at[:n].copy(), block.diagonal().copy(), block, math.exp(log_scale / 2), float(at[n]))


def _sparse(n: int, counts: Counts) -> Posterior:
    first, second, mass = counts.first, counts.second, counts.mass
    some = len(first)
    zeros = np.zeros(some, dtype=np.int32)
    columns = Columns(
        first=first.astype(np.int32),
        second=second.astype(np.int32),
        won=counts.points,
        lost=np.maximum(mass - counts.points, 0.0),
        tied=np.zeros(some),
        match=np.arange(some, dtype=np.int32),
        cluster=zeros,
        judge=zeros,
    )
    found = fit(n, columns)
    slot = found.slot[0].logits if found.slot else 0.0
    scale = found.prior_scale or 1.0
    mean = found.strength
    chance = 1.0 / (1.0 + np.exp(mean[second] - mean[first] - slot))
    weight = mass * chance * (1.0 - chance)
    information = np.bincount(first, weight, n) + np.bincount(second, weight, n) + scale**-2
    variance: Floats = np.reciprocal(information)
    return Posterior(mean, variance, None, scale, slot)


def _differences(first: Indices, second: Indices, values: Floats, n: int) -> Floats:
    """`values` added up for the firsts, less those of the seconds; last, their sum."""
    out = np.empty(n + 1)
    np.subtract(np.bincount(first, values, n), np.bincount(second, values, n), out=out[:n])
    out[n] = values.sum()
    return out


def _information(n: int, pair: Indices, first: Indices, second: Indices, weight: Floats) -> Floats:
    links = np.bincount(pair, weight, n * n).reshape(n, n)
    matrix = np.empty((n + 1, n + 1))
    np.add(links, links.T, out=matrix[:n, :n])
    degrees = matrix[:n, :n].sum(axis=1)
    np.negative(matrix[:n, :n], out=matrix[:n, :n])
    matrix.reshape(-1)[: n * (n + 1) : n + 2] = degrees
    border = _differences(first, second, weight, n)
    matrix[n] = border
    matrix[:n, n] = border[:n]
    return matrix


def _inverse(matrix: Floats, tau: Floats) -> Floats:
    from scipy.linalg.lapack import dpotrf, dpotri, dtrtri

    matrix.reshape(-1)[:: len(matrix) + 1] += tau
    root, _ = dpotrf(matrix, lower=1, clean=1)
    if len(matrix) < _SMALL:
        part: Floats = dtrtri(root, lower=1)[0]
        return part.T @ part
    half, _ = dpotri(root, lower=1, overwrite_c=1)
    whole: Floats = half + half.T
    whole.reshape(-1)[:: len(whole) + 1] *= 0.5
    return whole

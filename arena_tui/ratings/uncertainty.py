"""Second opinions on a fit's covariance: by what the rows show (sandwich, clusters), and by pairs that recur.

A fit's own covariance trusts its model: rows are independent, and the odds of a pair are those of its two
strengths. Here either trust is dropped. All three covariances are C M C: C the inverse information,
M what the scores of the comparisons really vary by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from arena_tui.ratings.bradley_terry import Fit, centred
from arena_tui.ratings.cells import Cells, Floats, Indices, add_up, cells_of
from arena_tui.ratings.information import Assembly, System
from arena_tui.ratings.likelihood import Slopes, davidson_slopes, half_slopes
from arena_tui.ratings.rows import Columns

_OWN = 0.6  # leverage above which a pair has fitted itself, and its residuals say next to nothing


@dataclass(frozen=True, slots=True)
class PairVariance:
    """Variance, in squared logits, of what single pairs have of their own; from how many recurring pairs."""

    variance: float
    pairs: int


def sandwich(fit: Fit, columns: Columns) -> Floats:
    """Covariance (n, n) of the centred strengths with each row's squared residual in place of the model's.

    HC0, without a small-sample factor; a prior counts as one more independent observation. Sources:
    Huber 1967; White 1980. Needs a fit with a covariance (at most 2,500 entrants).
    """
    return _sandwich(fit, columns, np.arange(len(columns.first)))


def cluster_sandwich(fit: Fit, columns: Columns) -> Floats:
    """The same where rows of one `cluster` may hang together, times G / (G - 1) for G clusters.

    ValueError with fewer than two clusters. Source: Liang and Zeger 1986, "Longitudinal data analysis using
    generalized linear models".
    """
    clusters, at = np.unique(columns.cluster, return_inverse=True)
    if len(clusters) < 2:
        raise ValueError(f"intervals by cluster need two clusters or more, got {len(clusters)}")
    return _sandwich(fit, columns, at, len(clusters) / (len(clusters) - 1))


def pair_variance(fit: Fit, columns: Columns) -> PairVariance:
    """By the method of moments, from pairs that met in several matches: 0 when they vary as the model says.

    A pair of its own offset leaves residuals of one sign. Each pair's squared sum of residuals, less the
    noise of its matches, estimates the offset's variance times the cross products of the matches'
    information; both are corrected for what of a pair the fit has absorbed, and pairs of which it absorbed
    little weigh more. Noise is what the matches show (the squares of their residuals; the rows of a match
    are one observation, so its two orders are no repetition), or what the model expects where that is more,
    all pairs together: a judge who never errs shows none, and its verdicts would look like offsets. For the
    same reason the fit should draw strengths to the mean no more than it must.
    """
    meetings = _meetings(fit, columns)
    repeated = (meetings.matches > 1) & (meetings.leverage < _OWN)
    if not repeated.any():
        return PairVariance(0.0, 0)
    leverage, matches = meetings.leverage[repeated], meetings.matches[repeated]
    left = 1.0 - leverage
    noise = meetings.residual_squares[repeated] / (1.0 - leverage / matches)
    shown, expected = float(noise.sum()), float(meetings.expected[repeated].sum())
    noise *= max(1.0, expected / shown) if shown else 1.0
    excess = np.square(meetings.residual[repeated]) - left * noise
    variance = float(excess.sum()) / float((left * meetings.cross[repeated]).sum())
    return PairVariance(max(0.0, variance), int(repeated.sum()))


def inflation(fit: Fit, columns: Columns, variance: float) -> Floats:
    """What pair offsets of that `variance` add to the covariance (n, n) of the centred strengths."""
    posterior = _posterior(fit)[: fit.n, : fit.n]
    meetings = _meetings(fit, columns)
    extra = np.zeros((fit.n, fit.n))
    np.add.at(extra, (meetings.low, meetings.high), -variance * meetings.cross)
    extra += extra.T
    extra[np.diag_indices(fit.n)] = -extra.sum(axis=1)
    return centred(posterior @ extra @ posterior, one=fit.prior_scale is not None)


def draws(
    fit: Fit, columns: Columns, count: int, seed: int, *, variance: float = 0.0, cluster: bool = False
) -> Floats:
    """Deviations (n, count) from the centred strengths, drawn from C M C without making a matrix of it.

    Perturb and solve: random scores with covariance M, one linear system each. M is the model's
    information, or with `cluster` that of the clusters' scores; offsets of pairs with `variance` are added.
    Source: Papandreou and Yuille 2010, "Gaussian sampling by local perturbations".
    """
    rng = np.random.default_rng(seed)
    system, slopes, cells = _at_fit(fit, columns)
    precision = fit.precision()
    scores = np.sqrt(precision)[:, None] * rng.standard_normal((len(precision), count))
    if cluster:
        clusters, at = np.unique(columns.cluster, return_inverse=True)
        scores += _scores(fit, columns, at).T @ rng.standard_normal((len(clusters), count))
    else:
        for column in scores.T:
            column += _random_score(fit, cells, slopes, rng)
    if variance > 0.0:
        meetings = _meetings(fit, columns)
        spread = np.sqrt(variance * meetings.cross)
        for column in scores.T:
            push = spread * rng.standard_normal(len(spread))
            column[: fit.n] += add_up(push, meetings.low, fit.n) - add_up(push, meetings.high, fit.n)
    solved = system.solve(scores, rough=True)[: fit.n]
    return np.asarray(solved - solved.mean(axis=0))


def _sandwich(fit: Fit, columns: Columns, cluster: Indices, factor: float = 1.0) -> Floats:
    posterior = _posterior(fit)
    scores = _scores(fit, columns, cluster)
    meat = factor * (scores.T @ scores).toarray()
    meat[np.diag_indices(len(meat))] += fit.precision()
    covariance = posterior @ meat @ posterior
    return centred(covariance[: fit.n, : fit.n], one=fit.prior_scale is not None)


def _posterior(fit: Fit) -> Floats:
    if fit.posterior is None:
        raise ValueError(f"a fit of {fit.n} entrants has no covariance matrix: draw from it instead")
    return fit.posterior


def _parameters(fit: Fit) -> Floats:
    """Strengths, slot terms, ln nu."""
    slots = [effect.logits for effect in fit.slot.values()]
    return np.concatenate([fit.strength, slots, [] if fit.nu is None else [np.log(fit.nu)]])


def _slopes(fit: Fit, won: Floats, lost: Floats, tied: Floats, odds: Floats) -> Slopes:
    if fit.nu is None:
        return half_slopes(won, lost, tied, odds)
    return davidson_slopes(won, lost, tied, odds, float(np.log(fit.nu)))


def _row_slopes(fit: Fit, columns: Columns) -> tuple[Slopes, Indices | None]:
    """The slopes of all rows at the fit, and each row's judge by its place in `fit.slot`."""
    odds = fit.strength[columns.first] - fit.strength[columns.second]
    judge = None
    if fit.slot:
        judge = np.searchsorted(np.array(list(fit.slot)), columns.judge)
        odds = odds + _parameters(fit)[fit.n + judge]
    return _slopes(fit, columns.won, columns.lost, columns.tied, odds), judge


def _scores(fit: Fit, columns: Columns, cluster: Indices) -> Any:
    """Gradients of the log-likelihood, summed by `cluster`: a sparse (clusters, parameters) matrix."""
    from scipy.sparse import csr_array

    slopes, judge = _row_slopes(fit, columns)
    parts = [(slopes.x, columns.first.astype(np.intp)), (-slopes.x, columns.second.astype(np.intp))]
    if judge is not None:
        parts.append((slopes.x, fit.n + judge))
    size = len(fit.precision())
    if slopes.eta is not None:
        parts.append((slopes.eta, np.full(len(cluster), size - 1)))
    values, places = (np.concatenate(part) for part in zip(*parts, strict=True))
    rows = np.tile(cluster, len(parts))
    return csr_array((values, (rows, places)), shape=(int(cluster.max(initial=-1)) + 1, size))


@dataclass(frozen=True, slots=True)
class _Meetings:
    """By pair (lower, higher index): its matches, residuals and information, summed and squared by match.

    `expected` is what the squared residuals come to on average where rows are independent, `cross` what
    the matches' information has in products of two different matches; `leverage` the share of a pair's
    information in what the fit knows of its gap.
    """

    low: Indices
    high: Indices
    matches: Indices
    residual: Floats
    residual_squares: Floats
    expected: Floats
    cross: Floats
    leverage: Floats


def _meetings(fit: Fit, columns: Columns) -> _Meetings:
    slopes, _ = _row_slopes(fit, columns)
    first, second = columns.first.astype(np.intp), columns.second.astype(np.intp)
    residual = np.where(first < second, slopes.x, -slopes.x)
    pairs, pair = np.unique(
        np.minimum(first, second) * fit.n + np.maximum(first, second), return_inverse=True
    )
    numbers, match = np.unique(columns.match, return_inverse=True)
    meetings, meeting = np.unique(pair * len(numbers) + match, return_inverse=True)
    of_pair = meetings // max(1, len(numbers))
    residuals = add_up(residual, meeting, len(meetings))
    weights = add_up(slopes.xx, meeting, len(meetings))
    size = len(pairs)
    information = add_up(weights, of_pair, size)
    low, high = np.divmod(pairs, max(1, fit.n))
    return _Meetings(
        low=low,
        high=high,
        matches=np.bincount(of_pair, minlength=size),
        residual=add_up(residuals, of_pair, size),
        residual_squares=add_up(np.square(residuals), of_pair, size),
        expected=add_up(slopes.xx * (columns.won + columns.lost + columns.tied), pair, size),
        cross=np.maximum(np.square(information) - add_up(np.square(weights), of_pair, size), 0.0),
        leverage=information * _gap_variance(fit, slopes, first, second, low, high),
    )


def _gap_variance(
    fit: Fit, slopes: Slopes, first: Indices, second: Indices, low: Indices, high: Indices
) -> Floats:
    """Of each pair's gap; without a matrix that of the pair alone, all others held fixed."""
    c = fit.posterior
    if c is not None:
        own = c.diagonal()
        return np.asarray(own[low] + own[high] - 2.0 * c[low, high])
    precision = fit.precision()[: fit.n]
    known = precision + add_up(slopes.xx, first, fit.n) + add_up(slopes.xx, second, fit.n)
    return np.asarray(1.0 / known[low] + 1.0 / known[high])


def _at_fit(fit: Fit, columns: Columns) -> tuple[System, Slopes, Cells]:
    """The information of a fit as a system, and the cells it is made of with their slopes."""
    cells = cells_of(fit.n, columns, slots=bool(fit.slot))
    labels = None
    if fit.prior_scale is None:
        labels = np.empty(fit.n, dtype=np.intp)
        for label, group in enumerate(fit.components):
            labels[list(group)] = label
    assembly = Assembly(cells, slots=bool(fit.slot), eta=fit.nu is not None, labels=labels)
    slopes = _slopes(fit, cells.won, cells.lost, cells.tied, assembly.log_odds(_parameters(fit)))
    return assembly.system(slopes, fit.precision()), slopes, cells


def _random_score(fit: Fit, cells: Cells, slopes: Slopes, rng: np.random.Generator) -> Floats:
    """A gradient (parameters,) drawn as the model says that it varies."""
    push = np.sqrt(slopes.xx) * rng.standard_normal(len(cells))
    parts = [add_up(push, cells.first, fit.n) - add_up(push, cells.second, fit.n)]
    if fit.slot:
        parts.append(add_up(push, cells.judge, len(cells.judges)))
    if slopes.x_eta is not None and slopes.eta_eta is not None:
        tied = slopes.x_eta / np.where(slopes.xx > 0.0, slopes.xx, 1.0)
        rest = np.sqrt(np.maximum(slopes.eta_eta - tied * slopes.x_eta, 0.0))
        parts.append(np.array([(tied * push + rest * rng.standard_normal(len(cells))).sum()]))
    return np.concatenate(parts)

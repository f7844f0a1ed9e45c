"""How far fitted strengths may be off together: a covariance matrix, or draws where that is too large."""

from __future__ import annotations

import numpy as np

from arena_tui.ratings.bradley_terry import Fit
from arena_tui.ratings.cells import Floats, Indices
from arena_tui.ratings.rows import Columns
from arena_tui.ratings.uncertainty import cluster_sandwich, draws, inflation

DRAWS = 2_048  # a probability near 0.95 is then within 0.005 of what more would give, at one sigma
SOLVES = 256  # where every draw is a linear system


class Spread:
    """A covariance matrix (n, n) of strengths, or draws (n, count) of deviations from them."""

    def __init__(self, covariance: Floats | None, drawn: Floats | None = None) -> None:
        self.covariance, self.drawn = covariance, drawn
        if covariance is not None:
            self.variance = np.maximum(covariance.diagonal(), 0.0)
        else:
            assert drawn is not None
            self.variance = np.square(drawn).mean(axis=1)
        self.se = np.sqrt(self.variance)

    def gaps(self, rows: Indices, members: Indices) -> Floats:
        """Variances (rows, members) of the gaps between them."""
        if self.covariance is not None:
            together = self.covariance[np.ix_(rows, members)]
        else:
            assert self.drawn is not None
            together = self.drawn[rows] @ self.drawn[members].T / self.drawn.shape[1]
        return np.asarray(self.variance[rows][:, None] + self.variance[members][None, :] - 2.0 * together)

    def draw(self, members: Indices, seed: list[int]) -> Floats:
        """Deviations (draws, members); a shift that all members share is of no account."""
        if self.drawn is not None:
            return self.drawn[members].T
        assert self.covariance is not None
        block = self.covariance[np.ix_(members, members)]
        level = float(block.diagonal().mean()) or 1.0
        block = block + level  # centring has left no variance along the mean, and a root needs some
        block[np.diag_indices(len(members))] += 1e-9 * level
        normal = np.random.default_rng(seed).standard_normal((DRAWS, len(members)))
        return np.asarray(normal @ np.linalg.cholesky(block).T)


def spread_of(fitted: Fit, columns: Columns, *, pairs: float, cluster: bool, seed: int) -> Spread:
    """That of a fit: the model's or by clusters, with offsets of pairs of variance `pairs` added."""
    clusters = len(np.unique(columns.cluster)) if cluster else 0
    if fitted.covariance is None:
        drawn = draws(fitted, columns, SOLVES, seed, variance=pairs, cluster=clusters > fitted.n)
        return Spread(None, drawn)
    covariance = fitted.covariance
    if clusters > 1:
        by_cluster = cluster_sandwich(fitted, columns)
        covariance = by_cluster if clusters > fitted.n else _wider(covariance, by_cluster)
    if pairs > 0.0:
        covariance = covariance + inflation(fitted, columns, pairs)
    return Spread(covariance)


def _wider(covariance: Floats, other: Floats) -> Floats:
    """`other` where it is wider than `covariance` and `covariance` elsewhere, direction by direction.

    Few clusters leave directions in which their scores hardly vary: that is no knowledge.
    """
    values, vectors = np.linalg.eigh(covariance)
    kept = values > 1e-12 * values.max(initial=0.0)
    root = vectors[:, kept] * np.sqrt(values[kept])
    inverse = vectors[:, kept] / np.sqrt(values[kept])
    ratio, turned = np.linalg.eigh(inverse.T @ other @ inverse)
    axes = root @ turned
    return np.asarray((axes * np.maximum(ratio, 1.0)) @ axes.T)

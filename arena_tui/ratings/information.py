"""The information matrix of a fit as a linear system: dense by Cholesky, sparse by conjugate gradients.

Parameters stand in the order strengths, slot terms by judge, tie parameter. Both systems answer the
same questions: solve, and the traces that the scale of the prior is learnt from.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from arena_tui.ratings.cells import Cells, Floats, Indices, add_up
from arena_tui.ratings.likelihood import Slopes

DENSE_LIMIT = 2_500
"""Up to so many entrants the matrix is dense and a fit has a covariance."""
_FEW = 48  # rows for which OpenBLAS's inverse would start threads that take longer than the work
_PIVOT = 1e-12  # what an elimination must leave of a diagonal element, relative to it
_TOLERANCE = 1e-10  # of a conjugate-gradient solution, relative to the right-hand side
_ROUGH = 1e-5
_NOTHING = 1e-26  # a squared residual that is rounding alone
_PROBES = 16  # random signs from which traces are estimated where there is no inverse


class Singular(ValueError):
    """The comparisons leave a combination of the parameters undetermined."""


class System(Protocol):
    """One information matrix, ready to be solved with."""

    def solve(self, right: Floats, rough: bool = False) -> Floats:
        """The solutions for the columns of `right`, (p,) or (p, k); `rough` ones are right to 1e-5."""
        ...

    def traces(self) -> tuple[float, float]:
        """Traces of C and of C squared, C the strengths' block of the inverse."""
        ...


class Assembly:
    """Puts the slopes of cells together to gradients and systems; knows the pattern, not the values.

    `labels` are each entrant's component where there is no prior: each component's mean is then pinned
    to 0, since comparisons say nothing about it.
    """

    def __init__(self, cells: Cells, *, slots: bool, eta: bool, labels: Indices | None) -> None:
        self.n = cells.n
        self.judges = len(cells.judges) if slots else 0
        self.eta = eta
        self.size = self.n + self.judges + eta
        self._cells = cells
        self._pair = cells.pair
        self._labels = labels
        self._means = None if labels is None or self.n > DENSE_LIMIT else _means(labels)
        self._pattern = None if self.n <= DENSE_LIMIT else _Pattern(self.n, self._pair)

    def log_odds(self, at: Floats) -> Floats:
        """The log-odds of each cell's first."""
        x: Floats = at[self._cells.first] - at[self._cells.second]
        if self.judges:
            x += at[self.n + self._cells.judge]
        return x

    def gradient(self, slopes: Slopes) -> Floats:
        """The derivatives of the log-likelihood by all parameters."""
        gradient = np.empty(self.size)
        gradient[: self.n] = self._difference(slopes.x)
        if self.judges:
            gradient[self.n : self.n + self.judges] = add_up(slopes.x, self._cells.judge, self.judges)
        if slopes.eta is not None:
            gradient[-1] = slopes.eta.sum()
        return gradient

    def system(self, slopes: Slopes, precision: Floats) -> System:
        """The information of the data plus the diagonal `precision` of the prior."""
        border, corner = self._border(slopes), self._corner(slopes)
        if self._pattern is not None:
            return _Sparse(self._pattern.laplacian(slopes.xx), border, corner, precision, self._labels)
        return Dense(self._dense(slopes.xx, border, corner), self.n, precision, self._means)

    def _difference(self, values: Floats) -> Floats:
        n = self.n
        return add_up(values, self._cells.first, n) - add_up(values, self._cells.second, n)

    def _border(self, slopes: Slopes) -> Floats:
        """The information between strengths (rows) and all else (columns)."""
        columns = []
        if self.judges == 1:
            columns.append(self._difference(slopes.xx))
        else:
            for judge in range(self.judges):
                columns.append(self._difference(np.where(self._cells.judge == judge, slopes.xx, 0.0)))
        if slopes.x_eta is not None:
            columns.append(self._difference(slopes.x_eta))
        return np.column_stack(columns) if columns else np.empty((self.n, 0))

    def _corner(self, slopes: Slopes) -> Floats:
        """The information among slot terms and the tie parameter."""
        rest = self.size - self.n
        corner = np.zeros((rest, rest))
        if self.judges:
            judge = self._cells.judge
            corner[range(self.judges), range(self.judges)] = add_up(slopes.xx, judge, self.judges)
            if slopes.x_eta is not None:
                shared = add_up(slopes.x_eta, judge, self.judges)
                corner[: self.judges, -1] = corner[-1, : self.judges] = shared
        if slopes.eta_eta is not None:
            corner[-1, -1] = slopes.eta_eta.sum()
        return corner

    def _dense(self, weights: Floats, border: Floats, corner: Floats) -> Floats:
        n = self.n
        links = add_up(weights, self._pair, n * n).reshape(n, n)
        matrix = np.empty((self.size, self.size))
        block = matrix[:n, :n]
        np.negative(links, out=block)
        block -= links.T
        block.flat[:: n + 1] = 0.0
        matrix.reshape(-1)[: n * self.size : self.size + 1] = -block.sum(axis=1)
        matrix[:n, n:], matrix[n:, :n], matrix[n:, n:] = border, border.T, corner
        return matrix


class Dense:
    """A system that has an inverse to look at; it takes `matrix` over."""

    def __init__(self, matrix: Floats, n: int, precision: Floats, means: Floats | None) -> None:
        from scipy.linalg.lapack import dpotrf

        matrix.reshape(-1)[:: len(matrix) + 1] += precision
        self._n, self._means, self._pin = n, means, 0.0
        if means is not None:
            self._pin = float(np.trace(matrix[:n, :n])) / max(n, 1) or 1.0
            matrix[:n, :n] += self._pin * means
        before = matrix.diagonal().copy()
        self._root, info = dpotrf(matrix.T, lower=1, overwrite_a=1)
        if info or (np.square(self._root.diagonal()) <= _PIVOT * before).any():
            raise Singular("the comparisons do not determine every parameter")
        self._inverse: Floats | None = None

    def solve(self, right: Floats, rough: bool = False) -> Floats:
        from scipy.linalg.lapack import dpotrs

        if not right.size:
            return right.copy()
        return np.asarray(dpotrs(self._root, right, lower=1)[0])

    def inverse(self) -> Floats:
        """The inverse; of strengths without a prior, the one in which each component's mean is 0."""
        if self._inverse is None:
            from scipy.linalg.lapack import dpotri

            size = len(self._root)
            if size <= _FEW:
                self._inverse = self.solve(np.eye(size))
            else:
                half = np.tril(dpotri(self._root, lower=1)[0])
                self._inverse = half + np.tril(half, -1).T
            if self._means is not None:
                self._inverse[: self._n, : self._n] -= self._means / self._pin
        return self._inverse

    def traces(self) -> tuple[float, float]:
        block = self.inverse()[: self._n, : self._n]
        return float(np.trace(block)), float(np.square(block).sum())


class _Pattern:
    """Which pairs met, as the pattern of a symmetric sparse matrix."""

    def __init__(self, n: int, pair: Indices) -> None:
        from scipy.sparse import csr_array

        self._pairs, self._pair = np.unique(pair, return_inverse=True)
        low, high = np.divmod(self._pairs, n)
        number = np.arange(1, len(low) + 1)
        where = (np.concatenate([low, high]), np.concatenate([high, low]))
        order = csr_array((np.concatenate([number, number]), where), shape=(n, n))
        self._n, self._low, self._high = n, low, high
        self._at, self._columns, self._starts = order.data - 1, order.indices, order.indptr

    def laplacian(self, weights: Floats) -> tuple[Any, Floats]:
        """(links, degrees) of the pairs' summed weights: the matrix is diag(degrees) - links."""
        from scipy.sparse import csr_array

        n = self._n
        summed = add_up(weights, self._pair, len(self._pairs))
        degrees = add_up(summed, self._low, n) + add_up(summed, self._high, n)
        links = csr_array((summed[self._at], self._columns, self._starts), shape=(n, n))
        return links, degrees


class _Sparse:
    def __init__(
        self,
        laplacian: tuple[Any, Floats],
        border: Floats,
        corner: Floats,
        precision: Floats,
        labels: Indices | None,
    ) -> None:
        self._links, degrees = laplacian
        self._labels = labels
        self._n = len(degrees)
        self._border, self._corner = border, corner + np.diag(precision[self._n :])
        self._own = degrees + precision[: self._n]
        diagonal = np.concatenate([self._own, self._corner.diagonal()])
        self._scale = np.where(diagonal > 0.0, diagonal, 1.0)[:, None]

    def _product(self, right: Floats) -> Floats:
        top, rest = right[: self._n], right[self._n :]
        product = np.empty_like(right)
        product[: self._n] = self._own[:, None] * top - self._links @ top + self._border @ rest
        product[self._n :] = self._border.T @ top + self._corner @ rest
        return product

    def solve(self, right: Floats, rough: bool = False) -> Floats:
        """Jacobi-preconditioned conjugate gradients, all columns of `right` at once."""
        residual = right.reshape(len(right), -1).copy()
        self._centre(residual)
        solution = np.zeros_like(residual)
        tolerance = _ROUGH if rough else _TOLERANCE
        enough = np.maximum(tolerance**2 * np.square(residual).sum(axis=0), _NOTHING)
        scaled = residual / self._scale
        direction = scaled.copy()
        energy = (residual * scaled).sum(axis=0)
        for _ in range(10 * len(right)):
            if np.all(np.square(residual).sum(axis=0) <= enough):
                break
            product = self._product(direction)
            bend = (direction * product).sum(axis=0)
            step = np.where(bend > 0.0, energy / np.where(bend > 0.0, bend, 1.0), 0.0)
            solution += step * direction
            residual -= step * product
            scaled = residual / self._scale
            before, energy = energy, (residual * scaled).sum(axis=0)
            turn = np.where(before > 0.0, energy / np.where(before > 0.0, before, 1.0), 0.0)
            direction = scaled + turn * direction
        self._centre(solution)
        return solution.reshape(right.shape)

    def _centre(self, values: Floats) -> None:
        """Take the mean of each component out of the strengths' part, where nothing else pins it."""
        if self._labels is None:
            return
        sizes = np.bincount(self._labels)
        for column in values[: self._n].T:
            column -= (add_up(column, self._labels, len(sizes)) / sizes)[self._labels]

    def traces(self) -> tuple[float, float]:
        """Estimated from fixed random signs, so that equal data give equal figures.

        Source: Hutchinson 1990, "A stochastic estimator of the trace of the influence matrix".
        """
        signs = np.zeros((len(self._scale), _PROBES))
        signs[: self._n] = np.random.default_rng(0).choice([-1.0, 1.0], size=(self._n, _PROBES))
        solved = self.solve(signs)[: self._n]
        return float((signs[: self._n] * solved).sum()) / _PROBES, float(np.square(solved).sum()) / _PROBES


def _means(labels: Indices) -> Floats:
    """The projection on the means of components: 1 / size between members of one, else 0."""
    sizes = np.bincount(labels)
    return np.where(labels[:, None] == labels[None, :], 1.0 / sizes[labels], 0.0)

"""Probit regression with a normal prior, fitted to many data sets at once.

A row of the design matrix gives the advantage η of a first party over a second as a weighted sum
of parameters; the first party wins with probability Φ(η). A data set says how many points each
party won in each row. There are few rows with large counts, and rows are sparse.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlour.ratings.statistics.intervals import Floats

MOST_STEPS = 100
"""Bound on the steps of Newton's method, which takes three or four."""


class Probit:
    """Probit model with sparse rows and independent normal priors around 0.

    ``rows`` are the weights by parameter index. ``scale`` (rows) divides the points of each row,
    so that a match with several rows weighs as much as one. ``precision`` (parameters) is one
    over the prior variance of each parameter. ``offsets`` (rows) are known advantages, to which
    those by the parameters are added.
    """

    def __init__(
        self,
        rows: Sequence[Mapping[int, float]],
        scale: Floats,
        precision: Floats,
        offsets: Floats | float = 0.0,
    ) -> None:
        from scipy.sparse import csr_array

        self.rows = len(rows)
        self._precision, self.scale, self._offsets = precision, scale, offsets
        size = len(precision)
        weights = []
        products = []
        for i, row in enumerate(rows):
            weights += [(i, j, weight) for j, weight in row.items()]
            for j, weight in row.items():
                products += [(i, j * size + k, weight * other) for k, other in row.items()]
        self._rows = csr_array(_sparse(weights), shape=(len(rows), size))
        # Row i holds the outer product of design row i, flattened: with it the curvature of all
        # data sets is one sparse product.
        self._outer_products = csr_array(_sparse(products), shape=(len(rows), size * size))

    def mode(self, points: Floats, start: Floats, tolerance: float) -> tuple[Floats, Floats]:
        """Returns the posterior mode (sets, parameters) and the negative Hessian at it.

        ``points`` has shape (sets, 2 rows): won and lost of each row in turn. Newton's method
        begins at ``start`` (parameters) and ends once no parameter moves by more than
        ``tolerance``.
        """
        estimate = np.tile(start, (len(points), 1))
        for _ in range(MOST_STEPS):
            gradient, bend = self._derivatives(points, estimate)
            hessian = (bend @ self._outer_products).reshape(len(points), len(start), len(start))
            hessian = hessian + np.diag(self._precision)  # the prior keeps it invertible
            step = np.linalg.solve(hessian, gradient[:, :, np.newaxis])[:, :, 0]
            estimate += step
            if np.abs(step).max() < tolerance:
                break
        return estimate, hessian

    def left_out(
        self, points: Any, weights: NDArray[np.int64], mode: Floats, covariance: Floats
    ) -> Floats:
        """Returns how far the mode lies from that without one cluster (kinds, parameters).

        ``points`` (kinds, 2 rows) is sparse and has the clusters of one stratum, which occur
        ``weights`` times; the clusters left stand for the one left out. It is one Newton step with
        the Hessian of what is left, solved by iteration since a cluster has few rows.
        """
        from scipy.sparse import csr_array

        won, lost = points[:, ::2] / self.scale, points[:, 1::2] / self.scale
        up, down, bend_up, bend_down = _slopes(mode @ self._rows.T + self._offsets)
        bend = (won * bend_up + lost * bend_down).tocoo()
        scores = ((won * up - lost * down) @ self._rows).toarray()
        count, size = weights.sum(), len(mode)
        score = weights @ scores / count
        kind, row = bend.coords
        curvature = np.bincount(row, weights[kind] * bend.data, self.rows)[np.newaxis]
        hessian = (curvature @ self._outer_products).reshape(size, size) / count
        # One line for each row of a kind: its advantage η moves with the parameters of that row.
        lines = self._rows[row].tocoo()
        line, parameter = lines.coords
        moves: Floats = np.zeros_like(scores)
        for _ in range(MOST_STEPS):
            terms = lines.data * moves[kind[line], parameter]
            eta = np.bincount(line, terms, len(row))
            curved = csr_array((bend.data * eta, (kind, row)), shape=bend.shape) @ self._rows
            pulls = scores - score + curved.toarray() - moves @ hessian
            before, moves = moves, count / (count - 1) * (pulls @ covariance)
            if np.abs(moves - before).max() <= 1e-4 * np.abs(moves).max():
                break
        return moves

    def chances(self, estimate: Floats) -> Floats:
        """Returns the probability of each row (rows) that its first party wins."""
        from scipy.special import ndtr

        chances: Floats = ndtr(self._rows @ estimate + self._offsets)
        return chances

    def scores(self, points: Floats, estimate: Floats) -> Floats:
        """Returns the gradient of the log-likelihood of each data set, without the prior."""
        starts = np.tile(estimate, (len(points), 1))
        gradient, _ = self._derivatives(points, starts)
        return np.asarray(gradient + estimate * self._precision)

    def _derivatives(self, points: Floats, estimate: Floats) -> tuple[Floats, Floats]:
        """Returns the gradient (sets, parameters) and the negative curvature in η (sets, rows)."""
        won, lost = points[:, ::2] / self.scale, points[:, 1::2] / self.scale
        eta = estimate @ self._rows.T + self._offsets
        up, down, bend_up, bend_down = _slopes(eta)
        gradient = (won * up - lost * down) @ self._rows - estimate * self._precision
        return gradient, won * bend_up + lost * bend_down


def _slopes(eta: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Returns the slopes in η of points won and lost, and their negative curvatures."""
    from scipy.special import log_ndtr

    # φ/Φ by logarithms: far in the tails both would underflow.
    log_density = -0.5 * eta * eta - 0.5 * np.log(2 * np.pi)
    up = np.exp(log_density - log_ndtr(eta))
    down = np.exp(log_density - log_ndtr(-eta))
    return up, down, up * (up + eta), down * (down - eta)


def _sparse(entries: Sequence[tuple[int, int, float]]) -> Any:
    """Returns (row, column, weight) entries in the form that scipy's sparse arrays take."""
    row, column, weight = np.array(entries, np.float64).reshape(-1, 3).T
    return weight, (row.astype(np.int64), column.astype(np.int64))

"""Probit regression with a normal prior, fitted to many data sets at once.

A row of the design matrix gives the advantage η of a first party over a second as a weighted sum
of parameters; the first party wins with probability Φ(η). A data set says how many points each
party won in each row. There are few rows with large counts, and rows are sparse.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

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

    def one_step(self, points: Floats, mode: Floats, covariance: Floats) -> Floats:
        """Returns approximate modes (sets, parameters) near the mode of the whole data.

        One Newton step with the same Hessian, the inverse of ``covariance``, for all data sets:
        no system of equations is solved for each of them.
        """
        starts = np.tile(mode, (len(points), 1))
        gradient, _ = self._derivatives(points, starts)
        return np.asarray(mode + gradient @ covariance)

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
        from scipy.special import log_ndtr

        won, lost = points[:, ::2] / self.scale, points[:, 1::2] / self.scale
        eta = estimate @ self._rows.T + self._offsets
        # φ/Φ by logarithms: far in the tails both would underflow.
        log_density = -0.5 * eta * eta - 0.5 * np.log(2 * np.pi)
        up = np.exp(log_density - log_ndtr(eta))
        down = np.exp(log_density - log_ndtr(-eta))
        gradient = (won * up - lost * down) @ self._rows - estimate * self._precision
        return gradient, won * up * (up + eta) + lost * down * (down - eta)


def _sparse(entries: Sequence[tuple[int, int, float]]) -> Any:
    """Returns (row, column, weight) entries in the form that scipy's sparse arrays take."""
    if not entries:
        return (np.zeros(0), (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)))
    row, column, weight = zip(*entries, strict=True)
    return (
        np.array(weight, dtype=np.float64),
        (np.array(row, dtype=np.int64), np.array(column, dtype=np.int64)),
    )

"""Probit regression with a normal prior, for many sets of counts at once.

A row says how the parameters add up to the advantage η of a first party over a second; the first
wins with probability Φ(η). Counts are few but large, and rows are sparse.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from parlour.ratings.statistics.intervals import Floats

MOST_STEPS = 100
"""Newton's method takes three or four."""


class Probit:
    """Probit of a few numbers of comparisons, with a normal prior; many data sets at once."""

    def __init__(self, rows: Sequence[Mapping[int, float]], parts: Floats, prior: Floats) -> None:
        from scipy.sparse import csr_array

        self.rows = len(rows)
        self._prior, self._parts = prior, parts
        size = len(prior)
        entries = [(i, j, w) for i, row in enumerate(rows) for j, w in row.items()]
        squares = [
            (i, j * size + k, w * v)
            for i, row in enumerate(rows)
            for j, w in row.items()
            for k, v in row.items()
        ]
        self._rows = csr_array(_sparse(entries), shape=(len(rows), size))
        self._squares = csr_array(_sparse(squares), shape=(len(rows), size * size))

    def peak(self, halves: Floats, start: Floats, close: float) -> tuple[Floats, Floats]:
        """The peak of the posterior, and how it bends there, for each row of halves won and lost.

        Each search begins at ``start`` and ends once no parameter moves by more than ``close``.
        """
        found = np.tile(start, (len(halves), 1))
        for _ in range(MOST_STEPS):
            slope, bend = self._slope(halves, found)
            curvature = (bend @ self._squares).reshape(len(found), len(start), len(start))
            curvature = curvature + np.diag(self._prior)
            step = np.linalg.solve(curvature, slope[:, :, np.newaxis])[:, :, 0]
            found += step
            if np.abs(step).max() < close:
                break
        return found, curvature

    def step(self, halves: Floats, peak: Floats, spread: Floats) -> Floats:
        """Near a peak where all of it bends by the inverse of ``spread``: where each row's is.

        One step of Newton's method with that bend for all rows, which costs next to nothing.
        """
        return np.asarray(peak + self._slope(halves, np.tile(peak, (len(halves), 1)))[0] @ spread)

    def _slope(self, halves: Floats, found: Floats) -> tuple[Floats, Floats]:
        """How the posterior rises in each parameter, and how it bends in each comparison."""
        from scipy.special import log_ndtr

        won, lost = halves[:, ::2] / self._parts, halves[:, 1::2] / self._parts
        eta = found @ self._rows.T
        density = -0.5 * eta * eta - 0.5 * np.log(2 * np.pi)
        up = np.exp(density - log_ndtr(eta))
        down = np.exp(density - log_ndtr(-eta))
        slope = (won * up - lost * down) @ self._rows - found * self._prior
        return slope, won * up * (up + eta) + lost * down * (down - eta)


def _sparse(entries: Sequence[tuple[int, int, float]]) -> Any:
    if not entries:
        return (np.zeros(0), (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)))
    row, column, weight = zip(*entries, strict=True)
    return (
        np.array(weight, dtype=np.float64),
        (np.array(row, dtype=np.int64), np.array(column, dtype=np.int64)),
    )

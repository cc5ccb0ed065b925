"""Intervals: Wilson for counts, cluster bootstrap for everything else."""

from collections.abc import Callable
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Z = 1.959963984540054
"""The standard normal quantile of a two-sided 95 % interval."""
DRAWS = 1000
"""Bootstrap draws behind an interval."""

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """A standard error and the two ends of a 95 % interval."""

    se: float
    low: float
    high: float


def wilson(k: float, n: float) -> Interval:
    """The Wilson score interval of k successes in n trials. ValueError if that cannot be."""
    if not 0 <= k <= n or n == 0:
        raise ValueError(f"no such count: {k} of {n}")
    p = k / n
    centre = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    # At k = 0 and k = n the formula gives the bound itself but for rounding.
    low = 0.0 if k == 0 else max(0.0, centre - half)
    high = 1.0 if k == n else min(1.0, centre + half)
    return Interval(sqrt(p * (1 - p) / n), low, high)


def bootstrap(clusters: Floats, statistic: Callable[[Floats], Floats]) -> Interval | None:
    """The percentile interval of a statistic of sums, drawing whole clusters with replacement.

    ``clusters`` has one row of sums a cluster; ``statistic`` maps an array (draws, columns) of
    summed rows to one value a draw (nan: undefined in that draw). The draws are seeded, so the
    same clusters in any order give the same interval. None with fewer than two clusters, or
    when fewer than half of the draws define the statistic.
    """
    if len(clusters) < 2:
        return None
    kinds, counts = np.unique(clusters, axis=0, return_counts=True)
    dice = np.random.Generator(np.random.PCG64(0))
    weights = dice.multinomial(len(clusters), counts / len(clusters), size=DRAWS)
    values = statistic(weights.astype(np.float64) @ kinds)
    values = values[~np.isnan(values)]
    if len(values) < DRAWS / 2:
        return None
    low, high = np.percentile(values, [2.5, 97.5])
    return Interval(float(np.std(values, ddof=1)), float(low), float(high))

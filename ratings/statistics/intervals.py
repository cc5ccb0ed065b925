"""Intervals: Wilson over clusters for counts, cluster bootstrap for everything else."""

from collections.abc import Callable, Collection
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Z = 1.959963984540054
"""The standard normal quantile of a two-sided 95 % interval."""
DRAWS = 1000
"""Bootstrap draws behind an interval."""
FEW, FEW_KINDS = 500, 16
"""Up to so many clusters, of more than so many kinds, are drawn one by one: the same draws then
serve every table of that many clusters. Else equal ones are drawn together, which is quicker."""

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


def clustered_wilson(clusters: Collection[tuple[float, float]]) -> Interval:
    """The Wilson interval of a rate whose trials come in clusters, given as (k, n) of each.

    ValueError if the counts cannot be.
    """
    k, n = sum(k for k, _ in clusters), sum(n for _, n in clusters)
    trials = worth(clusters)
    return wilson(k / n * trials, trials)


def worth(clusters: Collection[tuple[float, float]]) -> float:
    """How many single trials tell as much as these clusters of trials, given as (k, n) of each.

    They are n / deff: the design effect deff, at least 1, is the variance of the rate between the
    clusters over that of n single trials. Where clusters cannot show it, since there is one alone
    or all trials agree, each is taken for one trial: (sum of n)^2 / (sum of n^2) of them, which
    is their number where all are as large. ValueError if there is no trial. (Kish 1965; Korn and
    Graubard 1998, but for the ends.)
    """
    # In one order, so that the same clusters are worth the same to the last bit.
    table = np.array(sorted(each for each in clusters if each[1]), dtype=np.float64)
    if not len(table):
        raise ValueError("no such count: 0 of 0")
    k, n = (float(total) for total in table.sum(axis=0))
    p, sizes, count = k / n, table[:, 1], len(table)
    if count == 1 or k in {0, n}:
        return n**2 / float(sizes @ sizes)
    apart = table[:, 0] - p * sizes
    between = count / (count - 1) * float(apart @ apart)
    return n / max(1.0, between / (n / (n - 1) * n * p * (1 - p)))


def _weights(counts: NDArray[np.int64]) -> Floats:
    """How often each draw takes each kind of cluster, of which there are so many."""
    dice = np.random.Generator(np.random.PCG64(0))
    drawn = dice.multinomial(counts.sum(), counts / counts.sum(), size=DRAWS)
    return drawn.astype(np.float64)


@lru_cache(maxsize=8)
def _one_by_one(clusters: int) -> Floats:
    """The same for clusters that are each of their own kind."""
    return _weights(np.ones(clusters, dtype=np.int64))


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
    if len(kinds) > FEW_KINDS and len(clusters) <= FEW:
        values = statistic(_one_by_one(len(clusters)) @ np.repeat(kinds, counts, axis=0))
    else:
        values = statistic(_weights(counts) @ kinds)
    values = values[~np.isnan(values)]
    if len(values) < DRAWS / 2:
        return None
    low, high = np.percentile(values, [2.5, 97.5])
    return Interval(float(np.std(values, ddof=1)), float(low), float(high))

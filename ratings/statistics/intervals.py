"""Confidence intervals: Wilson for clustered counts, cluster bootstrap for everything else."""

from collections.abc import Callable, Collection
from functools import lru_cache
from math import sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Z = 1.959963984540054
"""The standard normal quantile of a two-sided 95 % interval."""
DRAWS = 1000
"""Bootstrap draws behind an interval."""
SHARED_DRAWS_CLUSTERS, SHARED_DRAWS_KINDS = 500, 16
"""Tables with at most so many clusters, of more than so many kinds, share their draws: these are
cached by the number of clusters. Other tables draw equal rows together, which is faster there."""

ErrorKind = Literal["sample", "binomial", "bootstrap"]
"""Kind of a standard error: that of ``standard_error``, of ``wilson`` or of ``bootstrap``."""
Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """Standard error and ends of a 95 % interval."""

    se: float
    low: float
    high: float


def wilson(k: float, n: float) -> Interval:
    """Returns the Wilson score interval of k successes in n trials (Wilson 1927).

    Chosen over the Wald interval since it holds its level for small n and for shares near 0 and
    1. Raises ValueError for an impossible count.
    """
    if not 0 <= k <= n or n == 0:
        raise ValueError(f"impossible count: {k} of {n}")
    p = k / n
    centre = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    # At k = 0 and k = n the formula gives the bound itself, up to rounding.
    low = 0.0 if k == 0 else max(0.0, centre - half)
    high = 1.0 if k == n else min(1.0, centre + half)
    return Interval(sqrt(p * (1 - p) / n), low, high)


def clustered_wilson(clusters: Collection[tuple[float, float]]) -> Interval:
    """Returns the Wilson interval of a rate from (k, n) of each cluster.

    The trials are replaced by their effective sample size. Raises ValueError for impossible
    counts.
    """
    k, n = sum(k for k, _ in clusters), sum(n for _, n in clusters)
    trials = effective_sample_size(clusters)
    # The observed rate, as if it came from that many independent trials.
    return wilson(k / n * trials, trials)


def effective_sample_size(clusters: Collection[tuple[float, float]]) -> float:
    """Returns the number of independent trials with the information of these (k, n) clusters.

    It is n / deff. The design effect deff, at least 1, is the variance of the rate between
    clusters over its variance for n independent trials. One cluster alone, or clusters in which
    all trials agree, show no variance; then each cluster counts as one trial (Kish's
    (Σn)² / Σn², their number if all have the same size). Raises ValueError without any trial.

    Sources: Kish 1965; Korn and Graubard 1998, without their correction of the ends.
    """
    # Sorted, so that the sums are the same to the last bit in any order of the clusters.
    table = np.array(sorted(cluster for cluster in clusters if cluster[1]), dtype=np.float64)
    if not len(table):
        raise ValueError("impossible count: 0 of 0")
    k, n = (float(total) for total in table.sum(axis=0))
    p, sizes, count = k / n, table[:, 1], len(table)
    if count == 1 or k in {0, n}:
        return n**2 / float(sizes @ sizes)
    # The linearised variance of a ratio estimator, from the residuals k - p n of the clusters.
    residuals = table[:, 0] - p * sizes
    between = count / (count - 1) * float(residuals @ residuals)
    independent = n / (n - 1) * n * p * (1 - p)
    return n / max(1.0, between / independent)


def standard_error(clusters: Floats) -> float | None:
    """Returns the standard error of Σk / Σn over clusters with columns (k, n); None for one alone.

    For clusters of one size it is s / √c over their c values k / n, with c - 1 in s. Else it is
    the linearised error of a ratio estimator.
    """
    count = len(clusters)
    if count < 2:
        return None
    k, n = clusters.sum(axis=0)
    residuals = clusters[:, 0] - k / n * clusters[:, 1]
    return sqrt(float(residuals @ residuals) * count / (count - 1)) / float(n)


def _weights(counts: NDArray[np.int64], draws: int = DRAWS) -> Floats:
    """Draws how many times each kind of cluster is taken, given their counts: (draws, kinds)."""
    generator = np.random.Generator(np.random.PCG64(0))
    drawn = generator.multinomial(counts.sum(), counts / counts.sum(), size=draws)
    return drawn.astype(np.float64)


@lru_cache(maxsize=8)
def _shared_weights(clusters: int) -> Floats:
    """Returns the cached weights of clusters that all differ; callers must not change them."""
    return _weights(np.ones(clusters, dtype=np.int64))


@lru_cache(maxsize=256)
def _weights_of_few(counts: tuple[int, ...]) -> Floats:
    """Returns the cached weights of few kinds of cluster; callers must not change them.

    Agents meet the same settings equally often, so most tables have the counts of another one.
    """
    return _weights(np.array(counts, dtype=np.int64))


def bootstrap(
    clusters: Floats, statistic: Callable[[Floats], Floats], draws: int = DRAWS
) -> Interval | None:
    """Returns the percentile interval of a statistic of sums, resampling whole clusters.

    ``clusters`` has shape (clusters, columns), one row of sums a cluster; ``statistic`` maps
    sums of shape (draws, columns) to one value a draw, nan where it is undefined. The draws are
    seeded, so the same clusters in any order give the same interval. None with fewer than two
    clusters, or when fewer than half of the draws define the statistic.
    """
    if len(clusters) < 2:
        return None
    # A draw is a multinomial count of each row; equal rows are counted together.
    kinds, counts = _kinds(clusters)
    differ = len(kinds) > SHARED_DRAWS_KINDS and len(clusters) <= SHARED_DRAWS_CLUSTERS
    if differ and draws == DRAWS:
        sums = _shared_weights(len(clusters)) @ np.repeat(kinds, counts, axis=0)
    elif len(kinds) <= SHARED_DRAWS_KINDS and draws == DRAWS:
        sums = _weights_of_few(tuple(counts.tolist())) @ kinds
    else:
        sums = _weights(counts, draws) @ kinds
    values = statistic(sums)
    values = values[~np.isnan(values)]
    if len(values) < draws / 2:
        return None
    ordered = np.sort(values)
    error = float(np.std(values, ddof=1))
    return Interval(error, percentile(ordered, 0.025), percentile(ordered, 0.975))


def _kinds(clusters: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Returns the distinct rows in sorted order, and how often each occurs.

    As ``np.unique`` along an axis does, in a fraction of its time.
    """
    ordered = clusters[np.lexsort(clusters.T[::-1])]
    begins = np.flatnonzero(np.any(ordered[1:] != ordered[:-1], axis=1)) + 1
    begins = np.concatenate(([0], begins))
    return ordered[begins], np.diff(begins, append=len(ordered))


def percentile(ordered: Floats, share: float) -> float:
    """Returns the value below which a share of sorted values lies, interpolated linearly.

    The same to the last bit as ``np.percentile``, whose checks take longer than its work.
    """
    place = (len(ordered) - 1) * share
    before = int(place)
    part = place - before
    low, high = float(ordered[before]), float(ordered[min(before + 1, len(ordered) - 1)])
    step = high - low
    return high - step * (1 - part) if part >= 0.5 else low + step * part

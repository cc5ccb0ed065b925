"""Confidence intervals from clusters: shares by Wilson, means by t without their skewness."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, repeat
from math import cbrt, expm1, isfinite, log1p, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parlour.ratings.statistics.clusters import ClusterType, Sums

Z = 1.959963984540054
"""The standard normal quantile of a two-sided 95 % interval."""
FEWEST_CLUSTERS = 5
"""Clusters from which on there is an interval. Over several games it takes the same number of
degrees of freedom, one fewer, by Satterthwaite; fewer are too few."""

ROUNDING = 1e-9
"""A share beyond its bounds by less is at its bound."""
AGREE = 1e-6
"""Part of the model's error below which an error by clusters is rounding: all clusters agree."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Interval(NamedTuple):
    """Standard error and ends of a 95 % interval."""

    se: float
    low: float
    high: float


def ends_of(interval: Interval | None) -> tuple[float | None, float | None]:
    """The ends of an interval, None where there is none."""
    return (None, None) if interval is None else (interval.low, interval.high)


class ClusterTable(NamedTuple):
    """One row a cluster with columns (k, n) of each rate; ``sizes`` counts the rows of each game.

    Clusters without a denominator are left out. Rows of a game are sorted by value, so that
    neither the order nor the names of clusters move the last bit of a sum. ``distinct`` has equal
    rows once, and ``times`` says how often each occurs.
    """

    distinct: Floats
    sizes: tuple[int, ...]
    times: Ints

    @classmethod
    def of(cls, *games: Floats, times: Sequence[Sequence[int]] = ()) -> "ClusterTable":
        """Returns the table of the clusters of some games, with their rows in any order.

        ``times`` says for each game how many clusters have each row, by default one.
        """
        rows, often, sizes = [games[0][:0]], [np.zeros(0, np.int64)], []
        for number, of_game in enumerate(games):
            counted = np.flatnonzero(of_game[:, 1::2].any(axis=1))
            if len(counted):
                order = counted[np.lexsort(of_game[counted].T[::-1])]
                own = of_game[order]
                is_new = np.append(True, (own[1:] != own[:-1]).any(axis=1))
                of_row = np.array(times[number])[order] if times else np.ones_like(order)
                rows.append(own[is_new])
                often.append(np.add.reduceat(of_row, np.flatnonzero(is_new)))
                sizes.append(int(of_row.sum()))
        return cls(np.concatenate(rows), tuple(sizes), np.concatenate(often))

    @property
    def rows(self) -> Floats:
        """The rows of all clusters."""
        return np.repeat(self.distinct, self.times, axis=0)

    @property
    def totals(self) -> Floats:
        """The sums over all clusters, as one row."""
        totals: Floats = self.rows.sum(axis=0, keepdims=True)
        return totals

    def games(self) -> Iterator[tuple[Floats, Ints]]:
        """Yields the distinct rows of each game, and how often each occurs."""
        ends = np.searchsorted(np.cumsum(self.times), np.cumsum(self.sizes)) + 1
        for begin, end in pairwise([0, *ends.tolist()]):
            yield self.distinct[begin:end], self.times[begin:end]


class Spread(NamedTuple):
    """A standard error and its degrees of freedom.

    ``least`` is the error by the model of the data. It stands in where all clusters agree.
    ``skew`` is the skewness of the estimate.
    """

    se: float
    df: float
    least: float = 0.0
    skew: float = 0.0

    @property
    def enough(self) -> bool:
        """True if there are clusters enough for an interval."""
        return self.df > FEWEST_CLUSTERS - 1 - ROUNDING

    @property
    def half(self) -> float | None:
        """Half the width of the 95 % interval by t; None with too few clusters."""
        if not self.enough:
            return None
        error = self.least if self.se < AGREE * self.least else self.se
        return max(quantile(self.df) * error, Z * self.least)


def combined(parts: Sequence[Spread]) -> Spread:
    """Returns the spread of a sum of independent parts, with Satterthwaite's degrees of freedom."""
    variances = [part.se**2 for part in parts]
    squares = sum(own**2 / part.df for own, part in zip(variances, parts, strict=True))
    df = sum(variances) ** 2 / squares if squares else sum(part.df for part in parts)
    se, least = sqrt(sum(variances)), sqrt(sum(part.least**2 for part in parts))
    skew = sum(part.skew * (part.se / se) ** 3 for part in parts) if se else 0.0
    return Spread(se, df, least, skew)


@lru_cache(maxsize=4096)
def quantile(df: float) -> float:
    """Returns the quantile of a two-sided 95 % interval of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.975))


def jackknife(table: ClusterTable, statistic: Callable[[Floats], Floats]) -> Spread | None:
    """Returns the cluster-robust standard error of a statistic of sums (CRV3).

    Each cluster is left out in turn, and the other clusters of its game stand for it, so that
    games are strata. A rate that few clusters of a game know has their degrees of freedom.
    ``statistic`` maps sums of shape (sets, columns) to one value a set, nan where
    it is undefined. Degrees of freedom are clusters - 1, over several games by Satterthwaite. None
    where some game has a single cluster, or the statistic hangs on one.

    Source: MacKinnon, Nielsen and Webb 2023; for strata Jones 1974.
    """
    if not table.sizes or min(table.sizes) < 2:
        return None
    total, parts = table.totals, []
    value = statistic(total)
    # Below this a variance is rounding: all clusters agree.
    rounding = 1e-24 * max(1.0, float(value[0]) ** 2)
    for rows, times in table.games():
        count, others = int(times.sum()), np.repeat(rows, times, axis=0).sum(axis=0)
        left = total - others + (others - rows) * (count / (count - 1))
        moves = np.repeat(statistic(left) - value, times)
        variance = float(moves @ moves) * (count - 1) / count
        if not isfinite(variance):
            return None
        behind = times @ (rows[:, 1::2] != 0)
        fewest = int(behind[behind > 0].min())
        df = (count if fewest >= FEWEST_CLUSTERS else fewest) - 1
        if not df:
            return None
        parts.append(_spread(moves, variance, df) if variance > rounding else Spread(0.0, df))
    return parts[0] if len(parts) == 1 else combined(parts)


def _spread(moves: Floats, variance: float, df: int) -> Spread:
    """Returns the spread of a statistic from how it moves without each cluster in turn."""
    third = -float(((moves - moves.mean()) ** 3).sum()) * ((len(moves) - 1) / len(moves)) ** 1.5
    return Spread(sqrt(variance), df, skew=third / variance**1.5)


def t_interval(value: float, spread: Spread | None) -> Interval | None:
    """Returns the t interval of a difference, None with too few clusters or if all agree."""
    if spread is None or (half := spread.half) is None or not half:
        return None
    return Interval(spread.se, value - half, value + half)


def mean_interval(value: float, spread: Spread | None) -> Interval | None:
    """Returns the interval of a mean, None with too few clusters or if all clusters agree.

    Hall's transformation takes the skewness out of T = (mean - truth) / error: what is taken for
    t is ((1 + skew T / 3)³ - 1) / skew + skew / 6. Without skewness it is the t interval.

    Source: Hall 1992, On the removal of skewness by transformation.
    """
    interval = t_interval(value, spread)
    if interval is None or spread is None or not spread.skew:
        return interval
    skew, limit = spread.skew, quantile(spread.df)
    ends = [3 * _root(skew * (end - skew / 6)) / skew for end in (limit, -limit)]
    return Interval(spread.se, *(value - end * spread.se for end in ends))


def _root(x: float) -> float:
    """Returns the cube root of 1 + x, less 1, to the last digits also of a small x."""
    return expm1(log1p(x) / 3) if x > -0.5 else cbrt(1 + x) - 1


def effective_trials(
    share: float, table: ClusterTable, spread: Spread | None, n: float
) -> float | None:
    """Returns the effective sample size of a value in [0, 1]; None with too few clusters.

    It is the number of independent trials, ``n`` at most, whose share would have the same standard
    error, and fewer for an error of few degrees of freedom. Where all clusters agree, which shows
    no variance, each cluster counts as one trial (Kish's (Σn)² / Σn², their number if all have the
    same size).

    Sources: Kish 1965; Korn and Graubard 1998.
    """
    if spread is None or not spread.enough:
        return None
    if not spread.se or not 0 < share < 1:
        sizes = table.rows[:, 1::2]
        sizes = sizes[:, sizes.any(axis=0)]  # without rates that a formula does without
        return float((sizes.sum(axis=0) ** 2 / (sizes**2).sum(axis=0)).min())
    effect = spread.se**2 * (n - 1) / (share * (1 - share))
    few = min(1.0, quantile(n - 1) / quantile(spread.df))
    return n / max(1.0, effect) * few**2


def share_interval(
    share: float, table: ClusterTable, spread: Spread | None, n: float
) -> Interval | None:
    """Returns the Wilson interval of a value in [0, 1] of so many effective trials."""
    trials = effective_trials(share, table, spread, n)
    if spread is None or trials is None:
        return None
    if -ROUNDING < share < 1 + ROUNDING:
        share = min(1.0, max(0.0, share))
    return wilson(share * trials, trials)._replace(se=spread.se)


def scaled_interval(
    value: float, most: float, table: ClusterTable, spread: Spread | None, n: float
) -> Interval | None:
    """Returns the interval of a value in [0, most]: that of its share in the largest one."""
    scaled = spread and spread._replace(se=spread.se / most)
    interval = share_interval(value / most, table, scaled, n)
    return interval and Interval(*(most * each for each in interval))


def clustered_wilson(clusters: Collection[tuple[float, float]]) -> Interval | None:
    """Returns the interval of the share Σk / Σn of clusters of one game; None with too few."""
    table = ClusterTable.of(np.array([*clusters], np.float64).reshape(-1, 2))
    if not table.sizes:
        return None
    k, n = table.totals[0].tolist()
    return share_interval(k / n, table, jackknife(table, ratio), n)


def ratio(sums: Floats) -> Floats:
    """Returns k / n of each row of sums from columns (k, n); nan where n is 0."""
    n = sums[:, 1]
    share: Floats = np.divide(sums[:, 0], n, out=np.full(len(sums), np.nan), where=n > 0)
    return share


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


NOTHING = (0.0, 0.0)


def cluster_table(groups: Sequence[Sums]) -> ClusterTable:
    """Returns the table of some rates, each with its sums by cluster."""
    games: dict[str, list[ClusterType]] = {}
    for each in groups[0] if len(groups) == 1 else set().union(*groups):
        games.setdefault(each.game, []).append(each)
    if not games:
        return ClusterTable.of(np.zeros((0, 2 * len(groups))))
    tables, times = [], []
    for _, own in sorted(games.items()):
        columns = [list(map(sums.get, own, repeat(NOTHING))) for sums in groups]
        tables.append(np.concatenate(np.array(columns, np.float64), axis=1))
        times.append([each.times for each in own])
    return ClusterTable.of(*tables, times=times)


def ratios(sums: Floats) -> list[Floats]:
    """Returns k / n of each row of sums for each group of columns (k, n)."""
    return [ratio(sums[:, i : i + 2]) for i in range(0, sums.shape[1], 2)]

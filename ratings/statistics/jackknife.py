"""Cluster-robust standard errors by the jackknife, and t intervals."""

from collections.abc import Callable
from functools import lru_cache
from math import isfinite, sqrt
from typing import NamedTuple

import numpy as np

from parlour.ratings.statistics.intervals import Floats, Interval, Z

FEWEST_CLUSTERS = 5
"""Clusters of each game and rate from which on there is an interval; fewer are too few."""


class ClusterTable(NamedTuple):
    """One row a cluster with columns (k, n) of each rate; ``sizes`` counts the rows of each game.

    Clusters without a denominator are left out. Rows of a game are sorted by value, so that
    neither the order nor the names of clusters move the last bit of a sum.
    """

    rows: Floats
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, *games: Floats) -> "ClusterTable":
        """Returns the table of the clusters of some games, with their rows in any order."""
        parts = [rows[rows[:, 1::2].any(axis=1)] for rows in games]
        parts = [rows[np.lexsort(rows.T[::-1])] for rows in parts if len(rows)]
        rows = np.concatenate(parts) if parts else games[0][:0]
        return cls(rows, tuple(map(len, parts)))

    @property
    def totals(self) -> Floats:
        """The sums over all clusters, as one row."""
        totals: Floats = self.rows.sum(axis=0, keepdims=True)
        return totals

    def fewest(self) -> int:
        """Returns the least number of clusters behind a rate in a game that has it."""
        counts = [np.count_nonzero(rows[:, 1::2], axis=0) for rows in self.games()]
        return min((int(each[each > 0].min()) for each in counts), default=0)

    def games(self) -> list[Floats]:
        """Returns the rows of each game."""
        return list(np.split(self.rows, np.cumsum(self.sizes)[:-1]))


class Spread(NamedTuple):
    """A standard error and its degrees of freedom; ``enough`` if there are clusters enough."""

    se: float
    df: float
    enough: bool


@lru_cache(maxsize=4096)
def quantile(df: float) -> float:
    """Returns the quantile of a two-sided 95 % interval of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.975)) if isfinite(df) else Z


def jackknife(table: ClusterTable, statistic: Callable[[Floats], Floats]) -> Spread | None:
    """Returns the cluster-robust standard error of a statistic of sums (CRV3).

    Each cluster is left out in turn, and the other clusters of its game stand for it, so that
    games are strata. ``statistic`` maps sums of shape (sets, columns) to one value a set, nan where
    it is undefined. Degrees of freedom are clusters - 1, over several games by Satterthwaite. None
    where some game has a single cluster, or the statistic hangs on one.

    Source: MacKinnon, Nielsen and Webb 2023; for strata Jones 1974.
    """
    if not table.sizes or min(table.sizes) < 2:
        return None
    total, variance, squares, most = table.totals, 0.0, 0.0, 0
    value = statistic(total)
    for rows in table.games():
        count = len(rows)
        others = rows.sum(axis=0)
        left = total - others + (others - rows) * (count / (count - 1))
        moves = statistic(left) - value
        own = float(moves @ moves) * (count - 1) / count
        variance, squares = variance + own, squares + own**2 / (count - 1)
        most += count - 1
    if not isfinite(variance):
        return None
    # Below this it is rounding: all clusters agree.
    if variance < 1e-24 * max(1.0, float(value[0]) ** 2):
        return Spread(0.0, most, table.fewest() >= FEWEST_CLUSTERS)
    return Spread(sqrt(variance), variance**2 / squares, table.fewest() >= FEWEST_CLUSTERS)


def mean_interval(value: float, spread: Spread | None) -> Interval | None:
    """Returns the t interval of a mean, None with too few clusters or if all clusters agree."""
    if spread is None or not spread.enough or not spread.se:
        return None
    half = quantile(spread.df) * spread.se
    return Interval(spread.se, value - half, value + half)

"""Counts of several rates by cluster, as one table for a jackknife."""

from collections.abc import Sequence
from itertools import repeat

import numpy as np

from parlour.ratings.statistics.clusters import game_of
from parlour.ratings.statistics.intervals import ClusterTable, Floats, ratio

Sums = dict[str, tuple[float, float]]
"""(k, n) by cluster."""
NOTHING = (0.0, 0.0)


def cluster_table(groups: Sequence[Sums]) -> ClusterTable:
    """Returns the table of some rates, each with its sums by cluster."""
    games: dict[str, list[str]] = {}
    for name in groups[0] if len(groups) == 1 else set().union(*groups):
        games.setdefault(game_of(name), []).append(name)
    if not games:
        return ClusterTable(np.zeros((0, 2 * len(groups))), ())
    tables = []
    for _, names in sorted(games.items()):
        columns = [list(map(sums.get, names, repeat(NOTHING))) for sums in groups]
        tables.append(np.concatenate(np.array(columns, np.float64), axis=1))
    return ClusterTable.of(*tables)


def ratios(sums: Floats) -> list[Floats]:
    """Returns k / n of each row of sums for each group of columns (k, n)."""
    return [ratio(sums[:, i : i + 2]) for i in range(0, sums.shape[1], 2)]

"""Counts of several rates by cluster, as one table for a jackknife."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from parlour.ratings.statistics.clusters import game_of
from parlour.ratings.statistics.intervals import ClusterTable, Floats, ratio

Sums = dict[str, tuple[float, float]]
"""(k, n) by cluster."""


def cluster_table(groups: Sequence[Sums]) -> ClusterTable:
    """Returns the table of some rates, each with its sums by cluster."""
    games = []
    for _, names in groupby(sorted(set().union(*groups)), key=game_of):
        of_game = list(names)
        columns = [[sums.get(name, (0.0, 0.0)) for name in of_game] for sums in groups]
        games.append(np.concatenate([np.array(column, float) for column in columns], axis=1))
    return ClusterTable.of(*games) if games else ClusterTable(np.zeros((0, 2 * len(groups))), ())


def ratios(sums: Floats) -> list[Floats]:
    """Returns k / n of each row of sums for each group of columns (k, n)."""
    return [ratio(sums[:, i : i + 2]) for i in range(0, sums.shape[1], 2)]

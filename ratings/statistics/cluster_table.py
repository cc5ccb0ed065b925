"""Counts of several rates by cluster, as one table that a bootstrap can draw from."""

from collections.abc import Sequence

import numpy as np

from parlour.ratings.statistics.intervals import Floats

Sums = dict[str, tuple[float, float]]
"""(k, n) by cluster."""


def cluster_table(groups: Sequence[Sums]) -> Floats:
    """Returns one row a cluster, in sorted order, with columns (k, n) of each group."""
    if len(groups) == 1:
        return np.array([groups[0][cluster] for cluster in sorted(groups[0])], dtype=np.float64)
    clusters: list[str] = sorted(set().union(*groups))
    rows = []
    for cluster in clusters:
        row: list[float] = []
        for sums in groups:
            row.extend(sums.get(cluster, (0.0, 0.0)))
        rows.append(row)
    return np.array(rows, dtype=np.float64)


def ratio(draws: Floats) -> Floats:
    """Returns k / n of each draw from columns (k, n); nan where n is 0."""
    n = draws[:, 1]
    share: Floats = np.divide(draws[:, 0], n, out=np.full(len(draws), np.nan), where=n > 0)
    return share


def ratios(draws: Floats) -> list[Floats]:
    """Returns k / n of each draw for each group of columns (k, n)."""
    return [ratio(draws[:, i : i + 2]) for i in range(0, draws.shape[1], 2)]

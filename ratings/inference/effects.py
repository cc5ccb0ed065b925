"""Effect sizes: Cohen's d, trimmed means and correlations."""

from collections.abc import Hashable, Sequence
from math import atanh, sqrt, tanh
from typing import Literal

import numpy as np

from parlour.ratings.inference.estimate import Estimate, jackknife, too_few
from parlour.ratings.statistics.intervals import Floats, Z

FEWEST_VALUES = 4
"""Values of a correlation: Fisher's interval takes more than three."""


def clustered_d(
    values: Sequence[float], first: Sequence[bool], clusters: Sequence[Hashable]
) -> Estimate:
    """Returns Cohen's d of the first values against the others, interval and p by clusters."""
    x, own = np.asarray(values, dtype=np.float64), np.asarray(first, dtype=np.float64)
    groups = [(group, group * x, group * x * x) for group in (own, 1 - own)]

    def d(sums: Floats) -> Floats:
        n, total, squares, m, of_others, their_squares = sums.T
        within = squares - total**2 / n + their_squares - of_others**2 / m
        return np.asarray((total / n - of_others / m) / np.sqrt(within / (n + m - 2)))

    if min(own.sum(), len(own) - own.sum()) < 2:
        return Estimate.missing("a group has fewer than two values", len(x))
    return jackknife(np.column_stack([*groups[0], *groups[1]]), clusters, d)


def trimmed_mean(values: Sequence[float], share: float) -> Estimate:
    """Returns the mean without this share of the values at either end.

    The interval is that of Tukey and McLaughlin, by the winsorized variance.
    """
    if len(values) < 2:
        return Estimate.missing("n too small", len(values))
    from scipy.stats import trim_mean
    from scipy.stats.mstats import trimmed_mean_ci

    mean, note = float(trim_mean(values, share)), too_few(len(values))
    if note:
        return Estimate(mean, n=len(values), note=note)
    low, high = trimmed_mean_ci(np.asarray(values, dtype=np.float64), (share, share))
    return Estimate(mean, float(low), float(high), n=len(values))


def correlation(
    one: Sequence[float], other: Sequence[float], kind: Literal["pearson", "spearman"] = "pearson"
) -> Estimate:
    """Returns a correlation with Fisher's interval, and scipy's p value."""
    x, y = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    n = len(x)
    if n != len(y):
        raise ValueError(f"{n} and {len(y)} values")
    if n < FEWEST_VALUES:
        return Estimate.missing(f"n too small: {n} values", n)
    if x.min() == x.max() or y.min() == y.max():
        return Estimate.missing("a column has one value only", n)
    from scipy.stats import pearsonr, spearmanr

    test = (pearsonr if kind == "pearson" else spearmanr)(x, y)
    r, p = float(test.statistic), float(test.pvalue)
    if abs(r) >= 1:
        return Estimate(r, n=n, note="all values are on a line")
    if note := too_few(n):
        return Estimate(r, p=p, n=n, note=note.replace("clusters", "values"))
    half = Z / sqrt(n - 3)
    return Estimate(r, tanh(atanh(r) - half), tanh(atanh(r) + half), p, n)

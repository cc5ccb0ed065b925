"""Effect sizes: Cohen's d, trimmed means, correlations and partial correlations."""

from collections.abc import Hashable, Sequence
from math import atanh, sqrt, tanh
from typing import Literal

import numpy as np

from parlour.ratings.inference.estimate import Estimate, jackknife, too_few
from parlour.ratings.statistics.intervals import Floats, Z

ROUNDING = 1e-12
"""Share of a spread below which it is a rounding error."""


def cohens_d(one: Sequence[float], other: Sequence[float]) -> Estimate:
    """Returns the difference of two means of independent values in pooled standard deviations.

    The p value is that of the difference, by Welch's t test.

    The interval has the large-sample error of d (Hedges and Olkin 1985).
    """
    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    n, m = len(first), len(second)
    if min(n, m) < 2:
        return Estimate.missing("a group has fewer than two values", n + m)
    pooled = sqrt(((n - 1) * first.var(ddof=1) + (m - 1) * second.var(ddof=1)) / (n + m - 2))
    if pooled == 0:
        return Estimate.missing("no spread within the groups", n + m)
    from scipy.stats import ttest_ind

    d = float(first.mean() - second.mean()) / pooled
    error = sqrt((n + m) / (n * m) + d * d / (2 * (n + m)))
    p = float(ttest_ind(first, second, equal_var=False).pvalue)
    return Estimate(d, d - Z * error, d + Z * error, p, n + m)


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
    one: Sequence[float],
    other: Sequence[float],
    kind: Literal["pearson", "spearman"] = "pearson",
) -> Estimate:
    """Returns a correlation with Fisher's interval, and scipy's p value."""
    x, y = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if problem := _problem(x, y, 0):
        return Estimate.missing(problem, len(x))
    from scipy.stats import pearsonr, spearmanr

    test = (pearsonr if kind == "pearson" else spearmanr)(x, y)
    return _with_fisher(float(test.statistic), float(test.pvalue), len(x), 0)


def partial_correlation(
    one: Sequence[float], other: Sequence[float], given: Sequence[Sequence[float]]
) -> Estimate:
    """Returns the correlation of what linear fits on the given columns leave of two columns.

    Fisher's interval and the t test lose one degree of freedom for each given column.
    """
    x, y = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    columns: Floats = np.column_stack([np.ones(len(x)), *map(np.asarray, given)])
    controls = int(np.linalg.matrix_rank(columns)) - 1 if len(x) else 0
    if problem := _problem(x, y, controls):
        return Estimate.missing(problem, len(x))
    left_x, left_y = _residuals(x, columns), _residuals(y, columns)
    if not (_varies(left_x, x) and _varies(left_y, y)):
        return Estimate.missing("the given columns explain everything", len(x))
    r = float(left_x @ left_y) / sqrt(float(left_x @ left_x) * float(left_y @ left_y))
    from scipy.stats import t

    freedom = len(x) - 2 - controls
    p = float(2 * t.sf(abs(r) * sqrt(freedom / max(1e-300, 1 - r * r)), freedom))
    return _with_fisher(r, p, len(x), controls)


def _residuals(values: Floats, columns: Floats) -> Floats:
    weights = np.linalg.lstsq(columns, values, rcond=None)[0]
    left: Floats = values - columns @ weights
    return left


def _varies(left: Floats, values: Floats) -> bool:
    centred = values - values.mean()
    return float(left @ left) > ROUNDING * float(centred @ centred)


def _problem(x: Floats, y: Floats, controls: int) -> str:
    """Returns in words why two columns have no correlation, "" if they have one."""
    if len(x) != len(y):
        raise ValueError(f"{len(x)} and {len(y)} values")
    if len(x) < 4 + controls:
        return f"n too small: {len(x)} values"
    if x.min() == x.max() or y.min() == y.max():
        return "a column has one value only"
    return ""


def _with_fisher(r: float, p: float, n: int, controls: int) -> Estimate:
    if abs(r) >= 1 or too_few(n - controls):
        note = too_few(n - controls).replace("clusters", "values") or "all values are on a line"
        return Estimate(r, p=None if abs(r) >= 1 else p, n=n, note=note)
    half = Z / sqrt(n - 3 - controls)
    return Estimate(r, tanh(atanh(r) - half), tanh(atanh(r) + half), p, n)

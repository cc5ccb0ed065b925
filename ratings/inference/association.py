"""Association of two categories: chi-square with Cramer's V, equal rates, and E-values."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from parlour.ratings.inference.estimate import Estimate, codes, left_out, summed
from parlour.ratings.statistics.intervals import Floats

FEWEST_EXPECTED = 5
"""Expected counts below which a note says that the test is approximate (Cochran's rule)."""


@dataclass(frozen=True, slots=True)
class Association:
    """A chi-square test of independence, without Yates' correction, and Cramer's V.

    ``problem`` says in words why there is none, ``note`` what limits it.
    """

    chi_square: float | None
    df: int
    p: float | None
    v: float | None
    n: int
    problem: str = ""
    note: str = ""


def cross_table(pairs: Iterable[tuple[Hashable, Hashable]]) -> list[list[int]]:
    """Counts how often each value of the first occurs with each of the second, both sorted."""
    times = Counter(pairs)
    columns = sorted({column for _, column in times}, key=str)

    def counts(row: Hashable) -> list[int]:
        return [times[row, column] for column in columns]

    return list(map(counts, sorted({row for row, _ in times}, key=str)))


def chi_square(counts: Sequence[Sequence[int]]) -> Association:
    """Tests whether rows and columns of counts are independent."""
    table = np.array(counts, dtype=np.float64)
    n = int(table.sum())
    if table.ndim != 2 or min(table.shape) < 2:
        return Association(None, 0, None, None, n, "fewer than two categories")
    df = (table.shape[0] - 1) * (table.shape[1] - 1)
    if not (table.sum(axis=0).all() and table.sum(axis=1).all()):
        return Association(None, df, None, None, n, "a category never occurs")
    from scipy.stats import chi2_contingency

    test = chi2_contingency(table, correction=False)
    note = ""
    if (least := float(test.expected_freq.min())) < FEWEST_EXPECTED:
        note = f"an expected count is {least:.1f}: the p value is approximate"
    v = cramers_v(float(test.statistic), n, *table.shape)
    return Association(float(test.statistic), df, float(test.pvalue), v, n, note=note)


def cramers_v(statistic: float, n: int, rows: int, columns: int) -> float:
    """Returns Cramer's V of a chi-square statistic: sqrt(χ² / (n min(rows - 1, columns - 1)))."""
    return sqrt(statistic / (n * min(rows - 1, columns - 1)))


def equal_rates(
    outcomes: Sequence[bool], levels: Sequence[Hashable], clusters: Sequence[Hashable]
) -> tuple[Estimate, tuple[int, int]]:
    """Tests whether all levels have the same rate; returns F and its degrees of freedom.

    By the differences from the first level and their jackknife covariance, so robust to
    correlation in clusters. Hotelling's T² over clusters: F = T² (G - q) / (q (G - 1)) with q
    differences and G clusters.
    """
    won, level = np.asarray(outcomes, dtype=np.float64), codes(levels)
    of_level: Floats = (level[:, np.newaxis] == np.unique(level)).astype(np.float64)
    sums = summed(np.hstack([won[:, np.newaxis] * of_level, of_level]), clusters)
    count, more = len(sums), of_level.shape[1] - 1
    df = more, count - more

    def differences(sums: Floats) -> Floats:
        rates = sums[:, : more + 1] / sums[:, more + 1 :]
        return np.asarray(rates[:, 1:] - rates[:, :1])

    with np.errstate(divide="ignore", invalid="ignore"):
        observed = differences(sums.sum(axis=0, keepdims=True))[0]
        left, problem = left_out(sums, differences)
    if more < 1:
        return Estimate.missing("fewer than two categories"), df
    if problem or df[1] < 1:
        return Estimate.missing(problem or f"too few clusters: {count}"), df
    moves = left - observed
    covariance = moves.T @ moves * (count - 1) / count
    if np.linalg.matrix_rank(covariance) < more:
        return Estimate.missing("all clusters agree"), df
    from scipy.stats import f as f_distribution

    squared = float(observed @ np.linalg.solve(covariance, observed))
    value = squared * df[1] / (more * (count - 1))
    return Estimate(value, p=float(f_distribution.sf(value, *df))), df


def e_value(ratio: float) -> float:
    """Returns the E-value of a risk ratio: the least confounding that could explain it away.

    A confounder would need this risk ratio with both the exposure and the outcome (VanderWeele
    and Ding 2017). An odds ratio is taken for a risk ratio, which holds for rare outcomes only.
    """
    if ratio <= 0:
        raise ValueError(f"{ratio} is no ratio")
    above = max(ratio, 1 / ratio)
    return above + sqrt(above * (above - 1))


def e_value_of_interval(low: float, high: float) -> float:
    """Returns the E-value of the end of an interval that is nearer to 1; 1 if it contains 1."""
    if low <= 1 <= high:
        return 1.0
    return e_value(low if low > 1 else high)

"""Effect sizes and correlations: the nine rows of the impostor paper, and scipy's."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import pearsonr, t, ttest_ind

from parlour.ratings.inference.effects import clustered_d, correlation, trimmed_mean

IMPOSTOR_WIN = [69.0, 53.9, 48.6, 50.6, 41.3, 38.0, 35.7, 27.8, 30.4]
DETECTION = [77.0, 51.1, 68.7, 65.0, 60.8, 65.2, 55.5, 59.8, 34.3]
CENTRALITY = [1.313, 0.843, 1.178, 1.123, 1.111, 1.175, 1.020, 1.050, 0.650]
COALITIONS = [71.6, 48.0, 68.5, 62.5, 60.7, 63.6, 61.6, 63.9, 53.6]
"""Columns of Table 1 of the paper."""


def test_correlations_of_the_paper() -> None:
    r = correlation(CENTRALITY, COALITIONS)
    assert (r.value, r.low, r.high) == pytest.approx(
        (0.87, 0.48, 0.97), abs=0.007
    )  # of rounded data
    rho = correlation(CENTRALITY, COALITIONS, "spearman")
    assert rho.value == pytest.approx(0.85, abs=0.005)
    assert rho.p == pytest.approx(0.0037, abs=0.00005)
    r = correlation(DETECTION, IMPOSTOR_WIN)
    assert (r.value, r.low, r.high) == pytest.approx((0.61, -0.09, 0.91), abs=0.006)
    rho = correlation(DETECTION, IMPOSTOR_WIN, "spearman")
    assert (rho.value, rho.p) == pytest.approx((0.50, 0.17), abs=0.005)
    assert r.n == 9
    theirs = pearsonr(DETECTION, IMPOSTOR_WIN)
    assert r.p == pytest.approx(theirs.pvalue)
    assert (r.low, r.high) == pytest.approx(tuple(theirs.confidence_interval()))


def test_correlations_that_do_not_exist_are_said_in_words() -> None:
    assert correlation([1, 2, 3], [1, 2, 4]).problem == "n too small: 3 values"
    assert correlation([1, 1, 1, 1], [1, 2, 4, 5]).problem == "a column has one value only"
    assert correlation([1, 2, 4, 3], [1, 2, 3, 4]).note == "too few values: 4"
    perfect = correlation([1, 2, 3, 4], [2, 4, 6, 8])
    assert (perfect.value, perfect.note) == (pytest.approx(1), "all values are on a line")
    with pytest.raises(ValueError, match="3 and 2 values"):
        correlation([1, 2, 3], [1, 2])


def test_trimmed_means_worked_by_hand() -> None:
    # 10 % of ten values off at either end leaves 2 to 9. Winsorized they are 2, 2, 3, ..., 9, 9
    # with squares of 66.5 about 5.5; the error is √(66.5 / 9) / (.8 √10) = 1.0745, and t with
    # seven degrees of freedom 2.3646.
    mean = trimmed_mean([100, 2, 3, 4, 5, 6, 7, 8, 9, -50], 0.1)
    assert (mean.value, mean.n) == (pytest.approx(5.5), 10)
    assert (mean.low, mean.high) == (
        pytest.approx(2.9593, abs=1e-3),
        pytest.approx(8.0407, abs=1e-3),
    )
    assert trimmed_mean([1], 0.1).problem == "n too small"


def d_of(one: np.ndarray, other: np.ndarray) -> float:
    """Cohen's d by the t test of scipy, which is d over √(1/n + 1/m)."""
    return float(ttest_ind(one, other).statistic * sqrt(1 / len(one) + 1 / len(other)))


def test_d_by_clusters_is_d_with_the_jackknife_of_its_clusters() -> None:
    dice = np.random.default_rng(6)
    values, first = dice.normal(size=60), np.arange(60) % 3 == 0
    clusters = np.arange(60) // 5
    d = clustered_d(values.tolist(), first.tolist(), clusters.tolist())
    assert d.value == pytest.approx(d_of(values[first], values[~first]))
    moves = []
    for cluster in range(12):
        rest = clusters != cluster
        moves.append(d_of(values[rest & first], values[rest & ~first]) - (d.value or 0))
    error = sqrt(11 / 12 * sum(move**2 for move in moves))
    assert d.high == pytest.approx((d.value or 0) + t.ppf(0.975, 11) * error)
    assert d.p == pytest.approx(2 * t.sf(abs(d.value or 0) / error, 11))
    alone = clustered_d([1, 2, 3], [True, False, False], "abc")
    assert alone.problem == "a group has fewer than two values"

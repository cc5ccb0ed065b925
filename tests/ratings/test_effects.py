"""Effect sizes and correlations: the nine rows of the impostor paper, and other formulas."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import t
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from parlour.ratings.inference.effects import (
    clustered_d,
    cohens_d,
    correlation,
    partial_correlation,
    trimmed_mean,
)

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


def test_a_partial_correlation_is_that_of_the_inverse_covariance() -> None:
    # -P[0, 1] / sqrt(P[0, 0] P[1, 1]), where P is the inverse of the covariance of all columns.
    dice = np.random.default_rng(2)
    z, w = dice.normal(size=80), dice.normal(size=80)
    x, y = z + 0.5 * w + dice.normal(size=80), 2 * z - w + dice.normal(size=80)
    precision = np.linalg.inv(np.cov([x, y, z, w]))
    expected = -precision[0, 1] / sqrt(precision[0, 0] * precision[1, 1])
    fitted = partial_correlation(x.tolist(), y.tolist(), [z.tolist(), w.tolist()])
    assert fitted.value == pytest.approx(expected)
    half = 1.959964 / sqrt(80 - 3 - 2)
    assert fitted.high == pytest.approx(np.tanh(np.arctanh(expected) + half))
    statistic = abs(expected) * sqrt((80 - 4) / (1 - expected**2))
    assert fitted.p == pytest.approx(2 * t.sf(statistic, 80 - 4))


def test_a_partial_correlation_without_controls_is_the_correlation() -> None:
    plain, partial = (
        correlation(CENTRALITY, COALITIONS),
        partial_correlation(CENTRALITY, COALITIONS, []),
    )
    assert (partial.value, partial.low, partial.p) == pytest.approx(
        (plain.value, plain.low, plain.p)
    )


def test_correlations_that_do_not_exist_are_said_in_words() -> None:
    assert correlation([1, 2, 3], [1, 2, 4]).problem == "n too small: 3 values"
    assert correlation([1, 1, 1, 1], [1, 2, 4, 5]).problem == "a column has one value only"
    column = [1.0, 2, 3, 4, 6, 5]
    explained = partial_correlation(column, [3, 1, 4, 1, 5, 9], [[2 * each for each in column]])
    assert explained.problem == "the given columns explain everything"
    assert partial_correlation([1, 2, 3, 5], [1, 2, 4, 3], [[1, 0, 0, 1]]).value is None
    perfect = correlation([1, 2, 3, 4], [2, 4, 6, 8])
    assert perfect.value == pytest.approx(1)
    with pytest.raises(ValueError, match="3 and 2 values"):
        correlation([1, 2, 3], [1, 2])


@pytest.mark.slow
def test_fisher_intervals_cover_the_truth() -> None:
    covered = 0
    for seed in range(1000):
        dice = np.random.default_rng([6, seed])
        z, x, other = dice.normal(size=(3, 40))
        # Given z, x and y correlate by .5 / sqrt(.5² + 1) = .447.
        y = 0.5 * x + other + 2 * z
        fitted = partial_correlation((x + z).tolist(), y.tolist(), [z.tolist()])
        assert fitted.low is not None
        assert fitted.high is not None
        covered += fitted.low <= 0.5 / sqrt(1.25) <= fitted.high
    assert 0.93 <= covered / 1000 <= 0.97


def test_cohens_d_worked_by_hand() -> None:
    # Means 3 and 5, variances 2.5 and 2.5: d = -2 / sqrt(2.5).
    d = cohens_d([1, 2, 3, 4, 5], [3, 4, 5, 6, 7])
    assert d.value == pytest.approx(-2 / sqrt(2.5))
    assert d.high is not None
    error = sqrt(2 / 5 + (4 / 2.5) / 20)
    assert d.high == pytest.approx(-2 / sqrt(2.5) + 1.959964 * error)


def test_the_p_value_of_cohens_d_is_welchs() -> None:
    dice = np.random.default_rng(1)
    one, other = dice.normal(0, 1, 30), dice.normal(0.4, 3, 50)
    theirs = CompareMeans(DescrStatsW(one), DescrStatsW(other)).ttest_ind(usevar="unequal")
    assert cohens_d(one.tolist(), other.tolist()).p == pytest.approx(theirs[1])


def test_groups_without_an_effect_size_are_said_in_words() -> None:
    assert cohens_d([1], [2, 3]).problem == "a group has fewer than two values"
    assert cohens_d([1, 1], [2, 2]).problem == "no spread within the groups"


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


def test_d_by_clusters_is_d_with_the_jackknife_of_its_clusters() -> None:
    dice = np.random.default_rng(6)
    values, first = dice.normal(size=60), np.arange(60) % 3 == 0
    clusters = np.arange(60) // 5
    d = clustered_d(values.tolist(), first.tolist(), clusters.tolist())
    plain = cohens_d(values[first].tolist(), values[~first].tolist())
    assert d.value == pytest.approx(plain.value)
    moves = []
    for cluster in range(12):
        rest = clusters != cluster
        left = cohens_d(values[rest & first].tolist(), values[rest & ~first].tolist())
        moves.append((left.value or 0) - (d.value or 0))
    error = sqrt(11 / 12 * sum(move**2 for move in moves))
    assert d.high == pytest.approx((d.value or 0) + t.ppf(0.975, 11) * error)
    assert d.p == pytest.approx(2 * t.sf(abs(d.value or 0) / error, 11))

"""Chi-square, Cramer's V and E-values: the impostor paper's, and statsmodels'."""

from math import sqrt

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f
from statsmodels.stats.contingency_tables import Table
from statsmodels.stats.multitest import multipletests

from parlour.ratings.inference.association import (
    chi_square,
    cramers_v,
    cross_table,
    e_value,
    e_value_of_interval,
    equal_rates,
)
from parlour.ratings.statistics.corrections import correct


@pytest.mark.parametrize(
    ("statistic", "rows", "v"),
    [(5514.27, 9, 0.247), (106.40, 5, 0.034), (1144.99, 4, 0.112), (181.56, 4, 0.045)],
)
def test_v_of_table_3_of_the_paper(statistic: float, rows: int, v: float) -> None:
    assert cramers_v(statistic, 90_720, rows, 2) == pytest.approx(v, abs=0.0005)


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        *((1.71, 2.81), (1.26, 1.83), (1.22, 1.74), (1.12, 1.49), (0.79, 1.85), (0.77, 1.92)),
        *((0.80, 1.81), (0.90, 1.46), (1.0, 1.0)),
    ],
)
def test_e_values_of_the_paper(ratio: float, expected: float) -> None:
    assert e_value(ratio) == pytest.approx(expected, abs=0.01)


def test_the_e_value_of_an_interval_is_that_of_its_end_nearer_to_1() -> None:
    # 1.67 + sqrt(1.67 × 0.67) = 2.73; 1 / 0.85 = 1.176, and 1.176 + sqrt(1.176 × 0.176) = 1.63.
    assert e_value_of_interval(1.67, 1.75) == pytest.approx(1.67 + sqrt(1.67 * 0.67))
    assert e_value_of_interval(0.74, 0.85) == pytest.approx(1.632, abs=0.001)
    assert e_value_of_interval(0.9, 1.2) == 1
    with pytest.raises(ValueError, match="0 is no ratio"):
        e_value(0)


@settings(deadline=None)  # the first example loads scipy
@given(st.lists(st.tuples(*[st.integers(1, 90)] * 3), min_size=2, max_size=6))
def test_chi_square_is_that_of_statsmodels(rows: list[tuple[int, int, int]]) -> None:
    tested = chi_square(rows)
    theirs = Table(np.array(rows), shift_zeros=False).test_nominal_association()
    assert tested.chi_square == pytest.approx(theirs.statistic, abs=1e-9)
    assert (tested.df, tested.p) == (theirs.df, pytest.approx(theirs.pvalue))


def test_chi_square_worked_by_hand() -> None:
    # Expected counts of 30, 10 / 10, 30 are 20 each: χ² = 4 × 10² / 20 = 20, V = sqrt(20 / 80).
    tested = chi_square([[30, 10], [10, 30]])
    assert (tested.chi_square, tested.df, tested.n) == (pytest.approx(20), 1, 80)
    assert tested.v == pytest.approx(0.5)
    assert tested.note == ""


def test_categories_that_cannot_be_tested_are_said_in_words() -> None:
    assert chi_square([[3, 4]]).problem == "fewer than two categories"
    assert chi_square([[3, 0], [4, 0]]).problem == "a category never occurs"
    assert chi_square([]).problem == "fewer than two categories"
    small = chi_square([[3, 1], [1, 3]])
    assert small.note == "an expected count is 2.0: the p value is approximate"
    assert small.p is not None


def test_a_cross_table_counts_pairs() -> None:
    table = cross_table([("b", 1), ("a", 0), ("b", 1), ("b", 0)])
    assert table == [[1, 0], [1, 2]]  # rows a and b, columns 0 and 1


@pytest.mark.parametrize("count", [1, 2, 7, 36])
def test_corrections_are_those_of_statsmodels(count: int) -> None:
    p = (np.random.default_rng(count).random(count) ** 3).tolist()
    methods = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh"}
    for ours, theirs in methods.items():
        corrected = multipletests(p, method=theirs)[1]
        assert correct(p, ours) == pytest.approx(list(corrected))  # type: ignore[arg-type]


def test_equal_rates_are_hotellings_test_of_a_linear_fit() -> None:
    # With a cluster for each match the jackknife covariance is HC3 times (n - 1) / n.
    dice = np.random.default_rng(5)
    level = dice.integers(0, 3, 120)
    won = dice.random(120) < np.array([0.3, 0.5, 0.6])[level]
    test, df = equal_rates(won.tolist(), level.tolist(), range(120))
    design = np.column_stack([np.ones(120), level == 1, level == 2]).astype(float)
    fitted = sm.OLS(won.astype(float), design).fit(cov_type="HC3")
    apart, covariance = fitted.params[1:], fitted.cov_params()[1:, 1:] * 119 / 120
    squared = apart @ np.linalg.solve(covariance, apart)
    assert df == (2, 118)
    assert test.value == pytest.approx(squared * 118 / (2 * 119))
    assert test.p == pytest.approx(f.sf(test.value, 2, 118))


def test_equal_rates_without_an_error_say_why() -> None:
    won, levels = [True, False] * 12, [0, 0, 1, 1] * 6
    sixths = np.arange(24) // 4
    for of_match, clusters, problem in (
        (levels, ["a", "b"] * 12, "too few clusters: 2"),
        ([0] * 24, range(24), "fewer than two categories"),
        (levels, sixths, "all clusters agree"),
        ([0] * 20 + [1] * 4, sixths, "hangs on a single cluster"),
    ):
        assert equal_rates(won, of_match, clusters)[0].problem == problem

"""Intervals against arithmetic by hand, published values and simulation."""

from math import isclose, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.ratings.statistics import intervals
from parlour.ratings.statistics.intervals import Interval, Z, bootstrap, clustered_wilson, wilson


def ratio(draws: np.ndarray) -> np.ndarray:
    return draws[:, 0] / draws[:, 1]


def test_the_quantile_leaves_two_and_a_half_percent_on_each_side() -> None:
    assert NormalDist().cdf(Z) == pytest.approx(0.975, abs=1e-15)


def test_wilson_of_eight_in_ten_worked_by_hand() -> None:
    # With z² = 3.841459 and n = 10:
    #   centre = (0.8 + 3.841459 / 20) / (1 + 0.3841459)     = 0.9920729 / 1.3841459 = 0.716740
    #   half   = 1.959964 / 1.3841459 × √(0.16 / 10 + 3.841459 / 400)
    #          = 1.416010 × √0.02560365 = 1.416010 × 0.160011 = 0.226577
    interval = wilson(8, 10)
    assert interval.low == pytest.approx(0.716740 - 0.226577, abs=2e-6)  # 0.490163
    assert interval.high == pytest.approx(0.716740 + 0.226577, abs=2e-6)  # 0.943317
    assert interval.se == pytest.approx(0.126491, abs=1e-6)  # √(0.8 × 0.2 / 10)


def test_wilson_of_one_in_four_worked_by_hand() -> None:
    #   centre = (0.25 + 3.841459 / 8) / (1 + 0.9603647) = 0.7301824 / 1.9603647 = 0.372473
    #   half   = 1.959964 / 1.9603647 × √(0.1875 / 4 + 3.841459 / 64)
    #          = 0.999796 × √0.1068978 = 0.999796 × 0.326952 = 0.326885
    interval = wilson(1, 4)
    assert interval.low == pytest.approx(0.372473 - 0.326885, abs=2e-6)  # 0.045588
    assert interval.high == pytest.approx(0.372473 + 0.326885, abs=2e-6)  # 0.699358


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(k: int, n: int, low: float, high: float) -> None:
    interval = wilson(k, n)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def test_wilson_at_the_ends_touches_the_bound_and_keeps_the_other_side_open() -> None:
    # k = 0: the upper end is z² / (n + z²) = 3.841459 / 8.841459; k = n is its mirror image.
    assert wilson(0, 5).low == 0.0
    assert wilson(0, 5).high == pytest.approx(0.434482, abs=1e-6)
    assert wilson(5, 5).high == 1.0
    assert wilson(5, 5).low == pytest.approx(1 - 0.434482, abs=1e-6)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_contains_exactly_the_shares_that_a_score_test_does_not_reject(
    counts: tuple[int, int],
) -> None:
    k, n = counts
    interval = wilson(k, n)
    assert 0 <= interval.low <= k / n <= interval.high <= 1
    for end in (interval.low, interval.high):  # at either end |k/n - p| = z √(p (1 - p) / n)
        assert isclose(abs(k / n - end), Z * sqrt(end * (1 - end) / n), abs_tol=1e-9)


@pytest.mark.parametrize(("k", "n"), [(0, 0), (-1, 4), (5, 4)])
def test_wilson_rejects_an_impossible_count(k: int, n: int) -> None:
    with pytest.raises(ValueError, match="impossible count"):
        wilson(k, n)


def test_single_trials_as_clusters_give_the_plain_interval() -> None:
    assert clustered_wilson([(1, 1)] * 3 + [(0, 1)] * 5) == pytest.approx(wilson(3, 8))


def test_the_design_effect_worked_by_hand() -> None:
    # Four clusters of 3: 3, 3, 0 and 0 of them; p = 6 / 12. Residuals ± 1.5: between clusters
    # 4/3 × 4 × 2.25 = 12; of single trials 12/11 × 12 × 1/4 = 36/11; deff = 11/3, and the 12 are
    # worth 36/11 trials.
    interval = clustered_wilson([(3, 3), (0, 3), (3, 3), (0, 3)])
    assert interval == pytest.approx(wilson(18 / 11, 36 / 11))


def test_clusters_that_are_more_alike_than_chance_count_as_single_trials() -> None:
    assert clustered_wilson([(1, 2)] * 10) == pytest.approx(wilson(10, 20))


def test_clusters_without_variance_count_as_one_trial_each() -> None:
    assert clustered_wilson([(0, 30)] * 20) == pytest.approx(wilson(0, 20))
    assert clustered_wilson([(30, 30)] * 20) == pytest.approx(wilson(20, 20))
    assert clustered_wilson([(2, 8)]) == pytest.approx(wilson(1 / 4, 1))
    # 8 and 2 trials weigh as much as 100 / 68 equal clusters.
    assert clustered_wilson([(0, 8), (0, 2)]) == pytest.approx(wilson(0, 100 / 68))


@pytest.mark.parametrize("clusters", [[], [(0, 0)], [(3, 2)], [(-1, 2), (0, 3)]])
def test_impossible_counts_of_clusters_are_rejected(clusters: list[tuple[float, float]]) -> None:
    with pytest.raises(ValueError, match="impossible count"):
        clustered_wilson(clusters)


def test_the_order_of_the_clusters_does_not_matter_to_the_last_bit() -> None:
    dice = np.random.default_rng(3)
    clusters = [(int(dice.integers(0, n + 1)), int(n)) for n in dice.integers(1, 9, size=40)]
    first = clustered_wilson(clusters)
    for _ in range(5):
        dice.shuffle(clusters)
        assert clustered_wilson(clusters) == first


@pytest.mark.parametrize("alike", [0.1, 0.5, 1.0])
def test_the_interval_covers_the_truth_with_correlated_trials(alike: float) -> None:
    """20 clusters of 6 trials whose correlation is ``alike``, drawn 2,000 times; the share is .3.

    A Wilson interval of single trials holds it 86, 69 and 53 % of the time.
    """
    dice = np.random.default_rng(11)
    share, draws, clusters, size = 0.3, 2000, 20, 6
    spread = (1 - alike) / alike
    if spread:
        rates = dice.beta(share * spread, (1 - share) * spread, size=(draws, clusters))
    else:
        rates = (dice.random((draws, clusters)) < share).astype(float)

    def interval(row: np.ndarray) -> Interval:
        return clustered_wilson([(k, size) for k in row])

    intervals = map(interval, dice.binomial(size, rates))
    assert np.mean([each.low <= share <= each.high for each in intervals]) >= 0.92


def test_bootstrap_does_not_depend_on_the_order_of_the_clusters() -> None:
    dice = np.random.default_rng(5)
    clusters = dice.integers(1, 7, size=(40, 2)).astype(float)
    first = bootstrap(clusters, ratio)
    assert first is not None
    for _ in range(5):
        assert bootstrap(dice.permutation(clusters), ratio) == first  # to the last bit


def test_bootstrap_of_two_unlike_clusters_worked_by_hand() -> None:
    # One cluster with 0 of 1, one with 1 of 1. A draw of two has share 0 (1 in 4), ½ (2 in 4) or
    # 1 (1 in 4): each tail holds more than 2.5 %, so the ends are 0 and 1, and the variance is
    # ¼ × ¼ + ¼ × ¼ = ⅛, a standard error of 0.354 (0.011 is three deviations of its estimate).
    interval = bootstrap(np.array([[0.0, 1.0], [1.0, 1.0]]), ratio)
    assert interval is not None
    assert (interval.low, interval.high) == (0.0, 1.0)
    assert interval.se == pytest.approx(sqrt(1 / 8), abs=0.025)


def test_bootstrap_resamples_whole_clusters() -> None:
    # Ten clusters of 100 equal results each are worth 10 results, not 1,000: the standard error
    # is √(0.5 × 0.5 / 10) = 0.158, where single results would give 0.016.
    clusters = np.array([[100.0, 100.0], [0.0, 100.0]] * 5)
    interval = bootstrap(clusters, ratio)
    assert interval is not None
    assert interval.se == pytest.approx(0.158, abs=0.02)


def test_the_coverage_of_the_bootstrap_is_near_its_level() -> None:
    # 300 data sets of 40 clusters; each cluster has a share of its own around ½ and 6 results.
    # Percentile intervals fall a little short of 95 %; 300 data sets tell it to ± 0.025.
    dice = np.random.default_rng(11)
    hits = 0
    for _ in range(300):
        shares = dice.uniform(0.2, 0.8, size=40)
        clusters = np.column_stack([dice.binomial(6, shares), np.full(40, 6)]).astype(float)
        interval = bootstrap(clusters, ratio)
        assert interval is not None
        hits += interval.low <= 0.5 <= interval.high
    assert 0.90 <= hits / 300 <= 0.985


def test_there_is_no_bootstrap_interval_of_fewer_than_two_clusters() -> None:
    assert bootstrap(np.empty((0, 2)), ratio) is None
    assert bootstrap(np.array([[1.0, 2.0]]), ratio) is None


def test_there_is_no_bootstrap_interval_if_most_draws_leave_the_statistic_undefined() -> None:
    # Three clusters, of which the first is drawn exactly once in 3 × ⅓ × (⅔)² = 44 % of the
    # draws, and less than twice in 44 % + (⅔)³ = 74 %.
    clusters = np.array([[1.0], [0.0], [0.0]])

    def if_drawn_once(draws: np.ndarray) -> np.ndarray:
        return np.where(draws[:, 0] == 1, 0.5, np.nan)

    def if_not_drawn_twice(draws: np.ndarray) -> np.ndarray:
        return np.where(draws[:, 0] < 2, draws[:, 0], np.nan)

    assert bootstrap(clusters, if_drawn_once) is None
    interval = bootstrap(clusters, if_not_drawn_twice)
    assert interval is not None
    assert (interval.low, interval.high) == (0.0, 1.0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=200), st.sampled_from([0.025, 0.975]))
def test_a_percentile_is_that_of_numpy_to_the_last_bit(values: list[float], share: float) -> None:
    expected = np.percentile(values, [100 * share])[0]
    assert intervals.percentile(np.sort(np.array(values)), share) == expected


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=40))
def test_the_kinds_of_rows_are_those_of_numpy(rows: list[tuple[int, int, int]]) -> None:
    table = np.array(rows, dtype=np.float64)
    kinds, counts = intervals._kinds(table)
    expected, times = np.unique(table, axis=0, return_counts=True)
    assert np.array_equal(kinds, expected)
    assert np.array_equal(counts, times)

"""Intervals against arithmetic by hand, published values and simulation."""

from collections.abc import Sequence
from math import isclose, sqrt
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import sem, skew, t, ttest_ind, ttest_rel

from parlour.ratings.statistics.intervals import (
    ClusterTable,
    Interval,
    Spread,
    Z,
    clustered_wilson,
    combined,
    jackknife,
    mean_interval,
    quantile,
    ratio,
    ratios,
    share_interval,
    t_interval,
    wilson,
)
from parlour.ratings.statistics.simultaneous import above

study = pytest.mark.study("ratings/statistics")


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
        # By hand with z² = 3.841459: centre (.8 + z² / 20) / (1 + z² / 10) = .716740, half
        # z / 1.3841459 × √(.16 / 10 + z² / 400) = .226577.
        (8, 10, 0.4902, 0.9433),
        # k = 0: the upper end is z² / (n + z²) = 3.841459 / 8.841459; k = n is its mirror image.
        (0, 5, 0.0000, 0.4345),
        (5, 5, 0.5655, 1.0000),
    ],
)
def test_wilson_gives_the_published_intervals(k: int, n: int, low: float, high: float) -> None:
    interval = wilson(k, n)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)
    assert interval.se == pytest.approx(sqrt(k / n * (1 - k / n) / n))


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_contains_exactly_the_shares_that_a_score_test_does_not_reject(
    counts: tuple[int, int],
) -> None:
    k, n = counts
    interval = wilson(k, n)
    assert 0 <= interval.low <= k / n <= interval.high <= 1
    for end in (interval.low, interval.high):  # at either end |k/n - p| = z √(p (1 - p) / n)
        assert isclose(abs(k / n - end), Z * sqrt(end * (1 - end) / n), abs_tol=1e-9)


def test_impossible_counts_are_rejected() -> None:
    for k, n in ((0, 0), (-1, 4), (5, 4)):
        with pytest.raises(ValueError, match="impossible count"):
            wilson(k, n)
    for cluster in ((3, 2), (-1, 2)):
        with pytest.raises(ValueError, match="impossible count"):
            clustered_wilson([cluster] * 5)


def test_single_trials_as_clusters_give_the_plain_interval_of_statsmodels() -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for k, n in ((3, 8), (12, 12), (0, 40), (21, 21)):
        interval = clustered_wilson([(1, 1)] * k + [(0, 1)] * (n - k))
        expected = proportion.proportion_confint(k, n, method="wilson")
        assert (interval.low, interval.high) == pytest.approx(expected)


FEW = (quantile(20) / quantile(9)) ** 2


@pytest.mark.parametrize(
    ("clusters", "k", "n"),
    [
        # Six clusters of 3: 3, 3, 3, 0, 0 and 0 of them; p = 9 / 18. Residuals ± 1.5: between
        # clusters 6/5 × 6 × 2.25 = 81/5; of single trials 18/17 × 18 × 1/4 = 81/17; deff = 17/5,
        # and the 18 are worth 90/17 trials. These by t: (2.109816 / 2.570582)² of that.
        (
            [(3, 3), (0, 3)] * 3,
            *(share * 90 / 17 * (2.1098156 / 2.5705818) ** 2 for share in (0.5, 1)),
        ),
        # More alike than chance: at most as single trials.
        ([(1, 2)] * 9 + [(1, 3)], 10 * FEW, 21 * FEW),
        # Without variance: one trial each.
        ([(0, 30)] * 20, 0, 20),
        ([(30, 30)] * 20, 20, 20),
        ([(1, 2)] * 10, 5, 10),
        # Clusters of 8 and five of 2 trials weigh as much as 18² / 84 equal ones.
        ([(0, 8)] + [(0, 2)] * 5, 0, 324 / 84),
    ],
)
def test_the_effective_sample_size_worked_by_hand(
    clusters: list[tuple[int, int]], k: float, n: float
) -> None:
    assert clustered_wilson(clusters)[1:] == pytest.approx(wilson(k, n)[1:], rel=1e-6)


def test_four_clusters_are_too_few() -> None:
    assert clustered_wilson([(3, 3), (0, 3), (3, 3), (0, 3), (0, 0)]) is None
    assert clustered_wilson([]) is None
    # Of each rate of a game.
    rates = np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 0.0, 0.0]] * 4)
    spread = jackknife(ClusterTable.of(rates), lambda sums: sum(ratios(sums)))
    assert not spread.enough
    assert share_interval(0.5, ClusterTable.of(rates), spread, 12) is None


def test_several_games_need_the_degrees_of_freedom_of_five_clusters() -> None:
    """Games whose clusters agree count where all do."""
    two, alike = np.array([[1.0, 1.0], [0.0, 1.0]]), np.ones((3, 2))
    mixed = np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]])
    cases = ([two], 1), ([two] * 3, 3), ([two] * 4, 4), ([alike] * 2, 4), ([alike, mixed], 2)
    for games, df in cases:
        spread = jackknife(ClusterTable.of(*games), ratio)
        assert spread.df == pytest.approx(df)
        assert spread.enough is (df >= 4)
    assert jackknife(ClusterTable.of(*[two] * 9, two[:1]), ratio) is None


def test_the_error_of_a_mean_is_that_of_a_regression_with_cluster_jackknife() -> None:
    """CRV3 by leaving out by hand, and for equal sizes statsmodels' t interval of their means."""
    weightstats = pytest.importorskip("statsmodels.stats.weightstats")
    values = np.array([3.0, 4.5, 2.0, 6.0, 5.5, 4.0])
    table = ClusterTable.of(np.column_stack([values * 4, np.full(6, 4.0)]))
    spread = jackknife(table, ratio)
    assert spread is not None
    interval = t_interval(float(values.mean()), spread)
    assert interval is not None
    assert interval[1:] == pytest.approx(weightstats.DescrStatsW(values).tconfint_mean())
    unequal = np.array([[3.0, 2.0], [9.0, 3.0], [2.0, 1.0], [11.0, 4.0], [5.0, 5.0]])
    whole = unequal[:, 0].sum() / unequal[:, 1].sum()
    left_out = []
    for cluster in range(5):
        left = np.delete(unequal, cluster, axis=0)
        left_out.append(left[:, 0].sum() / left[:, 1].sum())
    spread = jackknife(ClusterTable.of(unequal), ratio)
    assert spread.se == pytest.approx(sqrt(4 / 5 * sum((each - whole) ** 2 for each in left_out)))
    assert spread.df == 4


def test_a_difference_over_two_games_is_welchs_of_scipy() -> None:
    """Each game has one of two rates: games are strata, with Satterthwaite's degrees of freedom."""
    dice = np.random.default_rng(2)
    one, other = dice.normal(5, 1, 7), dice.normal(4, 3, 12)
    games = [
        np.column_stack([one, np.ones(7), np.zeros((7, 2))]),
        np.column_stack([np.zeros((12, 2)), other, np.ones(12)]),
    ]
    spread = jackknife(ClusterTable.of(*games), lambda sums: ratios(sums)[0] - ratios(sums)[1])
    test = ttest_ind(one, other, equal_var=False)
    assert spread.df == pytest.approx(test.df)
    interval = t_interval(float(one.mean() - other.mean()), spread)
    assert interval is not None
    assert interval[1:] == pytest.approx(tuple(test.confidence_interval()))


def of_means(values: Sequence[float]) -> Interval:
    """The interval of a mean of clusters of one match each."""
    spread = jackknife(ClusterTable.of(np.column_stack([values, np.ones(len(values))])), ratio)
    interval = mean_interval(fmean(values), spread)
    assert interval is not None
    return interval


def test_the_ends_of_the_interval_of_a_mean_have_the_quantiles_of_t() -> None:
    """Hall's transformation of (mean - end) / error, with the skewness of scipy."""
    values = [100.0, 100, 99, 98, 97, 70, 100, 99, 98]
    size, error = len(values), float(sem(values))
    gamma = float(skew(values)) / sqrt(size)
    interval = of_means(values)
    for end, quantile_of_t in ((interval.low, 1), (interval.high, -1)):
        ratio_of_end = (fmean(values) - end) / error
        hall = ratio_of_end + gamma / 3 * ratio_of_end**2 + gamma**2 / 27 * ratio_of_end**3
        assert hall + gamma / 6 == pytest.approx(quantile_of_t * t.ppf(0.975, size - 1))
    mirrored = of_means([-value for value in values])
    assert mirrored[1:] == pytest.approx((-interval.high, -interval.low))
    even = [1.0, 2, 3, 4, 5]
    by_t = t.interval(0.95, 4, fmean(even), sem(even))
    assert of_means(even)[1:] == pytest.approx(by_t)
    # A skewness of rounding errors.
    barely = Spread(float(sem(even)), 4, skew=1e-17)
    assert mean_interval(fmean(even), barely)[1:] == pytest.approx(by_t)  # type: ignore[index]


@study
@pytest.mark.parametrize(("size", "least"), [(9, 0.89), (20, 0.92), (60, 0.935)])
def test_the_interval_of_a_mean_holds_where_values_are_skewed(size: int, least: float) -> None:
    """Points given of 100 by a player that gives nearly all; by t .80, .86 and .91 hold."""
    dice = np.random.default_rng(3)
    values = 100 - np.floor(dice.gamma(0.3, 10, size=(1000, size)))
    intervals = [of_means(row) for row in values if len({*row}) > 1]
    truth = 100 - float(np.floor(dice.gamma(0.3, 10, size=1_000_000)).mean())
    assert least <= fmean(each.low <= truth <= each.high for each in intervals) <= 0.98


def test_a_mean_whose_clusters_agree_has_no_interval() -> None:
    table = ClusterTable.of(np.array([[0.1 * 3, 3.0]] * 7))
    spread = jackknife(table, ratio)
    assert (spread.se, spread.enough) == (0, True)
    assert mean_interval(0.1, spread) is None
    assert combined([spread, spread]).se == 0


@study
@pytest.mark.parametrize(("clusters", "agents"), [(5, 6), (20, 6), (20, 12)])
def test_at_most_one_board_in_twenty_has_a_false_order(clusters: int, agents: int) -> None:
    """300 boards of agents that do not differ; 5 % and three of its standard errors are 8.8 %."""
    dice = np.random.default_rng(7)
    false = 0
    for _ in range(300):
        scores = dice.normal(size=(clusters, agents)) + dice.normal(size=(clusters, 1))
        covariance = np.cov(scores, rowvar=False) / clusters
        known = np.zeros_like(covariance) + 1e-12 * np.eye(agents)
        false += bool(above(scores.mean(axis=0), [(covariance, clusters - 1)], known).any())
    assert 0.01 <= false / 300 <= 0.088


def test_two_agents_are_ordered_where_the_t_test_of_scipy_does() -> None:
    dice = np.random.default_rng(5)
    for shift in np.linspace(0, 2, 21):
        scores = dice.normal(size=(9, 2)) + np.array([shift, 0])
        covariance = np.cov(scores, rowvar=False) / 9
        better = above(scores.mean(axis=0), [(covariance, 8)], 1e-12 * np.eye(2))
        p = ttest_rel(scores[:, 0], scores[:, 1]).pvalue
        if not 0.04 <= p <= 0.06:  # the bound is drawn
            assert better.any() == (p < 0.05)


def test_steps_down_find_what_a_single_step_does_not() -> None:
    """A far agent leaves fewer pairs open, whose bound is lower, as brute force shows."""
    dice = np.random.default_rng(1)
    scores = dice.normal(size=(15, 5)) * 1e-3
    covariance = np.cov(scores, rowvar=False) / 15
    errors = np.sqrt(np.add.outer(np.diag(covariance), np.diag(covariance)) - 2 * covariance)
    drawn = dice.normal(size=(4000, 15, 5)) @ np.linalg.cholesky(np.cov(scores, rowvar=False)).T
    largest, of_three = [], []
    for draw in drawn:
        spread = np.cov(draw, rowvar=False) / 15
        error = np.sqrt(np.add.outer(np.diag(spread), np.diag(spread)) - 2 * spread)
        apart = np.subtract.outer(draw.mean(axis=0), draw.mean(axis=0))
        shown = np.divide(apart, error, out=np.zeros_like(apart), where=error > 0)
        largest.append(shown.max())
        # What is left open if the first two are above the others.
        shown[:2, 2:] = 0
        of_three.append(shown.max())
    bound, last = np.quantile(largest, 0.95), np.quantile(of_three, 0.95)
    assert last < bound
    middle = (last + bound) / 2 * errors[0, 1]
    values = np.array([50 + middle, 50, 0, 0, 0]) * np.array([1, 1, 1, 1, 1])
    better = above(values, [(covariance, 14)], 1e-15 * np.eye(5))
    assert better[:2, 2:].all()
    assert better[0, 1] == (middle / errors[0, 1] > last)
    assert not better[2:].any()


def test_the_order_of_the_clusters_does_not_matter_to_the_last_bit() -> None:
    dice = np.random.default_rng(3)
    clusters = [(int(dice.integers(0, n + 1)), int(n)) for n in dice.integers(1, 9, size=40)]
    first = clustered_wilson(clusters)
    for _ in range(5):
        dice.shuffle(clusters)
        assert clustered_wilson(clusters) == first


@study
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
        one = clustered_wilson([(k, size) for k in row])
        assert one is not None
        return one

    intervals = map(interval, dice.binomial(size, rates))
    assert np.mean([each.low <= share <= each.high for each in intervals]) >= 0.93

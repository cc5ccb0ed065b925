"""Randomisation: permutation tests, intention to treat, block bootstrap and checks."""

from itertools import combinations, product
from math import sqrt

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import chi2_contingency, kstest, t
from statsmodels.stats.weightstats import DescrStatsW

from parlour.ratings.inference.estimate import jackknife
from parlour.ratings.inference.randomised import (
    balance,
    difference_within,
    intention_to_treat,
    uniformity,
)
from parlour.ratings.statistics.intervals import ratio

study = pytest.mark.study("ratings/inference", "ratings/statistics")


def exact(blocks: list[tuple[list[float], int]], observed: float) -> float:
    """Share of all assignments within blocks that are at least as far from the mean sum.

    Each block has its outcomes and the number of its treated.
    """
    sums = [list(map(sum, combinations(values, count))) for values, count in blocks]
    totals = list(map(sum, product(*sums)))
    expected = np.mean(totals)
    return float(np.mean([abs(t - expected) >= abs(observed - expected) - 1e-9 for t in totals]))


@pytest.mark.parametrize(
    ("first", "second"),
    [([1, 1, 0, 0, 1], [1, 0, 0, 0, 1]), ([1.5, 2, 0, 4, 1], [3, 0.5, 2, 7, 1])],
)
def test_a_permutation_p_is_near_that_of_all_assignments(first: list, second: list) -> None:
    # Both treated members of the first block and all three of the second come first.
    treated = [each == "T" for each in "TTFFFTTTFF"]
    blocks = ["a"] * 5 + ["b"] * 5
    tested = difference_within([*first, *second], treated, blocks, range(10))
    observed = sum(first[:2]) + sum(second[:3])
    assert tested.p == pytest.approx(exact([(first, 2), (second, 3)], observed), abs=0.015)
    # The coefficient of a linear fit with an effect of each block, and its jackknife (HC3).
    design = np.column_stack([treated, np.repeat([1, 0], 5), np.repeat([0, 1], 5)]).astype(float)
    fitted = sm.OLS([*first, *second], design).fit()
    assert (tested.value, tested.n) == (pytest.approx(fitted.params[0]), 10)
    half = t.ppf(0.975, 9) * sqrt(9 / 10) * fitted.get_robustcov_results("HC3").bse[0]
    assert (tested.high - tested.low) / 2 == pytest.approx(half)


def test_only_differences_within_blocks_count() -> None:
    # Block a has all wins and all but one treated, b all losses and one treated.
    outcomes, blocks = [1.0] * 6 + [0.0] * 6, ["a"] * 6 + ["b"] * 6
    treated = [True] * 5 + [False] + [True] + [False] * 5
    tested = difference_within(outcomes, treated, blocks, range(12))
    assert (tested.value, tested.p) == (0, 1)
    alone = difference_within([1.0, 0.0], [True, False], ["a", "b"], "ab")
    assert (alone.value, alone.problem) == (None, "no block has both treated and others")


@study
@pytest.mark.slow
def test_permutation_p_is_uniform_without_an_effect() -> None:
    values = []
    for seed in range(400):
        dice = np.random.default_rng([4, seed])
        blocks = np.repeat(np.arange(12), 10)
        outcomes = dice.normal(np.repeat(dice.normal(0, 2, 12), 10))  # blocks differ
        treated = dice.random(120) < 0.5
        own = blocks.tolist()
        values.append(difference_within(outcomes.tolist(), treated.tolist(), own, own, 499).p)
    assert kstest(values, "uniform").pvalue > 0.05
    assert 0.03 <= np.mean(np.array(values) <= 0.05) <= 0.07


def test_a_permutation_finds_an_effect() -> None:
    dice = np.random.default_rng(9)
    treated = dice.random(600) < 0.5
    won = dice.random(600) < np.where(treated, 0.6, 0.4)
    blocks = np.repeat(np.arange(30), 20).tolist()
    tested = difference_within(won.astype(float).tolist(), treated.tolist(), blocks, blocks)
    assert tested.p == 1 / 10_000
    assert tested.value == pytest.approx(0.2, abs=0.06)


def test_the_cells_of_table_6_of_the_paper_pool_to_its_effect() -> None:
    # By difficulty: homogeneous, cross-play, team-blind, team-aware, team-semi-aware.
    sizes = [1080, 8640, 4320, 4320, 4320] * 4
    cells = [
        *(2.22, 4.82, 4.97, -0.03, -3.36),
        *(-3.35, 0.35, 0.59, -1.30, -3.96),
        *(-1.95, -1.67, -1.82, -1.98, -5.40),
        *(-3.27, -2.50, -2.43, -4.53, -4.51),
    ]
    outcomes, positions, strata = list[bool](), list[int](), list[int]()
    for stratum, (size, points) in enumerate(zip(sizes, cells, strict=True)):
        for position in range(4):  # half above, half below the mean by the effect of the cell
            share = 0.5 + points / 100 * (1 if position > 1 else -1)
            won = round(size / 4 * share)
            outcomes += [True] * won + [False] * (size // 4 - won)
            positions += [position] * (size // 4)
            strata += [stratum] * (size // 4)
    effect = intention_to_treat(outcomes, positions, {2, 3}, [0] * len(strata), strata)
    assert 100 * (effect.value or 0) == pytest.approx(-1.11, abs=0.02)


def spoken(rates: tuple[float, ...], seed: int, experiments: int = 60) -> tuple[list, list, list]:
    """Outcomes, positions and experiments of matches whose rate depends on the position alone."""
    dice = np.random.default_rng([8, seed])
    n = 24 * experiments
    positions = dice.integers(0, 4, n)
    won = dice.random(n) < np.array(rates)[positions]
    return won.tolist(), positions.tolist(), np.repeat(np.arange(experiments), 24).tolist()


def test_intention_to_treat_worked_by_hand() -> None:
    # Rates 1/2, 1/2, 0, 1/2 by position: the middle (2, 3) has 1/4, all four 3/8: -1/8.
    outcomes = [True, False] * 2 + [False, False] + [True, False]
    positions = [0, 0, 1, 1, 2, 2, 3, 3]
    effect = intention_to_treat(outcomes, positions, {2, 3}, ["a"] * 8)
    assert effect.value == pytest.approx(-1 / 8)
    assert (effect.low, effect.n) == (None, 8)  # one block has no interval
    # In a second stratum of the same size everything is won: the pooled effect is half of it.
    both = intention_to_treat(
        outcomes + [True] * 8, positions * 2, {2, 3}, ["a"] * 16, ["x"] * 8 + ["y"] * 8
    )
    assert both.value == pytest.approx(-1 / 16)


@study
@pytest.mark.slow
def test_intervals_of_an_intention_to_treat_cover_the_truth() -> None:
    rates = (0.5, 0.45, 0.42, 0.35)
    truth = np.mean(rates[2:]) - np.mean(rates)
    covered = 0
    for seed in range(400):
        won, positions, clusters = spoken(rates, seed)
        effect = intention_to_treat(won, positions, {2, 3}, clusters)
        covered += effect.low <= truth <= effect.high
    assert 0.93 <= covered / 400 <= 0.97


def test_an_arm_that_cannot_be_compared_is_said_in_words() -> None:
    won, positions, blocks = spoken((0.5, 0.5, 0.5, 0.5), 1, experiments=2)
    everything = intention_to_treat(won, positions, {0, 1, 2, 3}, blocks)
    assert everything.problem == "the arm has no level, or all"
    lacking = intention_to_treat([True, False, True], [0, 1, 0], {1}, "aab", ["x", "x", "y"])
    assert lacking.problem == "a level never occurs in some stratum"


def test_a_jackknife_leaves_whole_clusters_out() -> None:
    # Ten clusters of 50 equal outcomes: the error is that of ten outcomes, s / sqrt(10).
    rows = np.repeat([[float(cluster < 6), 1.0] for cluster in range(10)], 50, axis=0)
    clusters = np.repeat(np.arange(10), 50).tolist()
    rate = jackknife(rows, clusters, ratio)
    low, high = DescrStatsW([1.0] * 6 + [0.0] * 4).tconfint_mean()
    assert (rate.value, rate.low, rate.high) == pytest.approx((0.6, low, high))
    assert jackknife(rows[:200], clusters[:200], ratio).note == "too few clusters: 4"
    assert jackknife(rows[:250], clusters[:250], ratio).note == "all clusters agree"
    assert jackknife(rows[:0], [], ratio).problem == "a cell is empty"


def test_uniformity_worked_by_hand() -> None:
    # 30, 20, 10 of 60: expected 20 each, χ² = (10² + 0 + 10²) / 20 = 10, p = e^-5 at 2 df.
    tested = uniformity([0] * 30 + [1] * 20 + [2] * 10, [0, 1, 2])
    assert (tested.chi_square, tested.df, tested.p) == pytest.approx((10, 2, np.exp(-5)))
    assert uniformity([], [0, 1]).problem == "nothing was assigned"
    assert uniformity([0, 0], [0, 1]).chi_square == pytest.approx(2)  # 1 never occurs
    with pytest.raises(ValueError, match="7 is no level"):
        uniformity([7], [0, 1])


def test_balance_is_a_test_of_independence() -> None:
    even = balance([0, 0, 1, 1] * 10, ["x", "y"] * 20, range(40))
    assert (even.chi_square, even.p) == (0, 1)
    dice = np.random.default_rng(5)
    level, met = dice.integers(0, 4, 200), dice.integers(0, 3, 200)
    counts = np.zeros((4, 3))
    np.add.at(counts, (level, met), 1)
    theirs = chi2_contingency(counts, correction=False)
    ours = balance(level.tolist(), met.tolist(), range(200))
    assert (ours.chi_square, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    skewed = balance(["x"] * 20 + ["y"] * 20, [1] * 18 + [0] * 2 + [1] * 2 + [0] * 18, range(40))
    assert skewed.p < 1e-5


def test_balance_counts_a_draw_once() -> None:
    dice = np.random.default_rng(3)
    level, value = dice.integers(0, 4, 60), dice.integers(0, 3, 60)
    alone = balance(level.tolist(), value.tolist(), range(60))
    often = balance(np.tile(level, 5).tolist(), np.tile(value, 5).tolist(), [*range(60)] * 5)
    assert often == alone
    assert alone.n == 60
    # Draws that meet all values have nothing to tell.
    thrice = [np.repeat(each, 3).tolist() for each in (level, range(60))]
    assert "nothing to check" in balance(thrice[0], ["x", "y", "z"] * 60, thrice[1]).problem


@study
@pytest.mark.slow
def test_balance_of_shared_draws_is_uniform_without_an_effect() -> None:
    values = []
    for seed in range(300):
        dice = np.random.default_rng([6, seed])
        level = dice.integers(0, 4, 80)
        draws = np.repeat(np.arange(80), 6)
        covariate = (draws % 7 + dice.integers(0, 3, 480)) % 7  # a draw meets up to three of seven
        values.append(balance(level[draws].tolist(), covariate.tolist(), draws.tolist(), 499).p)
    assert kstest(values, "uniform").pvalue > 0.05

"""Randomisation: permutation tests, intention to treat, block bootstrap and checks."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import kstest

from parlour.ratings.inference.randomised import (
    balance,
    block_bootstrap,
    intention_to_treat,
    permutation_p,
    pooled,
    uniformity,
)
from parlour.ratings.statistics.cluster_table import ratio


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
    tested = permutation_p([*first, *second], treated, blocks)
    observed = sum(first[:2]) + sum(second[:3])
    assert tested.p == pytest.approx(exact([(first, 2), (second, 3)], observed), abs=0.015)
    expected = 2 * np.mean(first) + 3 * np.mean(second)
    assert (tested.value, tested.n) == (pytest.approx((observed - expected) / 5), 10)


def test_only_differences_within_blocks_count() -> None:
    # Block a has all wins and all but one treated, b all losses and one treated.
    outcomes, blocks = [1.0] * 6 + [0.0] * 6, ["a"] * 6 + ["b"] * 6
    treated = [True] * 5 + [False] + [True] + [False] * 5
    tested = permutation_p(outcomes, treated, blocks)
    assert (tested.value, tested.p) == (0, 1)
    alone = permutation_p([1.0, 0.0], [True, False], ["a", "b"])
    assert (alone.value, alone.problem) == (None, "no block has both treated and others")


@pytest.mark.slow
def test_permutation_p_is_uniform_without_an_effect() -> None:
    values = []
    for seed in range(400):
        dice = np.random.default_rng([4, seed])
        blocks = np.repeat(np.arange(12), 10)
        outcomes = dice.normal(np.repeat(dice.normal(0, 2, 12), 10))  # blocks differ
        treated = dice.random(120) < 0.5
        p = permutation_p(outcomes.tolist(), treated.tolist(), blocks.tolist(), 499).p
        assert p is not None
        values.append(p)
    assert kstest(values, "uniform").pvalue > 0.05
    assert 0.03 <= np.mean(np.array(values) <= 0.05) <= 0.07


def test_a_permutation_finds_an_effect() -> None:
    dice = np.random.default_rng(9)
    treated = dice.random(600) < 0.5
    won = dice.random(600) < np.where(treated, 0.6, 0.4)
    blocks = np.repeat(np.arange(30), 20).tolist()
    tested = permutation_p(won.astype(float).tolist(), treated.tolist(), blocks)
    assert tested.p == 1 / 10_000
    assert tested.value == pytest.approx(0.1, abs=0.03)  # against the mixed half


def test_the_cells_of_table_6_of_the_paper_pool_to_its_effect() -> None:
    # By difficulty: homogeneous, cross-play, team-blind, team-aware, team-semi-aware.
    sizes = [1080, 8640, 4320, 4320, 4320] * 4
    cells = [
        *(2.22, 4.82, 4.97, -0.03, -3.36),
        *(-3.35, 0.35, 0.59, -1.30, -3.96),
        *(-1.95, -1.67, -1.82, -1.98, -5.40),
        *(-3.27, -2.50, -2.43, -4.53, -4.51),
    ]
    assert pooled(cells, sizes) == pytest.approx(-1.11, abs=0.005)


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


@pytest.mark.slow
def test_intervals_of_an_intention_to_treat_cover_the_truth() -> None:
    rates = (0.5, 0.45, 0.42, 0.35)
    truth = np.mean(rates[2:]) - np.mean(rates)
    covered = 0
    for seed in range(400):
        effect = intention_to_treat(
            *spoken(rates, seed)[:2], {2, 3}, spoken(rates, seed)[2], draws=1000
        )
        assert effect.low is not None
        assert effect.high is not None
        covered += effect.low <= truth <= effect.high
    assert 0.93 <= covered / 400 <= 0.97


def test_an_arm_that_cannot_be_compared_is_said_in_words() -> None:
    won, positions, blocks = spoken((0.5, 0.5, 0.5, 0.5), 1, experiments=2)
    everything = intention_to_treat(won, positions, {0, 1, 2, 3}, blocks)
    assert everything.problem == "the arm has no level, or all"
    lacking = intention_to_treat([True, False, True], [0, 1, 0], {1}, "aab", ["x", "x", "y"])
    assert lacking.problem == "a level never occurs in some stratum"


def test_a_block_bootstrap_resamples_whole_blocks() -> None:
    # Ten blocks of 50 equal outcomes: the error is that of ten outcomes, sqrt(.24 / 10) = .155,
    # not that of 500, .022.
    rows, blocks = [], []
    for block in range(10):
        rows += [np.array([float(block < 6), 1.0])] * 50
        blocks += [block] * 50
    interval = block_bootstrap(rows, blocks, ratio)
    assert interval is not None
    assert interval.se == pytest.approx(np.sqrt(0.24 / 10), rel=0.03)
    assert block_bootstrap(rows[:50], blocks[:50], ratio) is None
    assert block_bootstrap([], [], ratio) is None


def test_uniformity_worked_by_hand() -> None:
    # 30, 20, 10 of 60: expected 20 each, χ² = (10² + 0 + 10²) / 20 = 10, p = e^-5 at 2 df.
    tested = uniformity([0] * 30 + [1] * 20 + [2] * 10, [0, 1, 2])
    assert (tested.chi_square, tested.df, tested.p) == pytest.approx((10, 2, np.exp(-5)))
    assert uniformity([], [0, 1]).problem == "nothing was assigned"
    assert uniformity([0, 0], [0, 1]).chi_square == pytest.approx(2)  # 1 never occurs
    with pytest.raises(ValueError, match="7 is no level"):
        uniformity([7], [0, 1])


def test_balance_is_a_test_of_independence() -> None:
    even = balance([0, 0, 1, 1] * 10, ["x", "y"] * 20)
    assert (even.chi_square, even.p) == (0, 1)
    skewed = balance(["x"] * 20 + ["y"] * 20, [1] * 18 + [0] * 2 + [1] * 2 + [0] * 18)
    assert skewed.p is not None
    assert skewed.p < 1e-5

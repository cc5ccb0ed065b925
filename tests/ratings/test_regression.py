"""Logistic regression: against Newton's method by hand, 2x2 tables, and data of known effects."""

import sys
from collections.abc import Sequence
from math import exp, log

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import t
from statsmodels.stats.contingency_tables import Table2x2

from parlour.games.common.errors import BadInput
from parlour.ratings.inference import logit as logits
from parlour.ratings.inference.logit import CONSTANT, Regression, indicators, logit


def by_hand(design: np.ndarray, won: np.ndarray, groups: Sequence[int]) -> tuple[list, list]:
    """Coefficients by statsmodels, and the errors of a jackknife that fits again for each cluster.

    The variance is (G - 1) / G times the sum of the squared moves of the coefficients.
    """
    labels, binomial = np.array(groups), sm.families.Binomial()
    beta = sm.GLM(won, design, family=binomial).fit().params
    moves = []
    for group in sorted({*groups}):
        rest = labels != group
        moves.append(sm.GLM(won[rest], design[rest], family=binomial).fit().params - beta)
    share = (len(moves) - 1) / len(moves)
    return beta.tolist(), np.sqrt(share * (np.array(moves) ** 2).sum(axis=0)).tolist()


def test_coefficients_and_cluster_robust_errors_are_those_of_the_formulas() -> None:
    dice = np.random.default_rng(5)
    size, mode = dice.normal(2, 1, 400), dice.integers(0, 2, 400)
    groups = dice.integers(0, 40, 400).tolist()
    won = dice.random(400) < 1 / (1 + np.exp(1 - 0.5 * size + 0.3 * mode))
    fitted = logit(won.tolist(), {"size": size, "mode": mode}, groups)
    coefficients, errors = by_hand(np.column_stack([np.ones(400), size, mode]), won, groups)
    assert [term.name for term in fitted.terms] == [CONSTANT, "size", "mode"]
    assert [term.coefficient for term in fitted.terms] == pytest.approx(coefficients)
    assert [term.se for term in fitted.terms] == pytest.approx(errors, rel=0.01)  # one step
    term = fitted.term("size")
    assert term.odds_ratio == pytest.approx(exp(coefficients[1]))
    assert term.se is not None
    assert term.low == pytest.approx(exp(coefficients[1] - t.ppf(0.975, 39) * term.se))
    assert term.p == pytest.approx(2 * t.sf(coefficients[1] / term.se, 39))
    assert (fitted.n, fitted.successes, fitted.clusters) == (400, int(won.sum()), 40)
    assert fitted.problem == term.note == ""


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ((30, 50, 20, 60), (3.0, 1.375, 6.544)),
        # The modes of the paper: .425 and .431 against .489 of 4,320 homogeneous games.
        ((7344, 17_280, 2112, 4320), (0.772, 0.722, 0.826)),
        ((14_895, 34_560, 2112, 4320), (0.792, 0.743, 0.843)),
    ],
)
def test_one_indicator_gives_the_odds_ratio_of_the_table(
    cells: tuple[int, int, int, int], expected: tuple[float, float, float]
) -> None:
    won, n, base_won, base = cells
    lost, base_lost = n - won, base - base_won
    outcomes = np.repeat([True, False, True, False], [won, lost, base_won, base_lost])
    factor = ["aware"] * n + ["blind"] * base
    term = logit(outcomes.tolist(), indicators("mode", factor, "blind")).term("mode aware")
    theirs = Table2x2([[won, lost], [base_won, base_lost]])
    own = (term.odds_ratio, term.low, term.high)
    assert own == pytest.approx((theirs.oddsratio, *theirs.oddsratio_confint()), rel=1e-5)
    assert own == pytest.approx(expected, abs=0.005)
    assert (term.se, term.p) == pytest.approx((theirs.log_oddsratio_se, theirs.oddsratio_pvalue()))


def correlated(seed: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Outcomes of 60 clusters of 12 that are correlated within clusters, at known odds.

    Half of the clusters are treated. In two of three clusters all members share one draw, so that
    marginal probabilities are exactly those of the model: log odds -0.4 + 0.7 × treated.
    """
    dice = np.random.default_rng([11, seed])
    cluster = np.repeat(np.arange(60), 12)
    treated = (cluster % 2).astype(float)
    share = np.repeat(dice.random(60) < 2 / 3, 12)
    draws = np.where(share, np.repeat(dice.random(60), 12), dice.random(720))
    won = draws < 1 / (1 + np.exp(0.4 - 0.7 * treated))
    return won, treated, cluster.tolist()


@pytest.mark.study("ratings/inference", "ratings/statistics")
@pytest.mark.slow
def test_robust_intervals_cover_the_true_odds_ratio() -> None:
    covered, naive, estimates = 0, 0, []
    for seed in range(400):
        won, treated, groups = correlated(seed)
        for clusters in (groups, None):
            term = logit(won.tolist(), {"treated": treated}, clusters).term("treated")
            inside = term.low <= exp(0.7) <= term.high
            if clusters is None:
                naive += inside
            else:
                covered += inside
                estimates.append(term.coefficient)
    assert 0.93 <= covered / 400 <= 0.97
    assert naive / 400 < 0.7  # the same estimates as if all outcomes were independent
    assert np.mean(estimates) == pytest.approx(0.7, abs=0.05)


@pytest.mark.parametrize(
    ("won", "columns", "clusters", "problem"),
    [
        ([], {}, None, "no observations"),
        ([True] * 3, {"x": [1, 2, 3]}, None, "all 3 outcomes are the same"),
        ([True, False, True], {"x": [1, 1, 1]}, None, "x has one value only"),
        ([True, False, True], {"x": [1, np.nan, 1]}, None, "x has missing values"),
        (
            [True, False, True, False],
            {"x": [1, 2, 3, 3], "y": [2, 4, 6, 6]},
            None,
            "columns are combinations of each other",
        ),
        # Everything above 2 is won, everything below lost.
        ([False, False, True, True], {"x": [0, 1, 3, 4]}, None, "separated: x predicts"),
        # In one group all is won (an empty cell), in the other half.
        ([True, True, True, False], {"x": [1, 1, 0, 0]}, None, "separated: x predicts"),
    ],
)
def test_a_model_that_cannot_be_estimated_says_why(
    won: list[bool], columns: dict, clusters: str | None, problem: str
) -> None:
    fitted = logit(won, columns, clusters)
    assert fitted.terms == ()
    assert problem in fitted.problem


def test_a_fit_that_does_not_converge_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logits, "MOST_STEPS", 1)
    fitted = logit([True, False, True, True, False], {"x": [9, 2, 3, 1, 2]})
    assert (fitted.terms, fitted.problem) == ((), "the fit did not converge in 1 steps")


@pytest.mark.parametrize(
    ("won", "x", "clusters", "note"),
    [
        ([True, False] * 2, [1, 2, 3, 0], "aaaa", "too few clusters: 1"),
        # Each cluster has a win and a loss of either value, so that its scores add up to 0.
        ([True, False] * 12, [0, 0, 1, 1] * 6, "aaaabbbbccccddddeeeeffff", "all clusters agree"),
        # One cluster has all of the second value.
        ([True, False] * 12, [0] * 20 + [1] * 4, "abcdeabcdeabcdeabcdeffff", "hangs on a single"),
    ],
)
def test_a_term_without_an_error_says_why(
    won: list[bool], x: list[float], clusters: str, note: str
) -> None:
    term = logit(won, {"x": x}, clusters).term("x")
    assert note in term.note
    assert (term.se, term.p, term.low, term.high) == (None, None, None, None)
    assert term.odds_ratio > 0


def test_other_terms_keep_their_error_beside_a_level_of_one_cluster() -> None:
    dice = np.random.default_rng(7)
    groups = np.repeat(np.arange(12), 20)
    own, x = (groups == 11).astype(float), dice.normal(size=240)
    won = (dice.random(240) < 0.5).tolist()
    fitted = logit(won, {"own": own, "x": x}, groups.tolist())
    alone = logit(won[:220], {"x": x[:220]}, groups[:220].tolist())
    with_it, without = fitted.term("x"), alone.term("x")
    assert with_it.se is not None
    assert with_it.se == pytest.approx(without.se, rel=0.35)
    level = fitted.term("own")
    assert "single" in level.note


def test_without_the_package_one_line_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels.api", None)
    with pytest.raises(BadInput) as refused:
        logit([True, False], {"x": [1, 2]})
    line = f"regressions: missing package statsmodels; install it: {sys.executable} -m pip install"
    assert str(refused.value).startswith(line)


def test_indicators_have_a_column_for_each_value_but_the_base() -> None:
    assert indicators("seat", [0, 2, 1, 2], 0) == {"seat 1": [0, 0, 1, 0], "seat 2": [0, 1, 0, 1]}
    with pytest.raises(ValueError, match="nothing has the base 9 of seat"):
        indicators("seat", [0, 1], 9)


def test_a_term_that_is_not_there() -> None:
    assert Regression((), 0, 0, None).term("x") is None


def test_the_size_effect_is_recovered_at_the_scale_of_the_paper() -> None:
    # The impostor paper's slope: odds × 1.71 for ten times the parameters, in 20,000 matches.
    dice = np.random.default_rng(3)
    size = dice.choice([8, 70, 175, 405], 20_000)
    tens = np.log10(size)
    won = dice.random(20_000) < 1 / (1 + np.exp(1.2 - log(1.71) * tens))
    term = logit(won.tolist(), {"size": tens}, dice.integers(0, 200, 20_000).tolist()).term("size")
    assert term.low < 1.71 < term.high
    assert term.odds_ratio == pytest.approx(1.71, rel=0.08)

"""Logistic regression: against Newton's method by hand, 2x2 tables, and data of known effects."""

import sys
from collections.abc import Sequence
from math import exp, log, sqrt

import numpy as np
import pytest

from parlour.games.common.errors import BadInput
from parlour.ratings.inference import logit as logits
from parlour.ratings.inference.association import odds_ratio
from parlour.ratings.inference.logit import CONSTANT, Regression, indicators, logit


def by_hand(design: np.ndarray, won: np.ndarray, groups: Sequence[int]) -> tuple[list, list]:
    """Coefficients by Newton's method, and cluster-robust errors by the sandwich formula.

    Bread is the inverse of Σ p (1 - p) x x', meat the sum over clusters of s s', where s is the
    sum of (won - p) x in a cluster; G / (G - 1) × (n - 1) / (n - k) corrects for few clusters.
    """
    beta = np.zeros(design.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-design @ beta))
        bread = np.linalg.inv(design.T @ (design * (p * (1 - p))[:, None]))
        beta = beta + bread @ design.T @ (won - p)
    scores = (won - p)[:, None] * design
    labels = np.array(groups)
    sums = np.array([scores[labels == label].sum(axis=0) for label in sorted({*groups})])
    clusters, (n, k) = len(sums), design.shape
    factor = clusters / (clusters - 1) * (n - 1) / (n - k)
    robust = factor * bread @ (sums.T @ sums) @ bread
    return beta.tolist(), np.sqrt(np.diag(robust)).tolist()


def test_coefficients_and_cluster_robust_errors_are_those_of_the_formulas() -> None:
    dice = np.random.default_rng(5)
    size, mode = dice.normal(2, 1, 400), dice.integers(0, 2, 400)
    groups = dice.integers(0, 40, 400).tolist()
    won = dice.random(400) < 1 / (1 + np.exp(1 - 0.5 * size + 0.3 * mode))
    fitted = logit(won.tolist(), {"size": size, "mode": mode}, groups)
    coefficients, errors = by_hand(np.column_stack([np.ones(400), size, mode]), won, groups)
    assert [term.name for term in fitted.terms] == [CONSTANT, "size", "mode"]
    assert [term.coefficient for term in fitted.terms] == pytest.approx(coefficients)
    assert [term.se for term in fitted.terms] == pytest.approx(errors)
    term = fitted.term("size")
    assert term is not None
    assert term.odds_ratio == pytest.approx(exp(coefficients[1]))
    assert term.low == pytest.approx(exp(coefficients[1] - 1.959964 * errors[1]))
    assert (fitted.n, fitted.successes, fitted.clusters) == (400, int(won.sum()), 40)
    assert fitted.problem == fitted.note == ""


def test_one_indicator_gives_the_odds_ratio_of_the_table() -> None:
    # 30 of 50 against 20 of 60: (30 / 20) / (20 / 40) = 3, with the error of log counts.
    won = [True] * 30 + [False] * 20 + [True] * 20 + [False] * 40
    fitted = logit(won, indicators("mode", ["aware"] * 50 + ["blind"] * 60, "blind"))
    term, table = fitted.term("mode aware"), odds_ratio(30, 50, 20, 60)
    assert term is not None
    assert term.odds_ratio == pytest.approx(3)
    assert term.se == pytest.approx(sqrt(1 / 30 + 1 / 20 + 1 / 20 + 1 / 40))
    assert (term.low, term.high, term.p) == pytest.approx((table.low, table.high, table.p))


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


@pytest.mark.slow
def test_robust_intervals_cover_the_true_odds_ratio() -> None:
    covered, naive, estimates = 0, 0, []
    for seed in range(400):
        won, treated, groups = correlated(seed)
        for clusters in (groups, None):
            term = logit(won.tolist(), {"treated": treated}, clusters).term("treated")
            assert term is not None
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
        ([True, False] * 2, {"x": [1, 2, 3, 0]}, "aaaa", "one cluster only"),
        # Each cluster has a win and a loss of either value, so that its scores add up to 0.
        (
            [True, False] * 4,
            {"x": [0, 0, 1, 1] * 2},
            "aaaabbbb",
            "the robust error is 0 with only 2 clusters",
        ),
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


def test_few_clusters_are_noted() -> None:
    won, treated, groups = correlated(1)
    fitted = logit(won[:120].tolist(), {"treated": treated[:120]}, groups[:120])
    assert fitted.note == "only 10 clusters: the intervals are too narrow"
    assert len(fitted.terms) == 2


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
    assert term is not None
    assert term.low < 1.71 < term.high
    assert term.odds_ratio == pytest.approx(1.71, rel=0.08)

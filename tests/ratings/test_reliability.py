"""Reliability: components of data with known ones, halves by hand, correlations with a floor."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import pearsonr

from parlour.games.engine.record import MatchRecord
from parlour.ratings.counting.counted import Counted
from parlour.ratings.inference.estimate import Estimate
from parlour.ratings.reliability.components import RESIDUAL, variance_components
from parlour.ratings.reliability.reliability import (
    MeasureReliability,
    outcome_components,
    reliability,
    repetition_halves,
    split_halves,
    stepped_up,
)
from parlour.ratings.reports.reliability_report import reliability_report
from parlour.ratings.reports.writers import WRITERS
from tests.ratings.records import dilemma, numbered, undercover


def test_a_balanced_one_way_layout_by_hand() -> None:
    # Groups 1 3 and 5 7: between 2 × 8, of one degree; within 2 + 2, of two. (16 - 2) / 2 = 7.
    result = variance_components([1, 3, 5, 7], {"agent": "aabb"})
    assert result == {"agent": pytest.approx(7), RESIDUAL: pytest.approx(2)}


def test_an_unbalanced_one_way_layout_by_the_textbook() -> None:
    groups = {"a": [3.0, 5.0, 4.0], "b": [8.0, 9.0], "c": [1.0, 2.0, 2.0, 5.0, 3.0]}
    y = np.concatenate([*groups.values()])
    sizes = np.array([len(values) for values in groups.values()])
    means = np.array([np.mean(values) for values in groups.values()])
    within = sum(np.sum((np.array(values) - np.mean(values)) ** 2) for values in groups.values())
    mean_within = within / (len(y) - 3)
    mean_between = float(np.sum(sizes * (means - y.mean()) ** 2)) / 2
    # Searle, Casella and McCulloch 1992: n₀ = (N - Σn² / N) / (a - 1).
    size = (len(y) - np.sum(sizes**2) / len(y)) / 2
    levels = np.repeat([*groups], sizes).tolist()
    assert variance_components(y.tolist(), {"agent": levels}) == {
        "agent": pytest.approx((mean_between - mean_within) / size),
        RESIDUAL: pytest.approx(mean_within),
    }


def test_known_components_of_unbalanced_crossed_data_are_found_on_average() -> None:
    dice = np.random.default_rng(1)
    true = {"agent": 1.0, "setting": 0.5, "agent × setting": 0.25, RESIDUAL: 2.0}
    sums: dict[str, float] = dict.fromkeys(true, 0.0)
    for _ in range(200):
        agents, settings = dice.normal(0, 1, 10), dice.normal(0, 0.5**0.5, 12)
        both = dice.normal(0, 0.5, (10, 12))
        cells = []
        for cell in product(range(10), range(12)):
            cells += [cell] * int(dice.integers(1, 4))
        y = [agents[a] + settings[s] + both[a, s] + dice.normal(0, 2**0.5) for a, s in cells]
        factors = {
            "agent": [a for a, _ in cells],
            "setting": [s for _, s in cells],
            "agent × setting": cells,
        }
        for name, value in variance_components(y, factors).items():
            sums[name] += value or 0.0
    for name, value in true.items():
        assert sums[name] / 200 == pytest.approx(value, abs=0.12), name


def test_what_the_data_cannot_tell_is_none() -> None:
    y = [1.0, 2.0, 4.0, 7.0]
    factors = {"agent": "aabb", "role": "rrss", "game": "gggg", "seed": "wxyz"}
    result = variance_components(y, factors)
    assert [result[name] for name in ("role", "game", "seed")] == [None] * 3
    assert result["agent"] is not None
    assert variance_components([1.0], {"agent": "a"}) == {"agent": None, RESIDUAL: None}


def test_outcomes_of_a_tournament_have_their_components() -> None:
    # In every match x is paid 10 and y 2: all is agent, of variance 32, or nothing.
    matches = [
        dilemma("xyz", ["CCC"], (10, 2, 6), setting=f"{n}", counted=(0, 1)) for n in range(4)
    ]
    components = {
        each.factor: each
        for each in outcome_components(numbered(matches))
        if each.measure == "payoff"
    }
    assert components["agent"].variance == pytest.approx(32)
    assert components["agent"].share == pytest.approx(1)
    assert components["role"].variance is None
    assert components["setting"].variance == pytest.approx(0)
    assert components["agent"].n == 8


def test_repetitions_are_halved_in_turn_and_an_odd_one_is_left_out() -> None:
    again = [undercover("xyy"), undercover("yxx"), undercover("xyy"), undercover("xyy")]
    assert repetition_halves(numbered(again)) == {1: 0, 3: 1}


def test_a_setting_is_in_one_half_as_a_whole() -> None:
    matches = numbered(undercover("xyy", setting=f"{n}") for n in [*range(20), *range(20)])
    halves = split_halves(matches)
    assert sum(halves.values()) == 20
    for match in matches[:20]:
        assert halves[match.number] == halves[match.number + 20]


def test_matches_of_one_cast_are_dealt_to_both_halves() -> None:
    matches = numbered(undercover(cast) for cast in ("xyy", "yxx") * 4)
    halves = split_halves(matches)
    for first in (1, 2):
        assert sum(halves[number] for number in range(first, 9, 2)) == 2


def test_the_step_of_spearman_and_brown() -> None:
    stepped = stepped_up(Estimate(0.5, 0.2, 0.8, 0.1, 9))
    ends = (stepped.value, stepped.low, stepped.high)
    assert ends == pytest.approx((2 / 3, 1 / 3, 8 / 9))
    below = stepped_up(Estimate(-0.5, -0.8, -0.2, 0.1, 9))
    assert (below.value, below.low, below.high) == pytest.approx((-2 / 3, -8 / 9, -1 / 3))
    assert stepped_up(Estimate.missing("too few", 3)).problem == "too few"


def season(agents: str, noise: float) -> list[MatchRecord]:
    """Each agent on twenty settings, twice, paid by its skill and luck."""
    dice = np.random.default_rng(2)
    return numbered(
        dilemma(
            f"{agent}..",
            ["CDD"],
            (ord(agent) + float(dice.normal(0, noise)), 0, 0),
            setting=f"{n:02}",
            counted=(0,),
        )
        for _, n, agent in product(range(2), range(20), agents)
    )


def payoff(matches: list[MatchRecord]) -> MeasureReliability:
    result = reliability(Counted.of(matches), details=False)
    (own,) = (each for each in result.measures if (each.game, each.measure) == PAYOFF)
    return own


PAYOFF = ("prisoners_dilemma", "payoff")


def test_the_halves_are_correlated_over_agents() -> None:
    matches = season("abcdef", 5.0)
    own = payoff(matches)

    def means(half: list[MatchRecord]) -> list[float]:
        paid: dict[str, list[float]] = {agent: [] for agent in "abcdef"}
        for match in half:
            paid[match.agents[0]].append(match.outcome.payoffs[0])
        return [float(np.mean(values)) for values in paid.values()]

    retest = pearsonr(means(matches[:120]), means(matches[120:]))
    assert own.retest.value == pytest.approx(retest.statistic)
    interval = retest.confidence_interval()
    assert (own.retest.low, own.retest.high) == pytest.approx((interval.low, interval.high))
    even = [match for match in matches if int(match.setting) % 2 == 0]
    odd = [match for match in matches if int(match.setting) % 2]
    r = pearsonr(means(even), means(odd)).statistic
    assert own.split_half.value == pytest.approx(2 * r / (1 + r))


def test_four_agents_are_too_few() -> None:
    own = payoff(season("abcd", 1.0))
    assert (own.split_half.value, own.split_half.problem, own.split_half.n) == (None, "too few", 4)
    assert own.retest.problem == "too few"


def test_reliable_measures_are_told_from_noise() -> None:
    assert (payoff(season("abcdefghij", 0.5)).split_half.value or 0) > 0.98
    assert (payoff(season("abcdefghij", 100.0)).split_half.value or 0) < 0.8


def test_the_report_has_every_estimate_in_every_format() -> None:
    matches = season("abcde", 1.0)
    report = reliability_report(reliability(Counted.of(matches), matches))
    kinds = [record["kind"] for record in report.records]
    assert set(kinds) == {"component", "split_half", "retest", "correlation"}
    assert kinds.count("correlation") == 21
    assert all({"kind", "measure", "value", "n"} <= set(record) for record in report.records)
    for writer in WRITERS.values():
        assert "payoff" in writer(report)

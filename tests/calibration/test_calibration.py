"""Identical agents get no different ranks, intervals hold, and the page has the stored figures."""

from dataclasses import replace

import pytest

from parlour.games.engine.registry import games
from parlour.tournament.plan.expansion import preset_names
from tests.blocks import text_of
from tests.calibration.figures import Share, problems, row_of
from tests.calibration.page import END, PAGE, on_file, tables
from tests.calibration.plans import PLANS, Plan
from tests.calibration.playing import Result, played

SOME = ("chameleon", "donation", "preset impostor-small", "undercover, 5 settings, fixed")
"""Small plans of four kinds: drawn settings, one setting, blocks of seats, temperature 0."""
MADE_UP = Plan("made up", {}, drawn=1)


def result(false: bool, covers: bool, p: float) -> Result:
    """A tournament of two agents in which these ends of intervals and this p were printed."""
    low, high = (-1.0, 1.0) if covers else (0.5, 1.0)
    return {
        "plan": "made up",
        "seed": 1,
        "seconds": 1.0,
        "matches": 10,
        "boards": {"overall": [false]},
        "strength": {"overall": [True, covers]},
        "cells": {"g||payoff": [[1.0, 10, low, high], [-1.0, 10, -1.0, 1.0]]},
        "differences": {"g|payoff": [[low, high, p]]},
    }


@pytest.mark.parametrize("name", SOME)
def test_identical_agents_are_not_told_apart(name: str) -> None:
    results = [played(PLANS[name], seed) for seed in range(1, 9)]
    assert not problems(row_of(results, PLANS[name]))


@pytest.mark.soak
@pytest.mark.parametrize("name", PLANS)
def test_a_plan_holds(name: str) -> None:
    results = [played(PLANS[name], seed) for seed in range(1000, 1010)]
    assert not problems(row_of(results, PLANS[name]))


def test_a_tournament_gives_the_same_figures_again() -> None:
    one, again = (played(PLANS["donation, one repetition"], 3) for _ in range(2))
    assert {**one, "seconds": 0} == {**again, "seconds": 0}
    assert len(one["cells"]["donation||payoff"]) == PLANS["donation, one repetition"].agents


def test_every_game_and_every_preset_has_a_plan() -> None:
    assert games().keys() <= PLANS.keys()
    assert {f"preset {name}" for name in preset_names()} <= PLANS.keys()


def test_what_is_outside_is_named() -> None:
    held = [result(n % 25 == 0, n % 20 > 0, (n + 0.5) / 100) for n in range(100)]
    assert problems(row_of(held, MADE_UP)) == []
    missed = [result(n % 5 == 0, n % 2 > 0, n / 1000) for n in range(100)]
    assert problems(row_of(missed, MADE_UP)) == [
        "board, overall: 20.0 %, too many",
        "strength, overall: 75.0 %, too narrow",
        "measure, payoff: 75.0 %, too narrow",
        "difference, payoff: 50.0 %, too narrow",
        "small p, payoff: 51.0 %, too many",
        "p, payoff: 0.90 above uniform",
    ]
    assert not any(
        "measure" in said for said in problems(row_of(missed, replace(MADE_UP, measured=False)))
    )
    wide = [result(False, True, 1.0) for _ in range(1000)]
    assert problems(row_of(wide, MADE_UP)) == [
        f"{name}, payoff: 100.0 %, too wide" for name in ("measure", "difference")
    ]


def test_a_share_counts_what_hangs_together_once() -> None:
    apart = Share.of([[n % 4 > 0] for n in range(120)])
    together = Share.of([[n % 4 > 0] * 6 for n in range(20)])
    assert (apart.k, apart.n, apart.trials) == (90, 120, pytest.approx(119))
    assert (together.k, together.n, together.trials) == (90, 120, pytest.approx(19))
    assert Share.of([[True] * 6] * 20).trials == 20


def test_the_interval_is_that_of_statsmodels() -> None:
    from statsmodels.stats.proportion import proportion_confint

    for k, n in ((0, 20), (3, 30), (199, 200)):
        expected = proportion_confint(k, n, method="wilson")
        assert Share(k, n, n).interval() == pytest.approx(expected)


def test_the_page_has_the_stored_figures() -> None:
    assert tables(on_file()) in text_of(PAGE)
    assert text_of(PAGE).count(END) == 1
    for study in on_file().values():
        assert {row["plan"] for row in study["rows"]} <= PLANS.keys()

"""Power: by hand, from a pilot, and held to what tournaments of that size find."""

from itertools import product
from random import Random

import pytest
from scipy.stats import t

from parlour.cli.plan import POWER, detectable_line
from parlour.games.common.tables import ColumnTable
from parlour.games.engine.record import MatchRecord
from parlour.ratings.comparison.comparison import compare
from parlour.ratings.reliability.power import Design, Variances, pilot_variances, power_of
from tests.ratings.records import dilemma, numbered

study = pytest.mark.study("ratings", "tests/ratings/records.py")

GAME, ROLE = "prisoners_dilemma", "prisoner"


def test_the_detectable_difference_by_hand() -> None:
    # 20 settings, 3 matches on each: 2 × .01 / 20 + 2 × .25 / 60 = .009333.
    detected = Design(GAME, ROLE, 20, 60).detectable(Variances())
    assert detected == pytest.approx(0.0093333333**0.5 * (t.ppf(0.975, 19) + t.ppf(0.8, 19)))
    # Four settings: 60 pairs of matches are the clusters, and settings are fixed.
    detected = Design(GAME, ROLE, 4, 60).detectable(Variances())
    assert detected == pytest.approx((0.5 / 60) ** 0.5 * (t.ppf(0.975, 59) + t.ppf(0.8, 59)))
    assert Design(GAME, ROLE, 4, 4).detectable(Variances()) is None


def test_what_a_difference_takes_is_the_least_that_detects_it() -> None:
    (power,) = power_of([Design(GAME, ROLE, 100, 100)], wanted=0.1)
    least = power.needed_matches
    few, enough = (Design(GAME, ROLE, 100, n).detectable(Variances()) for n in (least - 1, least))
    assert few > 0.1 >= enough
    # On 20 settings no number of matches is enough: √(2 × .01 / 20) × 2.95 = .093 of .09.
    (power,) = power_of([Design(GAME, ROLE, 20, 40)], wanted=0.09)
    assert power.needed_matches is None
    least = power.needed_settings
    few, enough = (Design(GAME, ROLE, n, 2 * n).detectable(Variances()) for n in (least - 1, least))
    assert few > 0.09 >= enough
    assert "settings, as often each" in str(ColumnTable(POWER, [power]).rows)


def test_payoffs_have_no_default_variances() -> None:
    designs = [Design("donation", "player", 1, 40), Design(GAME, ROLE, 7, 40)]
    assert [each.design.game for each in power_of(designs)] == [GAME]
    pilot = {("donation", "player"): Variances(0, 4)}
    both = power_of(designs, pilot)
    shown = [(each.measure, each.from_pilot) for each in both]
    assert shown == [("payoff", True), ("win_rate", False)]
    assert "in payoff as player (donation); " in detectable_line(both)
    assert "default ones where it has none" in detectable_line(both)


def season(dice: Random, settings: int, repetitions: int, edge: float) -> list[MatchRecord]:
    """x and y each against z: settings of their own for each, luck, and an edge of x in win rate.

    Every pay is far from the others', so that who wins is a fair coin but for the chance given.
    """
    matches = []
    for number, (who, more) in product(range(settings), (("x", edge / 2), ("y", -edge / 2))):
        chance = 0.5 + more + dice.gauss(0, 0.1)
        for _ in range(repetitions):
            pay = (2, 0, 0) if dice.random() < chance else (0, 2, 2)
            matches.append(dilemma(f"{who}zz", ["CCC"], pay, setting=f"{number}", counted=(0,)))
    return numbered(matches)


@study
def test_a_pilot_gives_the_variances_on_average() -> None:
    dice, between, within = Random(1), 0.0, 0.0
    for _ in range(10):  # with many settings each, as estimates below 0 are shown as 0
        variances = pilot_variances(season(dice, 200, 8, 0.0))[GAME, ROLE]
        between, within = between + variances.between / 10, within + variances.within / 10
    # A coin of chance .5 ± .1: .25 less .01 within.
    assert between == pytest.approx(0.01, abs=0.003)
    assert within == pytest.approx(0.24, abs=0.01)


@study
@pytest.mark.parametrize(("settings", "wanted"), [(20, 0.2), (60, 0.15)])
def test_the_planned_matches_find_the_difference_four_times_in_five(
    settings: int, wanted: float
) -> None:
    (power,) = power_of([Design(GAME, ROLE, settings, settings)], wanted=wanted)
    repetitions = round(power.needed_matches / settings)
    detectable = Design(GAME, ROLE, settings, settings * repetitions).detectable(Variances())
    dice, detected = Random(settings), 0
    for _ in range(200):
        matches = season(dice, settings, repetitions, detectable)
        (difference,) = compare(matches, "x", "y", ["win_rate"]).differences
        detected += difference.p < 0.05
    # 160 ± 3 × √(200 × .8 × .2) = 160 ± 17.
    assert 143 <= detected <= 177

"""Surprise of results under the strength model, and swings of ratings, worked by hand."""

from itertools import combinations
from math import log2
from statistics import NormalDist, fmean

import pytest

from parlour.games.engine.record import MatchRecord
from parlour.ratings.counting.counted import Counted
from parlour.ratings.skill.race import FEWEST, Race
from parlour.ratings.skill.strength_model import strengths, surprises
from parlour.ratings.statistics.clusters import Clusters
from tests.ratings.laddered import rate
from tests.ratings.records import dilemma, negotiation, numbered

NORMAL = NormalDist()


def bits(records: list[MatchRecord]) -> dict[int, float]:
    """The surprise of each match that is the first of its kind, by number."""
    counted = Counted.of(records)
    return {each.number: value for each, value in surprises(counted, Clusters.of(counted.records))}


def test_surprise_is_the_mean_of_the_bits_of_all_pairs() -> None:
    payoffs = [(9, 5, 1)] * 6 + [(1, 5, 9), (5, 5, 5)]
    records = numbered(dilemma("abc", ["CCC"], each) for each in payoffs)
    fitted = strengths(records).overall
    shown = bits(records)
    assert shown.keys() == {1, 7, 8}
    for number, values in shown.items():
        expected = []
        for (one, own), (other, points) in combinations(
            zip("abc", payoffs[number - 1], strict=True), 2
        ):
            # One role and one game: the places are alike, so the strengths alone decide.
            chance = NORMAL.cdf(fitted[one].value - fitted[other].value)
            share = 0.5 + 0.5 * ((own > points) - (own < points))
            expected.append(-share * log2(chance) - (1 - share) * log2(1 - chance))
        assert values == pytest.approx(fmean(expected))
    assert shown[7] > shown[8] > shown[1]


def test_games_that_rank_nobody_surprise_nobody() -> None:
    assert bits([negotiation("abc", [[(50, 25, 25)] * 3], (50, 25, 25))]) == {}


def test_the_swing_is_the_largest_move_over_the_uncertainty_before() -> None:
    payoffs = [(9, 5, 1)] * 6 + [(1, 5, 9)] + [(9, 5, 1)] * 3
    records = numbered(dilemma("abc", ["CCC"], each) for each in payoffs)
    race = Race()
    for record in records[:FEWEST]:
        race.add(record)
    assert race.swing is None  # the first matches move everybody
    for record in records[FEWEST:]:
        race.add(record)
    sizes = {}
    for last in range(FEWEST + 1, len(records) + 1):
        before, after = rate(records[: last - 1]).overall, rate(records[:last]).overall
        for agent in "abc":
            moved = abs(after[agent].mu - before[agent].mu)
            sizes[last, agent] = moved / before[agent].sigma
    (number, agent), size = max(sizes.items(), key=lambda each: each[1])
    assert (race.swing.match, race.swing.agent, race.swing.game) == (
        *(number, agent),
        "prisoners_dilemma",
    )
    assert race.swing.size == pytest.approx(size)
    assert number == 7

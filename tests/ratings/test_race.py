"""The race: courses of ratings over the matches, and where their lines begin."""

import pytest

from parlour.ratings.skill.race import FEWEST, Race
from tests.ratings.laddered import rate
from tests.ratings.records import dilemma, numbered


def raced(*seatings: str) -> Race:
    """A race of dilemmas in which each earlier seat earns more."""
    race = Race()
    for record in numbered(dilemma(agents, ["CCC"], (9, 5, 1)) for agents in seatings):
        race.add(record)
    return race


def test_the_last_point_is_the_rating_less_the_mean_of_the_field() -> None:
    seatings = ["abc", "bca", "acb", "abc", "cab"]
    records = numbered(dilemma(agents, ["CCC"], (9, 5, 1)) for agents in seatings)
    rated = rate(records).overall
    mean = sum(skill.mu for skill in rated.values()) / 3
    chart = raced(*seatings).chart(100)
    for agent, course in chart.above.items():
        assert course[-1] == pytest.approx(rated[agent].mu - mean)
        assert chart.sigma[agent] == pytest.approx(rated[agent].sigma)
        assert chart.matches[agent] == 5
    assert sum(course[-1] or 0.0 for course in chart.above.values()) == pytest.approx(0)


def test_it_begins_where_everybody_has_three_rated_matches() -> None:
    # d sits in the matches 2, 3 and 4 of ten.
    chart = raced("abc", "abd", "abd", "acd", *["abc"] * 6).chart(100)
    assert chart.points == (5, 6, 7, 8, 9, 10)  # c has its third match then
    assert all(None not in course for course in chart.above.values())


def test_an_agent_that_comes_late_does_not_cut_off_the_race_of_the_others() -> None:
    chart = raced(*["abc"] * 8, *["abd"] * FEWEST).chart(100)
    assert chart.points[0] == FEWEST
    assert chart.above["a"][0] is not None
    assert chart.above["d"][:-1] == (None,) * (len(chart.points) - 1)
    assert chart.above["d"][-1] is not None


def test_without_three_matches_of_anybody_there_is_no_chart() -> None:
    assert raced("abc", "abc").chart(100).points == ()
    assert Race().chart(100).points == ()


def test_a_long_race_is_thinned_and_keeps_both_ends() -> None:
    chart = raced(*["abc"] * 90).chart(20)
    assert len(chart.points) == 20
    assert (chart.points[0], chart.points[-1]) == (3, 90)


def test_ranks_are_by_rating_and_equal_ratings_share_one() -> None:
    chart = raced(*["abc"] * 5).chart(100)
    ranks = chart.ranks()
    assert [ranks[agent][-1] for agent in "abc"] == [1, 2, 3]
    late = raced(*["abc"] * 8, *["abd"] * FEWEST).chart(100).ranks()
    assert late["d"][0] is None

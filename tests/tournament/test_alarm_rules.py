"""Alarms: which counts raise one."""

import pytest

from parlour.games.engine.game import BUILT_IN
from parlour.tournament.save.provenance.alarms import RECENT, Alarm, ConductCounts, alarms


def counted(*answers: tuple[str, str, str | None, int]) -> ConductCounts:
    """Counts of so many answers each of a game and an agent, with a fault or None, in order."""
    counts = ConductCounts()
    for game, agent, fault, times in answers:
        for _ in range(times):
            counts.add_answer(game, agent, fault)
    return counts


@pytest.mark.parametrize(
    ("faulty", "usable", "raised"), [(3, 17, True), (2, 18, False), (3, 16, False), (11, 90, True)]
)
def test_a_game_raises_an_alarm_above_a_tenth_of_twenty_answers(
    faulty: int, usable: int, raised: bool
) -> None:
    counts = counted(("one", "Ada", "empty", faulty), ("one", "Bob", None, usable))
    counts.add_answer("two", "Bob", None)
    words = f"one: {faulty} of {faulty + usable} answers are faulty"
    of_games = [alarm for alarm in alarms(counts) if alarm.kind == "faults"]
    assert of_games == ([Alarm("faults", "one", faulty, faulty + usable, words)] if raised else [])


def test_an_agent_that_gave_nothing_but_faults_raises_an_alarm_from_five_on() -> None:
    counts = counted(("one", "Ada", "illegal", 4), ("one", "Bob", "illegal", 40))
    counts.add_answer("one", "Bob", None)
    assert [alarm for alarm in alarms(counts) if alarm.kind == "only_faults"] == []
    counts.add_answer("two", "Ada", "empty")
    (alarm,) = (alarm for alarm in alarms(counts) if alarm.kind == "only_faults")
    assert alarm == Alarm("only_faults", "Ada", 5, 5, "Ada: all 5 answers are faulty")


@pytest.mark.parametrize(
    ("before", "earlier", "recent", "raised"),
    [
        (0, 50, 5, True),
        (0, 50, 4, False),  # too few
        (0, 49, 5, False),  # nothing to compare with
        (10, 100, 10, False),  # twice as many is not more than twice
        (10, 100, 11, True),
        (50, 100, 50, False),
    ],
)
def test_refusals_rise_if_their_share_more_than_doubles(
    before: int, earlier: int, recent: int, raised: bool
) -> None:
    counts = counted(
        ("one", "Ada", "refusal", before),
        ("one", "Ada", None, earlier - before),
        ("two", "Ada", None, RECENT - recent),
        ("two", "Ada", "refusal", recent),
    )
    words = f"Ada: {recent} of the last 50 answers are refusals, {before} of the {earlier} before"
    rising = [alarm for alarm in alarms(counts) if alarm.kind == "refusals"]
    assert rising == ([Alarm("refusals", "Ada", recent, 50, words)] if raised else [])


def test_seats_that_the_rules_play_are_left_out() -> None:
    assert alarms(counted(("one", BUILT_IN, "empty", 100))) == []


def test_an_answer_of_another_model_raises_an_alarm_with_its_share_of_the_calls() -> None:
    counts = ConductCounts()
    counts.add_calls("Ada", "gpt-4o", None, 6)
    counts.add_calls("Ada", "gpt-4o", "gpt-4o-2024-08-06", 3)
    assert alarms(counts) == []
    counts.add_calls("Ada", "gpt-4o", "gpt-4o-mini")
    words = "Ada: 1 of 10 calls of gpt-4o were answered by gpt-4o-mini"
    assert alarms(counts) == [Alarm("model", "Ada", 1, 10, words)]

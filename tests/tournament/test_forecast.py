"""The forecast of a run: recent throughput, and what remains block by block."""

import asyncio
from pathlib import Path

import pytest

from parlour.agents.model_calls import Completion
from parlour.games.engine.moves import Seat
from parlour.tournament.calls.dispatch import CallRef, call_row
from parlour.tournament.run.forecast import Forecast, ThroughputEstimate
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredAnswer, StoredMatch
from tests.models import QUESTION, served
from tests.runners import begun
from tests.tournament.test_journal import planned
from tests.tournaments import finished, new_save, play, scripted, tamper, tournament

SLOW = [(float(second), second, True) for second in range(61)]  # one a second, and then
QUICK = [(60.0 + n, 60 + 10 * n, True) for n in range(1, 31)]  # ten a second
RATES: dict[str, tuple[list[tuple[float, float, bool]], float | None]] = {
    "what went by over the time that it took": ([(0, 0, True), (1, 4, True), (2, 20, True)], 10.0),
    "what was there before is no rate": ([(0, 5.0, True), (4, 5.5, True)], 0.125),
    "one look alone": ([(0, 0, True)], None),
    "nothing went by": ([(0, 0, True), (1, 0, True)], None),
    "none while paused": ([(0, 0, True), (1, 10, True), (2, 10, False)], None),
    "a pause, and the steps taken in it, change none": (
        [(0, 0, True), (1, 10, True), (2, 10, False), (1000, 15, False), (1001, 15, True)],
        10.0,
    ),
    "what is longer ago than half a minute of running does not count": ([*SLOW, *QUICK], 10.0),
    "what comes more rarely than that is counted over all the running time": (
        [(float(second), int(second >= 50), True) for second in range(101)],
        0.01,  # one in 100 seconds
    ),
}


@pytest.mark.parametrize(("looks", "rate"), RATES.values(), ids=RATES)
def test_the_rate_is_that_of_recent_running_time(
    looks: list[tuple[float, float, bool]], rate: float | None
) -> None:
    """Each look is a moment, the amount so far, and whether it runs."""
    estimate = ThroughputEstimate()
    assert [estimate.update(*look) for look in looks][-1] == rate


def test_a_new_pace_begins_the_rate_again() -> None:
    estimate = ThroughputEstimate()
    looks = [(0, 0, 4.0), (9, 36, 4.0), (10, 40, None), (11, 1040, None)]
    rates = [estimate.update(now, total, True, pace) for now, total, pace in looks]
    assert rates == [None, 4, None, 1000]


TWO_BLOCKS = """
name = "two"
[[games]]
name = "undercover"
limit = 2
clue_rounds = 1
probes = "off"
[[games]]
name = "undercover"
limit = 1
clue_rounds = 2
probes = "off"
""" + scripted(Ada="literal", Rob="random")
"""Four matches of 3 clues and 3 votes, then two of 6 clues and 3 votes."""


def test_a_plan_that_may_grow_has_a_forecast_for_its_most_matches(tmp_path: Path) -> None:
    forecast = Forecast(tournament(tmp_path, TWO_BLOCKS))
    with Save(new_save(tmp_path, TWO_BLOCKS)) as save:
        forecast.load(save)
    # 4 matches of 6 answers and 2 of 9: 42, or 7 a match.
    assert forecast.answers == 42
    assert [forecast.up_to(matches)[0] for matches in (2, 6, 10)] == [42, 42, 42 + 4 * 7]
    assert forecast.up_to(10)[1] is None
    (tmp_path / "played").mkdir()
    with Save(finished(tmp_path / "played", TWO_BLOCKS)) as save:
        forecast = Forecast(save.tournament)
        forecast.load(save)
    assert (forecast.answers, forecast.up_to(10)[0]) == (0, 4 * 7)


MODEL = """
[[agents]]
name = "Rob"
kind = "llm"
model = "test"
api_base = "http://127.0.0.1:9/v1"
"""
TWO_WITH_A_MODEL = TWO_BLOCKS.partition('[[agents]]\nname = "Rob"')[0] + MODEL


def read(folder: Path, text: str) -> tuple[Forecast, list[StoredMatch]]:
    """The forecast of a new save, and its matches."""
    forecast = Forecast(tournament(folder, text))
    with Save(new_save(folder, text)) as opened:
        forecast.load(opened)
        forecast.expect(opened.matches())
        return forecast, opened.matches()


def answer(forecast: Forecast, match: StoredMatch, agent: str) -> None:
    """One answer of an agent is stored."""
    seat = Seat(match.agents.index(agent))
    row = StoredAnswer(match.number, 0, seat, "clue", 1, "{}", None, 1, None, "")
    forecast.answer_stored(match, row)


def pay(forecast: Forecast, match: StoredMatch, agent: str, price: float) -> None:
    """One call of an agent is stored."""
    ref = CallRef(match.number, 0, Seat(match.agents.index(agent)), 1, 1)
    forecast.call_stored(call_row(ref, 1, agent, "test", QUESTION, Completion("{}", price=price)))


def test_what_is_left_is_counted_block_by_block(tmp_path: Path) -> None:
    forecast, matches = read(tmp_path, TWO_WITH_A_MODEL)
    assert forecast.answers == 4 * 6 + 2 * 9
    assert forecast.dollars is None
    answer(forecast, matches[0], "Ada")
    assert forecast.dollars is None  # nothing is known of the model yet
    answer(forecast, matches[0], "Rob")
    pay(forecast, matches[0], "Rob", 0.5)
    assert forecast.answers == 40
    # Half of all seats are the model's, at half a dollar an answer, the one given less; the
    # second block is taken to cost what the first does.
    assert forecast.dollars == pytest.approx((12 - 1 + 9) * 0.5)
    answer(forecast, matches[4], "Rob")
    pay(forecast, matches[4], "Rob", 1.0)
    assert forecast.dollars == pytest.approx(11 * 0.5 + 8 * 1.0)


def test_who_costs_nothing_makes_nobody_look_cheaper(tmp_path: Path) -> None:
    forecast, matches = read(tmp_path, TWO_WITH_A_MODEL)
    answer(forecast, matches[0], "Rob")
    pay(forecast, matches[0], "Rob", 0.5)
    before = forecast.dollars
    for _ in range(10):  # its moves come at once, and first
        answer(forecast, matches[0], "Ada")
    assert forecast.dollars == before


def test_matches_that_are_over_say_how_long_the_others_will_be(tmp_path: Path) -> None:
    forecast, matches = read(tmp_path, TWO_BLOCKS)
    seats = [Seat(0), Seat(1), Seat(2)]
    first = matches[0]
    for seat in seats:
        answer(forecast, first, first.agents[seat])
    forecast.match_finished(first, seats)  # half of what was expected
    assert forecast.answers == 3 * 3 + 2 * 9
    fifth = matches[4]
    assert fifth.entry == 1
    answer(forecast, fifth, fifth.agents[2])
    forecast.match_frozen(fifth, seats[2:])
    assert forecast.answers == 3 * 3 + 9


async def test_what_a_save_holds_is_what_a_runner_has_counted_by_then(tmp_path: Path) -> None:
    async with served(tmp_path, "good") as server:
        save = new_save(tmp_path, planned(server, 2))
        async with begun(save, concurrency=2) as (runner, _ended):
            while runner.stats.finished < 2:
                await asyncio.sleep(0)
    forecast = Forecast(runner.tournament)
    with Save(save) as opened:
        forecast.load(opened)
        assert opened.progress().answers > 0
    assert forecast._parts == runner.forecast._parts
    assert forecast.answers > 0


def test_at_the_end_nothing_is_left_even_if_a_match_could_not_be_played(tmp_path: Path) -> None:
    save = finished(tmp_path, TWO_BLOCKS)
    tamper(save, "UPDATE matches SET outcome = NULL WHERE number <= 2")
    tamper(save, "UPDATE answers SET digest = 'another' WHERE match = 1")
    runners: list[Runner] = []
    play(save, on_start=lambda runner, _before: runners.append(runner))
    forecast = runners[0].forecast
    assert forecast.answers == 0
    with Save(save) as opened:
        assert (opened.progress().finished, opened.progress().frozen) == (5, 1)


def test_a_runner_without_a_loaded_save_counts_the_matches_that_it_is_given(tmp_path: Path) -> None:
    loaded, matches = read(tmp_path, TWO_BLOCKS)
    new = Forecast(tournament(tmp_path, TWO_BLOCKS))
    new.expect(matches)
    assert new._parts == loaded._parts
    answer(new, matches[0], matches[0].agents[0])
    assert new.answers == loaded.answers - 1

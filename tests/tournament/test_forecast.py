"""What is foretold: the rate at which things went by lately, and what is left block by block."""

import asyncio
from pathlib import Path

import pytest
from parlour.tournament.run.rate import Rate

from parlour.games.engine.moves import Seat
from parlour.tournament.run.forecast import Outlook
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import Progress, StoredMatch
from parlour.tournament.session import run_session
from tests.models import served
from tests.tournament.test_journal import planned
from tests.tournaments import finished, new_save, play, tamper, tournament


def looked(*looks: tuple[float, float, bool]) -> float | None:
    """What the last of these looks (moment, how much so far, running) tells."""
    rate = Rate()
    return [rate.look(*look) for look in looks][-1]


def test_it_is_what_went_by_over_the_time_that_it_took() -> None:
    assert looked((0, 0, True), (1, 4, True), (2, 20, True)) == 10.0
    assert looked((0, 5.0, True), (4, 5.5, True)) == 0.125  # what was there before is no rate


def test_before_anything_went_by_there_is_no_rate() -> None:
    assert looked((0, 0, True)) is None
    assert looked((0, 0, True), (1, 0, True)) is None


def test_while_paused_there_is_no_rate() -> None:
    assert looked((0, 0, True), (1, 10, True), (2, 10, False)) is None


def test_a_pause_and_the_steps_taken_in_it_change_no_rate() -> None:
    looks = [(0, 0, True), (1, 10, True), (2, 10, False), (1000, 15, False), (1001, 15, True)]
    assert looked(*looks) == 10.0


def test_what_is_longer_ago_than_half_a_minute_of_running_does_not_count() -> None:
    slow = [(float(second), second, True) for second in range(61)]  # one a second, and then
    quick = [(60.0 + n, 60 + 10 * n, True) for n in range(1, 31)]  # ten a second
    assert looked(*slow, *quick) == 10.0


def test_what_comes_more_rarely_than_that_is_counted_over_all_the_running_time() -> None:
    looks = [(float(second), int(second >= 50), True) for second in range(101)]
    assert looked(*looks) == 0.01  # one in 100 seconds


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
[[agents]]
name = "Ada"
strategy = "literal"
[[agents]]
name = "Rob"
strategy = "random"
"""
"""Four matches of 3 clues and 3 votes, then two of 6 clues and 3 votes."""


MODEL = """
[[agents]]
name = "Rob"
kind = "llm"
model = "test"
api_base = "http://127.0.0.1:9/v1"
"""
TWO_WITH_A_MODEL = TWO_BLOCKS.partition('[[agents]]\nname = "Rob"')[0] + MODEL


def read(folder: Path, text: str) -> tuple[Outlook, list[StoredMatch]]:
    """The outlook on a new save, and its matches."""
    outlook = Outlook(tournament(folder, text))
    with Save(new_save(folder, text)) as opened:
        outlook.reads(opened)
        return outlook, opened.matches()


def test_what_is_left_is_counted_block_by_block(tmp_path: Path) -> None:
    outlook, _matches = read(tmp_path, TWO_WITH_A_MODEL)
    assert outlook.answers == 4 * 6 + 2 * 9
    assert outlook.dollars is None
    outlook.answered(0, "Ada")
    assert outlook.dollars is None  # nothing is known of the model yet
    outlook.answered(0, "Rob")
    outlook.paid(0, "Rob", 0.5)
    assert outlook.answers == 40
    # Half of all seats are the model's, at half a dollar an answer, the one given less; the
    # second block is taken to cost what the first does.
    assert outlook.dollars == pytest.approx((12 - 1 + 9) * 0.5)
    outlook.answered(1, "Rob")
    outlook.paid(1, "Rob", 1.0)
    assert outlook.dollars == pytest.approx(11 * 0.5 + 8 * 1.0)


def test_who_costs_nothing_makes_nobody_look_cheaper(tmp_path: Path) -> None:
    outlook, _matches = read(tmp_path, TWO_WITH_A_MODEL)
    outlook.answered(0, "Rob")
    outlook.paid(0, "Rob", 0.5)
    before = outlook.dollars
    for _ in range(10):  # its moves come at once, and first
        outlook.answered(0, "Ada")
    assert outlook.dollars == before


def test_matches_that_are_over_say_how_long_the_others_will_be(tmp_path: Path) -> None:
    outlook, matches = read(tmp_path, TWO_BLOCKS)
    seats = [Seat(0), Seat(1), Seat(2)]
    first = matches[0]
    for seat in seats:
        outlook.answered(0, first.agents[seat])
    outlook.over(first, seats)  # half of what was expected
    assert outlook.answers == 3 * 3 + 2 * 9
    fifth = matches[4]
    assert fifth.entry == 1
    outlook.answered(1, fifth.agents[2])
    outlook.frozen(fifth, seats[2:])
    assert outlook.answers == 3 * 3 + 9


def test_what_a_save_holds_is_what_a_runner_has_counted_by_then(tmp_path: Path) -> None:
    kept: list[Runner] = []

    async def story() -> Path:
        async with served(tmp_path, "good") as server:
            save = new_save(tmp_path, planned(server, 2))

            def started(runner: Runner, _before: Progress) -> None:
                kept.append(runner)

            ended = asyncio.create_task(run_session(save, concurrency=2, on_start=started))
            while not kept or kept[0].stats.finished < 2:
                await asyncio.sleep(0)
            kept[0].stop()
            await ended
            return save

    save = asyncio.run(story())
    outlook = Outlook(kept[0].tournament)
    with Save(save) as opened:
        outlook.reads(opened)
        assert opened.progress().answers > 0
    assert outlook._parts == kept[0].outlook._parts
    assert outlook.answers > 0


def test_at_the_end_nothing_is_left_even_if_a_match_could_not_be_played(tmp_path: Path) -> None:
    save = finished(tmp_path, TWO_BLOCKS)
    tamper(save, "UPDATE matches SET outcome = NULL WHERE number <= 2")
    tamper(save, "UPDATE answers SET digest = 'another' WHERE match = 1")
    kept: list[Runner] = []
    play(save, on_start=lambda runner, _before: kept.append(runner))
    outlook = kept[0].outlook
    assert outlook.answers == 0
    with Save(save) as opened:
        assert (opened.progress().finished, opened.progress().frozen) == (5, 1)

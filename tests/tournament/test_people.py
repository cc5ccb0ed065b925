"""People in a tournament: the runner waits for them, whatever happens to it or to them."""

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from parlour.games.common.errors import BadInput
from parlour.tournament.control.client import ControlFailed, RunnerClient
from parlour.tournament.control.requests import GetStatus, Sit
from parlour.tournament.run.state import OpenAsk
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.outline import outline
from parlour.tournament.save.reader import Save
from tests.people import ONE, TWO, Person, legal, seated, table_of
from tests.runners import Session, runner_process, session
from tests.tournaments import contents, new_save, tournament

SCRIPTED = """
[[games]]
name = "undercover"
limit = 1
clue_rounds = 2
probes = "off"
lineup = ["Bea", "Rob", "Rob"]
"""
"""A match without people: 9 answers."""
CLOCK = ONE.replace('kind = "human"', 'kind = "human"\nseconds = 0.2')


@asynccontextmanager
async def playing(folder: Path, text: str, **options: Any) -> AsyncIterator[Session]:
    """A runner in this process, which is let go at its start."""
    async with session(new_save(folder, text), **options) as running:
        running.runner.gate.open()
        yield running


def answered(save: Path) -> list[tuple[int, int, str, str | None, int]]:
    """Ask, seat, kind, fault and tries of every stored answer of the first match."""
    with Save(save) as opened:
        rows = opened.answers_of(1)
        return [(row.ask, row.seat, row.kind, row.fault, row.tries) for row in rows]


async def ends(running: Session) -> None:
    """Waits for the end of the tournament."""
    async with asyncio.timeout(10):
        assert (await running.ended).progress.done


# --- Waiting


async def test_a_match_waits_for_its_person_and_goes_on_with_the_answer(tmp_path: Path) -> None:
    async with playing(tmp_path, ONE) as running:
        async with seated(running.save, "Ann") as ann:
            pending = await ann.asked()
            assert pending[2] == 0  # Ann has the first seat of the line-up
            assert await ann.says(pending, {"text": "I saw one in the garden"}) is None
            vote = await ann.asked()
            assert await ann.says(vote, {"suspect": "Player 3"}) is None
        await ends(running)
    own = [row for row in answered(running.save) if row[1] == 0]
    assert [(row[2], row[3], row[4]) for row in own] == [("clue", None, 1), ("vote", None, 1)]
    assert table_of(running.save, 1).outcome is not None


async def test_matches_without_people_are_played_while_a_person_is_waited_for(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, ONE + SCRIPTED, concurrency=1) as running:
        async with asyncio.timeout(10):
            while running.runner.stats.finished < 1:
                await asyncio.sleep(0.005)
        now = ask_now(running)
        assert now.people["Ann"].asks[0][0] == 1
        assert now.left is None  # nobody knows how long a person takes
    with Save(running.save) as opened:
        assert list(outline(opened).over) == [False, True]


def ask_now(running: Session) -> dict[str, Any]:
    """The status of a runner in this process."""
    from parlour.tournament.control.server import status_of

    with Save(running.save) as opened:
        return status_of(running.runner, opened.progress())


async def test_a_wait_is_not_in_flight_so_a_pause_comes_to_rest_at_once(tmp_path: Path) -> None:
    async with playing(tmp_path, ONE) as running:
        async with seated(running.save, "Ann") as ann:
            pending = await ann.asked()
            answer = legal(running.save, pending)
            running.runner.gate.close()
            assert running.runner.state == "paused"
            # What is wrong is said all the same, what is right must wait.
            assert "blank" in str(await ann.says(pending, {"text": " "}))
            with pytest.raises(ControlFailed, match="paused"):
                await ann.says(pending, answer)
            running.runner.gate.open()
            assert await ann.says(pending, answer) is None
            await ann.plays(1)
        await ends(running)


async def test_a_step_of_the_match_lets_a_persons_answer_through(tmp_path: Path) -> None:
    async with playing(tmp_path, ONE) as running, seated(running.save, "Ann") as ann:
        pending = await ann.asked()
        running.runner.gate.close()
        running.runner.step("turn", 1)
        assert running.runner.state == "paused"  # a person may take days
        assert await ann.says(pending, legal(running.save, pending)) is None
        assert await running.reaches("paused")
        assert (0, "clue") in {(row[1], row[2]) for row in answered(running.save)}
        assert await ann.asks() == []


async def test_a_person_sits_at_one_table_at_a_time(tmp_path: Path) -> None:
    async with playing(tmp_path, ONE.replace("seed = 5", "seed = 5\nrepetitions = 3")) as running:
        async with seated(running.save, "Ann") as ann:
            for match in (1, 2, 3):
                for _ in range(2):
                    pending = await ann.asked()
                    assert [row[0] for row in await ann.asks()] == [match]
                    assert set(running.runner.playing) == {match}
                    await ann.says(pending, legal(running.save, pending))
        await ends(running)


THREE = (
    TWO
    + """
[[games]]
name = "public_good"
limit = 1
lineup = ["Bea", "Rob", "Rob"]
"""
)
"""A match of both, then one of Bea's alone."""


async def test_one_who_waits_for_another_person_may_begin_the_next_match(tmp_path: Path) -> None:
    async with playing(tmp_path, THREE) as running, seated(running.save, "Bea") as bea:
        async with asyncio.timeout(10):
            while 2 not in running.runner.playing:
                waiting = await bea.asks()
                if waiting:  # Bea's clue may come before Ann's or after it
                    await bea.says(waiting[0], legal(running.save, waiting[0]))
        assert set(running.runner.playing) == {1, 2}
        await bea.asked()
        assert {row[0] for row in await bea.asks()} == {2}


def test_begun_matches_are_gone_on_with_first(tmp_path: Path) -> None:
    save = new_save(tmp_path, ONE.replace("seed = 5", "seed = 5\nrepetitions = 3"))

    async def one_answer_of_match_3() -> None:
        async with session(save) as running:
            running.runner.step("turn", 3)
            async with seated(save, "Ann") as ann:
                while len((await ann.connection.send(GetStatus())).waiting[3]) != 1:
                    await asyncio.sleep(0.005)
                if await ann.asks():
                    await ann.plays(1)
            assert await running.reaches("paused")

    async def next_time() -> None:
        async with session(save) as running:
            running.runner.gate.open()
            async with seated(save, "Ann") as ann:
                assert (await ann.asked())[0] == 3

    asyncio.run(one_answer_of_match_3())
    asyncio.run(next_time())


# --- What is typed


WRONG = {
    "a clue that names the own word": ({"text": "It is a {word}"}, "names your word"),
    "a blank clue": ({"text": "   "}, "blank"),
    "too long a clue": ({"text": "x" * 400}, "at most 300"),
    "no clue": ({}, "text: is missing"),
    "a number": ({"text": 4}, "must be a text"),
    "an unknown field": ({"text": "Green", "more": 1}, "more: is not a valid key"),
    "nothing but controls": ({"text": "\x1b\x07\u202e"}, "blank"),
}


@pytest.mark.parametrize(("value", "words"), list(WRONG.values()), ids=list(WRONG))
async def test_a_wrong_entry_is_answered_with_the_rules_words_and_is_no_fault(
    value: dict[str, Any], words: str, tmp_path: Path
) -> None:
    async with playing(tmp_path, ONE) as running:
        async with seated(running.save, "Ann") as ann:
            pending = await ann.asked()
            view = table_of(running.save, 1).view(table_of(running.save, 1).seats[0])
            word = view.told("word")[0].record["word"]
            typed = {
                key: entry.format(word=word) if isinstance(entry, str) else entry
                for key, entry in value.items()
            }
            for _ in range(5):  # more often than a model would be asked again
                assert words in str(await ann.says(pending, typed))
            assert await ann.asked() == pending
            await ann.plays(2)
        await ends(running)
    assert {(row[3], row[4]) for row in answered(running.save) if row[1] == 0} == {(None, 1)}


async def test_hostile_text_is_cleaned_before_anybody_sees_it(tmp_path: Path) -> None:
    async with playing(tmp_path, ONE) as running, seated(running.save, "Ann") as ann:
        pending = await ann.asked()
        nasty = "gr\x1b[31mé\u0301en\u202e \x9b2J\x00 [bold]leaf[/bold] \u200d"
        assert await ann.says(pending, {"text": nasty}) is None
        await ann.asked()
    (clue,) = (row for row in contents(running.save)["answers"] if row[2:4] == (0, "clue"))
    assert clue[5] == '{"text":"gr[31mé́en 2J [bold]leaf[/bold] "}'


async def test_the_longest_text_gets_through(tmp_path: Path) -> None:
    async with playing(tmp_path, ONE) as running, seated(running.save, "Ann") as ann:
        pending = await ann.asked()
        said = str(await ann.says(pending, {"text": "\U0001f600" * 20_000}))
        assert "20000 characters: at most 300" in said


async def test_an_answer_is_taken_once_and_only_from_whoever_sits_there(tmp_path: Path) -> None:
    async with playing(tmp_path, ONE) as running, seated(running.save, "Ann") as ann:
        pending = await ann.asked()
        stranger = Person(running.save, "Ann")
        with pytest.raises(ControlFailed, match="take the seat of 'Ann' first"):
            await stranger.says(pending, legal(running.save, pending))
        stranger.connection.close()
        answer = legal(running.save, pending)
        assert await ann.says(pending, answer) is None
        with pytest.raises(ControlFailed, match="no longer open"):
            await ann.says(pending, answer)
    assert len([row for row in answered(running.save) if row[1:3] == (0, "clue")]) == 1


# --- Seats


async def test_a_seat_is_taken_by_one_terminal_and_free_when_that_goes(tmp_path: Path) -> None:
    async with playing(tmp_path, ONE) as running:
        other = Person(running.save, "Ann")
        async with seated(running.save, "Ann") as ann:
            pending = await ann.asked()
            with pytest.raises(ControlFailed, match="taken at another terminal"):
                await other.sits()
            assert (await other.connection.send(GetStatus())).people["Ann"].taken
        async with asyncio.timeout(10):
            while (await other.connection.send(GetStatus())).people["Ann"].taken:
                await asyncio.sleep(0.005)
        assert await other.asks() == [pending]  # which waited meanwhile
        await other.sits()
        assert await other.says(pending, legal(running.save, pending)) is None
        other.connection.close()


async def test_one_terminal_has_one_seat(tmp_path: Path) -> None:
    async with playing(tmp_path, TWO) as running, seated(running.save, "Ann") as ann:
        now = await ann.connection.send(Sit(agent="Bea"))
        assert [now.person(name).taken for name in ("Ann", "Bea")] == [False, True]


async def test_two_people_play_one_match_from_two_terminals(tmp_path: Path) -> None:
    async with playing(tmp_path, TWO) as running:
        async with seated(running.save, "Ann") as ann, seated(running.save, "Bea") as bea:
            await asyncio.gather(ann.plays(2), bea.plays(2))
        await ends(running)
    assert len(answered(running.save)) == 6
    with Save(running.save) as opened:
        assert first_difference(opened) is None


# --- The clock


async def test_a_clock_that_runs_out_is_a_timeout_and_the_fallback_stands(tmp_path: Path) -> None:
    async with playing(tmp_path, CLOCK) as running, seated(running.save, "Ann"):
        await ends(running)
    own = [row for row in answered(running.save) if row[1] == 0]
    # Not asked again: the clock has run out. A clue becomes a fixed line, a vote an abstention.
    assert [row[2:] for row in own] == [("clue", "timeout", 1), ("vote", "timeout", 1)]
    values = {row[3]: row[5] for row in contents(running.save)["answers"] if row[2] == 0}
    assert values["clue"] == '{"text":"(no clue)"}'
    assert '"suspect":null' in values["vote"]


async def test_a_clock_stands_while_nobody_sits_there_and_while_it_is_paused(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, CLOCK) as running:
        onlooker = Person(running.save, "Ann")

        async def left() -> float:
            now = await onlooker.connection.send(GetStatus())
            return float(now.person("Ann").asks[0].left)

        await onlooker.asked()
        assert await left() == 0.2
        await asyncio.sleep(0.3)  # longer than the clock
        assert await left() == 0.2
        running.runner.gate.close()
        async with seated(running.save, "Ann"):
            await asyncio.sleep(0.3)
            assert await left() == 0.2
            running.runner.gate.open()
            async with asyncio.timeout(10):
                while running.runner.stats.faults == 0:
                    await asyncio.sleep(0.005)
        onlooker.connection.close()


async def test_an_answer_in_time_is_no_fault(tmp_path: Path) -> None:
    async with playing(tmp_path, ONE.replace('"human"', '"human"\nseconds = 60')) as running:
        async with seated(running.save, "Ann") as ann:
            await ann.plays(2)
        await ends(running)
    assert {row[3] for row in answered(running.save)} == {None}


# --- Kills and stops


def test_a_stop_leaves_the_ask_open_and_the_next_runner_puts_it_again(tmp_path: Path) -> None:
    save = new_save(tmp_path, ONE)

    async def begun() -> tuple[int, int, int]:
        async with session(save) as running:
            running.runner.gate.open()
            async with seated(save, "Ann") as ann:
                pending = await ann.asked()
            running.runner.stop()
            async with asyncio.timeout(10):
                assert (await running.ended).interrupted
            return pending

    async def gone_on_with() -> tuple[int, int, int]:
        async with session(save) as running:
            running.runner.gate.open()
            async with seated(save, "Ann") as ann:
                pending = await ann.asked()
                await ann.plays(2)
            await ends(running)
            return pending

    assert asyncio.run(begun()) == asyncio.run(gone_on_with())


def test_a_kill_while_it_waits_loses_nothing(tmp_path: Path) -> None:
    save = new_save(tmp_path, TWO)

    async def say_once(agent: str) -> None:
        async with seated(save, agent) as person:
            await person.plays(1)

    async def play_out() -> None:
        stored = Counter(row[1] for row in answered(save))
        left = [2 - stored[seat] for seat in (0, 1)]
        async with session(save) as running:
            running.runner.gate.open()
            async with seated(save, "Ann") as ann, seated(save, "Bea") as bea:
                await asyncio.gather(ann.plays(left[0]), bea.plays(left[1]))
            await ends(running)

    with runner_process(save) as first:
        waited = wait_for_asks(save)
        os.kill(first.pid, signal.SIGKILL)
        first.wait(10)
    with runner_process(save) as second:
        assert wait_for_asks(save) == waited
        agent = next(name for name, asks in waited.items() if asks)
        asyncio.run(say_once(agent))
        before = answered(save)
        os.kill(second.pid, signal.SIGKILL)
        second.wait(10)
    assert answered(save)[: len(before)] == before
    assert {row[3] for row in answered(save)} == {None}
    asyncio.run(play_out())
    with Save(save) as opened:
        assert opened.progress().done
        assert first_difference(opened) is None


def wait_for_asks(save: Path) -> dict[str, list[OpenAsk]]:
    """Asks that the runner waits for, once it waits for a person."""
    deadline = time.monotonic() + 10
    while True:
        people = RunnerClient(save).status().people
        asks = {name: person.asks for name, person in people.items()}
        if any(asks.values()):
            return asks
        assert time.monotonic() < deadline, "nobody is asked"
        time.sleep(0.01)


# --- The tournament file


def test_the_block_of_a_person_has_a_name_and_a_clock(tmp_path: Path) -> None:
    read = tournament(tmp_path, ONE.replace('kind = "human"', 'kind = "human"\nseconds = 90'))
    assert {name: config.seconds for name, config in read.people.items()} == {"Ann": 90}
    assert read.models == {}


@pytest.mark.parametrize("key", ["seconds = 0", "seconds = inf", "seconds = -1", "clock = 3"])
def test_a_clock_that_is_none_is_refused(key: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"agents\[0\]\.(seconds|clock)"):
        tournament(tmp_path, ONE.replace('kind = "human"', f'kind = "human"\n{key}'))

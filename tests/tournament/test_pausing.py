"""Pausing anywhere: nothing happens after a pause, and a kill there loses nothing."""

import asyncio
import shutil
import time
from pathlib import Path

import pytest

from parlour.tournament.control.client import RunnerClient
from parlour.tournament.save.new_file import DiskTrouble
from tests.runners import QUICK, TARDY, Plugin, Session, rested, runner_process, session, until
from tests.tournaments import LANES, contents, finished, new_save, play, tamper

ACTS = 24
FROZEN = 11
"""The column ``frozen`` of matches."""
both_lanes = pytest.mark.parametrize("lane", LANES)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same tournament, played without a pause."""
    return finished(tmp_path_factory.mktemp("uninterrupted"), QUICK)


def killed(save: Path, folder: Path) -> Path:
    """Copy of a save as a process killed at this moment leaves it."""
    folder.mkdir()
    for ending in ("", "-wal"):
        shutil.copyfile(f"{save}{ending}", f"{folder / save.name}{ending}")
    return folder / save.name


def begun(lines: list[str]) -> int:
    """Number of acts that have begun."""
    return sum(line.startswith("begin") for line in lines)


async def pauses_at(running: Session, act: int) -> None:
    """Lets the tournament go on, and closes the gate within the given act."""

    def look() -> None:
        if begun(running.lines) == act:
            running.runner.gate.close()
            running.on_act = lambda: None

    running.on_act = look
    running.runner.gate.open()
    await running.reaches("pausing")


@both_lanes
@pytest.mark.parametrize("act", range(1, ACTS))
def test_after_a_pause_in_any_act_nothing_happens_and_a_kill_there_changes_no_result(
    act: int, lane: str, tmp_path: Path, uninterrupted: Path
) -> None:
    save = new_save(tmp_path, QUICK)

    async def story() -> Path:
        async with session(save, seconds=0.001, lane=lane) as running:
            await pauses_at(running, act)
            await running.reaches("paused")
            acts, stored = list(running.lines), contents(save)
            copy = killed(save, tmp_path / "killed")
            await asyncio.sleep(0.02)
            assert running.lines == acts
            assert contents(save) == stored
            assert contents(copy) == stored
            assert running.runner.state == "paused"
            assert begun(acts) == len(acts) / 2 == len(stored["answers"]) == act
            return copy

    copy = asyncio.run(story())
    for left in (save, copy):  # the one was stopped in good order, the other one killed
        assert play(left).progress.done
        assert contents(left) == contents(uninterrupted)


@both_lanes
async def test_a_pause_in_the_very_last_act_lets_the_tournament_end(
    lane: str, tmp_path: Path, uninterrupted: Path
) -> None:
    save = new_save(tmp_path, QUICK)

    async with session(save, seconds=0.001, lane=lane) as running:
        await pauses_at(running, ACTS)
        while not running.ended.done():
            assert running.runner.state == "pausing"
            await asyncio.sleep(0)
        assert running.ended.result().progress.done
    assert contents(save) == contents(uninterrupted)


async def test_an_agent_that_is_thinking_keeps_it_pausing_until_its_answer_is_stored(
    tmp_path: Path,
) -> None:
    save = new_save(tmp_path, QUICK)

    async with session(save, concurrency=1) as running:
        running.let_end.clear()
        try:
            await pauses_at(running, 1)
            await asyncio.sleep(0.1)
            assert running.runner.state == "pausing"
            assert running.runner.gate.in_flight == 1
            assert contents(save)["answers"] == []
        finally:
            running.let_end.set()
        await running.reaches("paused")
        begin, end = running.lines  # of whoever speaks first
        assert (begin.split()[:2], end) == (["begin", "clue"], begin.replace("begin", "end"))
        assert len(contents(save)["answers"]) == 1


@both_lanes
@pytest.mark.parametrize("moment", ["end vote", "begin vote"])
async def test_an_agent_that_fails_in_a_pause_does_not_keep_it_pausing(
    moment: str, lane: str, tmp_path: Path
) -> None:
    # At the end of a vote the others' votes have begun; at its beginning they wait at the gate.
    save = new_save(tmp_path, QUICK)

    # One of the four matches has not begun then: if all of them ended at once, so would the run.
    async with session(save, seconds=0.001, concurrency=3, lane=lane) as running:

        def fails() -> None:
            if running.lines[-1].startswith(moment):
                running.runner.gate.close()
                raise ZeroDivisionError("a bug of the agent's own")

        running.on_act = fails
        running.runner.gate.open()
        await running.reaches("pausing")
        await running.reaches("paused")
        assert "ZeroDivisionError" in next(iter(running.runner.stats.failed.values()))


@both_lanes
async def test_a_resume_while_pausing_goes_on_as_if_there_had_been_no_pause(
    lane: str, tmp_path: Path, uninterrupted: Path
) -> None:
    save = new_save(tmp_path, QUICK)

    async with session(save, seconds=0.001, lane=lane) as running:
        for act in range(1, ACTS, 5):
            await pauses_at(running, act)
            assert running.runner.state == "pausing"
        running.runner.gate.open()
        await running.ended
    assert contents(save) == contents(uninterrupted)


def test_a_run_is_paused_only_once_the_frozen_match_is_stored(tmp_path: Path) -> None:
    save = new_save(tmp_path, QUICK)

    async def begun() -> None:
        async with session(save) as running:
            running.runner.step("turn", 2)
            await running.reaches("paused")

    async def story() -> None:
        async with session(save) as running:
            while not running.runner.stats.frozen:
                await asyncio.sleep(0)
            await running.reaches("paused")
            assert [contents(save)["matches"][1][FROZEN]] == running.runner.stats.frozen

    asyncio.run(begun())
    tamper(save, "UPDATE answers SET digest = 'another'")
    asyncio.run(story())


async def test_a_disk_that_stays_full_ends_a_paused_session_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.tournament.save.writer.RETRY_SECONDS", 0.02)
    save = new_save(tmp_path, QUICK)

    async with session(save, seconds=0.05, concurrency=2, patience=0.1) as running:
        await pauses_at(running, 1)
        # No room for a long answer: SQLite says that the disk is full. Match 2 waits at the
        # gate meanwhile.
        await running.runner.writer._connection.execute("PRAGMA max_page_count = 1")
        running.notes = {"thinking": "x" * 100_000}
        async with asyncio.timeout(5):
            await asyncio.wait({running.ended})
        assert isinstance(running.ended.exception(), DiskTrouble)


# --- The same with a process that is really killed, and a strategy from another package


# One match of two rounds with probes. How many answers there are after each of its asks:
# three clues, three roles at once, three beliefs at once, all this again, three votes at once.
ONE_MATCH = TARDY.replace("limit = 2\nclue_rounds = 1", 'limit = 1\nlineup = ["Ada", "Rob", "Ada"]')
ONE_MATCH = ONE_MATCH.replace('probes = "off"\n', "")
AFTER_ASK = [1, 2, 3, 6, 9, 10, 11, 12, 15, 18, 21]


@pytest.mark.slow
def test_killed_after_every_ask_in_turn_a_match_comes_to_the_same_end(
    tmp_path: Path, tardy: Plugin
) -> None:
    save = new_save(tmp_path, ONE_MATCH, "killed.db")
    for expected in AFTER_ASK[:-1]:
        # At this pace one act begins at once, which is as much as a turn of one seat, and the
        # next one far too late; a step makes a turn of three whole.
        with runner_process(save, "--pace", 0.01, env=tardy.environment()) as process:
            RunnerClient(save).pause()
            if rested(save).answers < expected:
                RunnerClient(save).step("turn")
            assert rested(save).state == "paused"
            acts, stored = tardy.acts, contents(save)
            assert len(acts) == len(stored["answers"]) == expected
            time.sleep(0.05)
            assert (tardy.acts, contents(save)) == (acts, stored)
            process.kill()
            process.wait()
    assert play(save).progress.done
    assert len(tardy.acts) == 21  # no act was repeated
    assert contents(save) == contents(finished(tmp_path, ONE_MATCH))


@pytest.mark.slow
@pytest.mark.parametrize("moment", [1, 5, 12])
def test_paused_and_killed_at_any_moment_a_tournament_comes_to_the_same_end(
    moment: int, tmp_path: Path, tardy: Plugin
) -> None:
    save = new_save(tmp_path, TARDY, "killed.db")
    with runner_process(save, "--concurrency", 3, env=tardy.environment(0.3)) as process:
        until(lambda: len(tardy.acts) >= moment)
        RunnerClient(save).pause()
        assert rested(save).state == "paused"
        acts, stored = tardy.acts, contents(save)
        assert moment <= len(acts) == len(stored["answers"]) < 24
        time.sleep(0.1)
        assert (tardy.acts, contents(save)) == (acts, stored)
        process.kill()
        process.wait()
    assert play(save).progress.done
    assert len(tardy.acts) == 24
    assert contents(save) == contents(finished(tmp_path, TARDY))

"""Pausing, stepping, resuming and stopping from the command line, as a user types it."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from parlour.cli.run import run as run_command
from parlour.cli.steering import pause, step, stop
from parlour.games.common.errors import BadInput, BadSave
from parlour.tournament.control.client import ControlFailed, RunnerClient
from parlour.tournament.control.launch import log_file
from parlour.tournament.save.lock import holder, locked
from tests.runners import QUICK, TARDY, Plugin, ended_by_force, runner_process, said, session, until
from tests.tournaments import (
    COMMAND,
    called,
    contents,
    environment,
    finished,
    new_save,
    play,
    refused,
)

# --- A real process, steered by real commands


@pytest.mark.slow
def test_a_detached_run_is_paused_stepped_resumed_and_ends_as_if_left_alone(
    tmp_path: Path, tardy: Plugin
) -> None:
    save, env = new_save(tmp_path, TARDY), tardy.environment(0.05)

    def says(*words: object) -> str:
        return said(*words, cwd=tmp_path, env=env)

    with ended_by_force(save):
        # At first one act in 100 seconds, so that only what is commanded happens.
        out = says("run", "--save", save, "--detach", "--pace", 0.01)
        assert out == f"Playing: {save}. Watch it with: parlour attach {save}\n"
        runner = holder(save)
        assert runner is not None
        assert log_file(save).stat().st_mode & 0o777 == 0o600

        out = says("pause", save)
        assert out == (
            f"{save}: paused, 0/4 matches finished\n"
            f"Nothing is in flight. Continue with: parlour run {save}\n"
        )
        assert len(contents(save)["answers"]) == 1  # the one act that began at once
        now = json.loads(says("status", save, "--format", "json"))
        assert (now["state"], now["pid"], now["answers"]) == ("paused", runner["pid"], 1)

        # Match 1 has two more clues and three votes to come, matches 2 to 4 have all six.
        assert f"{save}: match 1 waits for Player " in says("step", save)
        everybody = "Player 1, Player 2, Player 3"
        assert says("step", save, "--turn") == f"{save}: match 1 waits for {everybody}\n"
        assert says("step", save, "--round") == f"{save}: match 1 is over\n"
        assert says("step", save, "--match", "--of", 4) == f"{save}: match 4 is over\n"
        assert {row[0] for row in contents(save)["answers"]} == {1, 4}

        # Without a terminal, attach prints lines to the end, then the result.
        command = [*COMMAND, "attach", str(save)]
        with subprocess.Popen(command, env=env, text=True, stdout=subprocess.PIPE) as attached:
            assert attached.stdout.readline().startswith("paused: 2/4 matches, 12 answers, ")
            out = says("run", save, "--pace", 1000)
            assert out == f"{save}: resumed. Watch it with: parlour attach {save}\n"
            assert f"\nFinished: {save}\n" in f"\n{attached.stdout.read()}"
        assert attached.returncode == 0
        until(lambda: holder(save) is None)  # the leaderboard is stored last
    assert contents(save) == contents(finished(tmp_path / "plugin", TARDY))


@pytest.mark.slow
@pytest.mark.parametrize("detach", [False, True])
def test_resume_opens_the_screen_of_a_paused_runner_in_a_terminal(
    tmp_path: Path,
    tardy: Plugin,
    detach: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    save, watched = new_save(tmp_path, TARDY), list[Path]()

    def watch(path: Path) -> int:
        watched.append(path)
        return 0

    monkeypatch.setattr("parlour.cli.run.on_terminal", lambda: True)
    monkeypatch.setattr("parlour.cli.run.watch", watch)
    with runner_process(save, "--pace", 0.01, env=tardy.environment()):
        RunnerClient(save).pause()
        assert run_command(save, detach=detach) == 0
        assert RunnerClient(save).status().state == "running"
    assert watched == ([] if detach else [save])
    assert ("resumed. Watch it with: " in capsys.readouterr().out) == detach


@pytest.mark.slow
def test_a_detached_run_that_is_killed_or_stopped_goes_on_where_it_was(
    tmp_path: Path, tardy: Plugin
) -> None:
    save, env = new_save(tmp_path, TARDY), tardy.environment()

    def says(*words: object) -> str:
        return said(*words, cwd=tmp_path, env=env)

    with ended_by_force(save):
        says("run", "--save", save, "--detach", "--pace", 0.01)
        says("step", save, "--match")
        runner = holder(save)
        assert runner is not None
        os.kill(runner["pid"], signal.SIGKILL)
        until(lambda: holder(save) is None)
        status = json.loads(says("status", save, "--format", "json"))
        assert (status["state"], status["pid"], status["finished"]) == ("unfinished", None, 1)

        says("run", save, "--detach", "--pace", 0.01)
        assert says("stop", save) == (
            f"{save}: stopped; every answer is saved. Continue with: parlour run {save}\n"
        )
        assert holder(save) is None
        log = log_file(save).read_text(encoding="utf-8")
        assert log.endswith(f"Continue with: parlour run {save}\n")
    assert play(save).progress.done
    assert contents(save) == contents(finished(tmp_path / "plugin", TARDY))


@pytest.mark.slow
def test_a_detached_run_finds_its_own_packages_whatever_lies_in_the_users_folder(
    tmp_path: Path,
) -> None:
    for name in ("games", "agents", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong one')\n")
    (tmp_path / "saves").mkdir()
    save = new_save(tmp_path / "saves", QUICK)
    # As the installed command does, this one leaves the user's folder out of its path.
    installed = "import sys; from parlour.cli.app import main; sys.argv[0] = 'parlour'; main()"
    done = called(
        sys.executable,
        "-P",
        "-c",
        installed,
        "run",
        "--save",
        "saves/save.db",
        "--detach",
        cwd=tmp_path,
        env=environment(),
    )
    assert (done.returncode, done.stderr) == (0, "")
    until(lambda: holder(save) is None)
    assert log_file(save).read_text(encoding="utf-8").splitlines()[1:] != []
    assert contents(save) == contents(finished(tmp_path, QUICK))


# --- The same commands in this process, against a runner in this process

Command = tuple[Callable[..., int], tuple[Any, ...]]
STEP, PAUSE, RESUME = step, pause, partial(run_command, pace=20.0)
NONE, TURN, ROUND, MATCH = (
    (False,) * 3,
    (True, False, False),
    (False, True, False),
    (False, False, True),
)
UNITS = {"turn": TURN, "round": ROUND, "match": MATCH}
"""The flags of `step`."""


def steered(folder: Path, *commands: Command, **options: Any) -> tuple[Path, list[int]]:
    """The save and the commands' exit codes, one after the other, on a paused run of QUICK."""
    save = new_save(folder, QUICK)

    async def story() -> list[int]:
        async with session(save, **{"seconds": 0.001, **options}):
            return [await asyncio.to_thread(work, save, *rest) for work, rest in commands]

    return save, asyncio.run(story())


def test_two_steps_in_a_row_are_two_turns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save, codes = steered(tmp_path, (STEP, (*NONE, 2)), (STEP, (*TURN, 2)))
    assert codes == [0, 0]
    assert [row[:2] for row in contents(save)["answers"]] == [(2, 0), (2, 1)]
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all(line.startswith(f"{save}: match 2 waits for Player ") for line in lines)
    assert lines[0] != lines[1]


@pytest.mark.parametrize("unit", ["turn", "round", "match"])
def test_a_step_of_a_match_not_begun_begins_it(unit: str, tmp_path: Path) -> None:
    save, codes = steered(tmp_path, (STEP, (*UNITS[unit], 4)), concurrency=1)
    assert codes == [0]
    expected = {"turn": 1, "round": 6, "match": 6}[unit]
    assert [row[0] for row in contents(save)["answers"]] == [4] * expected


@pytest.mark.parametrize("unit", ["turn", "round", "match"])
def test_a_step_of_a_match_that_is_over_or_that_there_is_not_is_bad_input(
    unit: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=r"--of: match 3 is over; see .*replay \S+ 3$"):
        steered(tmp_path, (STEP, (*MATCH, 3)), (STEP, (*UNITS[unit], 3)))
    (tmp_path / "other").mkdir()
    with pytest.raises(BadInput, match="--of: there is no match 5; the save has matches 1 to 4"):
        steered(tmp_path / "other", (STEP, (*UNITS[unit], 5)))


def test_a_step_while_running_pauses_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commands: list[Command] = [(RESUME, ()), (STEP, (*NONE, 2)), (PAUSE, ())]
    save, codes = steered(tmp_path, *commands, seconds=0.05)
    assert codes == [0, 0, 0]
    out = capsys.readouterr().out
    assert f"{save}: match 2 waits for " in out
    assert f"{save}: paused, 0/4 matches finished\n" in out


def test_the_step_that_ends_the_last_match_says_that_the_tournament_is_finished(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save, codes = steered(tmp_path, *[(STEP, (*MATCH, None))] * 4)
    assert codes == [0, 0, 0, 0]
    assert capsys.readouterr().out.splitlines() == [
        f"{save}: match 1 is over",
        f"{save}: match 2 is over",
        f"{save}: match 3 is over",
        f"{save}: all matches are finished. See the leaderboard with: parlour leaderboard {save}",
    ]


def ending(folder: Path, work: Callable[[Path], int]) -> tuple[Path, int]:
    """Gives a command while the very last act of a tournament is in flight."""
    save = new_save(folder, QUICK)

    async def story() -> int:
        async with session(save, seconds=0.001) as run:
            last = asyncio.Event()

            def look() -> None:
                if len(run.lines) == 2 * 24 - 1:  # every act has begun and but one has ended
                    last.set()
                    run.let_end.clear()

            run.on_act = look
            run.runner.gate.open()
            await last.wait()
            working = asyncio.create_task(asyncio.to_thread(work, save))
            try:
                await run.reaches("pausing", "stopping")
            finally:
                run.let_end.set()
            return await working

    return save, asyncio.run(story())


@pytest.mark.parametrize("work", [pause, stop])
def test_a_pause_or_a_stop_that_comes_too_late_says_that_the_tournament_is_finished(
    work: Callable[[Path], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save, code = ending(tmp_path, work)
    assert code == 0
    out = capsys.readouterr().out
    assert (
        out == f"{save}: all matches are finished."
        f" See the leaderboard with: parlour leaderboard {save}\n"
    )


@pytest.mark.parametrize("work", [pause, step])
def test_what_waits_for_a_runner_that_is_stopped_meanwhile_fails_with_what_to_do(
    work: Callable[[Path], int], tmp_path: Path
) -> None:
    save = new_save(tmp_path, QUICK)

    async def story() -> None:
        async with session(save) as run:
            run.let_end.clear()
            run.runner.gate.open()
            while not run.lines:
                await asyncio.sleep(0)
            waiting = asyncio.create_task(asyncio.to_thread(work, save))
            try:
                await run.reaches("pausing")
                run.runner.stop()
            finally:
                run.let_end.set()
            await waiting

    with pytest.raises(ControlFailed, match=r"its runner ended at 0/4 matches; continue with"):
        asyncio.run(story())


def test_a_resume_of_a_runner_that_is_stopping_is_refused(tmp_path: Path) -> None:
    save = new_save(tmp_path, QUICK)

    async def story() -> None:
        async with session(save) as run:
            run.let_end.clear()
            run.runner.gate.open()
            while not run.lines:
                await asyncio.sleep(0)
            run.runner.stop()
            try:
                await asyncio.to_thread(run_command, save)
            finally:
                run.let_end.set()

    with pytest.raises(BadSave, match="is being stopped; wait until it has stopped, then: parlour"):
        asyncio.run(story())
    assert play(save).progress.done


def test_a_step_in_which_an_agent_fails_says_so(tmp_path: Path) -> None:
    save = new_save(tmp_path, QUICK)

    async def story() -> None:
        async with session(save) as run:

            def fails() -> None:
                raise ZeroDivisionError("a bug of the agent's own")

            run.on_act = fails
            await asyncio.to_thread(step, save, *NONE, 2)

    with pytest.raises(ControlFailed, match=r"match 2: agent .* failed with ZeroDivisionError"):
        asyncio.run(story())


# --- What is refused


def test_a_detached_run_of_a_save_that_is_running_is_refused(tmp_path: Path) -> None:
    save, file = new_save(tmp_path, QUICK), tmp_path / "tournament.toml"

    async def story() -> None:
        async with session(save):
            await asyncio.to_thread(run_command, file, save=save, detach=True)

    with pytest.raises(BadSave, match=r"is in use by process \d+; watch it with `parlour attach"):
        asyncio.run(story())


@pytest.mark.parametrize("words", [["pause"], ["step"]])
def test_while_the_ratings_are_computed_a_command_says_so(tmp_path: Path, words: list[str]) -> None:
    save = finished(tmp_path)
    with locked(save):  # as the runner holds it after the last match
        line = refused(*words, save, cwd=tmp_path)
    assert line == (
        f"parlour: {save}: is finished, and its ratings are being computed;"
        f" see it with `parlour leaderboard {save}`"
    )

"""People on the command line: who is waited for, what they cost, and that they are rated."""

import asyncio
import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from parlour.cli.progress import people_waited_for
from parlour.tournament.control.client import RunnerClient
from parlour.tournament.control.status import PersonStatus, RunnerStatus
from parlour.tournament.run.state import OpenAsk
from parlour.tournament.save.reader import Save
from tests.people import ONE, TWO, Person, seated
from tests.runners import runner_process, session, until
from tests.terminals import Terminal, shown
from tests.tournaments import COMMAND, environment, new_save, printed, printed_json, written

CLOCK = ONE.replace('kind = "human"', 'kind = "human"\nseconds = 0.01')


def test_a_run_without_a_terminal_says_which_seats_wait_and_how_to_take_one(tmp_path: Path) -> None:
    save = new_save(tmp_path, ONE)
    with runner_process(save) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        waits = f"1 seat waits for a person (Ann): parlour attach {save}, then press s\n"
        assert waits in lines
        assert waits in printed_within(save, tmp_path)
        os.kill(process.pid, signal.SIGINT)
        rest = process.communicate(timeout=20)[0]
        # Nothing changes while it waits, so nothing more is printed.
        assert rest.count("matches, ") <= 2
        assert process.returncode == 130


def printed_within(save: Path, folder: Path) -> str:
    """First output of ``attach`` without a terminal."""
    with subprocess.Popen(
        [*COMMAND, "attach", str(save)],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        said = process.stdout.readline() + process.stdout.readline()
        process.kill()
    return said


def test_two_seats_that_wait_are_counted(tmp_path: Path) -> None:
    people = {
        "Ann": PersonStatus(asks=[OpenAsk(1, 0, 0, None)]),
        "Bo": PersonStatus(),
        "Bea": PersonStatus(taken=True, asks=[OpenAsk(1, 0, 1, 12.5)]),
    }
    status = RunnerStatus(state="running", people=people)
    said = people_waited_for(tmp_path / "my save.db", status)
    take = f"parlour attach '{tmp_path}/my save.db', then press s"
    assert said == f"2 seats wait for people (Ann, Bea): {take}"
    assert people_waited_for(tmp_path, RunnerStatus(state="running")) == ""


def test_people_cost_nothing_in_a_plan(tmp_path: Path) -> None:
    file = written(tmp_path, TWO)
    body = printed_json("plan", file, cwd=tmp_path)
    assert body["expenses"] == []
    assert body["seats"] == {"Ann": 1, "Bea": 1, "Rob": 1}


def test_the_doctor_names_people_and_calls_no_model(tmp_path: Path) -> None:
    said = printed("doctor", written(tmp_path, ONE), cwd=tmp_path)
    assert "agent 'Ann' is a person: take the seat with parlour attach, then s" in said
    assert "no language models" in said


@pytest.fixture(scope="module")
def timed_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished save in which the clock of a person ran out at every question."""
    save = new_save(tmp_path_factory.mktemp("clock"), CLOCK)

    async def play() -> None:
        async with session(save) as running:
            running.runner.gate.open()
            ann = Person(save, "Ann")
            await ann.sits()
            async with asyncio.timeout(10):
                assert (await running.ended).progress.done
            ann.connection.close()

    asyncio.run(play())
    return save


def test_conduct_counts_a_persons_timeouts_and_no_calls(timed_out: Path) -> None:
    by_agent = {
        one["agent"]: one
        for one in printed_json("leaderboard", timed_out, "--view=conduct", cwd=timed_out.parent)
    }
    # A clue and a vote.
    assert by_agent["Ann"]["faults"] == {"timeout": 2}
    assert (by_agent["Ann"]["answers"], by_agent["Ann"]["repairs"], by_agent["Ann"]["calls"]) == (
        2,
        0,
        0,
    )


def test_people_are_rated_like_any_agent(timed_out: Path) -> None:
    said = printed("leaderboard", timed_out, "--format", "json", cwd=timed_out.parent)
    assert {row["agent"] for row in json.loads(said)["standings"]} == {"Ann", "Bea", "Rob"}
    assert "OK: every match" in printed("check", timed_out, cwd=timed_out.parent)


def sees(terminal: Terminal, words: str) -> None:
    """Waits until the words are on the screen."""
    terminal.until_picture(lambda lines: words in "\n".join(lines))


@pytest.mark.slow
def test_a_terminal_that_hangs_up_leaves_the_seat_waiting_for_whoever_comes(tmp_path: Path) -> None:
    save = new_save(tmp_path, ONE)
    with runner_process(save):
        with shown([*COMMAND, "attach", str(save)], (80, 24), tmp_path) as terminal:
            sees(terminal, "People play in this match")
            terminal.type(b"s1")
            sees(terminal, "Seat │ Ann")
            assert RunnerClient(save).status().people["Ann"].taken
            os.kill(terminal.program.pid, signal.SIGKILL)
        until(lambda: not RunnerClient(save).status().people["Ann"].taken)

        async def comes_back() -> None:
            async with seated(save, "Ann") as ann:
                await ann.plays(2)

        asyncio.run(comes_back())
        until(lambda: ended(save))


def test_the_status_says_who_is_asked_and_who_is_present(tmp_path: Path) -> None:
    save = new_save(tmp_path, ONE)
    with runner_process(save):
        until(lambda: RunnerClient(save).status().people["Ann"].asks)
        said = printed("status", save, cwd=tmp_path)
    assert re.search(
        r"^Person +Ann: asked in 1 seat, free: parlour attach, then s", said, re.MULTILINE
    )


def ended(save: Path) -> bool:
    """True if every match of a save is over."""
    with Save(save) as opened:
        return opened.progress().done

"""The pool: worker processes play whole matches, and nothing that is stored changes."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from parlour.agents.registry import strategies
from parlour.agents.scripted.strategy import Strategy
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask
from parlour.tournament.calls.gate import Gate
from parlour.tournament.run import pool, worker
from parlour.tournament.run.match import MatchRunner, PlayedAnswers
from parlour.tournament.run.runner import Runner
from parlour.tournament.run.workers import WorkerEnded, WorkerProcess
from parlour.tournament.save.growing.create import create_save
from tests.runners import QUICK, Session, session
from tests.tournaments import LANES, contents, environment, new_save, play, stored_rows, tournament

MANY = QUICK.replace("seed = 3", "seed = 3\nrepetitions = 12")
"""48 matches of six answers."""
MIXED = """
name = "mixed"
seed = 7
repetitions = 2
[[games]]
name = "undercover"
limit = 2
[[games]]
name = "impostor"
matches = 1
[[games]]
name = "donation"
lineup = "alone"
greedy_seats = 1
[[games]]
name = "prisoners_dilemma"
limit = 1
[[agents]]
name = "Ada"
strategy = ["bayesian", "image_scoring", "tit_for_tat"]
[[agents]]
name = "Rob"
strategy = ["random", "greedy"]
[[agents]]
name = "Lin"
strategy = ["literal", "random"]
"""
"""Matches with 3 to 8 seats, with probes and with seats that the game plays."""


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uses the pool from the start, for any number of matches, in small lots."""
    monkeypatch.setattr(pool, "START_SECONDS", 0.0)
    monkeypatch.setattr(pool, "FEW", 1)
    monkeypatch.setattr(pool, "LOT", 3)


@asynccontextmanager
async def pooled(save: Path, **options: Any) -> AsyncIterator[Session]:
    """A session whose two worker processes are ready; it is paused.

    The two matches in play stay in the runner, the others go to the pool when it goes on. The
    session's lines are of acts in the runner.
    """
    usual: dict[str, Any] = {"workers": 2, "concurrency": 2, "lane": "fast"}
    async with session(save, **usual | options) as running:
        async with asyncio.timeout(60):
            while len(running.runner.pool.workers) < 2:
                await asyncio.sleep(0.001)
        yield running


@asynccontextmanager
async def compared(folder: Path, text: str = MANY, **options: Any) -> AsyncIterator[Session]:
    """The same on a new save, which at last must be as a run without a pool leaves it."""
    async with pooled(new_save(folder, text), **options) as running:
        yield running
        assert (await running.ended).progress.done
    assert all_of(running.save) == alone(folder, text)


def counts(save: Path) -> list[tuple[Any, ...]]:
    """The stored counts of a save."""
    return stored_rows(save, "SELECT version, body FROM counts ORDER BY seq")


def all_of(save: Path) -> dict[str, Any]:
    """Everything that runs with one and with two processes must share."""
    return {**contents(save), "counts": counts(save)}


def alone(folder: Path, text: str) -> dict[str, Any]:
    """The contents after a run without a pool."""
    save = folder / "alone.db"
    create_save(save, tournament(folder, text))
    assert play(save).progress.done
    return all_of(save)


def through_pool(save: Path) -> int:
    """Plays a save with two worker processes; returns the number of answers given here."""

    async def story() -> int:
        async with pooled(save) as running:
            running.runner.gate.open()
            ended = await running.ended
            assert ended.progress.done
            assert ended.stats.answers == ended.progress.answers
            assert ended.stats.faults == ended.progress.faults
            assert ended.stats.finished == ended.progress.finished
            assert running.runner.forecast.answers == 0
            return sum(line.startswith("begin") for line in running.lines)

    return asyncio.run(story())


def test_worker_processes_change_nothing_that_is_stored(tmp_path: Path) -> None:
    save = new_save(tmp_path, MIXED)
    here = through_pool(save)
    whole = all_of(save)
    assert whole == alone(tmp_path, MIXED)
    assert len(whole["counts"]) == 1
    assert here < len(whole["answers"]) / 2, "most were given in worker processes"


PLAYED = """
import sys
from pathlib import Path
from parlour.tournament.run import pool
from tests.tournament.test_pool import through_pool
pool.START_SECONDS, pool.FEW, pool.LOT = 0.0, 1, 3
through_pool(Path(sys.argv[1]))
"""


def test_the_seed_of_hashes_changes_nothing(tmp_path: Path) -> None:
    save = new_save(tmp_path, MIXED)
    subprocess.run(
        [sys.executable, "-c", PLAYED, save],
        env=environment(PYTHONHASHSEED="0"),
        check=True,
        timeout=120,
    )
    assert all_of(save) == alone(tmp_path, MIXED)


# --- Matches that come back


def at_first_report(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]
) -> list[PlayedAnswers]:
    """Has something done as soon as the runner has got the first report of a worker process.

    Returns what was reported, once it has been.
    """
    store = MatchRunner.store
    first: list[PlayedAnswers] = []

    def stored(self: MatchRunner, played: list[PlayedAnswers]) -> None:
        store(self, played)
        if not first:
            first.extend(played)
            act()

    monkeypatch.setattr(MatchRunner, "store", stored)
    return first


HELD: dict[str, tuple[Callable[[Runner], object], Callable[[Gate], None]]] = {
    "paused": (lambda runner: runner.gate.close(), Gate.open),
    "at a pace": (lambda runner: runner.gate.set_pace(1e6), lambda gate: gate.set_pace(None)),
    "stepped": (lambda runner: runner.step("turn"), Gate.open),
}


@pytest.mark.parametrize("how", HELD)
async def test_matches_come_back_at_once_and_go_to_the_pool_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    hold, let_go = HELD[how]

    async with compared(tmp_path) as running:
        runner = running.runner
        pooled_at: list[bool] = []

        def act() -> None:
            pooled_at.append(bool(runner.pool))
            hold(runner)
            pooled_at.append(bool(runner.pool))
            asyncio.get_running_loop().call_later(0.05, let_go, runner.gate)

        at_first_report(monkeypatch, act)
        runner.gate.open()
        assert (await running.ended).progress.done
        assert pooled_at == [True, False]


async def test_a_pause_ends_with_what_has_been_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with compared(tmp_path) as running:
        runner = running.runner
        at_first_report(monkeypatch, runner.gate.close)
        runner.gate.open()
        assert await running.reaches("paused") == "paused"
        stored = len(contents(running.save)["answers"])
        await asyncio.sleep(0.1)  # what is reported meanwhile is ignored
        assert len(contents(running.save)["answers"]) == stored == runner.stats.answers < 48 * 6
        assert runner.state == "paused"
        runner.gate.open()


async def test_a_match_of_the_pool_can_be_stepped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with compared(tmp_path) as running:
        runner = running.runner
        stepped: list[int] = []

        def act() -> None:
            number = runner.pool.in_play[-1]
            assert runner.step("turn", number) == number
            stepped.append(number)

        reported = at_first_report(monkeypatch, act)
        runner.gate.open()
        while not stepped:
            await asyncio.sleep(0)
        assert await running.reaches("paused") == "paused"
        asks = [row[1] for row in contents(running.save)["answers"] if row[0] == stepped[0]]
        before = [each.answers for each in reported if each.match.number == stepped[0]]
        assert len(set(asks[sum(map(len, before)) :])) == 1
        runner.gate.open()


async def test_the_lowest_match_is_stepped_wherever_it_is(tmp_path: Path) -> None:
    async with compared(tmp_path) as running:
        runner = running.runner
        runner.gate.open()
        assert runner.pool
        lowest = min(runner.playing)
        assert runner.step("match") == lowest == 1
        with pytest.raises(ValueError, match="is over, or does not exist"):
            runner.step("match", 1000)
        runner.gate.open()
        assert runner.pool
        with pytest.raises(ValueError, match="is over, or does not exist"):
            runner.step("match", 1000)
        assert runner.pool, "a refused step leaves the pool alone"


async def test_a_watched_match_is_played_in_the_runner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with compared(tmp_path) as running:
        runner = running.runner
        played: list[int] = []
        play_here = MatchRunner.play

        async def recorded(self: MatchRunner, match: Any, before: Any = None) -> None:
            played.append(match.number)
            await play_here(self, match, before)

        monkeypatch.setattr(MatchRunner, "play", recorded)
        watched: list[int] = []

        def act() -> None:
            watched.append(runner.pool.in_play[0])
            runner.watch(watched[0])
            assert watched[0] not in runner.pool.numbers
            assert runner.pool
            runner.watch(watched[0])  # again: nothing happens

        at_first_report(monkeypatch, act)
        runner.gate.open()
        assert (await running.ended).progress.done
        assert played == watched


async def test_the_next_run_finishes_what_a_stop_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = new_save(tmp_path, MANY)

    async with pooled(save) as running:
        at_first_report(monkeypatch, running.runner.stop)
        running.runner.gate.open()
        ended = await running.ended
        assert ended.interrupted
        assert ended.progress.finished < 48
    assert play(save).progress.done
    whole, undisturbed = contents(save), alone(tmp_path, MANY)
    assert all(whole[part] == undisturbed[part] for part in whole)


# --- Worker processes that end


@pytest.mark.parametrize("killed", [1, 2])
async def test_a_killed_worker_process_costs_nothing(tmp_path: Path, killed: int) -> None:
    warnings: list[str] = []

    async with compared(tmp_path, on_warning=warnings.append) as running:
        runner = running.runner
        runner.gate.open()
        assert runner.pool
        for process in runner.pool.workers[:killed]:
            os.kill(process.pid, signal.SIGKILL)
    if killed == 1:
        assert warnings == []
    else:
        (line,) = warnings
        assert line == (
            "worker processes ended by themselves (the last: exit code -9); nothing is lost, the"
            " run goes on in one process"
        )


async def test_a_python_that_cannot_be_started_leaves_the_run_to_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = new_save(tmp_path, MANY)
    warnings: list[str] = []
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing"))

    async with session(save, workers=2, lane="fast", on_warning=warnings.append) as running:
        while not warnings:
            await asyncio.sleep(0.001)
        running.runner.gate.open()
        assert (await running.ended).progress.done
    assert len(warnings) == 1
    assert all_of(save)["answers"] == alone(tmp_path, MANY)["answers"]


# --- Players that a worker process cannot have, or that fail there


class Own(Strategy):
    """A strategy that only this process knows."""

    games = None

    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        return ask.sample(view.seat, dice)


def test_agents_that_cannot_be_made_elsewhere_play_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(strategies(), "own", Own)
    text = MANY + '[[agents]]\nname = "Eve"\nstrategy = "own"\n'
    save = new_save(tmp_path, text)
    here = through_pool(save)
    whole = all_of(save)
    assert whole == alone(tmp_path, text)
    of_eve = sum("Eve" in row[7] for row in whole["matches"])
    assert of_eve * 6 <= here <= (of_eve + 2) * 6


FUNCTION = MANY.replace('strategy = "bayesian"', 'kind = "function"\npure = true\n{}').format(
    'function = "players.py:answer"'
)
CODE = """
import parlour.tournament.run.worker as worker
from helpers_of_players import first

worker.REPORT_SECONDS = {report}

def answer(question):
    if {fails}:
        raise ValueError("no idea")
    if question["kind"] == "clue":
        return {{"text": f"thing {{question['dice'] % 100}}"}}
    return {{"suspect": first(question)}}
"""
HELPERS = """
def first(question):
    return next(name for name in question["players"] if name != question["player"])
"""


def with_function(folder: Path, monkeypatch: pytest.MonkeyPatch, **how: object) -> Path:
    """A save with a user's function, whose file imports another from the script's path."""
    code = CODE.format(**{"report": 10, "fails": False} | how)
    (folder / "players.py").write_text(code, encoding="utf-8")
    (folder / "path").mkdir(exist_ok=True)
    (folder / "path" / "helpers_of_players.py").write_text(HELPERS, encoding="utf-8")
    monkeypatch.syspath_prepend(folder / "path")
    monkeypatch.setattr(worker, "REPORT_SECONDS", 10)  # the file sets it
    return new_save(folder, FUNCTION)


def test_a_pure_function_plays_in_worker_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = with_function(tmp_path, monkeypatch)
    assert through_pool(save) == 2 * 6, "only the matches in play at the start"
    assert all_of(save) == alone(tmp_path, FUNCTION)


async def test_a_match_comes_back_in_its_middle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = with_function(tmp_path, monkeypatch, report=-1)

    async with pooled(save) as running:
        runner = running.runner
        at_first_report(monkeypatch, runner.gate.close)
        runner.gate.open()
        assert await running.reaches("paused") == "paused"
        numbers = [row[0] for row in contents(save)["answers"]]
        parts = {number: numbers.count(number) for number in numbers}
        assert any(0 < part < 6 for part in parts.values())
        runner.gate.open()
        assert (await running.ended).progress.done
    assert all_of(save) == alone(tmp_path, FUNCTION)


def test_a_failing_function_is_reported_as_without_a_pool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = 'question["kind"] == "vote" and question["dice"] % 3 == 0'
    save = with_function(tmp_path, monkeypatch, fails=fails)

    async def story() -> dict[int, str]:
        async with pooled(save) as running:
            running.runner.gate.open()
            ended = await running.ended
            assert not ended.progress.done
            return ended.stats.failed

    failed = asyncio.run(story())
    other = tmp_path / "alone.db"
    create_save(other, tournament(tmp_path, FUNCTION))
    assert play(other).stats.failed == failed
    assert 0 < len(failed) < 48
    assert "agent 'Ada' failed with ValueError: no idea (players.py, line " in failed[min(failed)]
    assert all_of(save) == all_of(other)


def test_a_function_that_never_returns_holds_up_no_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = f"__import__('os').getpid() != {os.getpid()} and __import__('time').sleep(600)"
    save = with_function(tmp_path, monkeypatch, fails=fails)

    async def story() -> list[int]:
        async with pooled(save) as running:
            runner = running.runner
            processes = [process.pid for process in runner.pool.workers]
            runner.gate.open()
            assert runner.pool
            runner.gate.close()
            assert await running.reaches("paused") == "paused"
            runner.stop()
            assert (await running.ended).interrupted
            return processes

    for pid in asyncio.run(story()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


# --- Runs without a pool


@pytest.mark.parametrize("why", ["few", "at a pace", "one worker", "one match at once"])
def test_no_process_is_started_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    started: list[object] = []

    async def start(*words: object) -> None:
        started.append(words)
        raise WorkerEnded

    monkeypatch.setattr(WorkerProcess, "started", start)
    if why == "few":
        monkeypatch.setattr(pool, "FEW", 49)
    options: dict[str, Any] = {
        "at a pace": {"pace": LANES["slow"]},
        "one worker": {"workers": 1},
        "one match at once": {"concurrency": 1},
    }.get(why, {})
    save = new_save(tmp_path, MANY)
    assert play(save, **{"workers": 2} | options).progress.done
    assert started == []
    if why != "few":
        return
    monkeypatch.setattr(pool, "FEW", 1)
    (tmp_path / "other").mkdir()
    assert play(new_save(tmp_path / "other", MANY), workers=2).progress.done
    assert started, "more are not few"


# --- From outside


SCRIPT = """
import parlour
from parlour.tournament.run import pool, runner

print("read")
pool.START_SECONDS, pool.FEW, pool.LOT = 0.0, 1, 3
work = runner.Runner._work

async def once_ready(self, extra=False):
    import asyncio
    while not self.pool.workers:
        await asyncio.sleep(0.001)
    await work(self, extra)

runner.Runner._work = once_ready
save = parlour.run("tournament.toml", "save.db", workers=2)
print(len(save.matches()))
"""


def test_a_script_without_a_guard_is_not_read_again(tmp_path: Path) -> None:
    alone(tmp_path, MANY)
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert (done.stdout, done.stderr) == ("read\n48\n", "")
    assert contents(tmp_path / "save.db") == contents(tmp_path / "alone.db")


async def test_an_error_in_the_pool_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def store(self: MatchRunner, played: Any) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(MatchRunner, "store", store)
    save = new_save(tmp_path, MANY)

    async with pooled(save) as running:
        closing = WorkerProcess.close

        async def slowly(worker: Any) -> None:  # so that the run could end before
            await asyncio.sleep(0.5)
            await closing(worker)

        monkeypatch.setattr(WorkerProcess, "close", slowly)
        running.runner.gate.open()
        with pytest.raises(RuntimeError, match="a bug"):
            await running.ended

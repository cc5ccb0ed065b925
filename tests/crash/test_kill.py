"""Killed at any moment and continued, a tournament ends as if nothing had happened."""

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.crash.running import (
    ANSWERS,
    MATCHES,
    OVER,
    SLOW_LEADERBOARD,
    TOURNAMENT,
    count,
    finish,
    is_in_a_match,
    kill_at,
    running,
    until,
)
from tests.tournaments import LANES, contents, environment, new_save, printed


def struck(save: Path, kills: int, dice: random.Random) -> int:
    """Kills that many runners of a save, each after some answers; returns how many struck home."""
    inside = 0
    for _ in range(kills):
        before = count(save)
        if before > ANSWERS * 0.9:
            break
        more = before + dice.randrange(1, 2 * ANSWERS // (3 * kills) + 2)
        options = ("--concurrency", dice.choice([1, 4, 64]), "--pace", dice.choice([300, 900]))
        kill_at(save, more, dice, *options)
        inside += is_in_a_match(save)
    return inside


def test_ten_kills_change_nothing(tmp_path: Path, undisturbed: dict[str, Any]) -> None:
    save = new_save(tmp_path, TOURNAMENT)
    inside = struck(save, 10, random.Random(5))
    assert inside >= 8, "the kills came between matches, not in the middle of them"
    printed("run", "--save", save, cwd=tmp_path)
    checked = printed("check", save, cwd=tmp_path)
    counts = f"{MATCHES} of {MATCHES} matches finished, {ANSWERS} answers"
    assert checked == f"{save}: {counts}. OK: every match replays identically\n"
    assert contents(save) == undisturbed


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_a_hundred_kills_change_nothing(
    tmp_path: Path, undisturbed: dict[str, Any], seed: int
) -> None:
    save = new_save(tmp_path, TOURNAMENT)
    struck(save, 10, random.Random(seed))
    finish(save)
    assert contents(save) == undisturbed


IN_A_COMMIT = """
import asyncio, os, signal, sys
from pathlib import Path
from parlour.tournament.save import writer
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.session import run_session

save, moment, steps = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
opened = writer.Writer.open.__func__

def die():
    os.kill(os.getpid(), signal.SIGKILL)

async def open_with_a_bomb(cls, path, on_trouble):
    made = await opened(cls, path, on_trouble)
    left = steps

    def tick(*_):
        nonlocal left
        left -= 1
        if left <= 0:
            die()

    def trace(sql):
        if sql == moment:
            tick()

    if moment == "insert":  # every so many steps of SQLite's own machine
        await made._connection.set_progress_handler(tick, 7)
    else:
        await made._connection.set_trace_callback(trace)
    return made

writer.Writer.open = classmethod(open_with_a_bomb)
asyncio.run(run_session(save, RunOptions(16, float(sys.argv[4]))))
"""
"""A session whose process kills itself inside a transaction, or as it is about to commit."""


@pytest.mark.parametrize(
    ("lane", "moment", "steps"),
    [
        *(("slow", "insert", 40), ("slow", "insert", 400)),
        *(("slow", "COMMIT", 1), ("slow", "COMMIT", 9)),
        *(("fast", "insert", 40), ("fast", "insert", 4000)),
        *(("fast", "COMMIT", 1), ("fast", "COMMIT", 2)),
    ],
)
def test_a_kill_inside_a_transaction_changes_nothing(
    tmp_path: Path, undisturbed: dict[str, Any], lane: str, moment: str, steps: int
) -> None:
    save = new_save(tmp_path, TOURNAMENT)
    done = subprocess.run(
        [sys.executable, "-c", IN_A_COMMIT, save, moment, str(steps), str(LANES[lane])],
        env=environment(),
        check=False,
        timeout=60,
    )
    assert done.returncode == -9
    assert count(save) < ANSWERS
    finish(save)
    assert contents(save) == undisturbed


AT_A_WRITE = """
import os, signal, sys

log, more = sys.argv[1], int(sys.argv[2])
print("watching", flush=True)
grown = last = 0
while grown < more:
    try:
        size = os.stat(log).st_size
    except OSError:
        size = 0
    grown += size != last
    last = size
os.kill(int(sys.stdin.readline()), signal.SIGKILL)
"""
"""Watches a file and kills a process at the moment when the file has grown so many times.

It reads the pid from its input, so that it watches before that process begins."""


@pytest.mark.parametrize("writes", [1, 40])
def test_a_kill_while_the_log_is_written_changes_nothing(
    tmp_path: Path, undisturbed: dict[str, Any], writes: int
) -> None:
    save = new_save(tmp_path, TOURNAMENT)
    watch = [sys.executable, "-c", AT_A_WRITE, f"{save}-wal", str(writes)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(watch, **pipes) as watcher:  # type: ignore[call-overload]
        assert watcher.stdout.readline() == "watching\n"
        with running(save, "--concurrency", 64, "--pace", 300) as process:
            watcher.communicate(f"{process.pid}\n", timeout=60)
            assert process.wait() == -9
    assert count(save) < ANSWERS
    finish(save)
    assert contents(save) == undisturbed


def test_a_kill_in_the_final_leaderboard_changes_nothing(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    save = new_save(tmp_path, TOURNAMENT)
    with running(save, code=SLOW_LEADERBOARD) as process:
        assert until(lambda: count(save, OVER) == MATCHES, process)
        process.kill()
        process.wait()
    assert count(save, "leaderboards") == 0
    printed("run", "--save", save, cwd=tmp_path)
    assert contents(save) == undisturbed


def test_two_that_start_at_once_do_not_disturb_each_other(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    save = new_save(tmp_path, TOURNAMENT)
    with running(save, "--pace", 500) as one, running(save, "--pace", 500) as two:
        said = [process.communicate() for process in (one, two)]
    codes = sorted([one.returncode, two.returncode])
    late, _ = sorted(said, key=lambda each: "Finished: " in each[0])
    # The second one finds the lock taken, or, a moment later, a runner that it resumes.
    assert codes in ([0, 2], [0, 0]), said
    reason = ": resumed. Watch it with: " if codes == [0, 0] else "is in use by process"
    assert reason in "".join(late)
    assert contents(save) == undisturbed
    assert not os.path.exists(f"{save}.sock")

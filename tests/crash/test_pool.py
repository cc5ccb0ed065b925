"""A runner with worker processes, killed at random points: nothing is lost, nobody stays."""

import os
import random
import signal
from pathlib import Path

import pytest

from tests.crash.running import ANSWERS, count, finish, kill_at, running, until
from tests.crash.test_fast_lane import repeated, undisturbed
from tests.runners import until as wait_until
from tests.tournaments import contents, new_save

pytestmark = pytest.mark.really_started  # a forked runner has its workers forked elsewhere

IN_POOL = """
import asyncio
from parlour.cli.app import main
from parlour.tournament.run import pool, runner

pool.START_SECONDS, pool.FEW, pool.LOT = 0.0, 1, 5
work = runner.Runner._work

async def once_ready(self, extra=False):
    while not self.pool.workers:
        await asyncio.sleep(0.001)
    await work(self, extra)

runner.Runner._work = once_ready
main()
"""
"""The command line where all matches are played in worker processes."""


Process = tuple[int, str]
"""The number of a process and its start time: numbers are used again. Linux only."""


def children(pid: int) -> set[Process]:
    """The processes that a process has started and that have not ended."""
    return {process for process, parent in _processes().items() if parent == pid}


def _processes() -> dict[Process, int]:
    """All processes with their parents, without those that only wait to be asked for their end."""
    parents: dict[Process, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:  # ended meanwhile
            continue
        if fields[0] not in "ZX":
            parents[int(path.parent.name), fields[19]] = int(fields[1])
    return parents


def struck(save: Path, kills: int, times: int, dice: random.Random) -> set[Process]:
    """Kills that many runners of a save; returns their worker processes."""
    workers: set[Process] = set()
    for left in range(kills, 0, -1):
        before = count(save)
        more = before + dice.randrange(1, (times * ANSWERS - before) // (left + 1))
        options = ("--workers", 2, "--concurrency", 8)
        kill_at(
            save, more, dice, *options, code=IN_POOL, look=lambda pid: workers.update(children(pid))
        )
    return workers


@pytest.mark.parametrize(
    ("kills", "times", "seed"),
    [(3, 20, 3), *(pytest.param(20, 40, seed, marks=pytest.mark.soak) for seed in range(50))],
)
def test_kills_of_a_runner_change_nothing_and_leave_nobody(
    tmp_path: Path, kills: int, times: int, seed: int
) -> None:
    save = new_save(tmp_path, repeated(times))
    workers = struck(save, kills, times, random.Random(seed))
    assert workers, "no worker process was there"
    wait_until(lambda: workers.isdisjoint(_processes()))
    finish(save)
    assert contents(save) == undisturbed(times)


def test_an_interrupted_runner_ends_with_its_worker_processes(tmp_path: Path) -> None:
    save = new_save(tmp_path, repeated(20))
    with running(save, "--workers", 2, "--concurrency", 8, code=IN_POOL) as process:
        assert until(lambda: count(save) > 0, process)
        workers = children(process.pid)
        for each in (process.pid, *(pid for pid, _ in workers)):  # as a supervisor might
            os.kill(each, signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")
    assert out.endswith(f"Continue with: parlour run {save}\n")
    assert workers.isdisjoint(_processes())
    finish(save)
    assert contents(save) == undisturbed(20)

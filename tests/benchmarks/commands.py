"""The command line: how soon it answers, how much memory it takes."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from parlour.tournament.plan.expansion import preset_names
from tests.benchmarks.measuring import Reading, bench, clocked, sized
from tests.benchmarks.store import half_finished, many
from tests.tournaments import COMMAND, environment, new_save, scripted, tamper


def wall(words: list[str]) -> float:
    """Seconds that a command takes."""
    with clocked() as clock:
        subprocess.run(words, env=environment(), check=True, stdout=subprocess.DEVNULL)
    return clock.seconds


@bench
def help_text(runs: int) -> Iterator[Reading]:
    """`parlour --help`, beside a Python that does nothing."""
    wall([*COMMAND, "--help"])  # the first time compiles
    own = tuple(wall([*COMMAND, "--help"]) for _ in range(2 * runs))
    yield Reading("parlour --help", "s", own, aim=0.2, better="less")
    bare = tuple(wall([sys.executable, "-c", "pass"]) for _ in range(2 * runs))
    yield Reading("yardstick: python -c pass", "s", bare, better="less")


@bench
def planning(runs: int) -> Iterator[Reading]:
    """`parlour plan` of every preset; the largest has 90,720 matches."""
    for preset in preset_names():
        words = [*COMMAND, "plan", "--preset", preset]
        seconds = tuple(wall(words) for _ in range(runs))
        yield Reading(f"parlour plan --preset {preset}", "s", seconds, aim=1, better="less")


CLOCKED = """
import os, subprocess, sys, time

begun = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
assert os.waitstatus_to_exitcode(status) == 0
seconds = time.perf_counter() - begun
size = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(seconds, usage.ru_utime + usage.ru_stime, size / 1e6)
"""
"""Starts a command and prints its cost. A process of its own, since a child counts the memory of
whoever forked it as its own."""


class Cost(NamedTuple):
    """Seconds by the clock, processor seconds, and the most megabytes that were held."""

    seconds: float
    processor: float
    megabytes: float = 0.0


def cost(*words: str) -> Cost:
    """The cost of a command."""
    done = subprocess.run(
        [sys.executable, "-c", CLOCKED, *words],
        env=environment(),
        check=True,
        stdout=subprocess.PIPE,
    )
    return Cost(*map(float, done.stdout.split()))


@bench
def memory(runs: int) -> Iterator[Reading]:
    """The most memory that a run of 1,200 matches holds at any moment."""
    peaks = []
    for _ in range(min(runs, 3)):
        with TemporaryDirectory() as folder:
            save = many(Path(folder), sized(5, 1), "random", "random", "random", "random")
            peaks.append(cost(*COMMAND, "run", "--save", str(save)).megabytes)
    yield Reading("memory of a run of 1,200 matches", "MB", tuple(peaks), better="less")


@bench
def exporting(runs: int) -> Iterator[Reading]:
    """Half of 10,080 matches as tables: the time, and the most memory held at any moment."""
    for form in ("csv", "parquet"):
        costs = []
        for _ in range(min(runs, 3)):
            with TemporaryDirectory() as folder:
                words = ["export", str(half_finished()), "--format", form, "--out", folder]
                costs.append(cost(*COMMAND, *words))
        seconds = tuple(each.seconds for each in costs)
        peaks = tuple(each.megabytes for each in costs)
        yield Reading(f"export of 5,000 matches as {form}", "s", seconds, better="less")
        yield Reading("memory of that", "MB", peaks, better="less")


DILEMMAS = """
name = "dilemmas"
seed = 3
repetitions = {}
[[games]]
name = "prisoners_dilemma"
""" + scripted(
    **{"Ann": "random", "Bob": "random", "Cy": "greedy"},
    **{"Di": "fearful", "Ed": "grim", "Flo": "tit_for_tat"},
)
SHOWN = (
    ("leaderboard, as stored", "leaderboard", ""),
    ("leaderboard, from stored counts", "leaderboard", "DELETE FROM leaderboards"),
    ("measures, from stored counts", "leaderboard --view measures --format csv", ""),
    ("leaderboard, from their answers", "leaderboard", "DELETE FROM counts"),
    ("measures, from their answers", "leaderboard --view measures --format csv", ""),
)
"""Views of a save, each with its command, and the change of the save before it."""


@bench
def shown(runs: int) -> Iterator[Reading]:
    """Views of 63,000 dilemmas and of 492 matches of all games, once they are played."""
    with TemporaryDirectory() as folder:
        save = new_save(Path(folder), DILEMMAS.format(sized(100, 1)))
        many, few = f"{sized(63_000, 630):,} dilemmas", f"{folder}/all.db"
        yield from _spent(f"{many} played", cost(*COMMAND, "run", "--plain", str(save)))
        for what, words, change in SHOWN:
            if change:
                tamper(save, change)
            yield from _spent(f"{many}: {what}", cost(*COMMAND, *words.split(), str(save)))
        wall([*COMMAND, "run", "--preset", "all-games", "--plain", "--save", few])
        again = [cost(*COMMAND, "leaderboard", few) for _ in range(2 * runs)]
        yield from _spent("492 matches of all games: leaderboard, as stored", *again)


def _spent(what: str, *costs: Cost) -> Iterator[Reading]:
    yield Reading(f"{what}: CPU", "s", tuple(each.processor for each in costs), better="less")
    yield Reading("  memory", "MB", tuple(each.megabytes for each in costs), better="less")

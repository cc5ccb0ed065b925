"""The command line: how soon it answers, how much memory it takes."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from parlour.tournament.plan.loader import preset_names
from tests.benchmarks.measuring import Reading, bench, clocked, sized
from tests.benchmarks.store import half_finished, many
from tests.tournaments import COMMAND, environment


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


PEAK = """
import os, subprocess, sys

process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
assert os.waitstatus_to_exitcode(status) == 0
print(usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""
"""Starts a command and prints the most bytes that it held. A process of its own, since a child
counts the memory of whoever forked it as its own."""


@bench
def memory(runs: int) -> Iterator[Reading]:
    """The most memory that a run of 1,200 matches holds at any moment."""
    peaks = []
    for _ in range(min(runs, 3)):
        with TemporaryDirectory() as folder:
            save = many(Path(folder), sized(5, 1), "random", "random", "random", "random")
            words = [sys.executable, "-c", PEAK, *COMMAND, "run", "--save", str(save)]
            done = subprocess.run(words, env=environment(), check=True, stdout=subprocess.PIPE)
            peaks.append(int(done.stdout) / 1e6)
    yield Reading("memory of a run of 1,200 matches", "MB", tuple(peaks), better="less")


@bench
def exporting(runs: int) -> Iterator[Reading]:
    """Half of 10,080 matches as tables: the time, and the most memory held at any moment."""
    for form in ("csv", "parquet"):
        seconds, peaks = [], []
        for _ in range(min(runs, 3)):
            with TemporaryDirectory() as folder:
                words = ["export", str(half_finished()), "--format", form, "--out", folder]
                with clocked() as clock:
                    done = subprocess.run(
                        [sys.executable, "-c", PEAK, *COMMAND, *words],
                        env=environment(),
                        check=True,
                        stdout=subprocess.PIPE,
                    )
                seconds.append(clock.seconds)
                peaks.append(int(done.stdout) / 1e6)
        yield Reading(f"export of 5,000 matches as {form}", "s", tuple(seconds), better="less")
        yield Reading("memory of that", "MB", tuple(peaks), better="less")

"""The impostor paper's whole experiment, played by scripted agents to the end."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.benchmarks.commands import wall
from tests.benchmarks.measuring import Reading, bench, clocked, sized
from tests.tournaments import COMMAND, environment

STRATEGIES = ("random", "literal", "cautious", "bayesian")
PAPER = 'name = "paper"\npreset = "impostor-paper"\n'
AGENT = '\n[[agents]]\nname = "Agent {}"\nstrategy = "{}"\n'

RUN = """
import resource, sys
from parlour.cli.app import main

try:
    main()
finally:
    own, others = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds = sum(each.ru_utime + each.ru_stime for each in (own, others))
    print(own.ru_maxrss * (1 if sys.platform == "darwin" else 1024), seconds, file=sys.stderr)
"""
"""Runs a command. Says the most bytes that its own process held, less those that it started, and
the processor time of all of them."""


@bench
def whole_paper(runs: int) -> Iterator[Reading]:
    """90,720 matches of impostor from the plan to the leaderboard, with one and two workers.

    Once each, since it takes minutes.
    """
    with TemporaryDirectory() as folder:
        plan = Path(folder, "paper.toml")
        agents = (AGENT.format(n, STRATEGIES[n % 4]) for n in range(sized(9, 2)))
        plan.write_text(PAPER + "".join(agents), encoding="utf-8")
        for workers, aim in (("1", 60), ("2", 40)):
            save = Path(folder, f"paper-{workers}.db")
            taken = _run("run", str(plan), "--save", str(save), "--workers", workers)
            with closing(sqlite3.connect(save)) as connection:
                left = "SELECT count(*) FROM matches WHERE outcome IS NULL"
                assert connection.execute(left).fetchone()[0] == 0
            what = f"the whole paper, played and rated, --workers {workers}"
            yield Reading(what, "s", (taken.seconds,), aim, better="less")
            yield Reading("its processor time", "s", (taken.processor,), better="less")
            yield Reading("most memory of its runner", "MB", (taken.memory,), 300, better="less")
        words = [*COMMAND, "leaderboard", str(save)]
        stored = tuple(wall(words) for _ in range(min(runs, 3)))
        yield Reading("its leaderboard, as stored", "s", stored, aim=3, better="less")
        with closing(sqlite3.connect(save)) as connection, connection:
            connection.execute("DELETE FROM leaderboards")
        yield Reading("the same, of stored counts", "s", (wall(words),), aim=3, better="less")
        taken = _run("leaderboard", str(save), "--view=measures", "--format", "csv")
        yield Reading("every measure, of stored counts", "s", (taken.seconds,), 10, better="less")
        yield Reading("most memory for them", "MB", (taken.memory,), aim=1000, better="less")
        with closing(sqlite3.connect(save)) as connection, connection:
            connection.execute("DELETE FROM counts")
        again = wall([*COMMAND, "leaderboard", str(save)])
        yield Reading("yardstick: leaderboard counted again", "s", (again,), better="less")
        seconds = _run("leaderboard", str(save), "--view=measures", "--format", "csv").seconds
        yield Reading("yardstick: measures counted again", "s", (seconds,), better="less")
        pages = Path(folder, "paper")
        taken = _run("site", str(save), "--out", str(pages))
        yield Reading("its site", "s", (taken.seconds,), aim=60, better="less")
        yield Reading("most memory for it", "MB", (taken.memory,), aim=1000, better="less")
        size = sum(file.stat().st_size for file in pages.rglob("*") if file.is_file()) / 1e6
        yield Reading("size of the site", "MB", (size,), aim=100, better="less")
        words = [*COMMAND, "compare", str(save), "Agent 0", "Agent 1"]
        yield Reading("two of its agents compared", "s", (wall(words),), better="less")


class _Taken(NamedTuple):
    """Seconds on the wall's clock and of processors, and megabytes, that a command took."""

    seconds: float
    processor: float
    memory: float


def _run(*words: str) -> _Taken:
    with clocked() as clock:
        done = subprocess.run(
            [sys.executable, "-c", RUN, *words],
            env=environment(),
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
    memory, processor = map(float, done.stderr.split()[-2:])
    return _Taken(clock.seconds, processor, memory / 1e6)

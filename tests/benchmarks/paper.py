"""The impostor paper's whole experiment, played by scripted agents to the end."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

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
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(most * (1 if sys.platform == "darwin" else 1024), file=sys.stderr)
"""
"""Runs a command and says the most bytes that its own process held, less those that it started."""


@bench
def whole_paper(runs: int) -> Iterator[Reading]:
    """90,720 matches of impostor from the plan to the leaderboard; once, since it takes minutes."""
    with TemporaryDirectory() as folder:
        plan, save = Path(folder, "paper.toml"), Path(folder, "paper.db")
        agents = (AGENT.format(n, STRATEGIES[n % 4]) for n in range(sized(9, 2)))
        plan.write_text(PAPER + "".join(agents), encoding="utf-8")
        seconds, memory = _run("run", str(plan), "--save", str(save))
        with closing(sqlite3.connect(save)) as connection:
            left = "SELECT count(*) FROM matches WHERE outcome IS NULL"
            assert connection.execute(left).fetchone()[0] == 0
        yield Reading("the whole paper, played and rated", "s", (seconds,), better="less")
        yield Reading("most memory of its runner", "MB", (memory,), aim=400, better="less")
        words = [*COMMAND, "leaderboard", str(save)]
        stored = tuple(wall(words) for _ in range(min(runs, 3)))
        yield Reading("its leaderboard, as stored", "s", stored, aim=3, better="less")
        with closing(sqlite3.connect(save)) as connection, connection:
            connection.execute("DELETE FROM leaderboards")
        yield Reading("the same, of stored counts", "s", (wall(words),), aim=3, better="less")
        seconds, memory = _run("measures", str(save), "--format", "csv")
        yield Reading("every measure, of stored counts", "s", (seconds,), aim=10, better="less")
        yield Reading("most memory for them", "MB", (memory,), aim=1000, better="less")
        with closing(sqlite3.connect(save)) as connection, connection:
            connection.execute("DELETE FROM counts")
        again = wall([*COMMAND, "leaderboard", str(save)])
        yield Reading("yardstick: leaderboard counted again", "s", (again,), better="less")
        seconds, _ = _run("measures", str(save), "--format", "csv")
        yield Reading("yardstick: measures counted again", "s", (seconds,), better="less")
        page = Path(folder, "paper.html")
        seconds, memory = _run("report", str(save), "--out", str(page))
        yield Reading("its report", "s", (seconds,), aim=60, better="less")
        yield Reading("most memory for it", "MB", (memory,), aim=1000, better="less")
        size = page.stat().st_size / 1e6
        yield Reading("size of the report", "MB", (size,), aim=20, better="less")
        words = [*COMMAND, "compare", str(save), "Agent 0", "Agent 1"]
        yield Reading("two of its agents compared", "s", (wall(words),), better="less")


def _run(*words: str) -> tuple[float, float]:
    """Seconds that a command took, and the most megabytes that it held."""
    with clocked() as clock:
        done = subprocess.run(
            [sys.executable, "-c", RUN, *words],
            env=environment(),
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
    return clock.seconds, int(done.stderr.split()[-1]) / 1e6

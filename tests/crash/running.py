"""A runner in a process of its own, and the moments at which it can be struck."""

import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.reader import Save
from tests.tournaments import COMMAND, ROOT, environment, play

TOURNAMENT = """
name = "struck"
seed = 11
[[games]]
name = "undercover"
limit = 3
[[agents]]
name = "Ada"
strategy = "bayesian"
[[agents]]
name = "Rob"
strategy = "random"
[[agents]]
name = "Lin"
strategy = "literal"
[[agents]]
name = "Cat"
strategy = "cautious"
"""
"""3 settings, 6 pairs, 2 sides: 36 matches of 21 answers."""
MATCHES, ANSWERS = 36, 36 * 21
OVER = "matches WHERE outcome IS NOT NULL"


SLOW_LEADERBOARD = """
import sys, time
from parlour.cli.app import main
from parlour.ratings.reports import ranking as reports

quick = reports.leaderboard

def slow(*records, **how):
    open(sys.argv[sys.argv.index("--save") + 1] + ".slow", "w").close()
    time.sleep(5)
    return quick(*records, **how)

reports.leaderboard = slow
main()
"""
"""The command line with a leaderboard that takes its time, so that it can be struck there: once a
file beside the save says that it has begun."""


@contextmanager
def running(
    save: Path, *options: object, code: str | None = None, **how: object
) -> Iterator[subprocess.Popen[str]]:
    """`parlour run --save` in a process of its own, which is gone at the end."""
    command = [sys.executable, "-c", code] if code else COMMAND
    with subprocess.Popen(
        [*command, "run", "--save", str(save), "--plain", *map(str, options)],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **how,  # type: ignore[call-overload]
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def count(save: Path, what: str = "answers") -> int:
    """Number of durable rows of a table."""
    connection = sqlite3.connect(f"{save.as_uri()}?mode=ro", uri=True)
    try:
        return int(connection.execute(f"SELECT count(*) FROM {what}").fetchone()[0])
    finally:
        connection.close()


def until(reached: Callable[[], bool], process: subprocess.Popen[str]) -> bool:
    """Waits until something is so; False if the process ended first."""
    deadline = time.monotonic() + 60
    while not reached():
        if process.poll() is not None:
            return False
        assert time.monotonic() < deadline, "nothing happened for a minute"
        time.sleep(0.001)
    return True


def kill_at(
    save: Path,
    answers: int,
    dice: random.Random,
    *options: object,
    code: str | None = None,
    look: Callable[[int], object] = lambda _pid: None,
) -> None:
    """Kills a run a moment after so many answers are stored, none of which may be gone then.

    ``look`` gets the number of the process before it is killed.
    """
    with running(save, *options, code=code) as process:
        if until(lambda: count(save) >= answers, process):
            time.sleep(dice.uniform(0, 0.02))
            look(process.pid)
            process.kill()
    assert process.wait() == -9, "it was too quick"
    assert count(save) >= answers, "what had been durable is gone"


def is_in_a_match(save: Path) -> bool:
    """True if a match has some of its answers, and not all."""
    with Save(save) as opened:
        return any(0 < len(its) < 21 for its in opened.unfinished_answers().values())


def finish(save: Path) -> None:
    """Lets a struck tournament come to its end, and looks it over."""
    assert play(save).progress.done
    with Save(save) as opened:
        assert first_difference(opened) is None

"""A million planned matches: made, begun, resumed and looked at; beside them a tenth as many."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from parlour.tui.models.match_tree import MatchTree, TreeBasis
from parlour.tui.models.save_view import SaveView
from tests.benchmarks.commands import Cost, cost
from tests.benchmarks.measuring import Reading, bench, clocked, sized
from tests.benchmarks.memory import resident
from tests.benchmarks.store import BLOCK, many
from tests.tournaments import COMMAND, environment

SIZES = ((4166, 20), (416, 2))
"""Repetitions of a block, in full and small: as many as a tournament may have, and a tenth."""
PLAYERS = ("random",) * 4
ROOM = 40


def _made(folder: Path, repetitions: int) -> tuple[Path, Cost]:
    with clocked() as clock, clocked(time.process_time) as processor:
        save = many(folder, repetitions, *PLAYERS)
    return save, Cost(clock.seconds, processor.seconds)


def _inserted(save: Path) -> Cost:
    """The yardstick: the same rows put into a new file, by SQLite alone."""
    copy = save.with_name("copy.db")
    with closing(sqlite3.connect(save)) as connection:
        rows = connection.execute("SELECT * FROM stored_matches").fetchall()
        (table,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'stored_matches'")
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute(table[0])
        with clocked() as clock, clocked(time.process_time) as processor, connection:
            connection.executemany(f"INSERT INTO stored_matches VALUES ({'?, ' * 14}?)", rows)
    copy.unlink()
    return Cost(clock.seconds, processor.seconds)


def _first_answer(save: Path) -> Cost:
    """From the start of a runner to its next durable answer; it is killed there."""
    newest = "SELECT coalesce(max(seq), 0) FROM answers"
    with closing(sqlite3.connect(f"{save.as_uri()}?mode=ro", uri=True)) as reader:
        before = reader.execute(newest).fetchone()
        words = [*COMMAND, "run", "--save", str(save)]
        with clocked() as clock:
            process = subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL)
            while reader.execute(newest).fetchone() == before:
                assert process.poll() is None, "there were too few matches to measure with"
                time.sleep(0.002)
        megabytes = resident(process.pid)
        process.kill()
        _pid, _status, usage = os.wait4(process.pid, 0)
    return Cost(clock.seconds, usage.ru_utime + usage.ru_stime, megabytes)


def _looked_at(save: Path) -> Cost:
    """Everything that the live screen reads before its first frame, and its list of matches."""
    with clocked() as clock, clocked(time.process_time) as processor:
        watched = SaveView(save)
        games = [(e.game.name, e.condition) for e in watched.save.tournament.games]
        number = watched.first_to_show()
        watched.look_at(number)
        MatchTree(watched.lines, games).update(TreeBasis(watched.at_table(), number, ROOM))
    watched.close()
    return Cost(clock.seconds, processor.seconds)


def _readings(what: str, of: Cost, aim: float | None = None) -> Iterator[Reading]:
    yield Reading(what, "s", (of.seconds,), aim, "less")
    yield Reading("  processor time", "s", (of.processor,), better="less")
    if of.megabytes:
        yield Reading("  memory", "MB", (of.megabytes,), 300, "less")


@bench
def million_planned(runs: int) -> Iterator[Reading]:
    """999,840 planned matches, and a tenth as many; once, since each step takes seconds."""
    for full, small in SIZES:
        repetitions = sized(full, small)
        matches = f"{repetitions * BLOCK:,} matches"
        aims = (30.0, 10.0, 10.0, 1.0, 1.0) if full == SIZES[0][0] else (None,) * 5
        with TemporaryDirectory() as folder:
            save, made = _made(Path(folder), repetitions)
            yield from _readings(f"{matches} planned and stored", made, aims[0])
            yield from _readings("yardstick: their rows inserted by SQLite", _inserted(save))
            bytes_each = save.stat().st_size / (repetitions * BLOCK)
            yield Reading("  of the file, a match", "bytes", (bytes_each,), better="less")
            yield from _readings(f"{matches}: start to an answer", _first_answer(save), aims[1])
            yield from _readings(f"{matches}: resumed after a kill", _first_answer(save), aims[2])
            yield from _readings(f"{matches}: read for the screen", _looked_at(save), aims[3])
            status = cost(*COMMAND, "status", str(save))
            yield from _readings(f"{matches}: parlour status", status, aims[4])
            ranked = cost(*COMMAND, "leaderboard", str(save))
            yield from _readings(f"{matches}: parlour leaderboard", ranked)
            bare = cost(sys.executable, "-c", "import parlour.cli.status")
            yield from _readings("yardstick: its modules imported", bare)

"""Writing to the disk: durable answers, whole matches, and resuming a big save."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from parlour.games.engine.dice import Dice
from parlour.ratings.reports.ranking import leaderboard
from parlour.tournament.plan.loader import read_preset
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import rebuild
from parlour.tournament.save.rows import ADD_ANSWER, outcome_to_json
from parlour.tournament.save.writer import Writer
from tests.benchmarks.measuring import Reading, bench, clocked, sized
from tests.benchmarks.tables import played
from tests.tournaments import COMMAND, environment, play, scripted, tournament

AT_ONCE = 64


async def _writer(save: Path) -> Writer:
    return await Writer.open(save, lambda reason: print(reason, file=sys.stderr))


@bench
def durable_answers(runs: int) -> Iterator[Reading]:
    """Answers stored by 64 at once, each going on when its own is durable; two yardsticks."""
    answers = sized(20_000, 500)
    alone_answers = sized(300, 20)  # the yardsticks share no sync with others
    rows = list(chain.from_iterable(match.stored for match in played()))
    rows = [rows[n % len(rows)]._replace(match=n // 64 + 1, ask=n % 64) for n in range(answers)]

    async def grouped(save: Path) -> float:
        writer = await _writer(save)
        todo = iter(rows)

        async def put() -> None:
            for row in todo:
                await writer.answer(row)

        try:
            with clocked() as clock:
                await asyncio.gather(*(put() for _ in range(AT_ONCE)))
        finally:
            await writer.close()  # else its thread would keep this process
        return answers / clock.seconds

    def alone(save: Path) -> float:
        connection = sqlite3.connect(save, isolation_level=None)
        connection.execute("PRAGMA synchronous = FULL")
        with clocked() as clock:
            for number, row in enumerate(rows[:alone_answers]):
                connection.execute(ADD_ANSWER, (number, *row[1:10], None, None))
        connection.close()
        return alone_answers / clock.seconds

    def syncs(file: Path) -> float:
        page = os.urandom(4096)
        with file.open("wb", buffering=0) as out, clocked() as clock:
            for _ in range(alone_answers):
                out.write(page)
                os.fsync(out.fileno())
        return alone_answers / clock.seconds

    together, one_by_one, bare = [], [], []
    for _ in range(runs):
        with TemporaryDirectory() as folder:
            for number, (rates, measure) in enumerate(
                ((together, lambda save: asyncio.run(grouped(save))), (one_by_one, alone))
            ):
                save = Path(folder, f"{number}.db")
                create_save(save, read_preset("demo"))
                rates.append(measure(save))
            bare.append(syncs(Path(folder, "bare")))
    yield Reading(f"durable answers, {AT_ONCE} at once", "answers/s", tuple(together))
    yield Reading("yardstick: SQLite, one by one", "answers/s", tuple(one_by_one))
    yield Reading("yardstick: write and fsync", "syncs/s", tuple(bare))


MANY = """
name = "many"
seed = 1
repetitions = {repetitions}
[[games]]
name = "undercover"
"""
BLOCK = 240
"""Matches of one repetition."""


def many(folder: Path, repetitions: int, *strategies: str) -> Path:
    text = MANY.format(repetitions=repetitions)
    text += scripted(**dict(zip("ABCD", strategies, strict=True)))
    save = folder / "many.db"
    create_save(save, tournament(folder, text))
    return save


@bench
def stored_matches(runs: int) -> Iterator[Reading]:
    """1,200 matches of a session, from opening the save to its stored leaderboard."""
    repetitions = sized(5, 1)

    def run(save: Path) -> float:
        with clocked() as clock:
            ended = play(save, concurrency=AT_ONCE)
        assert ended.progress.done
        return repetitions * BLOCK / clock.seconds

    for who, strategies in (
        ("players at random", ("random",) * 4),
        ("the demo's players", ("random", "literal", "cautious", "bayesian")),
    ):
        rates = []
        for _ in range(runs):
            with TemporaryDirectory() as folder:
                rates.append(run(many(Path(folder), repetitions, *strategies)))
        yield Reading(f"matches stored, {AT_ONCE} at once, {who}", "matches/s", tuple(rates))


@cache
def half_finished() -> Path:
    """A save of 10,080 matches: 5,000 are over, and 64 more have half of their answers."""
    over = sized(5000, BLOCK)
    folder = Path(mkdtemp(prefix="parlour-bench-"))
    path = many(folder, sized(42, 2), "random", "random", "random", "random")
    with Save(path) as save:
        planned = save.matches_after(0, over + AT_ONCE)
        new = [rebuild(save.tournament, match, []) for match in planned]
    answers, outcomes = [], []
    for match, table in zip(planned, new, strict=True):
        while (ask := table.pending) is not None:
            number, digest = table.ask_number, table.digest()
            if match.number > over and number > 5:
                break
            given = {s: ask.sample(s, Dice(match.seed, number, s)) for s in ask.seats}
            answers += [
                (match.number, number, s, ask.kind, ask.round, v.model_dump_json(), 1, digest)
                for s, v in given.items()
            ]
            table.answer(given)
        if table.outcome is not None:
            outcomes.append((outcome_to_json(table.outcome), match.number))
    connection = sqlite3.connect(path)
    with connection:
        connection.executemany(
            "INSERT INTO answers (match, ask, seat, kind, round, value, tries, digest)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            answers,
        )
        connection.executemany("UPDATE matches SET outcome = ? WHERE number = ?", outcomes)
    connection.close()
    return path


@bench
def resuming(runs: int) -> Iterator[Reading]:
    """From the start of the process to the first new durable answer, on 10,080 matches."""
    path = half_finished()

    def newest(connection: sqlite3.Connection) -> int:
        return int(connection.execute("SELECT max(seq) FROM answers").fetchone()[0])

    whole, within = [], []
    for _ in range(runs):
        with TemporaryDirectory() as folder:
            save = Path(shutil.copy(path, folder))
            reader = sqlite3.connect(f"{save.as_uri()}?mode=ro", uri=True)
            before = newest(reader)
            words = [*COMMAND, "run", "--save", str(save)]
            with clocked() as clock:
                process = subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL)
                while newest(reader) == before and process.poll() is None:
                    time.sleep(0.002)
            process.kill()
            process.wait()
            assert newest(reader) > before
            reader.close()
            whole.append(clock.seconds)
            with clocked() as clock, Save(save) as opened:
                left = opened.matches("unfinished")
                begun = opened.unfinished_answers()
                for match in left[:AT_ONCE]:
                    rebuild(opened.tournament, match, begun.get(match.number, []))
            within.append(clock.seconds)
    yield Reading("resuming 10,080 matches", "s", tuple(whole), aim=2.0, better="less")
    yield Reading("of which reading and rebuilding", "s", tuple(within), better="less")


@bench
def leaderboards(runs: int) -> Iterator[Reading]:
    """The leaderboard of 5,000 finished matches, from the save."""
    seconds = []
    for _ in range(min(runs, 3)):
        with clocked() as clock, Save(half_finished()) as save:
            leaderboard(save.records())
        seconds.append(clock.seconds)
    yield Reading("leaderboard of 5,000 matches", "s", tuple(seconds), better="less")


@bench
def reading(runs: int) -> Iterator[Reading]:
    """The records of 5,000 finished matches, as ratings read them; beside it the bare rows."""
    path, rates, bare = half_finished(), [], []
    for _ in range(runs):
        with clocked(time.process_time) as clock, Save(path) as save:
            matches = len(save.records())
        rates.append(matches / clock.seconds)
        with clocked(time.process_time) as clock, closing(sqlite3.connect(path)) as connection:
            connection.execute("SELECT * FROM answers ORDER BY match, ask, seat").fetchall()
            connection.execute("SELECT * FROM matches ORDER BY number").fetchall()
        bare.append(matches / clock.seconds)
    yield Reading("records read of 5,000 matches", "matches/s", tuple(rates))
    yield Reading("yardstick: their rows from SQLite", "matches/s", tuple(bare))

"""The screen as a terminal gets it: bytes, delays, first frames and memory, on a real pty."""

import argparse
import shutil
import sqlite3
import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from parlour.tournament.save.growing.create import create_save
from parlour.tui.models.save_view import SaveView
from tests.benchmarks.measuring import Reading, bench, clocked, sized
from tests.benchmarks.store import BLOCK, many
from tests.runners import runner_process
from tests.terminals import Terminal, shown
from tests.tournaments import COMMAND, play, tournament

SIZES = ((80, 24), (120, 40), (200, 60))
SLOW_LINE = {(80, 24): 15, (160, 48): 40}
"""The most kilobytes a second over a slow line, by the size of the terminal."""
TEN_AT_ONCE = ("--concurrency", 10, "--pace", 40)
PACES = {"full speed": (), "16 asks a second": ("--pace", 16)}
AT_ONCE = ("--concurrency", 64)
PLAYERS = ("random", "literal", "cautious", "bayesian")
WINDOW_SECONDS = 2.0
SETTLE_SECONDS = 2.0
LINE_SECONDS = 20
GAMES = ("donation", "prisoners_dilemma", "reciprocity", "investment", "public_good")
STRATEGIES = {"Rowan": '"random"', "Linus": '"cooperate"', "Bea": '"equilibrium"'}
MEMORY_SECONDS = 60.0
TRUECOLOR = {"COLORTERM": "truecolor"}
STATUS = rb"of \d+(?: matches)?"
"""Part of the header of the live screen from its first frame on."""


@contextmanager
def live(save: Path, size: tuple[int, int], *words: object) -> Iterator[Terminal]:
    """The live screen of a save that 64 matches at once are played in."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with (
        runner_process(save, *AT_ONCE, *words, **quiet) as process,
        shown([*COMMAND, "attach", str(save)], size, save.parent, **TRUECOLOR) as terminal,
    ):
        terminal.until(STATUS)
        time.sleep(sized(SETTLE_SECONDS, 0.5))
        yield terminal
        assert process.poll() is None, "there were too few matches to measure with"


@bench
def screen_bytes(runs: int) -> Iterator[Reading]:
    """Bytes that the live screen sends to the terminal, and its share of a processor."""
    with TemporaryDirectory() as folder:
        save = many(Path(folder), sized(100, 20), *PLAYERS)
        for pace, words in PACES.items():
            for columns, rows in SIZES:
                sent, busy = [], []
                with live(save, (columns, rows), *words) as terminal:
                    for _ in range(runs):
                        before, begun = terminal.cpu_seconds(), time.perf_counter()
                        sent.append(terminal.bytes_within(sized(WINDOW_SECONDS, 0.3)) / 1000)
                        passed = time.perf_counter() - begun
                        busy.append(100 * (terminal.cpu_seconds() - before) / passed)
                what = f"live screen {columns}x{rows}, 64 at once, {pace}"
                yield Reading(what, "KB/s", tuple(sent), aim=50, better="less")
                yield Reading("  its processor time", "% of a core", tuple(busy), better="less")


@bench
def slow_line(runs: int) -> Iterator[Reading]:
    """Bytes that the live screen sends at 40 asks a second, all games: mean and worst second."""
    seconds = sized(LINE_SECONDS, 1)
    with TemporaryDirectory() as folder:
        save = Path(folder) / "games.db"
        create_save(save, tournament(Path(folder), games_text(sized(3, 1))))
        for (columns, rows), most in SLOW_LINE.items():
            mean, worst = [], []
            with live(save, (columns, rows), *TEN_AT_ONCE) as terminal:
                for _ in range(runs):
                    each = [terminal.bytes_within(1.0) / 1000 for _ in range(seconds)]
                    mean.append(statistics.fmean(each))
                    worst.append(max(each))
            what = f"live screen {columns}x{rows}, 10 at once, 40 asks a second"
            yield Reading(what, "KB/s", tuple(mean), aim=most, better="less")
            yield Reading("  worst second", "KB", tuple(worst), aim=most, better="less")


def games_text(repetitions: int) -> str:
    """A tournament of all games, a gossip game first, whose screen changes most."""
    text = f'name = "games"\nseed = 1\nrepetitions = {repetitions}\n'
    for name in GAMES:
        text += f'[[games]]\nname = "{name}"\n'
    for name, strategy in STRATEGIES.items():
        text += f'[[agents]]\nname = "{name}"\nstrategy = {strategy}\n'
    return text


def largest(folder: Path) -> Path:
    """A save of 90,720 matches, as many as the largest plan has, one block still to be played.

    One block is really played, the others are copies of it: enough to look at, not to replay.
    """
    (folder / "block").mkdir()
    block, blocks = many(folder / "block", 1, *PLAYERS), sized(90_720, 960) // BLOCK
    play(block, concurrency=64)
    save = many(folder, blocks, *PLAYERS)
    columns = "ask, seat, kind, round, value, fault, tries, notes, digest"
    with closing(sqlite3.connect(save)) as connection:
        connection.execute("ATTACH ? AS block", (str(block),))
        with connection:
            for number in range(blocks - 1):
                connection.execute(
                    f"INSERT INTO answers (match, {columns}) SELECT match + ?, {columns}"
                    " FROM block.answers ORDER BY seq",
                    (BLOCK * number,),
                )
            connection.execute(
                "UPDATE matches SET outcome = (SELECT outcome FROM block.matches AS played"
                f" WHERE played.number = (matches.number - 1) % {BLOCK} + 1) WHERE number <= ?",
                (BLOCK * (blocks - 1),),
            )
    shutil.rmtree(folder / "block")
    return save


@bench
def watching_much(runs: int) -> Iterator[Reading]:
    """Opening a save of 90,720 matches as a viewer does, and one poll of it."""
    opened, polled = [], []
    with TemporaryDirectory() as folder:
        save = largest(Path(folder))
        for _ in range(runs):
            with clocked() as clock:
                watched = SaveView(save)
            opened.append(clock.seconds)
            watched._seq -= 1250  # what comes in a quarter of a second at 5,000 a second
            with clocked() as clock:
                assert watched.poll()
            polled.append(1000 * clock.seconds)
            watched.close()
    yield Reading("opening 90,720 matches to watch", "s", tuple(opened), better="less")
    # A tick has a quarter of a second, for painting too.
    yield Reading("one poll of it", "ms", tuple(polled), aim=25, better="less")


@bench
def viewer_memory(runs: int, seconds: float = MEMORY_SECONDS) -> Iterator[Reading]:
    """Memory of the live screen while 64 matches run at once, and its growth."""
    seconds = sized(seconds, 5.0)
    moments, held = [], []
    with TemporaryDirectory() as folder:
        # Enough matches: what full speed takes is cut by the pace.
        save = many(Path(folder), sized(100, 20), *PLAYERS)
        with live(save, (120, 40), "--pace", 500) as terminal:
            begun = time.perf_counter()
            while (passed := time.perf_counter() - begun) < seconds:
                moments.append(passed / 60)
                held.append(terminal.megabytes())
                time.sleep(min(10.0, seconds / 6))
    late = len(held) // 3  # past what the first minute's imports and caches take
    slope = statistics.linear_regression(moments[late:], held[late:]).slope
    yield Reading(f"the viewer's memory over {seconds:.0f} s", "MB", tuple(held), better="less")
    yield Reading("  its growth", "MB/min", (slope,), better="less")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=viewer_memory.__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="for how long (600)")
    for reading in viewer_memory(1, parser.parse_args().seconds):
        print(*reading.row())

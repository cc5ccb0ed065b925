"""First frames, bytes and delays of keys on a real pty, beside other programs in one run."""

import random
import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.measuring import Reading, bench, sized
from tests.benchmarks.store import BLOCK, many
from tests.benchmarks.terminal import PLAYERS, TRUECOLOR, largest, live
from tests.terminals import SEQUENCES, Terminal, shown
from tests.tournaments import COMMAND, play

SIZE = (160, 48)
PRESSES = 8
"""Of each key in a run."""
SETTLE_SECONDS = 1.0
CORNER = "╭".encode()
CURSOR = rb"174;159;250[0-9;]*m" + "▎".encode()
"""The cursor of a list, in the same colour."""
FOCUS = rb"174;159;250[0-9;]*m" + CORNER
"""The border of a pane in the accent of `parlour-night`: it has the keys now."""


def p95(delays: list[float]) -> float:
    """The 95th percentile, in milliseconds."""
    return 1000 * statistics.quantiles(delays, n=20, method="inclusive")[-1]


def first_frame_at(terminal: Terminal, seconds: float = 30.0) -> float:
    """When half of the cells of a terminal had been written first."""
    enough, deadline = terminal.columns * terminal.rows // 2, time.perf_counter() + seconds
    while time.perf_counter() < deadline and terminal.program.poll() is None:
        cells = 0
        for when, piece in list(terminal.shown):
            cells += sum(len(match["text"] or b"") for match in SEQUENCES.finditer(piece))
            if cells >= enough:
                return when
        time.sleep(0.01)
    raise TimeoutError("no frame was shown")


def _programs(save: Path) -> dict[str, list[str]]:
    """The commands that are compared, by their names; ours first."""
    programs = {
        "parlour": COMMAND,
        "parlour attach": [*COMMAND, "attach", str(save)],
        "yardstick: the demo of Textual": [sys.executable, "-m", "textual"],
    }
    posting = shutil.which("posting")
    if posting is None:
        print("posting is not on the PATH: left out", file=sys.stderr)
    else:
        programs["yardstick: posting"] = [posting, "default"]
    return programs


@bench
def first_frame(runs: int) -> Iterator[Reading]:
    """From the start of a program to its first frame, bytes of its start, and Tab to paint."""
    seconds: dict[str, list[float]] = {}
    kilobytes: dict[str, list[float]] = {}
    delays: dict[str, list[float]] = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        save = many(folder, 1, *PLAYERS)
        play(save, concurrency=64)
        for run in range(runs + 1):
            for program, words in _programs(save).items():
                with shown(words, SIZE, folder, **TRUECOLOR) as terminal:
                    try:
                        at = first_frame_at(terminal) - terminal.begun
                    except TimeoutError:
                        if program.startswith("parlour"):
                            raise
                        print(f"{program}: no frame was shown", file=sys.stderr)
                        continue
                    time.sleep(sized(SETTLE_SECONDS, 0.3))
                    size = len(terminal.written) / 1000
                    pressed = [terminal.press(b"\t", b".") for _ in range(3)]
                if run:  # the first time fills the disk's cache
                    seconds.setdefault(program, []).append(at)
                    kilobytes.setdefault(program, []).append(size)
                    delays.setdefault(program, []).append(1000 * statistics.median(pressed))
    for program, each in seconds.items():
        aim = 1 if program.startswith("parlour") else None
        yield Reading(f"{program}: first frame", "s", tuple(each), aim, "less")
        yield Reading("  written by a second later", "KB", tuple(kilobytes[program]), None, "less")
        yield Reading("  Tab to paint", "ms", tuple(delays[program]), None, "less")


@bench
def much_played(runs: int) -> Iterator[Reading]:
    """The live screen of 90,720 matches: its first frame, and its cursor key."""
    frames, delays = [], []
    with TemporaryDirectory() as name:
        save = largest(Path(name))
        for _ in range(runs):
            with shown([*COMMAND, "attach", str(save)], SIZE, save.parent, **TRUECOLOR) as terminal:
                frames.append(first_frame_at(terminal) - terminal.begun)
                terminal.until(rb"of \d+")
                time.sleep(sized(SETTLE_SECONDS, 0.3))
                for _ in range(sized(4 * PRESSES, 2)):
                    time.sleep(0.05)
                    delays.append(terminal.press(b"k", CURSOR))
    matches = sized(90_720, 4 * BLOCK)
    yield Reading(f"first frame with {matches:,} matches", "s", tuple(frames), None, "less")
    yield Reading("  cursor key to paint, p95", "ms", (p95(delays),), 50, "less")


@bench
def key_to_paint(runs: int) -> Iterator[Reading]:
    """From a key to what it does on the screen, with 64 matches in play and standings counted."""
    dice = random.Random(1)
    each: dict[str, list[float]] = {}

    def pressed(key: bytes, name: str, answer: bytes) -> float:
        time.sleep(dice.uniform(0.05, 0.35))  # at any moment between two ticks
        delay = terminal.press(key, answer)
        each.setdefault(name, []).append(delay)
        return delay

    whole = []
    with TemporaryDirectory() as folder:
        save = many(Path(folder), sized(100, 20), *PLAYERS)
        with live(save, SIZE, "--pace", 500) as terminal:
            for _ in range(runs):
                delays = []
                for _ in range(sized(PRESSES, 1)):
                    delays.append(pressed(b"1", "1 to 4, another pane", b"."))
                    rows = (b"j", b"k")
                    delays += [pressed(key, "j and k, another row", CURSOR) for key in rows]
                    panes = (b"2", b"3", b"4")
                    delays += [pressed(key, "1 to 4, another pane", FOCUS) for key in panes]
                    after = len(terminal.shown)
                    delays.append(pressed(b" ", "space, pause", b"paus"))
                    terminal.until(b"paused", after)
                    delays.append(pressed(b" ", "space, go on", b"running"))
                whole.append(p95(delays))
    yield Reading("key to painted answer, p95", "ms", tuple(whole), aim=100, better="less")
    for name, delays in each.items():
        middle = tuple(1000 * delay for delay in delays)
        yield Reading(f"  {name}, median", "ms", middle, better="less")

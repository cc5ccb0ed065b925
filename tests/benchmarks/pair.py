"""This checkout beside another one, in alternating runs: `python -m tests.benchmarks pair PATH`.

Two speeds measured at different times say little on a shared machine; a ratio of adjacent runs
does. Each run is a process of its own that sees one checkout and nothing of the other.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.benchmarks.measuring import clocked, figure, sized
from tests.benchmarks.store import BLOCK, MANY
from tests.tournaments import COMMAND, ROOT, environment

PLAYERS = {"a": "random", "b": "literal", "c": "cautious", "d": "bayesian"}

ASKS = """
import sys, time
from importlib import import_module
from importlib.util import find_spec

# Where the rooms were before they had one import name: nothing else of this differs.
engine = "parlour.games.engine" if find_spec("parlour.games") else "games"
Dice = import_module(engine + ".dice").Dice
Table = import_module(engine + ".table").Table
game = import_module(engine + ".registry").find_game("undercover", "bench")
settings = [game.make_setting(record, game.variant()) for record in game.shipped()]
answers, begun = 0, time.process_time()
for seed in range(int(sys.argv[1])):
    table = Table(game, settings[seed % len(settings)], 3, seed)
    while (ask := table.pending) is not None:
        table.digest()
        given = {seat: ask.sample(seat, Dice(seed, table.ask_number, seat)) for seat in ask.seats}
        table.answer(given)
        answers += len(given)
print(answers / (time.process_time() - begun))
"""


def _run(checkout: Path, words: list[str], folder: Path) -> str:
    done = subprocess.run(
        words,
        cwd=folder,
        env=environment() | {"PYTHONPATH": str(checkout)},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout


def help_seconds(checkout: Path, folder: Path) -> float:
    """Seconds of `parlour --help`, the start of the interpreter included."""
    with clocked() as clock:
        _run(checkout, [*COMMAND, "--help"], folder)
    return clock.seconds


def asks_per_second(checkout: Path, folder: Path) -> float:
    """Answers drawn, judged and recorded in memory, a second of processor time."""
    return float(_run(checkout, [sys.executable, "-c", ASKS, str(sized(400, 20))], folder))


def matches_per_second(checkout: Path, folder: Path) -> float:
    """Matches stored a second by `parlour run`, without what a start and a first match take."""
    seconds = []
    sizes = (1, sized(6, 2))
    for repetitions in sizes:
        with TemporaryDirectory(dir=folder) as name:  # each save beside nothing of another
            plan = Path(name, "pair.toml")
            plan.write_text(MANY.format(repetitions=repetitions, **PLAYERS), encoding="utf-8")
            words = ["run", str(plan), "--save", "pair.db", "--plain", "--concurrency", "64"]
            with clocked() as clock:
                _run(checkout, [*COMMAND, *words], Path(name))
            seconds.append(clock.seconds)
    return (sizes[1] - sizes[0]) * BLOCK / (seconds[1] - seconds[0])


PAIRED: dict[str, tuple[str, Callable[[Path, Path], float]]] = {
    "parlour --help": ("s", help_seconds),
    "asks in memory": ("answers/s", asks_per_second),
    "matches stored": ("matches/s", matches_per_second),
}


def compare(other: Path, runs: int) -> None:
    """Prints for each measurement both medians and the median ratio of adjacent runs."""
    if not (other / "parlour").is_dir():
        sys.exit(f"{other}: no checkout of Parlour; give the folder that holds parlour/")
    print(f"this: {ROOT}\nother: {os.path.abspath(other)}\n{runs} pairs of runs")
    print(f"{'':16}{'this':>10}{'other':>10}  {'unit':10}{'this / other':>12}")
    with TemporaryDirectory() as name:
        folder = Path(name)
        for what, (unit, measure) in PAIRED.items():
            pairs = []
            for run in range(runs + 1):
                pair = measure(ROOT, folder), measure(other.absolute(), folder)
                if run:  # the first one compiles
                    pairs.append(pair)
            ours, theirs = (median(values) for values in zip(*pairs, strict=True))
            ratio = median(one / two for one, two in pairs)
            print(f"{what:16}{figure(ours):>10}{figure(theirs):>10}  {unit:10}{ratio:>12.2f}")

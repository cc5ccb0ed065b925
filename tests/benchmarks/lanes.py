"""The fast lane beside the slow one: matches of scripted players, played, stored and rated."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from parlour.tournament.save.growing.create import create_save
from tests.benchmarks.measuring import Reading, bench, clocked, sized
from tests.tournaments import LANES, play, tournament

AGENTS = "".join(
    f'[[agents]]\nname = "{name}"\nstrategy = ["{strategy}", "{other}"]\n'
    for name, strategy, other in (
        ("A", "random", "random"),
        ("B", "literal", "greedy"),
        ("C", "cautious", "cooperate"),
        ("D", "bayesian", "tit_for_tat"),
    )
)
IMPOSTOR = (
    'name = "i"\nseed = 1\n[[games]]\nname = "impostor"\nprobes = "off"\nmatches = {}\n' + AGENTS
)
"""Matches of eight answers, 24 for each of ``matches``."""
DILEMMA = 'name = "d"\nseed = 1\nrepetitions = {}\n[[games]]\nname = "prisoners_dilemma"\n' + AGENTS
"""Matches of fifteen answers."""


@bench
def lanes(runs: int) -> Iterator[Reading]:
    """Both lanes in alternating runs: matches by the clock, and processor time a match."""
    for game, text in (
        ("impostor", IMPOSTOR.format(sized(120, 4))),
        ("dilemma of three", DILEMMA.format(sized(10, 1))),
    ):
        rates: dict[str, list[float]] = {lane: [] for lane in LANES}
        costs: dict[str, list[float]] = {lane: [] for lane in LANES}
        for _ in range(runs):
            for lane, pace in LANES.items():
                with TemporaryDirectory() as folder:
                    save = Path(folder, "save.db")
                    create_save(save, tournament(Path(folder), text))
                    with clocked() as clock, clocked(process_time) as processor:
                        matches = play(save, concurrency=64, pace=pace).progress.finished
                rates[lane].append(matches / clock.seconds)
                costs[lane].append(1000 * processor.seconds / matches)
        for lane in LANES:
            aim = 3000 if (game, lane) == ("dilemma of three", "fast") else None
            what = f"{game}, stored and rated, {lane} lane"
            yield Reading(what, "matches/s", tuple(rates[lane]), aim)
            yield Reading(f"{what}, of processor time", "ms", tuple(costs[lane]), better="less")

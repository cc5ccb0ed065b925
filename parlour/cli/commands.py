"""The commands that show what there is, count or compute: all but playing and steering.

As in ``parlour/cli/app.py``, each imports its work when it is called.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer

from parlour.cli.options import (
    AnyForm,
    AsSeat,
    CalibrationSave,
    Candidates,
    ComparedMeasures,
    ComparisonFormat,
    Concurrency,
    CorrectionOption,
    MatchesOfEach,
    NewestSave,
    NewSettings,
    OneAgent,
    OnlyGame,
    OtherAgent,
    OutFile,
    Preset,
    SavePath,
    Seed,
    SettingsKept,
    TableOrJson,
    TablesFormat,
    TournamentPath,
    WhatIsLeft,
    WithoutFaults,
)


def status(save: NewestSave = None, format: TableOrJson = "table") -> int:
    """Say how far a tournament is."""
    from parlour.cli.read import status as work

    return work(save, format)


def leaderboard(
    save: NewestSave = None,
    by: Annotated[
        Literal["overall", "game", "role"], typer.Option(help="One line an agent, or more.")
    ] = "overall",
    format: AnyForm = "table",
    out: OutFile = None,
    without_faults: WithoutFaults = False,
) -> int:
    """Show who is good at what, and how surely."""
    from parlour.cli.read import leaderboard as work

    return work(save, by, format, out, without_faults)


def head_to_head(
    save: NewestSave = None,
    game: OnlyGame = None,
    format: AnyForm = "table",
    out: OutFile = None,
) -> int:
    """Show what each agent won against each other one."""
    from parlour.cli.read import head_to_head as work

    return work(save, game, format, out)


def measures(
    save: SavePath,
    game: OnlyGame = None,
    format: Annotated[Literal["json", "csv"], typer.Option("--format", help="The form.")] = "json",
    without_faults: WithoutFaults = False,
) -> int:
    """Print every measure as tidy rows."""
    from parlour.cli.read import measures as work

    return work(save, game, format, without_faults)


def compare(
    save: SavePath,
    one: OneAgent,
    other: OtherAgent,
    measure: ComparedMeasures = None,
    correction: CorrectionOption = "holm",
    format: ComparisonFormat = "table",
    out: OutFile = None,
) -> int:
    """Compare two agents where both did the same."""
    from parlour.cli.compare import compare_agents as work

    return work(save, one, other, measure or [], correction, format, out)


def replay(
    save: SavePath,
    match: Annotated[int, typer.Argument(metavar="MATCH", help="The match's number.", min=1)],
    seat: AsSeat = None,
    thoughts: Annotated[
        bool, typer.Option("--thoughts", help="Also what the players noted that they thought.")
    ] = False,
) -> int:
    """Print what happened in a match, as an onlooker or as one player."""
    from parlour.cli.read import replay as work

    return work(save, match, seat, thoughts)


def export(
    save: SavePath,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to.")],
    format: TablesFormat,
) -> int:
    """Write matches, seats, answers and calls of models as tables."""
    from parlour.cli.export import export as work

    return work(save, format, out)


def conduct(
    save: NewestSave = None,
    format: AnyForm = "table",
    out: OutFile = None,
) -> int:
    """Show faults, repairs, retries, tokens, money and latency of every agent."""
    from parlour.cli.conduct import show as work

    return work(save, format, out)


def plan(
    tournament: TournamentPath = None,
    preset: Preset = None,
    seed: Seed = None,
    save: WhatIsLeft = None,
    format: TableOrJson = "table",
) -> int:
    """Count what a tournament would play and cost; nothing is played."""
    from parlour.cli.plan import plan as work

    return work(tournament, preset, seed, save, format)


def calibrate(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game with a special role.")],
    tournament: TournamentPath = None,
    preset: Preset = None,
    candidates: Candidates = None,
    matches: MatchesOfEach = 10,
    keep: SettingsKept = 20,
    seed: Seed = None,
    save: CalibrationSave = Path("calibration.db"),
    out: NewSettings = Path("calibrated.json"),
    concurrency: Concurrency = None,
) -> int:
    """Play many self-play matches of a game's settings and keep the most even ones."""
    from parlour.cli.calibrate import calibrate as work

    return work(game, tournament, preset, candidates, matches, keep, seed, save, out, concurrency)


def check(save: SavePath) -> int:
    """Replay every match of a save and compare."""
    from parlour.cli.read import check as work

    return work(save)


def games(format: TableOrJson = "table") -> int:
    """List the games and their keys."""
    from parlour.cli.catalog import games as work

    return work(format)


def agents(format: TableOrJson = "table") -> int:
    """List the kinds of agents and their strategies."""
    from parlour.cli.catalog import agents as work

    return work(format)


def presets(format: TableOrJson = "table") -> int:
    """List the tournaments that ship."""
    from parlour.cli.catalog import presets as work

    return work(format)


def doctor(tournament: TournamentPath = None) -> int:
    """Look for what would bite: installation, saves, terminal; and try a tournament's models."""
    from parlour.cli.doctor import doctor as work

    return work(tournament)


COMMANDS: tuple[Callable[..., int], ...] = (
    status,
    leaderboard,
    head_to_head,
    measures,
    compare,
    replay,
    export,
    conduct,
    plan,
    calibrate,
    check,
    games,
    agents,
    presets,
    doctor,
)
"""In the order in which they are listed."""

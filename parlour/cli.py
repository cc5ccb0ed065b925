"""The commands of ``parlour``: what each takes, and nothing of what it does.

Each command imports its work when it is called, so that ``parlour --help`` stays quick.
Exit codes: 0 done, 1 failed, 2 bad usage or bad input, 130 interrupted but saved.
"""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from parlour.ending import run_to_the_end
from parlour.options import (
    AnyForm,
    AsSeat,
    CalibrationSave,
    Candidates,
    ComparedMeasures,
    ComparisonFormat,
    Concurrency,
    CorrectionOption,
    Detach,
    KeptIn,
    MatchesOfEach,
    NewestSave,
    NewSettings,
    OfMatch,
    OneAgent,
    OnlyGame,
    OtherAgent,
    OutFile,
    PaceOption,
    Plain,
    Preset,
    SavePath,
    Seed,
    SettingsKept,
    TableOrJson,
    TablesFormat,
    TournamentPath,
    Version,
    WithoutFaults,
)

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,  # they show values, and a value may be a key
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def parlour(
    context: typer.Context,
    version: Version = False,
) -> None:
    """Tournaments of social games between language models, scripted players and people."""
    if version:
        from parlour.listing import version as show

        raise typer.Exit(show())
    if context.invoked_subcommand is None:
        from parlour.running import home as work

        raise typer.Exit(work())


@app.command()
def run(
    tournament: TournamentPath = None,
    preset: Preset = None,
    save: KeptIn = None,
    plain: Plain = False,
    concurrency: Concurrency = None,
    seed: Seed = None,
    pace: PaceOption = None,
    detach: Detach = False,
) -> int:
    """Play a tournament to its leaderboard, or continue a save."""
    from parlour.running import run as work

    return work(tournament, preset, save, plain, concurrency, seed, pace, detach)


@app.command()
def resume(
    save: NewestSave = None,
    plain: Plain = False,
    concurrency: Concurrency = None,
    pace: PaceOption = None,
    detach: Detach = False,
) -> int:
    """Let a paused tournament go on, or continue an unfinished save."""
    from parlour.running import resume as work

    return work(save, plain, concurrency, pace, detach)


@app.command()
def attach(save: NewestSave = None) -> int:
    """Watch a tournament and steer it."""
    from parlour.running import attach as work

    return work(save)


@app.command()
def pause(save: NewestSave = None) -> int:
    """Pause a running tournament; comes back when nothing is in flight."""
    from parlour.steering import pause as work

    return work(save)


@app.command()
def stop(save: NewestSave = None) -> int:
    """End a running tournament's process; what is answered is saved."""
    from parlour.steering import stop as work

    return work(save)


@app.command()
def step(
    save: NewestSave = None,
    turn: Annotated[bool, typer.Option("--turn", help="One ask (the default).")] = False,
    round: Annotated[bool, typer.Option("--round", help="One round.")] = False,
    match: Annotated[bool, typer.Option("--match", help="The rest of the match.")] = False,
    of: OfMatch = None,
) -> int:
    """Let one step of one match through; everything else stays paused."""
    from parlour.steering import step as work

    return work(
        save, [unit for unit, on in (("turn", turn), ("round", round), ("match", match)) if on], of
    )


@app.command()
def status(save: NewestSave = None, format: TableOrJson = "table") -> int:
    """Say how far a tournament is."""
    from parlour.reading import status as work

    return work(save, format)


@app.command()
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
    from parlour.reading import leaderboard as work

    return work(save, by, format, out, without_faults)


@app.command()
def head_to_head(
    save: NewestSave = None,
    game: OnlyGame = None,
    format: AnyForm = "table",
    out: OutFile = None,
) -> int:
    """Show what each agent won against each other one."""
    from parlour.reading import head_to_head as work

    return work(save, game, format, out)


@app.command()
def measures(
    save: SavePath,
    game: OnlyGame = None,
    format: Annotated[Literal["json", "csv"], typer.Option("--format", help="The form.")] = "json",
    without_faults: WithoutFaults = False,
) -> int:
    """Print every measure as tidy rows."""
    from parlour.reading import measures as work

    return work(save, game, format, without_faults)


@app.command()
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
    from parlour.comparing import compare_agents as work

    return work(save, one, other, measure or [], correction, format, out)


@app.command()
def replay(
    save: SavePath,
    match: Annotated[int, typer.Argument(metavar="MATCH", help="The match's number.", min=1)],
    seat: AsSeat = None,
) -> int:
    """Print what happened in a match, as an onlooker or as one player."""
    from parlour.reading import replay as work

    return work(save, match, seat)


@app.command()
def export(
    save: SavePath,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to.")],
    format: TablesFormat,
) -> int:
    """Write matches, seats, answers and calls of models as tables."""
    from parlour.exporting import export as work

    return work(save, format, out)


@app.command()
def conduct(
    save: NewestSave = None,
    format: Annotated[
        Literal["table", "json", "csv"], typer.Option("--format", help="The form.")
    ] = "table",
) -> int:
    """Show faults, repairs, retries, tokens, money and latency of every agent."""
    from parlour.conducting import show as work

    return work(save, format)


@app.command()
def plan(
    tournament: TournamentPath = None,
    preset: Preset = None,
    seed: Seed = None,
    format: TableOrJson = "table",
) -> int:
    """Count what a tournament would play; nothing is played."""
    from parlour.planning import plan as work

    return work(tournament, preset, seed, format)


@app.command()
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
    from parlour.calibrating import calibrate as work

    return work(game, tournament, preset, candidates, matches, keep, seed, save, out, concurrency)


@app.command()
def check(save: SavePath) -> int:
    """Replay every match of a save and compare."""
    from parlour.reading import check as work

    return work(save)


@app.command()
def games(format: TableOrJson = "table") -> int:
    """List the games and their keys."""
    from parlour.listing import games as work

    return work(format)


@app.command()
def agents(format: TableOrJson = "table") -> int:
    """List the kinds of agents and their strategies."""
    from parlour.listing import agents as work

    return work(format)


@app.command()
def presets(format: TableOrJson = "table") -> int:
    """List the tournaments that ship."""
    from parlour.listing import presets as work

    return work(format)


@app.command()
def doctor(tournament: TournamentPath = None) -> int:
    """Look for what would bite: installation, saves, terminal; and try a tournament's models."""
    from parlour.doctor import doctor as work

    return work(tournament)


def main() -> None:
    """Runs a command; a user's mistake is one line on stderr and exit code 2."""
    sys.exit(run_to_the_end(app))

"""The commands of ``parlour``: what each takes, and nothing of what it does.

Each command imports its work when it is called, so that ``parlour --help`` stays quick.
Exit codes: 0 done, 1 failed, 2 bad usage or bad input, 130 interrupted but saved.
"""

import os
import sys
from typing import Annotated

import typer

from parlour.cli.commands import COMMANDS
from parlour.cli.options import (
    Budget,
    BudgetOf,
    Concurrency,
    Detach,
    Dollars,
    KeptIn,
    NewestSave,
    OfMatch,
    PaceOption,
    Plain,
    Preset,
    SavePath,
    Seed,
    TournamentPath,
    Version,
)
from parlour.cli.output import complain, ready_streams

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
        from parlour.cli.catalog import version as show

        raise typer.Exit(show())
    if context.invoked_subcommand is None:
        from parlour.cli.run import home as work

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
    budget: Budget = None,
) -> int:
    """Play a tournament to its leaderboard, or continue a save."""
    from parlour.cli.run import run as work

    return work(tournament, preset, save, plain, concurrency, seed, pace, detach, budget)


@app.command()
def resume(
    save: NewestSave = None,
    plain: Plain = False,
    concurrency: Concurrency = None,
    pace: PaceOption = None,
    detach: Detach = False,
    budget: Budget = None,
) -> int:
    """Let a paused tournament go on, or continue an unfinished save."""
    from parlour.cli.run import resume as work

    return work(save, plain, concurrency, pace, detach, budget)


@app.command()
def attach(save: NewestSave = None) -> int:
    """Watch a tournament and steer it."""
    from parlour.cli.run import attach as work

    return work(save)


@app.command()
def pause(save: NewestSave = None) -> int:
    """Pause a running tournament; comes back when nothing is in flight."""
    from parlour.cli.control import pause as work

    return work(save)


@app.command()
def stop(save: NewestSave = None) -> int:
    """End a running tournament's process; what is answered is saved."""
    from parlour.cli.control import stop as work

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
    from parlour.cli.control import step as work

    return work(
        save, [unit for unit, on in (("turn", turn), ("round", round), ("match", match)) if on], of
    )


@app.command(name="budget")
def allow(save: SavePath, dollars: Dollars = None, agent: BudgetOf = None) -> int:
    """Say what models have spent, or set what they may; also while a tournament runs."""
    from parlour.cli.budget import budget as work

    return work(save, dollars, agent)


for _command in COMMANDS:
    app.command()(_command)


def _message_of(error: typer.TyperException) -> str:
    """The message of a wrong argument, with what pydantic found wrong in plain words."""
    from pydantic import ValidationError

    from parlour.games.common.validation_messages import message_of

    message = " ".join(error.format_message().split())
    cause = error.__cause__ or error.__context__
    if isinstance(cause, ValidationError):
        place, colon, _ = message.partition("': ")
        return place + colon + message_of(cause.errors(include_url=False)[0])
    return message


def main() -> None:
    """Runs a command; a user's mistake is one line on stderr and exit code 2."""
    # Loaded before any command, since it is what a command may raise.
    from parlour.games.common.errors import BadInput, ParlourError

    ready_streams()
    try:
        code = app(prog_name="parlour", standalone_mode=False)
        sys.stdout.flush()  # here, where a reader that has gone is known to be no error
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "parlour"
        message = _message_of(error)
        message += "" if message.endswith((".", "?")) else "."
        complain(f"{command}: {message} See `{command} --help`.")
        code = error.exit_code
    except ParlourError as error:
        complain(f"parlour: {error}")
        code = 2 if isinstance(error, BadInput) else 1
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except OSError as error:
        # The output cannot be written; a reader that has gone (`| head`) wants no word about it.
        if not isinstance(error, BrokenPipeError):
            complain(f"parlour: {error.filename or 'output'}: {error.strerror}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code if isinstance(code, int) else 0)

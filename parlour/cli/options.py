"""The arguments and options that commands take."""

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

from parlour.tournament.save.bounds import LEAST_BUDGET, LEAST_PACE, MOST_AT_ONCE, MOST_WORKERS

# typer reads Optional[...] on every Python, and X | None not on all.
# ruff: noqa: UP045

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


def seconds(text: str) -> float:
    """The seconds of ``90s``, ``10m`` or ``2h``. BadParameter for anything else."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text.strip())
    if match is None or not float(match[1]):
        raise typer.BadParameter(f"{text!r} is no time: write 90s, 10m or 2h")
    return float(match[1]) * _UNITS[match[2]]


def moment(text: str) -> datetime:
    """The time of ``06:00``, the next one of this clock, or of a date. BadParameter otherwise."""
    now = datetime.now().astimezone()
    try:
        if re.fullmatch(r"\d\d?:\d\d", text):
            hour, minute = map(int, text.split(":"))
            today = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
            return today if today > now else today + timedelta(days=1)
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        fix = "write 06:00, or a date and time such as 2030-01-31T06:00"
        raise typer.BadParameter(f"{text!r} is no time: {fix}") from None


def metrics_file(text: str) -> str:
    """The whole path of a file of metrics. BadInput where none can be written."""
    from parlour.tournament.control.metrics import refuse_place

    refuse_place(path := Path(text).absolute())
    return str(path)


NewestSave = Annotated[
    Optional[Path],
    typer.Argument(metavar="SAVE", help="The save. Default: the newest in saves/."),
]
NewestSaves = Annotated[
    Optional[list[Path]],
    typer.Argument(metavar="SAVE...", help="The saves. Default: the newest in saves/."),
]
RatingsOf = Annotated[
    Optional[Path],
    typer.Option(
        "--store", metavar="FOLDER", help="Ratings of the same agents, from `rate --store`."
    ),
]
TableOrJson = Annotated[
    Literal["table", "json"], typer.Option("--format", help="The output format.")
]
Concurrency = Annotated[
    Optional[int],
    typer.Option(
        min=1,
        max=MOST_AT_ONCE,
        metavar="N",
        help="Matches at once. Default: as in the last run, or 64.",
    ),
]
Workers = Annotated[
    Optional[int],
    typer.Option(
        min=1,
        max=MOST_WORKERS,
        metavar="N",
        help="Processes for players that answer at once. Default: as many as cores.",
    ),
]
Memory = Annotated[
    Optional[str],
    typer.Option(
        metavar="ROUNDS",
        help="Rounds in the prompts of all models, from now on: last:3, or full.",
    ),
]
Ray = Annotated[
    Optional[str],
    typer.Option(
        metavar="ADDRESS",
        help="Play on a Ray cluster: its HOST:PORT, 'auto' on one of its machines, or 'local'.",
    ),
]
Pace = Annotated[
    Optional[float],
    typer.Option(
        min=LEAST_PACE,
        metavar="PER_SECOND",
        help="Questions per second at most (inf: no limit). Default: as in the last run.",
    ),
]
Budget = Annotated[
    Optional[float],
    typer.Option(
        min=LEAST_BUDGET,
        metavar="DOLLARS",
        help="Budget of all models in the whole save (inf: no limit). Default: as before.",
    ),
]
Until = Annotated[
    Optional[str],
    typer.Option(
        metavar="RULE",
        help='End of an adaptive tournament: rank, "rank 3", "interval < 0.1" or budget.'
        " Default: as before, at first rank.",
    ),
]
Dollars = Annotated[
    Optional[str],
    typer.Argument(metavar="DOLLARS", help="The new budget; +DOLLARS adds to it, none lifts it."),
]
BudgetOf = Annotated[
    Optional[str],
    typer.Option("--agent", metavar="NAME", help="The budget of this agent alone."),
]
Plain = Annotated[
    bool,
    typer.Option("--plain", help="Play in this process and print plain lines, even on a terminal."),
]
Detach = Annotated[
    bool, typer.Option("--detach", help="Play in the background and return at once.")
]
Preset = Annotated[
    Optional[str],
    typer.Option(metavar="NAME", help="A tournament that ships; see `parlour list presets`."),
]
Model = Annotated[
    Optional[str],
    typer.Option(
        metavar="MODEL",
        help="Seat a model, too: 'local', 'local:FILE.gguf', or a name such as openai/gpt-4o-mini.",
    ),
]
Deadline = Annotated[
    Optional[datetime],
    typer.Option(
        parser=moment, metavar="TIME", help="End by then: 06:00, or a date and time (ISO 8601)."
    ),
]
GiveUpAfter = Annotated[
    Optional[float],
    typer.Option(
        parser=seconds, metavar="TIME", help="End after so long without progress: 90s, 10m, 2h."
    ),
]
FromBundle = Annotated[
    Optional[Path],
    typer.Option("--from", metavar="BUNDLE.zip", help="Play the tournament of a bundle again."),
]
Metrics = Annotated[
    Optional[str],
    typer.Option(
        parser=metrics_file, metavar="FILE", help="Keep the run's counts there, for Prometheus."
    ),
]
TournamentOrSave = Annotated[
    Optional[Path],
    typer.Argument(
        metavar="FILE",
        help="A tournament file, or the save to continue. Default: the newest save.",
        show_default=False,
    ),
]
TournamentFile = Annotated[
    Optional[Path],
    typer.Argument(metavar="TOURNAMENT.toml", help="A tournament file.", show_default=False),
]
Seed = Annotated[
    Optional[int],
    typer.Option(min=0, metavar="N", help="Use this seed instead of the file's."),
]
Settings = Annotated[
    Optional[list[str]],
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Put this value in the file's place: seed=5, agents.NAME.model=... May be repeated.",
    ),
]
WithoutFaults = Annotated[
    bool, typer.Option("--without-faults", help="Leave out matches with a faulty answer.")
]
SaveOption = Annotated[
    Optional[Path],
    typer.Option("--save", metavar="FILE", help="The save to make, or to continue if it exists."),
]
OfMatch = Annotated[
    Optional[int],
    typer.Option(min=1, metavar="MATCH", help="The match to step. Default: the first in play."),
]
OutFile = Annotated[
    Optional[Path],
    typer.Option(metavar="FILE", help="Write to this file instead of the screen."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")]
OnlyGame = Annotated[
    Optional[str],
    typer.Option(metavar="NAME", help="Only this game."),
]
AnyFormat = Annotated[
    Literal["table", "json", "csv", "md", "latex"],
    typer.Option("--format", help="The output format."),
]


def was_given(context: typer.Context, option: str) -> bool:
    """Returns True if an option is on the command line."""
    return getattr(context.get_parameter_source(option), "name", "") == "COMMANDLINE"

"""The arguments and options that commands take."""

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from parlour.tournament.save.bounds import LEAST_BUDGET, LEAST_PACE, MOST_AT_ONCE, MOST_WORKERS

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


def argument(metavar: str, help: str, **more: Any) -> Any:
    """An argument: the word for it, and what it is."""
    return typer.Argument(metavar=metavar, help=help, **more)


def option(metavar: str | None, help: str, *names: str, **more: Any) -> Any:
    """An option with a value: the word for that (None: all its words), what it does, its names."""
    return typer.Option(*names, metavar=metavar, help=help, **more)


def flag(help: str, *names: str) -> Any:
    """An option without a value: what it does, and its names."""
    return typer.Option(*names, help=help)


NewestSave = Annotated[Path | None, argument("SAVE", "The save. Default: the newest in saves/.")]
NewestSaves = Annotated[
    list[Path] | None, argument("SAVE...", "The saves. Default: the newest in saves/.")
]
RatingsOf = Annotated[
    Path | None, option("FOLDER", "Ratings of the same agents, from `rate --store`.", "--store")
]
TableOrJson = Annotated[Literal["table", "json"], option(None, "The output format.", "--format")]
Concurrency = Annotated[
    int | None,
    option("N", "Matches at once. Default: as in the last run, or 64.", min=1, max=MOST_AT_ONCE),
]
Workers = Annotated[
    int | None,
    option(
        "N",
        "Processes for players that answer at once. Default: as many as cores.",
        min=1,
        max=MOST_WORKERS,
    ),
]
Memory = Annotated[
    str | None,
    option("ROUNDS", "Rounds in the prompts of all models, from now on: last:3, or full."),
]
Ray = Annotated[
    str | None,
    option(
        "ADDRESS",
        "Play on a Ray cluster: its HOST:PORT, 'auto' on one of its machines, or 'local'.",
    ),
]
Pace = Annotated[
    float | None,
    option(
        "PER_SECOND",
        "Questions per second at most (inf: no limit). Default: as in the last run.",
        min=LEAST_PACE,
    ),
]
Budget = Annotated[
    float | None,
    option(
        "DOLLARS",
        "Budget of all models in the whole save (inf: no limit). Default: as before.",
        min=LEAST_BUDGET,
    ),
]
Until = Annotated[
    str | None,
    option(
        "RULE",
        'End of an adaptive tournament: rank, "rank 3", "interval < 0.1" or budget.'
        " Default: as before, at first rank.",
    ),
]
Dollars = Annotated[
    str | None, argument("DOLLARS", "The new budget; +DOLLARS adds to it, none lifts it.")
]
BudgetOf = Annotated[str | None, option("NAME", "The budget of this agent alone.", "--agent")]
Plain = Annotated[
    bool, flag("Play in this process and print plain lines, even on a terminal.", "--plain")
]
Detach = Annotated[bool, flag("Play in the background and return at once.", "--detach")]
Preset = Annotated[
    str | None, option("NAME", "A tournament that ships; see `parlour list presets`.")
]
Model = Annotated[
    str | None,
    option(
        "MODEL",
        "Seat a model, too: 'local', 'local:FILE.gguf', or a name such as openai/gpt-4o-mini.",
    ),
]
Deadline = Annotated[
    datetime | None,
    option("TIME", "End by then: 06:00, or a date and time (ISO 8601).", parser=moment),
]
GiveUpAfter = Annotated[
    float | None,
    option("TIME", "End after so long without progress: 90s, 10m, 2h.", parser=seconds),
]
FromBundle = Annotated[
    Path | None, option("BUNDLE.zip", "Play the tournament of a bundle again.", "--from")
]
Metrics = Annotated[
    str | None, option("FILE", "Keep the run's counts there, for Prometheus.", parser=metrics_file)
]
TournamentOrSave = Annotated[
    Path | None,
    argument(
        "FILE",
        "A tournament file, or the save to continue. Default: the newest save.",
        show_default=False,
    ),
]
TournamentFile = Annotated[
    Path | None, argument("TOURNAMENT.toml", "A tournament file.", show_default=False)
]
Seed = Annotated[int | None, option("N", "Use this seed instead of the file's.", min=0)]
Settings = Annotated[
    list[str] | None,
    option(
        "KEY=VALUE",
        "Put this value in the file's place: seed=5, agents.NAME.model=... May be repeated.",
        "--set",
    ),
]
WithoutFaults = Annotated[bool, flag("Leave out matches with a faulty answer.", "--without-faults")]
SaveOption = Annotated[
    Path | None, option("FILE", "The save to make, or to continue if it exists.", "--save")
]
OfMatch = Annotated[
    int | None, option("MATCH", "The match to step. Default: the first in play.", min=1)
]
OutFile = Annotated[Path | None, option("FILE", "Write to this file instead of the screen.")]
Force = Annotated[bool, flag("Overwrite files that exist.", "--force")]
OnlyGame = Annotated[str | None, option("NAME", "Only this game.")]
AnyFormat = Annotated[
    Literal["table", "json", "csv", "md", "latex"], option(None, "The output format.", "--format")
]


def was_given(context: typer.Context, option: str) -> bool:
    """Returns True if an option is on the command line."""
    return getattr(context.get_parameter_source(option), "name", "") == "COMMANDLINE"

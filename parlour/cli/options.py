"""Arguments and options that several commands take."""

from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

SavePath = Annotated[Path, typer.Argument(metavar="SAVE", help="The save.", show_default=False)]
NewestSave = Annotated[
    Optional[Path],  # noqa: UP045 - typer reads this form on every Python
    typer.Argument(metavar="[SAVE]", help="The save; the newest in saves/ if left out."),
]
TableOrJson = Annotated[
    Literal["table", "json"], typer.Option("--format", help="For people or for scripts.")
]
Concurrency = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(min=1, max=10_000, metavar="N", help="Matches at once; else as last time, or 64."),
]
PaceOption = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(
        min=0.01,
        metavar="ASKS_PER_SECOND",
        help="Begin at most so many asks a second, inf: no limit; else as last time.",
    ),
]
Budget = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(
        min=0.0,
        metavar="DOLLARS",
        help="What models may spend on the save in all, inf: no limit; else as last time.",
    ),
]
Dollars = Annotated[
    Optional[str],  # noqa: UP045
    typer.Argument(metavar="[DOLLARS]", help="What may be spent, +DOLLARS for more, or none."),
]
BudgetOf = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--agent", metavar="NAME", help="The budget of this agent alone."),
]
Plain = Annotated[
    bool, typer.Option("--plain", help="Play here and print plain lines, even on a terminal.")
]
Detach = Annotated[
    bool, typer.Option("--detach", help="Play in a process of its own and come back at once.")
]
Preset = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(metavar="NAME", help="A tournament that ships; see `parlour presets`."),
]
TournamentPath = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Argument(metavar="[TOURNAMENT.toml]", help="A tournament file.", show_default=False),
]
Seed = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(min=0, max=2**63 - 1, metavar="N", help="Use this seed, not the file's."),
]
WithoutFaults = Annotated[
    bool, typer.Option("--without-faults", help="Leave out matches in which an answer was a fault.")
]
KeptIn = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option("--save", metavar="FILE", help="Where to keep it; an existing save is continued."),
]
Version = Annotated[bool, typer.Option("--version", help="Print the version and do nothing else.")]
OfMatch = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(min=1, metavar="MATCH", help="Which match; else the first in play."),
]
OutFile = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(metavar="FILE", help="Write there, not to the screen."),
]
OnlyGame = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(metavar="NAME", help="Only this game."),
]
AnyForm = Annotated[
    Literal["table", "json", "csv", "md", "latex"], typer.Option("--format", help="The form.")
]
AsSeat = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option("--as", min=1, metavar="SEAT", help="Only what Player SEAT saw, from 1."),
]
OneAgent = Annotated[
    str, typer.Argument(metavar="AGENT", help="The agent that is compared.", show_default=False)
]
OtherAgent = Annotated[
    str, typer.Argument(metavar="OTHER", help="The agent it is compared with.", show_default=False)
]
ComparedMeasures = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option("--measure", metavar="NAME", help="By this measure; may be given several times."),
]
CorrectionOption = Annotated[
    Literal["holm", "bh", "bonferroni"],
    typer.Option("--correction", help="How p values are corrected over all that is compared."),
]
ComparisonFormat = Annotated[
    Literal["table", "json", "csv", "md"], typer.Option("--format", help="The form.")
]
TablesFormat = Annotated[
    Literal["jsonl", "csv", "parquet"], typer.Option("--format", help="The form.")
]
Candidates = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(metavar="FILE", help="The settings to try; else the tournament's own."),
]
MatchesOfEach = Annotated[
    int, typer.Option(min=1, metavar="N", help="Matches of each agent on each setting.")
]
SettingsKept = Annotated[int, typer.Option(min=1, metavar="N", help="Settings to keep.")]
CalibrationSave = Annotated[
    Path, typer.Option(metavar="FILE", help="Where the matches are kept; continued if there.")
]
NewSettings = Annotated[Path, typer.Option(metavar="FILE", help="The settings file to write.")]
WhatIsLeft = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option("--save", metavar="FILE", help="Count what is left of this save."),
]

"""The command `extend`."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from parlour.cli.growing import Run, add_to, addition_from
from parlour.cli.options import NewestSave, TableOrJson
from parlour.cli.output import find_save
from parlour.games.common.errors import BadInput
from parlour.tournament.plan.additions import Addition

# typer reads Optional[...] on every Python, and X | None not on all.
# ruff: noqa: UP045

More = Annotated[
    Optional[Path],
    typer.Argument(metavar="MORE.toml", help="A file with [[games]] blocks.", show_default=False),
]
Repetitions = Annotated[
    Optional[int],
    typer.Option(min=1, metavar="N", help="Repetitions of the whole schedule from now on."),
]

Matches = Annotated[
    Optional[int],
    typer.Option(min=1, metavar="N", help="The most that an adaptive tournament plays."),
]


def extend(
    save: NewestSave = None,
    more: More = None,
    repetitions: Repetitions = None,
    matches: Matches = None,
    run: Run = False,
    format: TableOrJson = "table",
) -> int:
    """Add games, settings, repetitions or matches, also while it is played."""
    if more is None and save is not None and save.suffix == ".toml":
        save, more = None, save
    if more is None and repetitions is None and matches is None:
        fix = "give a file with [[games]] blocks, or --repetitions N"
        raise BadInput("extend", "nothing to add", fix)
    addition = Addition() if more is None else addition_from("extend", save, more, "games")
    addition = addition.model_copy(update={"repetitions": repetitions, "matches": matches})
    return add_to(find_save(save), addition, format, run=run)

"""The command `backup`."""

from pathlib import Path
from typing import Annotated

import typer

from parlour.cli.options import NewestSave
from parlour.cli.output import find_save, safe_print
from parlour.tournament.save.backup import back_up


def backup(
    save: NewestSave = None,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")] = ...,  # type: ignore[assignment]
) -> int:
    """Copy a save, also while it is played."""
    count = back_up(find_save(save), out)
    safe_print(f"Written: {out}, {count.finished} of {count.matches} matches finished")
    return 0

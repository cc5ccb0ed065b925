"""The command `split`."""

from pathlib import Path
from shlex import quote
from typing import Annotated, Optional

import typer

from parlour.cli.options import NewestSave
from parlour.cli.output import find_save, program, safe_print
from parlour.tournament.save.reader import Save
from parlour.tournament.save.split import split_save

# typer reads Optional[...] on every Python, and X | None not on all.
# ruff: noqa: UP045


def split(
    save: NewestSave = None,
    shards: Annotated[int, typer.Argument(metavar="N", help="The number of shards.", min=2)] = ...,  # type: ignore[assignment]
    out: Annotated[
        Optional[Path],
        typer.Option(metavar="FOLDER", help="The folder of the shards. Default: that of the save."),
    ] = None,
) -> int:
    """Deal the unfinished matches of a save into shards for several machines."""
    path = find_save(save)
    made = split_save(path, shards, out)
    for shard in made:
        with Save(shard) as opened:
            safe_print(f"Written: {shard}, {opened.match_count().matches} matches")
    words = " ".join(quote(str(each)) for each in ("OUT.db", path, *made))
    safe_print(f"Play each of them, then: {program()} merge {words}")
    return 0

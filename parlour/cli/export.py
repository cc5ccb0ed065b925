"""The command `export`."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from parlour.api.export import Format, file_of, write_tables
from parlour.cli.options import Force, NewestSave
from parlour.cli.output import find_save, safe_print
from parlour.cli.signs_of_life import signs_of_life


def export(
    save: NewestSave = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="DIR", help="The folder to write to. Default: SAVE-tables, here."),
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="The format of the files.")] = "csv",
    force: Force = False,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="Also exact prompts and raw answers of models.")
    ] = False,
) -> int:
    """Write matches, seats, answers and model calls as tables."""
    path = find_save(save)
    out = out or Path(f"{path.stem}-tables")
    with signs_of_life("Writing tables"):
        counts = write_tables(path, format, out, force, prompts)
    for name, count in counts.items():
        safe_print(f"Written: {file_of(out, name, format)} ({count} rows)")
    return 0

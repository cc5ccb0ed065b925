"""The command `export`."""

from pathlib import Path
from typing import Annotated

import typer

from parlour.api.export import Format, file_of, write_tables
from parlour.cli.options import Force, NewestSave
from parlour.cli.output import find_save, safe_print


def export(
    save: NewestSave = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to.")] = ...,  # type: ignore[assignment]
    format: Annotated[Format, typer.Option("--format", help="The format of the files.")] = ...,  # type: ignore[assignment]
    force: Force = False,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="Also exact prompts and raw answers of models.")
    ] = False,
) -> int:
    """Write matches, seats, answers and model calls as tables."""
    counts = write_tables(find_save(save), format, out, force, prompts)
    for name, count in counts.items():
        safe_print(f"Written: {file_of(out, name, format)} ({count} rows)")
    return 0

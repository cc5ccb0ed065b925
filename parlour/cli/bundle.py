"""The command `bundle`."""

from pathlib import Path
from typing import Annotated

import typer

from parlour.api.bundling import write_bundle
from parlour.cli.options import NewestSave
from parlour.cli.output import find_save, program, safe_print


def bundle(
    save: NewestSave = None,
    out: Annotated[Path, typer.Argument(metavar="OUT.zip", help="The file to write.")] = ...,  # type: ignore[assignment]
) -> int:
    """Write a save with all that its figures need as one archive."""
    names = write_bundle(find_save(save), out)
    safe_print(f"Written: {out} ({len(names)} files)")
    safe_print(f"Play it again: {program()} run --from {out}")
    return 0

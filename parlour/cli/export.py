"""The command `export`."""

import sys
from pathlib import Path
from typing import Annotated

from parlour.api.export import Format, file_of, write_tables
from parlour.api.preferences import Branching
from parlour.cli.options import Force, NewestSave, flag, option
from parlour.cli.output import complain, find_save, safe_print
from parlour.cli.signs_of_life import signs_of_life
from parlour.cli.trust import settle_save
from parlour.tournament.save.bounds import LEAST_BUDGET


def export(
    save: NewestSave = None,
    out: Annotated[
        Path | None, option("DIR", "The folder to write to. Default: SAVE-tables, here.")
    ] = None,
    format: Annotated[Format, option(None, "The format of the files.", "--format")] = "csv",
    force: Force = False,
    prompts: Annotated[
        bool, flag("Also exact prompts and raw answers of models.", "--prompts")
    ] = False,
    asks: Annotated[
        int, option("N", "Of preferences: how many asks of models to ask again.", min=1)
    ] = 20,
    forks: Annotated[
        int, option("N", "Of preferences: how often each of them is asked again.", min=1)
    ] = 4,
    budget: Annotated[
        float | None, option("DOLLARS", "Of preferences: what models may spend.", min=LEAST_BUDGET)
    ] = None,
) -> int:
    """Write matches, seats, answers and calls as tables, or what trains a model."""
    path = find_save(save)
    if format == "preferences":  # which plays
        settle_save(path)
    out = out or Path(f"{path.stem}-tables")
    branching = Branching(asks, forks, budget, lambda line: safe_print(line, file=sys.stderr))
    with signs_of_life("Writing tables"):
        counts = write_tables(path, format, out, force, prompts, branching)
    for name, count in counts.items():
        table = f", table {name}" if format == "duckdb" else ""
        safe_print(f"Written: {file_of(out, name, format)}{table} ({count} rows)")
    if format == "chat" and not any(counts.values()):
        complain(f"parlour: {path}: no model has answered in it, so there are no chats")
    return 0

"""The command `export`."""

import sys
from pathlib import Path

from parlour.api.export import Format, file_of, write_tables
from parlour.api.preferences import Branching
from parlour.cli.output import complain, find_save, safe_print
from parlour.cli.signs_of_life import signs_of_life
from parlour.cli.trust import settle_save


def export(
    save: Path | None = None,
    out: Path | None = None,
    format: Format = "csv",
    force: bool = False,
    prompts: bool = False,
    asks: int = 20,
    forks: int = 4,
    budget: float | None = None,
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

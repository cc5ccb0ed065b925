"""Runs the benches, prints a table and writes the numbers as JSON."""

import argparse
import json
import os
import platform
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

# Each module's benches are known once it is imported.
from tests.benchmarks import (  # noqa: F401
    commands,
    measured,
    memory,
    models,
    paper,
    store,
    tables,
    terminal,
)
from tests.benchmarks.measuring import BENCHES, Reading

TITLES = ("What", "Median", "Unit", "Least – most", "Aim", "")


def main() -> None:
    """Runs all benches, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHES)}")
    parser.add_argument("--runs", type=int, default=5, help="how often each is run (5)")
    parser.add_argument(
        "--out", type=Path, default=Path("benchmarks.json"), help="where the numbers go"
    )
    wanted = parser.parse_args()
    if unknown := set(wanted.names) - set(BENCHES):
        parser.error(f"there is no bench {', '.join(sorted(unknown))}")
    readings: dict[str, list[Reading]] = {}
    for name in wanted.names or BENCHES:
        print(f"{name} ...", file=sys.stderr, flush=True)
        readings[name] = list(BENCHES[name](wanted.runs))
    table = Table(*TITLES)
    for number in (1, 3, 4):
        table.columns[number].justify = "right"
    for found in readings.values():
        for reading in found:
            table.add_row(*map(Text, reading.row()))
        table.add_section()
    Console(width=None if sys.stdout.isatty() else 130).print(table)
    body = {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "readings": {
            name: [reading.as_json() for reading in found] for name, found in readings.items()
        },
    }
    wanted.out.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")
    print(f"Written: {wanted.out}")


if __name__ == "__main__":
    main()

"""Runs the benches, prints a table and writes the numbers as JSON.

`pair PATH` measures this checkout beside another one instead.
"""

import argparse
import json
import os
import platform
import sys
import traceback
from pathlib import Path
from tempfile import mkdtemp

from rich.console import Console
from rich.table import Table
from rich.text import Text

# Each module's benches are known once it is imported.
from tests.benchmarks import (  # noqa: F401
    adaptive,
    cluster,
    commands,
    environments,
    full_writer,
    idle,
    journal,
    lanes,
    measured,
    memory,
    million,
    models,
    paper,
    screens,
    store,
    tables,
    terminal,
)
from tests.benchmarks.measuring import BENCHES, Reading, use_small_sizes
from tests.benchmarks.pair import compare
from tests.consents import own_config

TITLES = ("What", "Median", "Unit", "Least – most", "Aim", "")


def main() -> None:
    """Runs all benches, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHES)}")
    parser.add_argument("--runs", type=int, default=5, help="how often each is run (5)")
    parser.add_argument(
        "--out", type=Path, default=Path("benchmarks.json"), help="where the numbers go"
    )
    parser.add_argument(
        "--small", action="store_true", help="see that each bench runs; the numbers mean nothing"
    )
    wanted = parser.parse_args()
    if wanted.small:
        use_small_sizes()
        wanted.runs = 1
    if wanted.names[:1] == ["pair"]:
        if len(wanted.names) != 2:
            parser.error("pair: give the path of the other checkout")
        compare(Path(wanted.names[1]), wanted.runs)
        return
    if unknown := set(wanted.names) - set(BENCHES):
        parser.error(f"there is no bench {', '.join(sorted(unknown))}")
    os.environ["XDG_CONFIG_HOME"] = own_config(Path(mkdtemp()))  # no consent stays the user's
    readings: dict[str, list[Reading]] = {}
    failed: list[str] = []
    for name in wanted.names or BENCHES:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            readings[name] = list(BENCHES[name](wanted.runs))
        except Exception:
            traceback.print_exc()
            failed.append(name)
    table = Table(*TITLES)
    for number in (1, 3, 4):
        table.columns[number].justify = "right"
    for rows in readings.values():
        for reading in rows:
            table.add_row(*map(Text, reading.row()))
        table.add_section()
    Console(width=None if sys.stdout.isatty() else 130).print(table)
    body = {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "readings": {name: list(map(Reading.as_json, rows)) for name, rows in readings.items()},
    }
    wanted.out.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")
    print(f"Written: {wanted.out}")
    if failed:
        print(f"Failed: {', '.join(failed)}", file=sys.stderr, flush=True)
        sys.stdout.flush()
        os._exit(1)  # at once: a failed bench may have left a thread behind


if __name__ == "__main__":
    main()

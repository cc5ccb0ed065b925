"""The command `new-game`."""

import sys
from pathlib import Path
from shlex import quote

from parlour.cli.output import program, safe_print
from parlour.games.testing.new_game import write_game


def new_game(name: Path) -> int:
    """Write the folder of a new game, which plays at once."""
    for path in write_game(name):
        safe_print(f"Written: {path}")
    folder = quote(str(name))
    python = quote(sys.executable)
    safe_print(f"Play it: PYTHONPATH={folder} {program()} run {folder}/{name.name}.toml")
    safe_print(f"Test it: PYTHONPATH={folder} {python} -m pytest {folder}/tests")
    safe_print(f"Install it: {python} -m pip install {folder}")
    return 0

"""The command `diff`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from parlour.cli.options import TableOrJson
from parlour.cli.output import safe_print
from parlour.games.common.errors import BadInput
from parlour.tournament.plan.additions import part_of_file
from parlour.tournament.plan.loader import read_tournament
from parlour.tournament.plan.toml_source import is_sqlite_file
from parlour.tournament.reports.difference import (
    Difference,
    Side,
    differences,
    side_of_file,
    side_of_save,
)
from parlour.tournament.save.directory import chosen

HELP = "A save, or a tournament file."


def diff(
    one: Annotated[Path, typer.Argument(metavar="A", help=HELP, show_default=False)],
    other: Annotated[Path, typer.Argument(metavar="B", help=HELP, show_default=False)],
    format: TableOrJson = "table",
) -> int:
    """Show what differs between two saves or tournament files."""
    sides = _side(one), _side(other)
    made = differences(*sides)
    same = not any(difference.matters for difference in made)
    if format == "json":
        body = {"a": sides[0].path, "b": sides[1].path, "same": same}
        print(json.dumps({**body, "differences": list(map(asdict, made))}, indent=2))
    else:
        _print(sides, made)
    return 0 if same else 1


def _side(path: Path) -> Side:
    if path.suffix == ".toml" and not (path.is_file() and is_sqlite_file(path)):
        if part_of_file(path) is not None:
            problem, fix = "has agents or games alone", "name a whole tournament, or a save"
            raise BadInput(str(path), problem, fix)
        return side_of_file(path, read_tournament(path))
    return side_of_save(chosen(path))


def _print(sides: tuple[Side, Side], made: list[Difference]) -> None:
    safe_print(f"A: {sides[0].path}")
    safe_print(f"B: {sides[1].path}")
    others = [difference for difference in made if not difference.matters]
    for difference in made[: len(made) - len(others)]:
        safe_print(f"{difference.sentence}{':' if difference.lines else ''}")
        for line in difference.lines:
            safe_print(f"  {line}")
    if not made:
        print("Nothing differs.")
    elif len(others) == len(made):
        print("Nothing differs but:")
    elif others:
        print("Of less weight:")
    for difference in others:
        safe_print(f"  {difference.sentence}")

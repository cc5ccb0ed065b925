"""The command `measures`."""

import json
import sys
from dataclasses import asdict, fields

from parlour.cli.options import JsonOrCsv, NewestSave, OnlyGame, WithoutFaults
from parlour.cli.output import find_save
from parlour.games.engine.registry import find_game
from parlour.ratings.measures.measures import Row
from parlour.ratings.reports.formats import csv_table
from parlour.results import measures_of


def measures(
    save: NewestSave = None,
    game: OnlyGame = None,
    format: JsonOrCsv = "json",
    without_faults: WithoutFaults = False,
) -> int:
    """Print every measure as tidy rows."""
    if game is not None:
        find_game(game, "--game")
    rows = measures_of(find_save(save), without_faults)
    tidy = [
        {key: _whole(value) for key, value in asdict(row).items()}
        for row in rows
        if game is None or row.game == game
    ]
    if format == "json":
        print(json.dumps(tidy, indent=1, allow_nan=False))
        return 0
    titles = [field.name for field in fields(Row)]
    sys.stdout.write(csv_table(titles, (row.values() for row in tidy)))
    return 0


def _whole(value: object) -> object:
    """Counts without a decimal point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value

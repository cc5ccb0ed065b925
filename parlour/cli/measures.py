"""The command `measures`."""

from parlour.api.results import measures_of
from parlour.cli.options import JsonOrCsv, NewestSave, OnlyGame, WithoutFaults
from parlour.cli.output import find_save, write_report
from parlour.games.engine.registry import find_game
from parlour.ratings.reports.measures_report import measures_report


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
    report = measures_report([row for row in rows if game in {None, row.game}])
    write_report(report, format)
    return 0

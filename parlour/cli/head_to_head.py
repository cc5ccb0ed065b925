"""The command `head-to-head`."""

from parlour.api.results import board_of
from parlour.cli.options import AnyFormat, Force, NewestSave, OnlyGame, OutFile
from parlour.cli.output import find_save, write_report
from parlour.cli.report_tables import print_matrix
from parlour.games.engine.registry import find_game
from parlour.ratings.reports import matrix as matrices


def head_to_head(
    save: NewestSave = None,
    game: OnlyGame = None,
    format: AnyFormat = "table",
    out: OutFile = None,
    force: Force = False,
) -> int:
    """Show the results of each agent against each other agent."""
    if game is not None:
        find_game(game, "--game")
    matrix = matrices.matrix(board_of(find_save(save)), game)
    if format == "table" and out is None:
        print_matrix(matrix)
    else:
        write_report(matrices.matrix_report(matrix), format, out, force)
    return 0

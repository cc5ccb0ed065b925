"""The command `leaderboard`."""

from dataclasses import asdict
from typing import Annotated

import typer

from parlour.api.results import board_by
from parlour.cli.console_tables import print_note
from parlour.cli.options import AnyFormat, Force, NewestSave, OutFile, WithoutFaults
from parlour.cli.output import find_save, write_report
from parlour.cli.report_tables import (
    print_decided,
    print_history,
    print_leaderboard,
    print_remarks,
)
from parlour.ratings.reports.leaderboard_report import leaderboard_report
from parlour.tournament.reports.decided_ranks import decided_ranks
from parlour.tournament.save.origins import origin_words
from parlour.tournament.save.reader import Save
from parlour.tournament.save.servings import remarks_of


def leaderboard(
    save: NewestSave = None,
    by: Annotated[
        str,
        typer.Option(
            metavar="overall|game|role|condition|meta.KEY",
            help="One row per agent, or per game, role or condition, or per value of its meta.",
        ),
    ] = "overall",
    format: AnyFormat = "table",
    out: OutFile = None,
    force: Force = False,
    without_faults: WithoutFaults = False,
) -> int:
    """Rank agents, with confidence intervals."""
    path = find_save(save)
    board, kind = board_by(path, without_faults, by)
    if format == "table" and out is None:
        print_leaderboard(board, kind)
        with Save(path) as opened:
            if words := origin_words(opened):
                print_note(f"These matches were {words}.")
            print_decided(decided_ranks(opened))
            print_remarks(opened)
            print_history(opened)
    else:
        with Save(path) as opened:
            provenance, ranks = list(map(asdict, remarks_of(opened))), decided_ranks(opened)
        write_report(leaderboard_report(board, kind, provenance, ranks), format, out, force)
    return 0

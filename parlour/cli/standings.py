"""The commands `leaderboard`, `head-to-head`, `measures`, and the checks of a save's figures."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from parlour.api.results import board_by, board_of, measures_of, reliability_of, sensitivity_of
from parlour.cli.console_tables import print_note, print_table
from parlour.cli.options import (
    AnyFormat,
    Force,
    JsonOrCsv,
    NewestSave,
    OnlyGame,
    OutFile,
    WithoutFaults,
)
from parlour.cli.output import find_save, safe_print, write_report
from parlour.cli.report_tables import (
    print_conduct,
    print_decided,
    print_history,
    print_leaderboard,
    print_matrix,
    print_remarks,
)
from parlour.games.engine.registry import find_game
from parlour.ratings.reports import matrix as matrices
from parlour.ratings.reports.leaderboard_report import leaderboard_report
from parlour.ratings.reports.measures_report import measures_report
from parlour.ratings.reports.reliability_report import reliability_report
from parlour.ratings.reports.report import Report
from parlour.ratings.reports.sensitivity_report import sensitivity_report
from parlour.tournament.reports.conduct import conduct as conduct_of
from parlour.tournament.reports.conduct import conduct_report, conduct_table
from parlour.tournament.save.growing.decisions import decided_ranks
from parlour.tournament.save.provenance.origins import origin_words
from parlour.tournament.save.provenance.remarks import remarks_of
from parlour.tournament.save.reader import Save


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


def sensitivity(
    save: NewestSave = None,
    format: AnyFormat = "table",
    out: OutFile = None,
    force: Force = False,
) -> int:
    """Check what the order of the leaderboard hangs on."""
    return _checks(sensitivity_report(sensitivity_of(find_save(save))), format, out, force)


def reliability(
    save: NewestSave = None,
    format: AnyFormat = "table",
    out: OutFile = None,
    force: Force = False,
) -> int:
    """Show whether the same agents would get the same figures again."""
    return _checks(reliability_report(reliability_of(find_save(save))), format, out, force)


def _checks(report: Report, format: str, out: Path | None, force: bool) -> int:
    """Prints or writes a report of tables with headings."""
    if format != "table" or out is not None:
        write_report(report, format, out, force)
        return 0
    for table in report.tables:
        safe_print(table.heading)
        print_table(table.titles, table.rows, right=range(1, len(table.titles)))
    for note in report.notes:
        print_note(note)
    return 0


def conduct(
    save: NewestSave = None,
    format: AnyFormat = "table",
    out: OutFile = None,
    force: Force = False,
) -> int:
    """Show faults, repairs, retries, tokens, costs and latency by agent."""
    with Save(find_save(save)) as opened:
        rows = conduct_of(opened)
    if format == "table" and out is None:
        print_conduct(conduct_table(rows))
    else:
        write_report(conduct_report(rows), format, out, force)
    return 0

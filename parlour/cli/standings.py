"""The commands `leaderboard`, `head-to-head`, `measures`, and the checks of a save's figures."""

from dataclasses import asdict
from typing import Annotated

import typer

from parlour.api.results import board_by, board_of, measures_of, reliability_of, sensitivity_of
from parlour.cli.console_tables import print_note, show
from parlour.cli.options import (
    AnyFormat,
    Force,
    JsonOrCsv,
    NewestSave,
    OnlyGame,
    OutFile,
    WithoutFaults,
)
from parlour.cli.output import find_save
from parlour.games.engine.registry import find_game
from parlour.ratings.reports.decided_ranks import decided_report
from parlour.ratings.reports.leaderboard_report import leaderboard_report
from parlour.ratings.reports.matrix import matrix, matrix_report
from parlour.ratings.reports.measures_report import measures_report
from parlour.ratings.reports.reliability_report import reliability_report
from parlour.ratings.reports.sensitivity_report import sensitivity_report
from parlour.tournament.reports.conduct import conduct as conduct_of
from parlour.tournament.reports.conduct import conduct_report
from parlour.tournament.reports.growth_history import growth_history, has_grown
from parlour.tournament.save.growing.decisions import decided_ranks
from parlour.tournament.save.provenance.alarms import alarms_of
from parlour.tournament.save.provenance.origins import origin_words
from parlour.tournament.save.provenance.remarks import remarks_of
from parlour.tournament.save.queries import progress_by_agent
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
    with Save(path) as opened:
        if format != "table" or out is not None:
            provenance, ranks = list(map(asdict, remarks_of(opened))), decided_ranks(opened)
            progress = [each._asdict() for each in progress_by_agent(opened)]
            report = leaderboard_report(board, kind, provenance, ranks, progress)
            return show(report, format, out, force)
        show(leaderboard_report(board, kind))
        if words := origin_words(opened):
            print_note(f"These matches were {words}.")
        print_remarks(opened)
        steps = growth_history(opened)
        for step in steps if has_grown(steps) else ():
            print_note(f"History: {step.sentence}")
    return 0


def print_remarks(save: Save) -> None:
    """Prints decided ranks, alarms, and what changed within the figures; most saves have none."""
    ranks = decided_ranks(save)
    if ranks is not None:
        show(decided_report(ranks))
    print_alarms(save)
    for remark in remarks_of(save):
        print_note(f"{remark.level.capitalize()}: {remark.sentence}")


def print_alarms(save: Save) -> None:
    """Prints the alarms of a save."""
    for alarm in alarms_of(save):
        print_note(f"Alarm: {alarm.sentence}")


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
    met = matrix(board_of(find_save(save)), game)
    return show(matrix_report(met), format, out, force)


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
    return show(measures_report([row for row in rows if game in {None, row.game}]), format)


def sensitivity(
    save: NewestSave = None,
    format: AnyFormat = "table",
    out: OutFile = None,
    force: Force = False,
) -> int:
    """Check what the order of the leaderboard hangs on."""
    return show(sensitivity_report(sensitivity_of(find_save(save))), format, out, force)


def reliability(
    save: NewestSave = None,
    format: AnyFormat = "table",
    out: OutFile = None,
    force: Force = False,
) -> int:
    """Show whether the same agents would get the same figures again."""
    return show(reliability_report(reliability_of(find_save(save))), format, out, force)


def conduct(
    save: NewestSave = None,
    format: AnyFormat = "table",
    out: OutFile = None,
    force: Force = False,
) -> int:
    """Show faults, repairs, retries, tokens, costs and latency by agent."""
    with Save(find_save(save)) as opened:
        rows = conduct_of(opened)
    return show(conduct_report(rows), format, out, force)

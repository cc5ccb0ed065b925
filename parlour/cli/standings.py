"""The command `leaderboard` and its views."""

from dataclasses import asdict
from pathlib import Path
from typing import Literal

import typer

from parlour.api.results import board_by, board_of, measures_of, reliability_of, sensitivity_of
from parlour.cli.console_tables import print_note, show
from parlour.cli.options import AnyFormat, was_given
from parlour.cli.output import find_save
from parlour.cli.signs_of_life import signs_of_life
from parlour.games.common.errors import BadInput
from parlour.games.engine.registry import find_game
from parlour.ratings.reports.decided_ranks import decided_report
from parlour.ratings.reports.leaderboard_report import leaderboard_report
from parlour.ratings.reports.report import Report
from parlour.tournament.reports.growth_history import growth_history, has_grown
from parlour.tournament.reports.leaderboards import decided_ranks
from parlour.tournament.save.provenance.alarms import alarms_of
from parlour.tournament.save.provenance.origins import origin_words
from parlour.tournament.save.provenance.remarks import remarks_of
from parlour.tournament.save.queries import progress_by_agent
from parlour.tournament.save.reader import Save

View = Literal["ranks", "head-to-head", "measures", "conduct", "sensitivity", "reliability"]
OPTIONS_OF: dict[str, tuple[View, ...]] = {
    "by": ("ranks",),
    "game": ("head-to-head", "measures"),
    "without_faults": ("ranks", "measures"),
}
"""The views that take an option; the others are for all."""


def leaderboard(
    context: typer.Context,
    save: Path | None = None,
    view: View = "ranks",
    by: str = "overall",
    game: str | None = None,
    without_faults: bool = False,
    format: AnyFormat = "table",
    out: Path | None = None,
    force: bool = False,
) -> int:
    """Rank agents, with confidence intervals; show their measures, conduct or reliability."""
    _refuse_unused(context, view)
    if game is not None:
        find_game(game, "--game")
    path = find_save(save)
    if view == "ranks":
        return _ranks(path, by, without_faults, format, out, force)
    with signs_of_life("Computing"):
        report = _report(path, view, game, without_faults)
    return show(report, format, out, force)


def _refuse_unused(context: typer.Context, view: View) -> None:
    """BadInput for an option that the view does not take."""
    for name, views in OPTIONS_OF.items():
        if view not in views and was_given(context, name):
            problem = f"is not for --view {view}"
            its = " or ".join(f"--view {each}" for each in views)
            raise BadInput(f"--{name.replace('_', '-')}", problem, f"leave it out, or {its}")


def _report(path: Path, view: View, game: str | None, without_faults: bool) -> Report:
    """The report of a view other than the ranks. What makes one is slow to import."""
    if view == "head-to-head":
        from parlour.ratings.reports.matrix import matrix, matrix_report

        return matrix_report(matrix(board_of(path), game))
    if view == "measures":
        from parlour.ratings.reports.measures_report import measures_report

        rows = measures_of(path, without_faults)
        return measures_report([row for row in rows if game in {None, row.game}])
    if view == "sensitivity":
        from parlour.ratings.reports.sensitivity_report import sensitivity_report

        return sensitivity_report(sensitivity_of(path))
    if view == "reliability":
        from parlour.ratings.reports.reliability_report import reliability_report

        return reliability_report(reliability_of(path))
    from parlour.tournament.reports.conduct import conduct, conduct_report

    with Save(path) as opened:
        return conduct_report(conduct(opened))


def _ranks(
    path: Path, by: str, without_faults: bool, format: str, out: Path | None, force: bool
) -> int:
    """Shows the leaderboard with its remarks. Returns the exit code."""
    with signs_of_life("Rating the agents"):
        board, kind = board_by(path, without_faults, by, "--by")
    with Save(path) as opened:
        planned = opened.match_count().matches
        if format != "table" or out is not None:
            provenance, ranks = list(map(asdict, remarks_of(opened))), decided_ranks(opened)
            progress = [each._asdict() for each in progress_by_agent(opened)]
            report = leaderboard_report(board, kind, provenance, ranks, progress, planned)
            return show(report, format, out, force)
        show(leaderboard_report(board, kind, planned=planned))
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

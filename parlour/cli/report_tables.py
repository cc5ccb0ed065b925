"""Tables of reports on the console: leaderboard, head-to-head matrix, conduct."""

import re
from collections.abc import Sequence
from functools import partial

from rich.measure import Measurement
from rich.table import Table

from parlour.cli.console_tables import (
    console,
    plain_table,
    print_fitting,
    print_note,
    print_table,
)
from parlour.cli.output import safe_print
from parlour.ratings.reports import matrix as matrices
from parlour.ratings.reports.decided_ranks import DecidedRanks, decided_note, decided_table
from parlour.ratings.reports.leaderboard import By, Leaderboard
from parlour.ratings.reports.leaderboard_report import (
    empty_message,
    footnotes,
    leaderboard_table,
)
from parlour.ratings.reports.report import Report
from parlour.ratings.reports.report import Table as TableOfCells
from parlour.tournament.reports.growth_history import growth_history, has_grown
from parlour.tournament.save.provenance.alarms import alarms_of
from parlour.tournament.save.provenance.remarks import remarks_of
from parlour.tournament.save.reader import Save

INTERVALS = "intervals"
OF_STRENGTH = "the interval of strength"
NUMBER = re.compile(r"-?\d|–$|$")
"""The beginning of a cell with a number, or none."""


def print_leaderboard(board: Leaderboard, by: By) -> None:
    """Prints the leaderboard; a note names the columns for which the screen is too narrow."""
    shown = leaderboard_table(board, by)
    titles, rows = shown.titles, shown.rows
    if not rows:
        print(empty_message(board))
        return
    dispensable = [
        INTERVALS,
        "μ",
        "σ",
        "Matches",
        *reversed(titles[titles.index("Matches") + 2 :]),
        OF_STRENGTH,
    ]
    print_fitting(partial(_leaderboard_table, titles, rows), dispensable, footnotes(board))


def print_report(report: Report) -> None:
    """Prints title, tables and notes; columns of numbers are flush right."""
    safe_print(report.title)
    for table in report.tables:
        if table.heading:
            safe_print(table.heading)
        columns = list(zip(*table.rows, strict=True))
        right = [index for index, cells in enumerate(columns) if all(map(NUMBER.match, cells))]
        print_table(table.titles, table.rows, right)
    for note in report.notes:
        print_note(note)


def print_decided(ranks: DecidedRanks | None) -> None:
    """Prints the decided ranks of an adaptive tournament; None is another schedule: nothing."""
    if ranks is not None:
        shown = decided_table(ranks)
        safe_print(f"{shown.heading}:")
        print_table(shown.titles, shown.rows, right=[0, 2, 3, 4])
        print_note(decided_note(ranks))


def print_remarks(save: Save) -> None:
    """Prints the alarms of a save and what changed within its figures; most saves have neither."""
    print_alarms(save)
    for remark in remarks_of(save):
        print_note(f"{remark.level.capitalize()}: {remark.sentence}")


def print_alarms(save: Save) -> None:
    """Prints the alarms of a save."""
    for alarm in alarms_of(save):
        print_note(f"Alarm: {alarm.sentence}")


def print_history(save: Save) -> None:
    """Prints how a tournament grew, nothing for one that did not."""
    steps = growth_history(save)
    for step in steps if has_grown(steps) else ():
        print_note(f"History: {step.sentence}")


def _leaderboard_table(
    titles: Sequence[str], rows: Sequence[Sequence[str]], left_out: Sequence[str]
) -> Table:
    columns = [index for index, title in enumerate(titles) if title not in left_out]
    agent, measures = titles.index("Agent"), titles.index("Matches") + 1

    def shown(cell: str, index: int) -> str:
        dropped = INTERVALS if index >= measures else OF_STRENGTH
        if index > agent and dropped in left_out:
            return _without_interval(cell)
        return cell

    def shown_row(row: Sequence[str]) -> list[str]:
        return [shown(row[index], index) for index in columns]

    return plain_table(
        [titles[index] for index in columns],
        list(map(shown_row, rows)),
        right=[column for column, index in enumerate(columns) if index == 0 or index > agent],
    )


def print_conduct(shown: TableOfCells) -> None:
    """Prints the table of conduct; a note names the columns for which the screen is too narrow."""
    dispensable = [
        *(INTERVALS, "95 % s", "Median s", "Cached", "Refusals", "Retries", "of which", "Repairs"),
        *("Tokens in", "out"),
    ]
    print_fitting(partial(_conduct_table, shown.titles, shown.rows), dispensable)


def _conduct_table(
    titles: Sequence[str], rows: Sequence[Sequence[str]], left_out: Sequence[str]
) -> Table:
    columns = [index for index, title in enumerate(titles) if title not in left_out]

    def shown_row(row: Sequence[str]) -> list[str]:
        cells = [row[index] for index in columns]
        return list(map(_without_interval, cells)) if INTERVALS in left_out else cells

    texts = (titles.index("Agent"), titles.index("of which"))
    return plain_table(
        [titles[index] for index in columns],
        list(map(shown_row, rows)),
        right=[column for column, index in enumerate(columns) if index not in texts],
    )


def _without_interval(cell: str) -> str:
    return cell.split(" [", maxsplit=1)[0]


def print_matrix(matrix: matrices.Matrix) -> None:
    """Prints the matrix of agents, or a list of pairs where the screen is too narrow for it."""
    if not matrix.agents:
        print(matrices.empty_message(matrix.game))
        return
    screen = console()
    shown = matrices.matrix_table(matrix)
    table = plain_table(shown.titles, shown.rows, right=[0, *range(2, len(shown.titles))])
    anywhere = screen.options.update(width=10_000)
    if Measurement.get(screen, anywhere, table).maximum > screen.width:
        shown = matrices.pair_table(matrix)
        table = plain_table(shown.titles, shown.rows, right=range(2, len(shown.titles)))
    screen.print(table)
    for note in matrices.notes(matrix):
        print_note(note)

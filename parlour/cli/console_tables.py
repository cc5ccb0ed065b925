"""Tables for people, drawn by rich; without colour outside of a terminal."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from parlour.games.common.text import clean
from parlour.ratings.reports import matrix as matrices
from parlour.ratings.reports.leaderboard import By, Leaderboard
from parlour.ratings.reports.leaderboard_report import (
    empty_message,
    footnotes,
    leaderboard_table,
)
from parlour.ratings.reports.report import Table as TableOfCells

INTERVALS = "intervals"
OF_STRENGTH = "the interval of strength"
PIPE_WIDTH = 240
"""Columns of a table in a pipe or a file, unless COLUMNS says otherwise."""


def console() -> Console:
    """The console. Without a terminal its width is COLUMNS, or that of a whole table."""
    if sys.stdout.isatty():
        return Console(highlight=False)
    columns = os.environ.get("COLUMNS", "")
    wanted = int(columns) if columns.isdecimal() else 0
    return Console(highlight=False, width=wanted or PIPE_WIDTH)


def _table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()
) -> Table:
    """A table of plain texts. The columns ``right`` hold numbers: flush right and never cut."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    numbers = set(right)
    for index, title in enumerate(titles):
        is_number = index in numbers
        table.add_column(
            Text(title),
            justify="right" if is_number else "left",
            no_wrap=is_number,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(clean(cell)) for cell in row))
    return table


def print_table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()
) -> None:
    """Prints a table of plain texts; the columns ``right`` are set flush right."""
    console().print(_table(titles, rows, right))


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
    _print_fitting(partial(_leaderboard_table, titles, rows), dispensable, footnotes(board))


def print_conduct(shown: TableOfCells) -> None:
    """Prints the table of conduct; a note names the columns for which the screen is too narrow."""
    dispensable = [
        *(INTERVALS, "95 % s", "Median s", "Cached", "Refusals", "Retries", "of which", "Repairs"),
        *("Tokens in", "out"),
    ]
    _print_fitting(partial(_conduct_table, shown.titles, shown.rows), dispensable)


def _print_fitting(
    table_without: Callable[[Sequence[str]], Table],
    dispensable: Sequence[str],
    notes: Sequence[str] = (),
) -> None:
    """Prints a table without as many ``dispensable`` columns as the screen has no room for.

    They are left out in the order given; all other columns stay.
    """
    screen = console()
    anywhere = screen.options.update(width=10_000)
    for count in range(len(dispensable) + 1):
        left_out = dispensable[:count]
        table = table_without(left_out)
        if Measurement.get(screen, anywhere, table).maximum <= screen.width:
            break
    screen.print(table)
    for note in notes:
        screen.print(Text(note))
    if left_out:
        names = ", ".join(left_out)
        screen.print(Text(f"Columns left out: {names}. --format csv has everything."))


def _conduct_table(
    titles: Sequence[str], rows: Sequence[Sequence[str]], left_out: Sequence[str]
) -> Table:
    columns = [index for index, title in enumerate(titles) if title not in left_out]

    def shown_row(row: Sequence[str]) -> list[str]:
        cells = [row[index] for index in columns]
        return list(map(_without_interval, cells)) if INTERVALS in left_out else cells

    texts = (titles.index("Agent"), titles.index("of which"))
    return _table(
        [titles[index] for index in columns],
        list(map(shown_row, rows)),
        right=[column for column, index in enumerate(columns) if index not in texts],
    )


def _without_interval(cell: str) -> str:
    return cell.split(" [", maxsplit=1)[0]


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

    return _table(
        [titles[index] for index in columns],
        list(map(shown_row, rows)),
        right=[column for column, index in enumerate(columns) if index == 0 or index > agent],
    )


def print_matrix(matrix: matrices.Matrix) -> None:
    """Prints the matrix of agents, or a list of pairs where the screen is too narrow for it."""
    if not matrix.agents:
        print(matrices.empty_message(matrix.game))
        return
    screen = console()
    shown = matrices.matrix_table(matrix)
    table = _table(shown.titles, shown.rows, right=[0, *range(2, len(shown.titles))])
    anywhere = screen.options.update(width=10_000)
    if Measurement.get(screen, anywhere, table).maximum > screen.width:
        shown = matrices.pair_table(matrix)
        table = _table(shown.titles, shown.rows, right=range(2, len(shown.titles)))
    screen.print(table)
    for note in matrices.notes(matrix):
        screen.print(Text(note))

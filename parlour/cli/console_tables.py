"""Tables for people: rich on a terminal, the same without colour elsewhere."""

import shutil
import sys
from collections.abc import Iterable, Sequence

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

OF_STRENGTH = "the interval of strength"
PIPE_WIDTH = 240
"""Columns of a table that goes into a pipe or a file."""


def console() -> Console:
    """The screen; wide enough for a whole table when there is no terminal."""
    if sys.stdout.isatty():
        return Console(highlight=False)
    width = shutil.get_terminal_size((PIPE_WIDTH, 24)).columns
    return Console(highlight=False, width=max(width, PIPE_WIDTH))


def _table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()
) -> Table:
    """A table of plain texts; ``right`` are columns of numbers: flush right and never cut."""
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
    """Prints a table of plain texts; ``right`` are the columns set flush right."""
    console().print(_table(titles, rows, right))


def print_leaderboard(board: Leaderboard, by: By) -> None:
    """Prints the leaderboard; where it is wider than the screen, columns go, and it says which."""
    shown = leaderboard_table(board, by)
    titles, rows = shown.titles, shown.rows
    if not rows:
        print(empty_message(board))
        return
    screen = console()
    anywhere = screen.options.update(width=10_000)
    # What can be done without, first things first; the rest always stays.
    dispensable = [
        "intervals",
        "μ",
        "σ",
        "Matches",
        *reversed(titles[titles.index("Matches") + 2 :]),
        OF_STRENGTH,
    ]
    for count in range(len(dispensable) + 1):
        left_out = dispensable[:count]
        table = _leaderboard_table(titles, rows, left_out)
        if Measurement.get(screen, anywhere, table).maximum <= screen.width:
            break
    screen.print(table)
    notes = footnotes(board)
    if left_out:
        notes.append(f"No room here for: {', '.join(left_out)}. --format csv has everything.")
    for note in notes:
        screen.print(Text(note))


def _leaderboard_table(
    titles: Sequence[str], rows: Sequence[Sequence[str]], left_out: Sequence[str]
) -> Table:
    kept = [index for index, title in enumerate(titles) if title not in left_out]
    agent, measures = titles.index("Agent"), titles.index("Matches") + 1

    def shown(row: Sequence[str], index: int) -> str:
        dropped = "intervals" if index >= measures else OF_STRENGTH
        if index > agent and dropped in left_out:
            return row[index].split(" [", maxsplit=1)[0]
        return row[index]

    return _table(
        [titles[index] for index in kept],
        [[shown(row, index) for index in kept] for row in rows],
        right=[place for place, index in enumerate(kept) if index == 0 or index > agent],
    )


def print_matrix(found: matrices.Matrix) -> None:
    """Prints who won how much against whom; too wide for the screen, it becomes a list of pairs."""
    if not found.agents:
        print(matrices.empty_message(found.game))
        return
    screen = console()
    shown = matrices.matrix_table(found)
    table = _table(shown.titles, shown.rows, right=[0, *range(2, len(shown.titles))])
    anywhere = screen.options.update(width=10_000)
    if Measurement.get(screen, anywhere, table).maximum > screen.width:
        shown = matrices.pair_table(found)
        table = _table(shown.titles, shown.rows, right=range(2, len(shown.titles)))
    screen.print(table)
    for note in matrices.notes(found):
        screen.print(Text(note))

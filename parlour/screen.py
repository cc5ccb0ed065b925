"""Tables for people: rich on a terminal, the same without colour elsewhere."""

import shutil
import sys
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from games.text import clean
from ratings.leaderboard import By, Leaderboard
from ratings.report import footnotes, headings, lines

PIPE_WIDTH = 160
"""Columns of a table that goes into a pipe or a file."""


def console() -> Console:
    """The screen; wide enough for a whole table when there is no terminal."""
    if sys.stdout.isatty():
        return Console(highlight=False)
    width = shutil.get_terminal_size((PIPE_WIDTH, 24)).columns
    return Console(highlight=False, width=max(width, PIPE_WIDTH))


def print_table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()
) -> None:
    """Prints a table of plain texts; ``right`` are the columns set flush right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    numbers = set(right)
    for index, title in enumerate(titles):
        table.add_column(Text(title), justify="right" if index in numbers else "left")
    for row in rows:
        table.add_row(*(Text(clean(cell)) for cell in row))
    console().print(table)


def print_leaderboard(board: Leaderboard, by: By) -> None:
    """Prints the leaderboard; on a narrow terminal the intervals go, and it says so."""
    titles, rows = headings(by), lines(board, by)
    screen = console()
    narrow = screen.width < 120
    if narrow:  # what takes the room goes: the intervals, and the parts of the rating
        rows = [[text.split(" [", maxsplit=1)[0] for text in row] for row in rows]
        kept = [i for i, title in enumerate(titles) if title not in {"μ", "σ"}]
        titles, rows = [titles[i] for i in kept], [[row[i] for i in kept] for row in rows]
    if not rows:
        print("No match is finished yet.")
        return
    agent = titles.index("Agent")
    print_table(titles, rows, right=[0, *range(agent + 1, len(titles))])
    for note in footnotes(board):
        screen.print(Text(note))
    if narrow:
        screen.print(Text("Intervals, μ and σ need 120 columns, or --format csv."))

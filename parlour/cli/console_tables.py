"""Tables for people, drawn by rich; without colour outside of a terminal."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from parlour.games.common.text import clean

PIPE_WIDTH = 240
"""Columns of a table in a pipe or a file, unless COLUMNS says otherwise."""


def console() -> Console:
    """The console. Without a terminal its width is COLUMNS, or that of a whole table."""
    if sys.stdout.isatty():
        return Console(highlight=False)
    columns = os.environ.get("COLUMNS", "")
    wanted = int(columns) if columns.isdecimal() else 0
    return Console(highlight=False, width=wanted or PIPE_WIDTH)


def plain_table(
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
    console().print(plain_table(titles, rows, right))


def print_fitting(
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

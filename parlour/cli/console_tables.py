"""Tables for people, drawn by rich; without colour outside of a terminal."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence

from rich import box
from rich.cells import cell_len
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


def print_note(words: str) -> None:
    """Prints a sentence of any length, wrapped by words where the width is that of a screen.

    What has no blanks, such as a path, is never broken. In a pipe or a file it is one line.
    """
    screen = console()
    is_screen = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal()
    first, *others = clean(words, 4 * len(words) + 1).split(" ")
    lines = [first]
    for word in others:
        if is_screen and cell_len(lines[-1]) + 1 + cell_len(word) > screen.width:
            lines.append(word)
        else:
            lines[-1] += f" {word}"
    for line in lines:
        screen.print(Text(line), soft_wrap=True)


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
        print_note(note)
    if left_out:
        names = ", ".join(left_out)
        print_note(f"Columns left out: {names}. --format csv has everything.")

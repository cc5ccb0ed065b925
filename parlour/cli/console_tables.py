"""Tables for people, drawn by rich; without colour outside of a terminal."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as RichTable
from rich.text import Text

from parlour.cli.output import safe_print, write_report
from parlour.games.common.forms import CellForm
from parlour.games.common.tables import ColumnTable, listed
from parlour.games.common.text import clean

if TYPE_CHECKING:
    from parlour.ratings.reports.report import Report

PIPE_WIDTH = 240
"""Columns of a pipe or a file, unless COLUMNS says otherwise or a table needs more."""


def console() -> Console:
    """The console. Without a terminal its width is COLUMNS, or that of a whole table."""
    if sys.stdout.isatty():
        return Console(highlight=False)
    columns = os.environ.get("COLUMNS", "")
    wanted = int(columns) if columns.isdecimal() else 0
    return Console(highlight=False, width=wanted or PIPE_WIDTH)


def print_table(table: ColumnTable[Any], notes: Sequence[str] = ()) -> None:
    """Prints a table and its notes.

    Where a screen has no room for all columns, further ones stand below, beside the first
    ``leads`` again. In a pipe or a file they all stand side by side.
    """
    screen = console()
    if table.narrow is not None and sum(_widths(table, screen)) > screen.width:
        table = table.narrow
    widths = _widths(table, screen) if table.leads else []
    if not _is_screen():
        screen = Console(highlight=False, width=max(screen.width, sum(widths)))
    for block in _blocks(table, widths, screen.width) if widths else [table]:
        screen.print(_drawn(block))
    for note in notes:
        print_note(note)


def _blocks(
    table: ColumnTable[Any], widths: Sequence[int], room: int
) -> Iterator[ColumnTable[Any]]:
    """Yields the columns that fit beside each other, as tables with the same rows."""
    leads = block = [*range(table.leads)]
    for number in range(table.leads, len(widths)):
        if block is not leads and sum(map(widths.__getitem__, [*block, number])) > room:
            yield replace(table, columns=[table.columns[each] for each in block])
            block = leads
        block = [*block, number]
    yield replace(table, columns=[table.columns[each] for each in block])


def _is_screen() -> bool:
    """True where a width is given: on a terminal, or by COLUMNS."""
    return sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal()


def _widths(table: ColumnTable[Any], screen: Console) -> list[int]:
    """The widths of columns, which add up to that of the table: of each as a table of its own."""
    anywhere = screen.options.update(width=10_000)
    alone = [_drawn(replace(table, columns=[column])) for column in table.columns]
    return [Measurement.get(screen, anywhere, drawn).maximum for drawn in alone]


def _drawn(table: ColumnTable[Any]) -> RichTable:
    """Draws a table. Numbers are never cut."""
    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for column in table.columns:
        numeric = column.form.numeric
        justify: Literal["left", "right"] = "right" if numeric else "left"
        drawn.add_column(Text(column.title), justify=justify, no_wrap=numeric, overflow="fold")
    for row in table.rows:
        drawn.add_row(*(Text(clean(text)) for text in row))
    return drawn


def print_list(forms: Mapping[str, CellForm], rows: Iterable[Sequence[object]]) -> None:
    """Prints the table of rows of values, whose columns are given as forms by title."""
    print_table(listed(forms, rows))


def show(
    report: "Report", format: str = "table", out: Path | None = None, force: bool = False
) -> int:
    """Prints a report in a format, or writes it to a file. Returns the exit code 0."""
    if format != "table" or out is not None:
        write_report(report, format, out, force)
    elif report.empty and not report.tables[0].items:
        print(report.empty)
    else:
        for words in filter(None, (report.title, report.caption)):
            safe_print(words)
        for table in report.tables:
            if table.heading:
                safe_print(table.heading)
            print_table(table, report.notes if table is report.tables[-1] else ())
        for note in () if report.tables else report.notes:
            print_note(note)
    return 0


def print_note(words: str) -> None:
    """Prints a sentence of any length, wrapped by words where the width is that of a screen.

    What has no blanks, such as a path, is never broken. In a pipe or a file it is one line.
    """
    screen = console()
    first, *others = clean(words, 4 * len(words) + 1).split(" ")
    lines = [first]
    for word in others:
        if _is_screen() and cell_len(lines[-1]) + 1 + cell_len(word) > screen.width:
            lines.append(word)
        else:
            lines[-1] += f" {word}"
    for line in lines:
        screen.print(Text(line), soft_wrap=True)

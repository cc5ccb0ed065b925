"""Tables for people, drawn by rich; without colour outside of a terminal."""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
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
    """Prints a table, its notes, and the names of what a narrow screen has no room for.

    Columns and intervals are left out in the order that the table gives; all others stay. In a
    pipe or a file nothing is left out.
    """
    screen, left_out = console(), 0
    if table.narrow is not None and not _fits(_drawn(table), screen):
        table = table.narrow
    if table.spared and not _is_screen():
        screen = Console(highlight=False, width=max(screen.width, _width(_drawn(table), screen)))
    while left_out < len(table.spared) and not _fits(_drawn(table, left_out), screen):
        left_out += 1
    screen.print(_drawn(table, left_out))
    for note in notes:
        print_note(note)
    if left_out:
        names = ", ".join(table.spared[:left_out])
        print_note(f"Columns left out: {names}. --format csv has everything.")


def _is_screen() -> bool:
    """True where a width is given: on a terminal, or by COLUMNS."""
    return sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal()


def _fits(drawn: RichTable, screen: Console) -> bool:
    return _width(drawn, screen) <= screen.width


def _width(drawn: RichTable, screen: Console) -> int:
    anywhere = screen.options.update(width=10_000)
    return Measurement.get(screen, anywhere, drawn).maximum


def _drawn(table: ColumnTable[Any], left_out: int = 0) -> RichTable:
    """Draws a table without the first of what it can spare. Numbers are never cut."""
    spared = {*table.spared[:left_out]}
    columns = [column for column in table.columns if column.title not in spared]
    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        numeric = column.form.numeric
        justify: Literal["left", "right"] = "right" if numeric else "left"
        drawn.add_column(Text(column.title), justify=justify, no_wrap=numeric, overflow="fold")
    for item in table.items:
        texts = []
        for column in columns:
            text = column.text(item)
            if column.form.spared in spared:
                text = text.split(" [", maxsplit=1)[0]
            texts.append(Text(clean(text)))
        drawn.add_row(*texts)
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

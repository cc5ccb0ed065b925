"""The type of all reports: tables for people, records for programs.

``writers.py`` writes any report as Markdown, LaTeX, CSV or JSON. A new report is a function that
returns a ``Report``; its tables are declared column by column.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
Record = Mapping[str, object]
"""A row of full-precision values by field; a missing field is empty."""


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """A column of a table: its title, and the text of its cell for one item."""

    title: str
    text: Callable[[T], str]


@dataclass(frozen=True, slots=True)
class Table:
    """Titles and rows of formatted cells, below a heading if it has one."""

    titles: list[str]
    rows: list[list[str]]
    heading: str = ""


def table(columns: Sequence[Column[T]], items: Iterable[T], heading: str = "") -> Table:
    """Returns the table with a row for each item."""

    def row(item: T) -> list[str]:
        return [column.text(item) for column in columns]

    return Table([column.title for column in columns], list(map(row, items)), heading)


@dataclass(frozen=True, slots=True)
class Report:
    """A report: formatted tables for people, and the same figures as data.

    ``fields`` and ``records`` are one tidy table (CSV); ``body`` is the same as nested data
    (JSON). ``notes`` stand below the tables, ``caption`` above them; ``title`` is a heading.
    ``label`` is that of LaTeX, for a report that is one table.
    """

    fields: Sequence[str]
    records: Sequence[Record]
    body: object
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    title: str = ""
    caption: str = ""
    label: str = ""

"""The columns of every table that is exported, declared once in columns.csv with their meanings."""

import csv
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple, cast

from parlour.ratings.reports.writers import csv_table, markdown_table

Kind = Literal["whole", "number", "text", "flag", "json"]
"""Types of a column. Any cell may be missing."""
FILE = Path(__file__).with_name("columns.csv")
ON_DEMAND = ("prompts", "chat", "preferences")
"""The tables that replay every match."""


class ExportColumn(NamedTuple):
    """A column of a table: its type, and what it means."""

    table: str
    column: str
    type: Kind
    meaning: str


def _declared() -> Iterator[ExportColumn]:
    with FILE.open(encoding="utf-8", newline="") as file:
        for table, column, kind, meaning in islice(csv.reader(file), 1, None):
            yield ExportColumn(table, column, cast(Kind, kind), meaning)


COLUMNS = tuple(_declared())


def columns_of(table: str) -> dict[str, Kind]:
    """The columns of a table, in order, with their types."""
    return {each.column: each.type for each in COLUMNS if each.table == table}


PROMPTS = columns_of("prompts")
TABLES = {each.table: columns_of(each.table) for each in COLUMNS if each.table not in ON_DEMAND}
"""The columns of each table that is exported unless another is asked for."""


def dictionary(tables: Iterable[str]) -> str:
    """The columns of some tables with types and meanings, as CSV."""
    return csv_table(ExportColumn._fields, [each for each in COLUMNS if each.table in tables])


def card(name: str, tables: Iterable[str]) -> str:
    """The card of a data set for Hugging Face: which file has which table, and every column.

    ``tables`` are those with rows: without any, `datasets` cannot read a file.
    """
    configs = "".join(
        f"- config_name: {table}\n  data_files: {table}.parquet\n" for table in tables
    )
    text = f"---\npretty_name: {name!r}\ntags: [parlour, games, agents]\nconfigs:\n{configs}---\n\n"
    text += f"# {name}\n\nA tournament of Parlour: games between agents, one table each of matches,"
    text += ' seats, answers and calls. `datasets.load_dataset(FOLDER, "seats")` reads one.'
    for table in tables:
        rows = [each[1:] for each in COLUMNS if each.table == table]
        text += f"\n\n## {table}\n\n{markdown_table(('column', 'type', 'meaning'), rows)}"
    return text + "\n"

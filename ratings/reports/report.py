"""The type of all reports: tables for people, records for programs.

``writers.py`` writes any report as Markdown, LaTeX, CSV or JSON. A new report is a function that
returns a ``Report``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parlour.games.common.tables import ColumnTable

Record = Mapping[str, object]
"""A row of full-precision values by field; a missing field is empty."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report: tables for people, and the same figures as data.

    ``fields`` and ``records`` are one tidy table (CSV); ``body`` is the same as nested data
    (JSON). ``notes`` stand below the tables, ``caption`` above them; ``title`` is a heading.
    ``label`` is that of LaTeX, for a report that is one float. ``empty`` replaces it all on a
    console where the first table has no rows.
    """

    fields: Sequence[str]
    records: Sequence[Record]
    body: object
    tables: Sequence[ColumnTable[Any]] = ()
    notes: Sequence[str] = ()
    title: str = ""
    caption: str = ""
    label: str = ""
    empty: str = ""

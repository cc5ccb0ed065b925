"""Matches, seats, answers and model calls of a save as files of tables."""

import csv
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol

from parlour.api.tables import PROMPTS, TABLES, Cells, Kind, batches, prompt_batches
from parlour.games.common.errors import BadInput
from parlour.games.common.packages import needing
from parlour.ratings.reports.writers import inert
from parlour.tournament.save.growing.check import raise_if_damaged
from parlour.tournament.save.reader import Save

Format = Literal["jsonl", "csv", "parquet"]


ROWS_OF_A_GROUP = 10_000
"""Rows of a Parquet file that are written together."""


def write_tables(
    path: Path, format: Format, out: Path, force: bool = False, prompts: bool = False
) -> dict[str, int]:
    """Writes one file a table into a folder; returns the number of rows of each.

    BadInput if a file of that name exists and is not to be overwritten, or cannot be written.
    """
    if out.is_file():
        raise BadInput(str(out), "is a file", "--out names a folder, such as --out tables")
    tables = {**TABLES, "prompts": PROMPTS} if prompts else TABLES
    for name in tables:
        target = file_of(out, name, format)
        if target.exists() and not force:
            fix = "overwrite the tables there with --force, or choose another --out"
            raise BadInput(str(target), "already exists", fix)
    if format == "parquet":
        _pyarrow()  # before anything is written
    counts = dict.fromkeys(tables, 0)
    with Save(path) as save, raise_if_damaged(save):
        try:
            out.mkdir(parents=True, exist_ok=True)
            with ExitStack() as stack:
                sheets = {}
                for name, columns in tables.items():
                    file = stack.enter_context(_draft(file_of(out, name, format)))
                    sheets[name] = SHEETS[format](file, columns)
                    stack.callback(sheets[name].finish)
                for batch in chain(batches(save), prompt_batches(save) if prompts else ()):
                    for name, rows in batch.items():
                        sheets[name].write(rows)
                        counts[name] += len(rows)
        except OSError as error:
            problem = f"cannot be written ({error.strerror})"
            raise BadInput(str(error.filename or out), problem, "choose another --out") from None
    return counts


class Sheet(Protocol):
    """The file of a table while it is written."""

    def write(self, rows: Iterable[Cells]) -> None:
        """Adds rows."""

    def finish(self) -> None:
        """Writes what is still buffered. The caller closes the file."""


def file_of(out: Path, name: str, format: Format) -> Path:
    """The file of a table in a folder."""
    return out / f"{name}.{format}"


@contextmanager
def _draft(target: Path) -> Iterator[BinaryIO]:
    """Yields a file that replaces its target at the end, and is removed if anything fails."""
    draft = target.with_name(target.name + ".new")
    try:
        with draft.open("wb") as file:
            yield file
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


class _Csv:
    """Comma-separated values without formulas that a spreadsheet would run."""

    def __init__(self, file: BinaryIO, columns: Mapping[str, Kind]) -> None:
        self._file = _as_text(file)
        self._table = csv.DictWriter(self._file, list(columns), lineterminator="\n")
        self._columns = columns
        self._table.writeheader()

    def write(self, rows: Iterable[Cells]) -> None:
        for row in rows:
            flat = _flat(row, self._columns)
            self._table.writerow(
                {
                    name: inert(cell) if isinstance(cell, str) else cell
                    for name, cell in flat.items()
                }
            )

    def finish(self) -> None:
        self._file.detach()  # flushes


class _JsonLines:
    """One JSON object a line; nested values stay nested."""

    def __init__(self, file: BinaryIO, _columns: Mapping[str, Kind]) -> None:
        self._file = _as_text(file)

    def write(self, rows: Iterable[Cells]) -> None:
        self._file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)

    def finish(self) -> None:
        self._file.detach()


class _Parquet:
    """Apache Parquet by pyarrow, in groups of rows; column types do not depend on the rows."""

    def __init__(self, file: BinaryIO, columns: Mapping[str, Kind]) -> None:
        arrow, parquet = _pyarrow()
        types = {
            "whole": arrow.int64(),
            "number": arrow.float64(),
            "flag": arrow.bool_(),
            "text": arrow.string(),
            "json": arrow.string(),
        }
        self._columns, self._held = columns, list[Cells]()
        self._schema = arrow.schema([(name, types[kind]) for name, kind in columns.items()])
        self._from_rows = arrow.Table.from_pylist
        self._writer = parquet.ParquetWriter(file, self._schema)

    def write(self, rows: Iterable[Cells]) -> None:
        self._held += [_flat(row, self._columns) for row in rows]
        if len(self._held) >= ROWS_OF_A_GROUP:
            self._flush()

    def finish(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        self._writer.write_table(self._from_rows(self._held, schema=self._schema))
        self._held = []


def _pyarrow() -> tuple[Any, Any]:
    """The package that writes Parquet. BadInput if it is not installed."""
    with needing("pyarrow", "--format parquet"):
        import pyarrow
        import pyarrow.parquet
    return pyarrow, pyarrow.parquet


SHEETS: dict[Format, Callable[[BinaryIO, Mapping[str, Kind]], Sheet]] = {
    "csv": _Csv,
    "jsonl": _JsonLines,
    "parquet": _Parquet,
}


def _as_text(file: BinaryIO) -> TextIOWrapper:
    return TextIOWrapper(file, encoding="utf-8", newline="")


def _flat(row: Cells, columns: Mapping[str, Kind]) -> Cells:
    """A row with its nested values as JSON texts."""
    return {
        name: json.dumps(cell, ensure_ascii=False)
        if columns[name] == "json" and cell is not None
        else cell
        for name, cell in row.items()
    }

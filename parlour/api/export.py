"""Exports: the tables of a save as files, a database or a data set, and what trains a model."""

import csv
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Literal

from parlour.api.columns import PROMPTS, TABLES, Kind, card, columns_of, dictionary
from parlour.api.preferences import STORED_BUDGET, Branching, preference_batches
from parlour.api.tables import Cells, batches, chat_batches, prompt_batches
from parlour.games.common.errors import BadInput
from parlour.games.common.packages import needing
from parlour.ratings.reports.writers import inert
from parlour.tournament.save.growing.check import raise_if_damaged
from parlour.tournament.save.reader import Save

Format = Literal["jsonl", "csv", "parquet", "duckdb", "hf", "chat", "preferences"]


ROWS_OF_A_GROUP = 10_000
"""Rows of a Parquet file that are written together."""
DICTIONARY, CARD = "columns.csv", "README.md"
"""The files beside the tables: every column with its meaning, and the card of a data set."""


def write_tables(
    path: Path,
    format: Format,
    out: Path,
    force: bool = False,
    prompts: bool = False,
    branching: Branching = STORED_BUDGET,
) -> dict[str, int]:
    """Writes one file a table into a folder; returns the number of rows of each.

    BadInput if a file of that name exists and is not to be overwritten, or cannot be written.
    """
    if out.is_file():
        raise BadInput(str(out), "is a file", "--out names a folder, such as --out tables")
    tables = {**TABLES, "prompts": PROMPTS} if prompts else TABLES
    if format in {"chat", "preferences"}:
        tables = {format: columns_of(format)}
    beside = {"duckdb": (), "hf": (DICTIONARY, CARD)}.get(format, (DICTIONARY,))
    for target in (*(file_of(out, name, format) for name in tables), *map(out.joinpath, beside)):
        if target.exists() and not force:
            fix = "overwrite the tables there with --force, or choose another --out"
            raise BadInput(str(target), "already exists", fix)
    if format in {"parquet", "hf"}:
        _pyarrow()  # before anything is written
    if format == "duckdb":
        return _write_database(path, out, prompts, tables)
    counts = dict.fromkeys(tables, 0)
    with Save(path) as save, raise_if_damaged(save):
        rows: Iterable[dict[str, list[Cells]]] = batches(save)
        if format == "chat":
            rows = chat_batches(save)
        elif format == "preferences":
            rows = preference_batches(save, branching)
        elif prompts:
            rows = chain(rows, prompt_batches(save))
        try:
            out.mkdir(parents=True, exist_ok=True)
            with ExitStack() as stack:
                sheets = {}
                for name, columns in tables.items():
                    file = stack.enter_context(_draft(file_of(out, name, format)))
                    sheets[name] = SHEETS[format](file, columns)
                    stack.callback(sheets[name].finish)
                for batch in rows:
                    for name, its in batch.items():
                        sheets[name].write(its)
                        counts[name] += len(its)
                for name in beside:
                    filled = [table for table, count in counts.items() if count]
                    text = dictionary(tables) if name == DICTIONARY else card(path.stem, filled)
                    stack.enter_context(_draft(out / name)).write(text.encode())
        except OSError as error:
            raise _unwritable(out, error) from None
    return counts


def _unwritable(out: Path, error: OSError) -> BadInput:
    problem = f"cannot be written ({error.strerror})"
    return BadInput(str(error.filename or out), problem, "choose another --out")


def _write_database(
    path: Path, out: Path, prompts: bool, tables: Mapping[str, Mapping[str, Kind]]
) -> dict[str, int]:
    """Writes the tables into one file of DuckDB, from JSON lines that are gone afterwards."""
    with needing("duckdb", "--format duckdb"):
        from parlour.api.database import make_database
    with TemporaryDirectory(prefix="parlour-tables-") as place:
        folder = Path(place)
        counts = write_tables(path, "jsonl", folder, prompts=prompts)
        made = folder / "made.duckdb"
        more = make_database(made, folder, tables)
        try:
            out.mkdir(parents=True, exist_ok=True)
            with _draft(file_of(out, "", "duckdb")) as into, made.open("rb") as file:
                shutil.copyfileobj(file, into)
        except OSError as error:
            raise _unwritable(out, error) from None
    return counts | more


def file_of(out: Path, name: str, format: Format) -> Path:
    """The file of a table in a folder."""
    if format == "duckdb":
        return out / "tables.duckdb"
    return out / f"{name}.{ENDINGS.get(format, format)}"


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


Sheet = _Csv | _JsonLines | _Parquet
"""The file of a table while it is written: it takes rows, and at the end writes what it still has.
The caller closes the file."""
SHEETS: dict[Format, Callable[[BinaryIO, Mapping[str, Kind]], Sheet]] = {
    "csv": _Csv,
    "jsonl": _JsonLines,
    "parquet": _Parquet,
    "hf": _Parquet,
    "chat": _JsonLines,
    "preferences": _JsonLines,
}
ENDINGS = {"hf": "parquet", "chat": "jsonl", "preferences": "jsonl"}
"""The endings of files that are not called after their format."""


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

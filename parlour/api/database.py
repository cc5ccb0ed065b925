"""The tables of a save as one file of DuckDB, with one table more for each kind of answer."""

from collections.abc import Mapping
from pathlib import Path

import duckdb

from parlour.api.columns import COLUMNS, Kind

TYPES: dict[Kind, str] = {
    **{"whole": "BIGINT", "number": "DOUBLE", "flag": "BOOLEAN"},
    **{"text": "VARCHAR", "json": "JSON"},
}


def make_database(
    file: Path, folder: Path, tables: Mapping[str, Mapping[str, Kind]]
) -> dict[str, int]:
    """Writes the file from JSON lines in a folder; the rows of each table of a kind of answer.

    Such a table is called after game and kind: ``undercover_vote``. It has a column for each field
    of the answer in place of ``value``; a field whose name another column has ends in ``_1``.
    """
    counts = {}
    with duckdb.connect(str(file)) as database:
        for table, columns in tables.items():
            types = {column: TYPES[kind] for column, kind in columns.items()}
            path = str(folder / f"{table}.jsonl")
            database.read_json(path, columns=types, format="newline_delimited").create(table)
        for table, column, _type, meaning in COLUMNS:
            if table in tables:
                said = _quoted(meaning)
                database.execute(f'COMMENT ON COLUMN {table}."{column}" IS {said}')
        games = database.table("matches").project("match, game")
        answers = database.table("answers").join(games, "match")
        kinds = answers.project("game, kind").distinct().order("game, kind").fetchall()
        for game, kind in kinds:
            name = f"{game}_{kind}"
            own = answers.filter(f"{_quoted(game)} = game AND {_quoted(kind)} = kind")
            [[structure]] = own.aggregate("json_group_structure(value)").fetchall()
            fields = _quoted(structure.replace("UBIGINT", "BIGINT"))
            parts = f"* EXCLUDE (value, kind), unnest(from_json(value, {fields}))"
            own.project(parts).create(name)
            [[counts[name]]] = database.table(name).count("*").fetchall()
    return counts


def _quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"

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
            lines = "read_json(?, format = 'newline_delimited', columns = ?)"
            sql = f"CREATE TABLE {table} AS SELECT * FROM {lines}"
            database.execute(sql, [str(folder / f"{table}.jsonl"), types])
        for table, column, _type, meaning in COLUMNS:
            if table in tables:
                said = _quoted(meaning, "'")
                database.execute(f'COMMENT ON COLUMN {table}."{column}" IS {said}')
        kinds = "SELECT DISTINCT game, kind FROM answers JOIN matches USING (match) ORDER BY ALL"
        for game, kind in database.sql(kinds).fetchall():
            name, own = _quoted(f"{game}_{kind}", '"'), "game = ? AND kind = ?"
            of_kind = f"answers JOIN (SELECT match, game FROM matches) USING (match) WHERE {own}"
            found = database.execute(
                f"SELECT json_group_structure(value) FROM {of_kind}", [game, kind]
            ).fetchone()
            assert found is not None
            fields = str(found[0]).replace("UBIGINT", "BIGINT")
            parts = "answers.* EXCLUDE (value, kind), unnest(from_json(value, ?))"
            sql = f"CREATE TABLE {name} AS SELECT {parts} FROM {of_kind}"
            [count] = database.execute(sql, [fields, game, kind]).fetchone() or (0,)
            counts[f"{game}_{kind}"] = count
    return counts


def _quoted(text: str, quote: str) -> str:
    return quote + text.replace(quote, 2 * quote) + quote

"""Damaged saves: a good one with bytes flipped, with its end cut off, or with other rows."""

import asyncio
import json
import re
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from parlour.tournament.save.growing.create import create_save
from tests.fuzz.values import places
from tests.models import served
from tests.provider import drawn
from tests.tournament.test_journal import planned
from tests.tournaments import resealed, session_of, tournament

SAVE = "save.db"


def base_save(folder: Path) -> Path:
    """A save of models with all kinds of rows: most matches finished, one not, one frozen."""
    path = folder / "base.db"

    async def played() -> None:
        modes = drawn(0.2, ["prose", "refusal", "rate_limit", "thinking"], 3)
        async with served(folder, modes, by_question=True) as server:
            create_save(path, tournament(folder, planned(server, repetitions=2)))
            await session_of(path, concurrency=8)

    asyncio.run(played())
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("UPDATE stored_matches SET outcome = NULL WHERE number = 2")
        connection.execute("DELETE FROM stored_answers WHERE match = 2 AND ask > 2")
        connection.execute(
            "UPDATE stored_matches SET frozen = 'the rules changed' WHERE number = 3"
        )
        connection.execute("UPDATE control SET budget = 100.0")
        connection.execute("INSERT INTO reservations VALUES (90000, 'Ada', 0.01, 2, 3, 0)")
    resealed(path)
    connection.execute("VACUUM")
    connection.close()
    return path


def columns_of(save: Path) -> list[tuple[str, str, bool]]:
    """Name and declared type of every column of every table, and whether it refuses NULL."""
    connection = sqlite3.connect(save)
    try:
        return [
            (name, kind, bool(required or key))
            for name, kind, required, key in connection.execute(
                'SELECT c.name, c.type, c."notnull", c.pk FROM sqlite_schema AS s,'
                " pragma_table_info(s.name) AS c WHERE s.type = 'table'"
            )
        ]
    finally:
        connection.close()


@dataclass(frozen=True)
class Flipped:
    """Bytes of the file replaced: each place is a share of its length."""

    changes: tuple[tuple[float, int], ...]

    def apply(self, save: Path) -> None:
        """Damages a save."""
        body = bytearray(save.read_bytes())
        for place, byte in self.changes:
            body[int(place * len(body))] ^= byte
        save.write_bytes(body)


@dataclass(frozen=True)
class Cut:
    """The file without its end; ``length`` is a share of it."""

    length: float

    def apply(self, save: Path) -> None:
        """Damages a save."""
        body = save.read_bytes()
        save.write_bytes(body[: int(self.length * len(body))])


@dataclass(frozen=True)
class Cell:
    """Another value in a column: in the row at a share of its table, or in all (None).

    ``value`` is SQL. The table's own constraints do not hold it up, as they do not hold up a
    flipped byte.
    """

    column: str
    value: str
    row: float | None = None

    def apply(self, save: Path) -> None:
        """Damages a save."""
        table, column = self.column.split(".")
        rows = f"(SELECT rowid FROM {table} LIMIT 1 OFFSET (SELECT cast(count(*) * ? AS INT)"
        where = "" if self.row is None else f" WHERE rowid = {rows} FROM {table}))"
        change = f'UPDATE OR REPLACE {table} SET "{column}" = {self.value}{where}'
        without_constraints(save, change, *([] if self.row is None else [self.row]))


@dataclass(frozen=True)
class Json:
    """Another value at a place of the JSON in a row: the row and the place as shares."""

    column: str
    row: float
    place: float
    value: str

    def apply(self, save: Path) -> None:
        """Damages a save; does nothing if the row has no JSON."""
        table, column = self.column.split(".")
        connection = _opened(save)
        try:
            rows = connection.execute(
                f"SELECT rowid, {column} FROM {table} WHERE typeof({column}) = 'text'"
                f" AND json_valid({column})"
            ).fetchall()
            if not rows:
                return
            row, text = rows[int(self.row * len(rows))]
            whole = [json.loads(text)]
            known = list(places(whole))
            inner, key = known[int(self.place * len(known))]
            inner[key] = json.loads(self.value)
            changed = json.dumps(whole[0])
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed, row))
        finally:
            connection.close()


@dataclass(frozen=True)
class Changed:
    """The outcome of SQL."""

    sql: str

    def apply(self, save: Path) -> None:
        """Damages a save."""
        without_constraints(save, self.sql)


Damage = Flipped | Cut | Cell | Json | Changed


def _opened(save: Path) -> sqlite3.Connection:
    """A connection that waits for no disk."""
    connection = sqlite3.connect(save, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    return connection


def without_constraints(save: Path, sql: str, *values: object) -> None:
    """Changes rows while no column has a type or refuses NULL; the schema is as before then."""
    connection = _opened(save)
    connection.execute("PRAGMA writable_schema = ON")
    schema = connection.execute(
        "SELECT rowid, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT'"
    ).fetchall()
    try:
        for row, text in schema:
            loose = "\n".join(line.partition("--")[0] for line in text.splitlines())
            loose = loose.replace(" NOT NULL", "").removesuffix("STRICT")
            loose = re.sub(
                r"(?<!INTEGER PRIMARY KEY)(?<= )(INTEGER|TEXT|REAL|BLOB)\b(?! PRIMARY)", "", loose
            )
            connection.execute("UPDATE sqlite_schema SET sql = ? WHERE rowid = ?", (loose, row))
        connection.close()
        connection = _opened(save)
        connection.execute(sql, values)
    finally:
        connection.execute("PRAGMA writable_schema = ON")
        for row, text in schema:
            connection.execute("UPDATE sqlite_schema SET sql = ? WHERE rowid = ?", (text, row))
        connection.close()

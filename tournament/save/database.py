"""Opening a save: is it ours, of a version that we read, and whole?"""

import os
import re
import sqlite3
from functools import cache
from pathlib import Path

from parlour.games.common.errors import BadSave
from parlour.tournament.save.lock import holder

APPLICATION_ID = 0x5041524C
"""Marks a SQLite file as ours ("PARL")."""
MIGRATIONS = sorted((Path(__file__).parent / "migrations").glob("*.sql"))
SCHEMA_VERSION = len(MIGRATIONS)


def migrate(connection: sqlite3.Connection, upto: int = SCHEMA_VERSION, found: int = 0) -> None:
    """Brings the tables from version ``found`` (0: none) on, within the caller's transaction."""
    for migration in MIGRATIONS[found:upto]:
        for statement in migration.read_text(encoding="utf-8").split(";\n"):
            connection.execute(statement)


@cache
def _own_schema(upto: int) -> set[tuple[str, ...]]:
    """The schema of a save of that version, as this program makes it."""
    connection = sqlite3.connect(":memory:")
    try:
        migrate(connection, upto)
        return _schema(connection)
    finally:
        connection.close()


def _schema(connection: sqlite3.Connection) -> set[tuple[str, ...]]:
    """Every table, index, trigger and view, with the SQL that made it less its comments."""
    return {
        (kind, name, table, " ".join(re.sub("--.*", "", sql).split()))
        for kind, name, table, sql in connection.execute(
            # SQLite's own tables (statistics, say) come and go; no other can have such a name.
            "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema"
            " WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        )
    }


def is_database(path: Path) -> bool:
    """Whether a file begins as every SQLite file does."""
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def connect(path: Path, writable: bool) -> sqlite3.Connection:
    """Opens a save and checks that it is one that this program can read. Raises BadSave."""
    if path.is_dir():
        fix = f"name a file in it, such as {path / 'NAME.db'}"
        raise BadSave(str(path), "is a folder, not a save", fix)
    if not path.is_file():
        fix = "see `ls saves` for what there is, or start one with `parlour run`"
        for meant in (path.with_suffix(".db"), Path("saves", path.name).with_suffix(".db")):
            if meant.is_file():
                fix = f"did you mean {meant}?"
        raise BadSave(str(path), "there is no such save", fix)
    address = f"{path.absolute().as_uri()}?mode={'rw' if writable else 'ro'}"
    if not writable and _stands_still(path):
        address += "&immutable=1"
    try:
        connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=10)
    except sqlite3.Error as error:
        raise BadSave(str(path), f"cannot be opened ({error})", "check its permissions") from None
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        if not writable:
            connection.execute("PRAGMA query_only = ON")
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise BadSave(str(path), "is not a save of Parlour", "name another file")
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if found > SCHEMA_VERSION:
            raise BadSave(
                str(path),
                f"was made by a newer Parlour (save version {found}, this one reads"
                f" {SCHEMA_VERSION})",
                "update Parlour",
            )
        # To the letter: a trigger, a view or a column without its type is none of ours.
        if found < 1 or _schema(connection) != _own_schema(found):
            raise BadSave(str(path), "does not have the tables of a save", "name another file")
    except sqlite3.Error as error:
        connection.close()
        raise damaged(path, error) from None
    except BadSave:
        connection.close()
        raise
    return connection


def _stands_still(path: Path) -> bool:
    """Whether a save lies where nobody can write, all of it in the one file.

    SQLite would make its log beside a save even to read it, unless told that nothing changes.
    """
    log = path.with_name(path.name + "-wal")
    try:
        all_of_it = not log.exists() or log.stat().st_size == 0
    except OSError:
        return False
    return all_of_it and not os.access(path.parent, os.W_OK) and holder(path) is None


def upgrade(path: Path) -> None:
    """Checks a save and brings its tables to this version, if they are older. Raises BadSave.

    The caller holds the lock.
    """
    connection = connect(path, writable=True)
    try:
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if found < SCHEMA_VERSION:
            connection.execute("BEGIN IMMEDIATE")
            migrate(connection, found=found)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise damaged(path, error) from None
    finally:
        connection.close()


def damaged(path: Path, error: object) -> BadSave:
    """What to say of a save that SQLite, or a reader of its rows, stumbled over."""
    if "unable to open" in str(error) or "readonly" in str(error):
        return BadSave(str(path), f"cannot be read ({error})", "check its folder's permissions")
    if "not a database" in str(error):
        return BadSave(str(path), "is not a save of Parlour", "name another file")
    return BadSave(
        str(path), f"is damaged ({' '.join(str(error).split())[:100]})", "restore a copy of it"
    )

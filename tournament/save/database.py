"""Opens the SQLite file of a save, and checks that it is one."""

import os
import re
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

from parlour.games.common.errors import BadSave
from parlour.tournament.save.decoding import fetched
from parlour.tournament.save.directory import no_such_save
from parlour.tournament.save.lock import holder

APPLICATION_ID = 0x5041524C
"""Marks a SQLite file as a save of Parlour ("PARL")."""
SCHEMA = Path(__file__).parent / "schema.sql"
SCHEMA_VERSION = 10
READS_OLDER = "8eb76300"
"""The last commit that reads saves of older versions than SCHEMA_VERSION."""


def create_tables(connection: sqlite3.Connection) -> None:
    """Creates the tables of a save, in the caller's transaction."""
    for statement in SCHEMA.read_text(encoding="utf-8").split(";\n\n"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


@cache
def _own_schema() -> set[tuple[str, ...]]:
    """The schema that this program creates."""
    with closing(sqlite3.connect(":memory:")) as connection:
        create_tables(connection)
        return _schema(connection)


def _schema(connection: sqlite3.Connection) -> set[tuple[str, ...]]:
    """Every table, index, trigger and view, with its SQL stripped of comments."""
    return {
        (kind, name, table, " ".join(re.sub("--.*", "", sql).split()))
        for kind, name, table, sql in fetched(
            connection.execute(
                # SQLite adds tables such as sqlite_stat1 itself; no other name may begin that way.
                "SELECT type, name, tbl_name, coalesce(sql, '') AS sql FROM sqlite_schema"
                " WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            )
        )
    }


def connect(path: Path, writable: bool) -> sqlite3.Connection:
    """Returns a connection to a save that this program can read. Raises BadSave."""
    if path.is_dir():
        fix = f"name a file in it, such as {path / 'NAME.db'}"
        raise BadSave(str(path), "is a folder, not a save", fix)
    if not path.is_file():
        fix = "see `ls saves` for what there is, or start one with `parlour run`"
        raise no_such_save(path, fix)
    address = f"{path.absolute().as_uri()}?mode={'rw' if writable else 'ro'}"
    if not writable and _is_immutable(path):
        address += "&immutable=1"
    try:
        connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=10)
    except sqlite3.Error as error:
        raise BadSave(str(path), f"cannot be opened ({error})", "check its permissions") from None
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise BadSave(str(path), "is not a save of Parlour", "name another file")
        current = connection.execute("PRAGMA user_version").fetchone()[0]
        if current > SCHEMA_VERSION:
            raise BadSave(
                str(path),
                f"was made by a newer Parlour (save version {current}, this one reads"
                f" {SCHEMA_VERSION})",
                "update Parlour",
            )
        if 1 <= current < SCHEMA_VERSION:
            raise BadSave(
                str(path),
                f"was made by an older Parlour (save version {current}, this one reads"
                f" {SCHEMA_VERSION})",
                f"read it with commit {READS_OLDER} of Parlour",
            )
        # Compared exactly: a file with an extra trigger or view could run SQL of its own.
        if current < 1 or _schema(connection) != _own_schema():
            raise BadSave(str(path), "does not have the tables of a save", "name another file")
        if not writable:
            connection.execute("PRAGMA query_only = ON")
    except (sqlite3.Error, ValueError) as error:  # ValueError: a name that is no text
        connection.close()
        raise damaged(path, error) from None
    except BadSave:
        connection.close()
        raise
    return connection


def _is_immutable(path: Path) -> bool:
    """True if a save is complete in one file, in a folder that this process cannot write.

    SQLite creates its log even to read a save, unless told that the file never changes.
    """
    log = path.with_name(path.name + "-wal")
    try:
        complete = not log.exists() or log.stat().st_size == 0
    except OSError:
        return False
    return complete and not os.access(path.parent, os.W_OK) and holder(path) is None


def damaged(path: Path, error: object) -> BadSave:
    """Returns the BadSave for an error of SQLite, or of a reader of its rows."""
    if "unable to open" in str(error) or "readonly" in str(error):
        return BadSave(str(path), f"cannot be read ({error})", "check its folder's permissions")
    if "disk I/O error" in str(error):  # on a full disk, too, since a reader needs a small file
        fix = "free some space, or look at the disk"
        return BadSave(str(path), f"cannot be read ({error})", fix)
    if "not a database" in str(error):
        return BadSave(str(path), "is not a save of Parlour", "name another file")
    return BadSave(
        str(path), f"is damaged ({' '.join(str(error).split())[:100]})", "restore a copy of it"
    )

"""Opens the SQLite file of a save, checks that it is one, and holds its values to their types."""

import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any

from parlour.games.common.errors import BadSave
from parlour.games.common.plain_files import is_plain
from parlour.games.engine.moves import Outcome
from parlour.tournament.save.bounds import MOST_PAYOFF
from parlour.tournament.save.directory import no_such_save
from parlour.tournament.save.lock import holder

ROWS_CHECKED = 4096
"""Rows whose columns are checked together."""


_TYPES: Mapping[tuple[type, ...], str] = {
    (int,): "seq number entry setting seed match ask seat round tries try attempt id concurrency?"
    " prompt_tokens? completion_tokens? cached_tokens? written_tokens? reasoning_tokens? copy_of?"
    " place? origin? origin_number? last_match"
    " first_match shift provenance? last_answer"
    " origins stages programs changes texts matches provenances answers calls",
    (float,): "latency? begun? dollars pace? budget? price?",
    (str,): "name spec created program notes? fault? frozen? input agent model prompt templates"
    " parameters failure? message? text? thinking? finish? provider_id? cache_key? limits"
    " agent_budgets version type tbl_name sql save_id since until? served? fingerprint? host? save",
    # The number of a shared text, or the text itself.
    (str, int): "game condition setting_key experiment agents counted outcome? kind value",
    (str, bytes): "digest",
}
"""The columns of each type; those with a question mark may be NULL."""


def _columns() -> Mapping[str, frozenset[type]]:
    columns = {}
    for types, names in _TYPES.items():
        for name in names.split():
            allowed = {*types, NoneType} if name.endswith("?") else {*types}
            columns[name.removesuffix("?")] = frozenset(allowed)
    return columns


COLUMNS = _columns()
"""The types of the values of each column that reading relies on, by its name in a result.

A name means the same in every table that has it. Of ``body``, a text here and bytes there, its
readers see for themselves.
"""


def fetched(cursor: sqlite3.Cursor) -> list[Any]:
    """The rows that are left. ValueError for a value that its column cannot have."""
    rows = cursor.fetchall()
    for begin in range(0, len(rows), ROWS_CHECKED):
        _check(cursor, rows[begin : begin + ROWS_CHECKED])
    return rows


def streamed(cursor: sqlite3.Cursor) -> Iterator[Any]:
    """Yields the rows that are left, without holding them all. ValueError as ``fetched``."""
    while rows := cursor.fetchmany(ROWS_CHECKED):
        _check(cursor, rows)
        yield from rows


def _check(cursor: sqlite3.Cursor, rows: list[Any]) -> None:
    for (name, *_), column in zip(cursor.description, zip(*rows, strict=True), strict=True):
        types = COLUMNS.get(name)
        if types is not None and not types.issuperset(map(type, column)):
            value = next(value for value in column if type(value) not in types)
            raise ValueError(f"{name}: cannot be {'NULL' if value is None else repr(value)[:40]}")


def is_outcome_of(outcome: Outcome, seats: int) -> bool:
    """True if an outcome has a role, a side and a usable payoff for each of so many seats."""
    return len(outcome.payoffs) == len(outcome.roles) == len(outcome.sides) == seats and all(
        abs(payoff) <= MOST_PAYOFF for payoff in outcome.payoffs
    )


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
    _refuse_strange_logs(path)
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
        if current >= 1 and current != SCHEMA_VERSION:
            age, fix = "a newer", "update Parlour"
            if current < SCHEMA_VERSION:
                age, fix = "an older", f"read it with commit {READS_OLDER} of Parlour"
            versions = f"save version {current}, this one reads {SCHEMA_VERSION}"
            raise BadSave(str(path), f"was made by {age} Parlour ({versions})", fix)
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


def _refuse_strange_logs(path: Path) -> None:
    """BadSave if SQLite would open anything but a regular file beside a save, such as a FIFO."""
    real = path.resolve()
    for beside in (real.with_name(f"{real.name}-{kind}") for kind in ("wal", "shm", "journal")):
        if os.path.lexists(beside) and not is_plain(beside):
            raise BadSave(str(beside), "is no regular file", "remove it")


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Context of one transaction on a save whose lock the caller has. Raises BadSave."""
    with closing(connect(path, writable=True)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
            fold_log(connection)
        except sqlite3.Error as error:
            raise damaged(path, error) from None


def fold_log(connection: sqlite3.Connection) -> None:
    """Folds the write-ahead log into the save, so that the file alone is whole.

    Closing the last connection does so too, but not while a screen reads the save. Where the disk
    is in trouble, rows stay in the log, which is as durable.
    """
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


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
        fix = "name another file, or restore a copy of it"
        return BadSave(str(path), "is not a save of Parlour, or is damaged", fix)
    return BadSave(
        str(path), f"is damaged ({' '.join(str(error).split())[:100]})", "restore a copy of it"
    )

"""Trouble with the file of a save while it is played: fixes of failed commits, and its rescue."""

import sqlite3
from contextlib import closing
from pathlib import Path
from shlex import quote

from parlour.games.common.errors import BadSave, ParlourError
from parlour.tournament.save.new_file import new_file

FIXES = {
    "database is locked": "close the program that has it open",
    "attempt to write a readonly database": "make the file writable",
}
"""Fixes by SQLite's reason; every other reason is a disk without space."""


class DiskTrouble(ParlourError):
    """The save cannot be written, and the session has given up."""


def fix_of(reason: str) -> str:
    """Returns what the user does about a failed commit."""
    return FIXES.get(reason, "free some space")


class FilePresence:
    """The place of a save's file, and the file that was there at first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before = self._identity()

    @property
    def gone(self) -> bool:
        """True once the file was deleted, moved or replaced."""
        return self._identity() != self._before

    def _identity(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return None
        except OSError:  # a file system that does not answer is no deletion
            return self._before
        return status.st_dev, status.st_ino


def rescued(path: Path, connection: sqlite3.Connection) -> DiskTrouble:
    """Copies a save that is gone from its open connection to a new file beside its place.

    Returns the error that names the copy, or the reason why there is none.
    """
    problem = f"{path}: was deleted or moved while it was played"
    copy = _free_name(path)
    try:
        with new_file(copy, "", "") as draft, closing(sqlite3.connect(draft)) as target:
            connection.backup(target)
        if not path.exists():
            for suffix in ("-wal", "-shm"):  # their contents are in the copy
                path.with_name(path.name + suffix).unlink(missing_ok=True)
    except BadSave as error:
        return DiskTrouble(f"{problem}, and no copy can be made: {error.problem}")
    return DiskTrouble(
        f"{problem}; all that was stored is in {copy}: continue with"
        f" `parlour resume {quote(str(copy))}`"
    )


def _free_name(path: Path) -> Path:
    """The name of a new file that says that it was rescued."""
    number = 1
    while True:
        suffix = "" if number == 1 else f"-{number}"
        copy = path.with_name(f"{path.stem}.rescued{suffix}{path.suffix}")
        if not copy.exists():
            return copy
        number += 1

"""Trouble with the file of a save while it is played: it goes away, and what is rescued."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from shlex import quote
from tempfile import gettempdir

from parlour.games.common.errors import BadSave, ParlourError
from parlour.tournament.save.new_file import new_file


class DiskTrouble(ParlourError):
    """The save cannot be written, and the session has given up."""


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

    Where there is no place beside it, the save may have been moved with its folder; else the copy
    goes to the folder of temporary files. Returns the error that says where everything is.
    """
    problem = f"{path}: was deleted or moved while it was played"
    whole, problems = _moved_to(path), []
    for folder in (path.parent, Path(gettempdir())):
        if whole is not None:
            break
        try:
            whole = _copied(folder / path.name, connection)
        except BadSave as error:
            problems.append(error.problem)
    if whole is None:
        return DiskTrouble(f"{problem}, and no copy can be made: {'; '.join(problems)}")
    if not path.exists():
        for suffix in ("-wal", "-shm"):  # their contents are in the copy
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    return DiskTrouble(
        f"{problem}; all that was stored is in {whole}: continue with"
        f" `parlour resume {quote(str(whole))}`"
    )


def _moved_to(path: Path) -> Path | None:
    """The new place of a save whose folder was moved: its file is still open here.

    None if the folder is there, or where the system does not tell.
    """
    if path.parent.exists():
        return None
    for link in Path("/proc/self/fd").glob("*"):
        with suppress(OSError):
            place = link.readlink()
            if place.name == path.name and place.samefile(link):
                return place
    return None


def _copied(path: Path, connection: sqlite3.Connection) -> Path:
    """A copy of the open save under a name beside ``path`` that no file has. Raises BadSave."""
    copy = _free_name(path)
    with new_file(copy, "", "") as draft, closing(sqlite3.connect(draft)) as target:
        connection.backup(target)
    return copy


def _free_name(path: Path) -> Path:
    """The name of a new file that says that it was rescued."""
    number = 1
    while True:
        suffix = "" if number == 1 else f"-{number}"
        copy = path.with_name(f"{path.stem}.rescued{suffix}{path.suffix}")
        if not copy.exists():
            return copy
        number += 1

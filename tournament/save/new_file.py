"""Files of saves that appear complete or not at all: new ones, backups and rescued ones."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from shlex import quote
from tempfile import gettempdir, mkstemp

from parlour.games.common.errors import BadSave, ParlourError
from parlour.tournament.save.database import connect, damaged
from parlour.tournament.save.directory import FOLDER, free_path
from parlour.tournament.save.rows import MatchCount

_ELSEWHERE = "choose another place for the backup"
NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
"""Errors of file systems without hard links, such as FAT."""


@contextmanager
def new_file(path: Path, elsewhere: str, if_taken: str) -> Iterator[Path]:
    """Context that yields a temporary file; at its end the file gets the name ``path``.

    After an error nothing is left. Raises BadSave if the name is taken or its folder cannot be
    written; ``elsewhere`` and ``if_taken`` are what to do about it.
    """
    if not path.parent.exists() and path.parent != FOLDER:
        # Not created: the path may be a typing error.
        fix = f"make it first (mkdir -p {quote(str(path.parent))}), or {elsewhere}"
        raise BadSave(str(path), f"there is no folder {path.parent}", fix)
    log = path.with_name(path.name + "-wal")
    try:
        # SQLite would read it as part of the new file, unless it is empty.
        if log.exists() and log.stat().st_size and not path.exists():
            fix = f"restore the save that it belongs to or delete it, or {elsewhere}"
            raise BadSave(str(log), "is the log of a save that no longer exists", fix)
        if not path.parent.exists() and path.parent == FOLDER:
            path.parent.mkdir(mode=0o700)
        handle, name = mkstemp(".new", f".{path.name}.", path.parent)  # with file mode 0600
        os.close(handle)
        try:
            yield Path(name)
            _give_name(name, path)
        except FileExistsError:
            raise BadSave(str(path), "already exists", if_taken) from None
        finally:
            for suffix in ("", "-wal", "-shm"):  # after an error on a full disk all three exist
                Path(name + suffix).unlink(missing_ok=True)
    except OSError as error:
        raise BadSave(str(path), f"cannot be created ({error.strerror})", elsewhere) from None
    except sqlite3.Error as error:
        fix = f"{fix_of(str(error))}, or {elsewhere}"
        raise BadSave(str(path), f"cannot be created ({error})", fix) from None


def _give_name(draft: str, path: Path) -> None:
    """Gives a file its name. FileExistsError if the name is taken: nothing is ever replaced."""
    try:
        os.link(draft, path)
        return
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
    # The name is taken first, by an empty file of ours, which is then replaced.
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        os.replace(draft, path)
    except BaseException:
        path.unlink()
        raise


FIXES = {
    "database is locked": "close the program that has it open",
    "attempt to write a readonly database": "make the file writable",
    "unable to open database file": "make its folder writable",
}
"""Fixes by SQLite's reason; every other reason is a disk without space."""


def fix_of(reason: str) -> str:
    """Returns what the user does about a failed write."""
    return FIXES.get(reason, "free some space")


COUNTS = "SELECT count(*), count(outcome), count(frozen) FROM matches"


def back_up(path: Path, out: Path) -> MatchCount:
    """Writes a copy of a save as it is at one moment to a new file, complete or not at all.

    Returns the counts of the copy's matches. The runner may go on writing meanwhile. Raises
    BadSave; ``out`` is never overwritten.
    """
    with closing(connect(path, writable=False)) as save:
        if out.is_dir():
            raise BadSave(str(out), "is a folder", f"name a file in it, such as {out / path.name}")
        # Before the copy, which may take minutes; the name is looked at again at its end.
        if out.exists():
            raise BadSave(str(out), "already exists", _ELSEWHERE)
        with new_file(out, _ELSEWHERE, _ELSEWHERE) as draft:
            return _copy_of(save, draft, path)


def _copy_of(save: sqlite3.Connection, draft: Path, path: Path) -> MatchCount:
    with closing(sqlite3.connect(draft)) as copy:
        try:
            # In one step, which sees one moment. Step by step, each commit would begin it again.
            save.backup(copy)
            # From this connection: a reader would leave a log beside the copy.
            (counts,) = copy.execute(COUNTS)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):  # such as a full disk
                raise
            raise damaged(path, error) from None
    return MatchCount(*counts)


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
            whole = _rescue_copy(folder / path.name, connection)
        except BadSave as error:
            problems.append(error.problem)
    if whole is None:
        return DiskTrouble(f"{problem}, and no copy can be made: {'; '.join(problems)}")
    if not path.exists():
        for suffix in ("-wal", "-shm"):  # their contents are in the copy
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    return DiskTrouble(
        f"{problem}; all that was stored is in {whole}: continue with"
        f" `parlour run {quote(str(whole))}`"
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


def _rescue_copy(path: Path, connection: sqlite3.Connection) -> Path:
    """A copy of the open save under a name beside ``path`` that no file has. Raises BadSave."""
    copy = free_path(path.with_stem(f"{path.stem}.rescued"))
    with new_file(copy, "", "") as draft, closing(sqlite3.connect(draft)) as target:
        connection.backup(target)
    return copy

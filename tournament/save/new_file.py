"""Files of saves that appear complete or not at all."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from tempfile import mkstemp

from parlour.games.common.errors import BadSave
from parlour.tournament.save.directory import FOLDER
from parlour.tournament.save.fixes import fix_of

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
        if log.exists() and not path.exists():  # SQLite would read it as part of the new file
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

"""Files of saves that appear complete or not at all."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from tempfile import mkstemp

from parlour.games.common.errors import BadSave
from parlour.tournament.save.directory import FOLDER


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
            os.link(name, path)  # fails if the name is taken; a rename would replace the file
        except FileExistsError:
            raise BadSave(str(path), "already exists", if_taken) from None
        finally:
            for suffix in ("", "-wal", "-shm"):  # after an error on a full disk all three exist
                Path(name + suffix).unlink(missing_ok=True)
    except OSError as error:
        raise BadSave(str(path), f"cannot be created ({error.strerror})", elsewhere) from None
    except sqlite3.Error as error:
        fix = f"free some space, or {elsewhere}"
        raise BadSave(str(path), f"cannot be created ({error})", fix) from None

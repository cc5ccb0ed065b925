"""One runner a save: an advisory lock that dies with its process."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import sleep
from typing import Any

from games.errors import BadSave


def runner_file(save: Path) -> Path:
    """Where the running process of a save says who it is; the lock is on this file.

    Never on the save itself: closing any handle of a SQLite file drops SQLite's own locks.
    A link to a save has no file of its own: there would be two locks.
    """
    save = save.resolve()
    return save.with_name(save.name + ".runner")


@contextmanager
def locked(save: Path) -> Iterator[None]:
    """Holds the save for this process. BadSave if another one has it.

    The file stays when the lock is let go, since removing it would let two processes lock
    two files of one name.
    """
    path = runner_file(save)
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        mend = "check the permissions of its folder"
        raise BadSave(str(path), f"cannot be written ({error.strerror})", mend) from None
    try:
        if not _took(handle):
            pid = _read(path).get("pid", "unknown")
            mend = "wait for it, or end it, then try again"
            raise BadSave(str(save), f"is in use by process {pid}", mend)
        started = datetime.now(UTC).isoformat(timespec="seconds")
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps({"pid": os.getpid(), "started": started}).encode(), 0)
        yield
        os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def _took(handle: int) -> bool:
    """Tries for the lock, a few times: whoever asks for the holder has it for a moment."""
    for _ in range(5):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sleep(0.02)
        else:
            return True
    return False


def holder(save: Path) -> dict[str, Any] | None:
    """Pid and start time of the process that runs the save, None if none does."""
    try:
        handle = os.open(runner_file(save), os.O_RDWR)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _read(runner_file(save))
    else:
        return None
    finally:
        os.close(handle)


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}

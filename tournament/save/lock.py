"""One runner a save: an advisory lock that dies with its process, and where the runner listens."""

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from time import sleep
from typing import Any

from parlour.games.common.errors import BadSave


def runner_file(save: Path) -> Path:
    """Where the running process of a save says who it is; the lock is on this file.

    Never on the save itself: closing any handle of a SQLite file drops SQLite's own locks.
    A link to a save has no file of its own: there would be two locks.
    """
    save = save.resolve()
    return save.with_name(save.name + ".runner")


LONGEST_SOCKET_PATH = 100
"""Bytes of a socket's path that every system takes."""


def socket_path(save: Path) -> Path:
    """Where the runner of a save listens: beside it, or in a private folder if that is too long."""
    save = save.resolve()
    beside = save.with_name(save.name + ".sock")
    if len(os.fsencode(beside)) <= LONGEST_SOCKET_PATH:
        return beside
    name = blake2b(os.fsencode(save), digest_size=8).hexdigest()
    for base in (tempfile.gettempdir(), "/tmp"):
        place = Path(base) / f"parlour-{os.getuid()}" / f"{name}.sock"
        if len(os.fsencode(place)) <= LONGEST_SOCKET_PATH:
            break
    folder = place.parent
    fix = "remove it, or set TMPDIR to a folder of your own"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        owner = folder.lstat()
    except OSError as error:
        raise BadSave(str(folder), f"cannot be made ({error.strerror})", fix) from None
    if owner.st_uid != os.getuid() or owner.st_mode & 0o077 or folder.is_symlink():
        raise BadSave(str(folder), "belongs to somebody else or is open to others", fix)
    return place


def listening(save: Path) -> Path:
    """Where the runner of a save says that it listens, else where it would.

    What it says goes first: its temporary folder need not be that of whoever asks.
    """
    said = _read(runner_file(save)).get("socket")
    return Path(said) if isinstance(said, str) else socket_path(save)


@contextmanager
def locked(save: Path) -> Iterator[dict[str, Any]]:
    """Holds the save for this process. BadSave if another one has it.

    What is put into the yielded dict stays in the file for ``last_run``; at first it holds what
    the run before has left.
    The file stays when the lock is let go, since removing it would let two processes lock
    two files of one name.
    """
    path = runner_file(save)
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        fix = "check the permissions of its folder"
        raise BadSave(str(path), f"cannot be written ({error.strerror})", fix) from None
    try:
        if not _took(handle):
            raise in_use(save)
        left_behind = last_run(save)
        who = {
            "pid": os.getpid(),
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "socket": str(socket_path(save)),
        }
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(who).encode(), 0)
        try:
            yield left_behind
        finally:
            os.ftruncate(handle, 0)
            os.pwrite(handle, json.dumps(left_behind).encode() if left_behind else b"", 0)
    finally:
        os.close(handle)


def last_run(save: Path) -> dict[str, Any]:
    """What the last run of a save has left; call it only while no other process holds the save.

    A process that was killed leaves the pid that it had written when it began.
    """
    found = _read(runner_file(save))
    return {"stopped_because": "killed"} if "pid" in found else found


def in_use(save: Path) -> BadSave:
    """What to say to whoever would run a save that another process runs."""
    pid = _read(runner_file(save)).get("pid", "unknown")
    fix = f"watch it with `parlour attach {save}`, or end it with `parlour stop {save}`"
    return BadSave(str(save), f"is in use by process {pid}", fix)


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
        handle = os.open(runner_file(save), os.O_RDONLY)
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

"""The lock that keeps a save to one runner, and the path of the runner's socket.

The lock is advisory (flock) and is released when its process ends, however it ends.
"""

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from time import sleep
from typing import Any

from parlour.games.common.errors import BadSave


def runner_file(save: Path) -> Path:
    """The file that is locked, and in which the runner writes its process number.

    The save itself is not locked: closing any handle of a SQLite file drops SQLite's own locks.
    Links are resolved, so that a save and a link to it have one lock.
    """
    save = save.resolve()
    return save.with_name(save.name + ".runner")


LONGEST_SOCKET_PATH = 100
"""Length in bytes that every system accepts for a socket's path."""


def socket_path(save: Path) -> Path:
    """The socket of a save's runner: beside the save, or in /tmp if that path is too long."""
    save = save.resolve()
    beside = save.with_name(save.name + ".sock")
    if len(os.fsencode(beside)) <= LONGEST_SOCKET_PATH:
        return beside
    name = blake2b(os.fsencode(save), digest_size=8).hexdigest()
    for base in (tempfile.gettempdir(), "/tmp"):
        path = Path(base) / f"parlour-{os.getuid()}" / f"{name}.sock"
        if len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
            break
    folder = path.parent
    fix = "remove it, or set TMPDIR to a folder of your own"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        owner = folder.lstat()
    except OSError as error:
        raise BadSave(str(folder), f"cannot be created ({error.strerror})", fix) from None
    if owner.st_uid != os.getuid() or owner.st_mode & 0o077 or folder.is_symlink():
        raise BadSave(str(folder), "belongs to another user or is accessible to others", fix)
    return path


def listening(save: Path) -> Path:
    """The socket that a save's runner has written down, else the one that it would use.

    The two can differ: the runner's temporary folder need not be this process's.
    """
    written = _read(runner_file(save)).get("socket")
    return Path(written) if isinstance(written, str) else socket_path(save)


@contextmanager
def locked(save: Path) -> Iterator[dict[str, Any]]:
    """Context in which this process holds the lock of a save. BadSave if another one has it.

    The yielded dict is what the last run left, and what this run leaves for ``last_run``.
    The file stays when the lock is released: if it were removed, two processes could lock two
    files of the same name.
    """
    path = runner_file(save)
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        fix = "check the permissions of its folder"
        raise BadSave(str(path), f"cannot be written ({error.strerror})", fix) from None
    try:
        if not _try_lock(handle):
            raise in_use(save)
        left_behind = last_run(save)
        runner = {
            "pid": os.getpid(),
            "started": iso(datetime.now(UTC)),
            "socket": str(socket_path(save)),
        }
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(runner).encode(), 0)
        try:
            yield left_behind
        finally:
            os.ftruncate(handle, 0)
            os.pwrite(handle, json.dumps(left_behind).encode() if left_behind else b"", 0)
    finally:
        os.close(handle)


def last_run(save: Path) -> dict[str, Any]:
    """Record left by the last run of a save; call it only while no other process holds the save.

    A process that was killed leaves what it had written when it began; its last sign of life
    counts as its end.
    """
    record = _read(runner_file(save))
    if "pid" not in record:
        return record
    killed = {"stopped_because": "killed", "started": record.get("started")}
    return killed | {"ended": iso(datetime.fromtimestamp(last_sign(save) or 0, UTC))}


def iso(moment: datetime) -> str:
    """A moment in UTC as text, to the second."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def give_sign(save: Path) -> None:
    """Gives a sign of life of the process that holds the lock: the file's time of change."""
    with suppress(OSError):  # the folder may be gone; the run reports that itself
        os.utime(runner_file(save))


def last_sign(save: Path) -> float | None:
    """The time of the last sign of life, in seconds of ``time.time``; None if there is no file."""
    try:
        return runner_file(save).stat().st_mtime
    except OSError:
        return None


def in_use(save: Path) -> BadSave:
    """Returns the BadSave for a save that another process runs."""
    pid = _read(runner_file(save)).get("pid", "unknown")
    fix = f"watch it with `parlour attach {save}`, or end it with `parlour stop {save}`"
    return BadSave(str(save), f"is in use by process {pid}", fix)


def _try_lock(handle: int) -> bool:
    """Tries to take the lock a few times, since ``holder`` takes it for a moment."""
    for _ in range(5):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sleep(0.02)
        else:
            return True
    return False


def holder(save: Path) -> dict[str, Any] | None:
    """Process number, start time and socket of the save's runner; None if none runs it."""
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
        runner = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return runner if isinstance(runner, dict) else {}

"""The lock that keeps a save to one runner, and the path of the runner's socket.

There are two locks, both advisory (flock) and released when their process ends, however it ends:
one beside the save, which other machines see, and one of the file itself in a folder of this user,
which neither a second name of the save nor a deleted file beside it gets around.
"""

import errno
import fcntl
import glob
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from shlex import quote
from time import sleep
from typing import Any

from parlour.games.common.errors import BadSave
from parlour.games.common.plain_files import open_plain, read_plain


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
    return _own_folder() / f"{name}.sock"


def _own_place() -> Path:
    """The place of this user's folder of sockets and locks, which may not be there."""
    for base in (tempfile.gettempdir(), "/tmp"):
        place = Path(base) / f"parlour-{os.getuid()}"
        if len(os.fsencode(place / "0123456789abcdef.sock")) <= LONGEST_SOCKET_PATH:
            break
    return place


def _own_folder() -> Path:
    """This user's folder of sockets and locks. BadSave if it is not for this user alone."""
    folder = _own_place()
    fix = "remove it, or set TMPDIR to a folder of your own"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        owner = folder.lstat()
    except OSError as error:
        raise BadSave(str(folder), f"cannot be created ({error.strerror})", fix) from None
    if owner.st_uid != os.getuid() or owner.st_mode & 0o077 or folder.is_symlink():
        raise BadSave(str(folder), "belongs to another user or is accessible to others", fix)
    return folder


def file_number(save: Path) -> int | None:
    """The number that a save's file has under each of its names; None if it is not there."""
    try:
        return save.stat().st_ino
    except OSError:
        return None


def _file_lock(save: Path, folder: Path) -> Path:
    """The lock of a save's file, in the user's own folder."""
    status = save.stat()
    return folder / f"{status.st_dev:x}-{status.st_ino:x}.lock"


def listening(save: Path) -> Path:
    """The socket that the runner of a save has written down, else the one that it would use.

    The two can differ: the runner's temporary folder need not be this process's.
    """
    written = (holder(save) or {}).get("socket")
    return Path(written) if isinstance(written, str) else socket_path(save)


@contextmanager
def locked(save: Path) -> Iterator[dict[str, Any]]:
    """Context in which this process holds the lock of a save. BadSave if another one has it.

    The yielded dict is what the last run left, and what this run leaves for ``last_run``.
    The file stays when the lock is released: if it were removed, two processes could lock two
    files of the same name.
    """
    with ExitStack() as held:
        handle = held.enter_context(_held(save, runner_file(save)))
        own = None
        if save.exists():
            _refuse_second_name(save)
            own_path = _file_lock(save, _own_folder())
            own = held.enter_context(_held(save, own_path))
            held.callback(own_path.unlink, missing_ok=True)  # first: others wait for the lock
        left_behind = last_run(save)
        runner = {
            "pid": os.getpid(),
            "started": iso(datetime.now(UTC)),
            "socket": str(socket_path(save)),
        }
        for each in filter(None, (handle, own)):
            _write(each, runner)
        try:
            yield left_behind
        finally:
            _write(handle, left_behind)


@contextmanager
def _held(save: Path, path: Path) -> Iterator[int]:
    """Context in which a lock of a save is held. BadSave if another process has it."""
    while True:
        try:
            handle = open_plain(path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            fix = "check the permissions of its folder, or remove it"
            raise BadSave(str(path), f"cannot be written ({error.strerror})", fix) from None
        try:
            if not _try_lock(handle, path):
                raise in_use(save)
            if _is_at(handle, path):
                yield handle
                return
        finally:
            os.close(handle)


def _is_at(handle: int, path: Path) -> bool:
    """False if the file was removed between opening and locking it, by its last holder."""
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except OSError:
        return False


def _refuse_second_name(save: Path) -> None:
    """BadSave for a save with a second hard link: its log would be found under one name alone."""
    real = save.resolve()
    if real.stat().st_nlink > 1:
        for draft in real.parent.glob(f".{glob.escape(real.name)}.*.new"):
            if draft.samefile(real):  # it was killed as it got its name
                draft.unlink()
    if real.stat().st_nlink > 1:
        fix = f"play a copy: parlour backup {quote(str(save))} COPY.db"
        raise BadSave(str(save), "has a second name (a hard link)", fix)


def _write(handle: int, record: dict[str, Any]) -> None:
    os.ftruncate(handle, 0)
    os.pwrite(handle, json.dumps(record).encode() if record else b"", 0)


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
        os.utime(runner_file(save), follow_symlinks=False)


def last_sign(save: Path) -> float | None:
    """The time of the last sign of life, in seconds of ``time.time``; None if there is no file."""
    try:
        return runner_file(save).lstat().st_mtime
    except OSError:
        return None


def in_use(save: Path) -> BadSave:
    """Returns the BadSave for a save that another process runs."""
    pid = (holder(save) or {}).get("pid", "unknown")
    named = quote(str(save))
    fix = f"watch it with `parlour attach {named}`, or end it with `parlour stop {named}`"
    return BadSave(str(save), f"is in use by process {pid}", fix)


def _try_lock(handle: int, path: Path) -> bool:
    """Tries to take the lock a few times, since ``holder`` takes it for a moment.

    BadSave on a file system that has no locks.
    """
    for _ in range(5):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sleep(0.02)
        except OSError as error:
            fix = "put the save on a file system that has locks"
            raise BadSave(str(path), f"cannot be locked ({error.strerror})", fix) from None
        else:
            return True
    return False


def holder(save: Path) -> dict[str, Any] | None:
    """Process number, start time and socket of the save's runner; None if none runs it."""
    places = [runner_file(save)]
    with suppress(OSError):  # the save may be gone
        places.insert(0, _file_lock(save, _own_place()))
    return next((_read(place) for place in places if _is_locked(place)), None)


def _is_locked(path: Path) -> bool:
    try:
        handle = open_plain(path)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno == errno.EWOULDBLOCK
    else:
        return False
    finally:
        os.close(handle)


def _read(path: Path) -> dict[str, Any]:
    try:
        runner = json.loads(read_plain(path))
    except (OSError, ValueError, RecursionError):
        return {}
    return runner if isinstance(runner, dict) else {}

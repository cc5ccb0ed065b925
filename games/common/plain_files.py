"""The gate for files at places that a stranger may have filled: regular files alone are opened.

Whoever hands over a save or a tournament file also chooses the files beside and below it. A link
there would be read or overwritten in the place of its target, and a FIFO would hold the program up
for ever. ``tests/test_architecture.py`` forbids other ways to open files in the rooms concerned.
"""

import errno
import os
import stat
from pathlib import Path


def open_plain(path: Path, flags: int = os.O_RDONLY) -> int:
    """A descriptor of a regular file, for its owner alone if it is made.

    OSError with its ``strerror`` for a link, FIFO, device or folder, and where a file that has a
    second name (a hard link) would be written.
    """
    try:
        # O_NONBLOCK: a FIFO would wait for its other end.
        handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno not in {errno.ELOOP, errno.ENXIO}:
            raise
        problem = "is a link" if error.errno == errno.ELOOP else "is no regular file"
        raise OSError(error.errno, problem, str(path)) from None
    status = os.fstat(handle)
    number = errno.EINVAL
    if stat.S_ISDIR(status.st_mode):
        number, problem = errno.EISDIR, "Is a directory"
    elif not stat.S_ISREG(status.st_mode):
        problem = "is no regular file"
    elif status.st_nlink > 1 and flags & (os.O_WRONLY | os.O_RDWR):
        problem = "has a second name"
    else:
        return handle
    os.close(handle)
    raise OSError(number, problem, str(path))


def read_plain(path: Path) -> bytes:
    """The content of a regular file. OSError as ``open_plain``."""
    with os.fdopen(open_plain(path), "rb") as file:
        return file.read()


def read_below(folder: Path, name: str) -> bytes:
    """The content of a regular file below a folder, with no link on the way from the folder.

    OSError as ``open_plain``.
    """
    path = folder / name
    if path.resolve() != folder.resolve() / name:
        raise OSError(errno.ELOOP, "is a link", str(path))
    return read_plain(path)


def is_plain(path: Path) -> bool:
    """True for a regular file that is no link."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False

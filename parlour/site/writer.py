"""Writing a site to a folder, which is replaced as a whole: nobody sees a half of it."""

import ctypes
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from parlour.games.common.errors import BadInput
from parlour.site.addresses import file_of

MARK = "parlour-site.txt"
"""The file by which a folder is known as a site: no other folder is replaced."""
SWAP = 2
"""RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS."""


def refuse_folder(folder: Path) -> None:
    """BadInput for a place that must not be replaced, or where nothing can be written."""
    other = "choose another folder with --out"
    if folder.exists() and not folder.is_dir():
        raise BadInput(str(folder), "is a file", other)
    if folder.is_dir() and not (folder / MARK).is_file() and any(folder.iterdir()):
        raise BadInput(str(folder), "is a folder that is not a site, and not empty", other)
    parent = folder.absolute().parent
    if not parent.is_dir():
        raise BadInput(str(folder), "cannot be written (No such file or directory)", other)
    if not os.access(parent, os.W_OK):
        raise BadInput(str(folder), "cannot be written (Permission denied)", other)


def write_site(folder: Path, files: Iterable[tuple[str, bytes]]) -> tuple[int, int]:
    """Writes files by address, then puts them in the place of the folder.

    Returns the number of files and of bytes.
    """
    refuse_folder(folder)
    new = Path(tempfile.mkdtemp(dir=folder.absolute().parent, prefix=f".{folder.name}-"))
    number = size = 0
    try:
        new.chmod(0o755)
        for address, content in files:
            path = new / file_of(address)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            number, size = number + 1, size + len(content)
        (new / MARK).write_text("A site of Parlour. `parlour site` replaces this folder.\n")
        _put(new, folder.absolute())
    except OSError as error:
        raise BadInput(str(folder), f"cannot be written ({error.strerror})", "see above") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return number, size


def _put(new: Path, folder: Path) -> None:
    """Exchanges two folders in one step where the system can; else in two."""
    if not folder.exists():
        new.rename(folder)
        return
    if not _swapped(new, folder):
        old = new.with_name(new.name + "-old")
        folder.rename(old)
        new.rename(folder)
        old.rename(new)


def _swapped(one: Path, two: Path) -> bool:
    with suppress(OSError, AttributeError):
        system, names = ctypes.CDLL(None), (os.fsencode(one), os.fsencode(two))
        if sys.platform == "darwin":
            return bool(system.renamex_np(*names, SWAP) == 0)
        here = -100  # AT_FDCWD
        return bool(system.renameat2(here, names[0], here, names[1], SWAP) == 0)
    return False

"""The folder of saves, and the save that a command refers to."""

import glob
import re
from contextlib import suppress
from itertools import count
from pathlib import Path

from parlour.games.common.errors import BadSave
from parlour.games.common.suggestions import nearest
from parlour.tournament.save.lock import holder

FOLDER = Path("saves")
"""The default folder, relative to the working directory."""
ENDING = ".db"


def chosen(save: Path | None) -> Path:
    """Returns the named save, else the newest one that is running, else the newest.

    A name is also looked for in the folder, and with its ending. BadSave if no save was named
    and there is none.
    """
    if save is not None:
        longer = Path(f"{save}{ENDING}")
        places = (save, FOLDER / save, longer, FOLDER / longer)
        return next((place for place in places if place.is_file()), save)
    saves = all_saves()
    if not saves:
        raise BadSave(str(FOLDER), "has no saves", "start one with `parlour run --preset demo`")
    return next((save for save in saves if holder(save) is not None), saves[0])


def no_such_save(save: Path, fix: str) -> BadSave:
    """The error for a save that is not there, with a save of a similar name if there is one."""
    saves = [*all_saves(), *all_saves(save.parent), *all_saves(Path())]
    by_name = {path.stem: path for path in saves}
    meant = nearest(save.stem, by_name)
    hint = f"did you mean {by_name[meant]}?" if meant else fix
    rescued = all_saves(save.parent, f"{glob.escape(save.stem)}.rescued*{save.suffix or ENDING}")
    if rescued:
        hint = f"what was stored of it when it went away is in {rescued[0]}"
    return BadSave(str(save), "there is no such save", hint)


def all_saves(folder: Path = FOLDER, pattern: str = f"*{ENDING}") -> list[Path]:
    """The saves in a folder, the last changed one first."""
    saves = [path for path in folder.glob(pattern) if path.is_file()]
    return sorted(saves, key=_changed, reverse=True)


def _changed(save: Path) -> tuple[int, str]:
    """Sort key: the time of the last change, of the save or of the log with its newest answers.

    An empty log does not count, since reading a save creates one.
    """
    newest = 0
    for path in (save, save.with_name(save.name + "-wal")):
        with suppress(OSError):  # the log is removed when its runner ends
            status = path.stat()
            newest = max(newest, status.st_mtime_ns if status.st_size else 0)
    return newest, save.name


def new_save(name: str) -> Path:
    """Returns a free path for a tournament's save: its name, with a number if it is taken.

    Raises BadSave if the folder cannot be made.
    """
    return free_path(named_save(name))


def free_path(path: Path) -> Path:
    """The path, with a number after its name if a save or the log of one has it."""
    for number in count(1):
        its = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
        if not (its.exists() or its.with_name(its.name + "-wal").exists()):
            return its
    raise AssertionError("numbers never run out")


def named_save(name: str, folder: Path = FOLDER) -> Path:
    """Returns the path of the first save of a tournament's name, which may be taken.

    Raises BadSave if the folder cannot be made.
    """
    if not folder.exists():
        try:
            folder.mkdir(mode=0o700, parents=True)
        except OSError as error:
            fix = "choose another place with --save"
            raise BadSave(str(folder), f"cannot be created ({error.strerror})", fix) from None
    stem = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:40] or "tournament"
    return folder / f"{stem}{ENDING}"

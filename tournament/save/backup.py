"""Backups of saves, also of those that are being played."""

import sqlite3
from contextlib import closing
from pathlib import Path

from parlour.games.common.errors import BadSave
from parlour.tournament.save.database import connect, damaged
from parlour.tournament.save.new_file import new_file
from parlour.tournament.save.rows import MatchCount

COUNTS = "SELECT count(*), count(outcome), count(frozen) FROM matches"
ELSEWHERE = "choose another place for the backup"


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
            raise BadSave(str(out), "already exists", ELSEWHERE)
        with new_file(out, ELSEWHERE, ELSEWHERE) as draft:
            return _copy(save, draft, path)


def _copy(save: sqlite3.Connection, draft: Path, path: Path) -> MatchCount:
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

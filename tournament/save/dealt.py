"""The shards that the matches of a save were dealt to, written down beside the save.

A save that was split keeps its matches. To play them there, too, would pay for them twice.
"""

import json
import os
from contextlib import suppress
from pathlib import Path
from shlex import join, quote

from parlour.games.common.errors import BadInput
from parlour.games.common.plain_files import open_plain, read_plain
from parlour.games.common.text import clean


def dealt_file(save: Path) -> Path:
    """The file that names the shards of a save; without it nothing counts as dealt."""
    return save.with_name(save.name + ".dealt")


def note_dealt(save: Path, shards: list[Path]) -> None:
    """Writes the shards of a save down. OSError if that cannot be done."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(open_plain(dealt_file(save), flags), "w", encoding="utf-8") as file:
        json.dump([str(shard) for shard in shards], file)


def shards_of(save: Path) -> list[str]:
    """The shards that a save's matches were dealt to, [] if they were not."""
    with suppress(OSError, ValueError, RecursionError):
        names = json.loads(read_plain(dealt_file(save)))
        if isinstance(names, list):
            return [clean(name) for name in names if isinstance(name, str)]
    return []


def merging_command(save: Path, shards: list[str]) -> str:
    """The command that puts a save and its shards together, without the program's name."""
    return join(["merge", "OUT.db", str(save), *shards])


def refuse_dealt(save: Path) -> None:
    """BadInput for a save whose unfinished matches are played elsewhere."""
    if shards := shards_of(save):
        fix = (
            f"play {join(shards)}, then `parlour {merging_command(save, shards)}`; to play them"
            f" here all the same: rm {quote(str(dealt_file(save)))}"
        )
        raise BadInput(str(save), "its matches are dealt to shards and would be paid twice", fix)

"""The Python interface to merged saves and shards."""

from collections.abc import Mapping
from pathlib import Path

from parlour.games.common.errors import BadInput
from parlour.results import Results
from parlour.tournament.save.merge import Rename, merge_saves
from parlour.tournament.save.split import split_save


def merge(
    out: str | Path,
    *saves: str | Path,
    rename: Mapping[str | Path, Mapping[str, str]] | None = None,
) -> Results:
    """Merges saves of compatible tournaments into a new one, and returns its results.

    ``rename`` has new names of agents by save and old name. Raises BadInput if tournaments do not
    fit together or a match was played in two ways, and BadSave if ``out`` exists.
    """
    paths = [Path(save) for save in saves]
    renames: list[Rename] = []
    for save, names in (rename or {}).items():
        renames += [Rename(old, new, Path(save)) for old, new in names.items()]
    for each in renames:
        if each.save not in paths:
            raise BadInput("rename", f"{each.save} is not merged", "name one of the saves")
    if not paths:
        raise BadInput("merge", "needs a save", "give one or more")
    merge_saves(Path(out), paths, renames)
    return Results(Path(out))


def split(save: str | Path, shards: int, folder: str | Path | None = None) -> list[Path]:
    """Deals the unfinished matches of a save into shards, saves of their own; returns their paths.

    ``folder`` is theirs, by default that of the save. Raises BadInput if the save is being played
    or has too few matches, and BadSave if a shard exists.
    """
    return split_save(Path(save), shards, None if folder is None else Path(folder))

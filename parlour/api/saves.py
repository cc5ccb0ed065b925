"""Additions, merges and splits of saves, for Python."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from parlour.api.results import Results
from parlour.games.common.errors import BadInput
from parlour.tournament.control.changes import grow_save
from parlour.tournament.plan.additions import Addition, addition_of, addition_of_file
from parlour.tournament.save.directory import chosen
from parlour.tournament.save.merging.merge import Rename, merge_saves
from parlour.tournament.save.merging.split import split_save


def add(
    path: str | Path,
    source: Mapping[str, Any] | str | Path | None = None,
    *,
    against: Sequence[str] | None = None,
    repetitions: int | None = None,
    matches: int | None = None,
) -> Results:
    """Adds to the tournament of a save, also while it is played; plays nothing itself.

    ``source`` is a file with blocks of agents or of games, or a dict of the same form. New agents
    meet all agents, or those named in ``against`` and each other. ``repetitions`` is the number for
    the whole schedule, ``matches`` the most that an adaptive tournament plays. Raises BadInput
    naming the field, the value and the fix.
    """
    save = chosen(Path(path))
    grow_save(save, addition(source, against, repetitions, matches))
    return Results(save)


def addition(
    source: Mapping[str, Any] | str | Path | None,
    against: Sequence[str] | None,
    repetitions: int | None,
    matches: int | None,
) -> Addition:
    """The addition of ``add``, read and not yet compared with a save. BadInput."""
    if source is None:
        read = Addition()
    elif isinstance(source, Mapping):
        read = addition_of(source, Path())
    else:
        read = addition_of_file(Path(source))
    if against and not read.agents:
        raise BadInput("against", "is for new agents", "give blocks of agents, or leave it out")
    anchors = list(against) if against is not None else None
    update = {"against": anchors, "repetitions": repetitions, "matches": matches}
    return read.model_copy(update=update)


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

"""Additions to the tournament of a save, for Python: agents, games and repetitions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from parlour.results import Results
from parlour.tournament.control.grow_save import grow_save
from parlour.tournament.plan.additions import Addition, addition_of_file
from parlour.tournament.save.directory import chosen


def add(
    path: str | Path,
    source: Mapping[str, Any] | str | Path,
    *,
    against: Sequence[str] | None = None,
) -> Results:
    """Adds agents to the tournament of a save, also while it is played; plays nothing itself.

    ``source`` is a file with blocks of agents, or a dict of the same form. The new agents meet all
    agents, or those named in ``against`` and each other. Raises BadInput naming the field, the
    value and the fix.
    """
    addition = _addition("agents", source)
    anchors = None if against is None else list(against)
    return _grown(path, addition.model_copy(update={"against": anchors}))


def extend(
    path: str | Path,
    source: Mapping[str, Any] | str | Path | None = None,
    *,
    repetitions: int | None = None,
    matches: int | None = None,
) -> Results:
    """Adds games, settings, repetitions or matches to the tournament of a save; see ``add``.

    ``source`` has blocks of games; ``repetitions`` is the number for the whole schedule, and
    ``matches`` the most that an adaptive tournament plays.
    """
    addition = Addition() if source is None else _addition("games", source)
    update = {"repetitions": repetitions, "matches": matches}
    return _grown(path, addition.model_copy(update=update))


def _addition(kind: Literal["agents", "games"], source: Mapping[str, Any] | str | Path) -> Addition:
    if isinstance(source, Mapping):
        content: dict[str, Any] = {kind: dict(source)}
        return Addition(**content, folder=str(Path().resolve()))
    return addition_of_file(Path(source), kind)


def _grown(path: str | Path, addition: Addition) -> Results:
    save = chosen(Path(path))
    grow_save(save, addition)
    return Results(save)

"""The identity of a save, and the saves that its matches were taken over from.

The identity of a match is the ``save_id`` of the save whose plan it is from, and its number there.
It stays the same in every save that takes the match over.
"""

from typing import NamedTuple

from parlour.games.common.text import clean
from parlour.games.engine.transcript import counted
from parlour.tournament.save.database import GROWS
from parlour.tournament.save.reader import Save

ADD_ORIGIN = (
    "INSERT INTO origins (number, save, name, created, program, shift) VALUES (?, ?, ?, ?, ?, ?)"
)

ADAPTIVE = (
    "Adaptive saves are among them: outcomes decided how much each agent played and when it ended,"
    " which biases plain means and intervals; decided ranks stay in those saves (docs/adaptive.md)"
)
"""The remark on matches that were decided by outcomes."""
MOST_NAMED = 5
"""Origins that a line names."""


class Origin(NamedTuple):
    """A save whose plan has matches: its id, its name, when and by which program it was made."""

    save: str
    name: str
    created: str
    program: str

    @property
    def age(self) -> tuple[str, str]:
        """Sort key: the oldest first; the id decides between saves of one second."""
        return self.created, self.save


class TakenOver(NamedTuple):
    """A row of ``origins``: an origin, and how much further back its matches stand here."""

    origin: Origin
    shift: int


def own_origin(save: Save) -> Origin:
    """The save itself as the origin of its own matches. Its version is at least GROWS."""
    return Origin(*save._one("SELECT save_id, name, created, program FROM tournament"))


def origins(save: Save) -> dict[int, TakenOver]:
    """The saves that matches were taken over from, by their number in this save."""
    if save.version < GROWS:
        return {}
    rows = save._select("SELECT number, save, name, created, program, shift FROM origins")
    return {number: TakenOver(Origin(*its), shift) for number, *its, shift in rows}


def all_origins(save: Save) -> list[Origin]:
    """The origins of all matches of a save, the oldest first. Its version is at least GROWS."""
    every = [its.origin for its in origins(save).values()]
    if save._select("SELECT 1 FROM stored_matches WHERE origin IS NULL LIMIT 1") or not every:
        every.append(own_origin(save))
    return sorted(every, key=lambda origin: origin.age)


def origin_words(save: Save) -> str:
    """The origin of the matches in words, "" if all are of the save's own plan."""
    words = _origin(save)
    return f"{words}. {ADAPTIVE}" if words and was_adaptive(save) else words


def _origin(save: Save) -> str:
    if save.version < GROWS or not origins(save):
        return ""
    (kind,) = save._one("SELECT kind FROM stages ORDER BY number LIMIT 1")
    every = all_origins(save)
    if kind == "split":
        return f"split from {_names(every)}"
    if len(every) > 1:
        return f"merged from {counted(len(every), 'save')}: {_names(every)}"
    return f"merged from parts of one save: {_names(every)}"


def was_adaptive(save: Save) -> bool:
    """True if matches of a save were decided by outcomes, there or in a save that it is from."""
    if save.tournament.schedule == "adaptive":
        return True
    return bool(save._select("SELECT 1 FROM stages WHERE json_extract(body, '$.adaptive')"))


def repeated_matches(save: Save) -> int:
    """The number of matches that are, but for answers, another match of the save again.

    That is so where runs of one file with one seed were merged: what is drawn is the same in both.
    """
    alike = "SELECT count(*) - 1 AS more FROM matches GROUP BY entry, setting, agents, seed"
    return int(save._one(f"SELECT coalesce(sum(more), 0) FROM ({alike})")[0])


def _names(every: list[Origin]) -> str:
    """Names and times of the oldest saves, and how many more there are."""
    shown = [f"{clean(each.name)} ({clean(each.created)})" for each in every[:MOST_NAMED]]
    more = [f"{len(every) - MOST_NAMED} more"] if len(every) > MOST_NAMED else []
    return ", ".join([*shown, *more])

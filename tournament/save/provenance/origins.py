"""The identity of a save, and the saves that its matches were taken over from.

The identity of a match is its origin, which is a stage of the save whose plan it is from, and its
number there. It stays the same in every save that takes the match over. Copies of one save have the
same ``save_id``, and share the stages from before they were copied.
"""

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from parlour.games.common.text import clean
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.transcript import counted
from parlour.tournament.save.database import damaged
from parlour.tournament.save.growing.stages import last_matches, stages_of
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
    """A stage of a save, whose plan has matches; name, time and program are those of the save.

    ``save`` is the id of the save; for a stage with an id, this follows after a point.
    """

    save: str
    name: str
    created: str
    program: str

    @property
    def first_stage(self) -> "Origin":
        """The first stage of its save."""
        return self._replace(save=self.save.partition(".")[0])

    @property
    def age(self) -> tuple[str, str]:
        """Sort key: the oldest save first; the ids decide between saves of one second."""
        return self.created, self.save


class TakenOver(NamedTuple):
    """A row of ``origins``: an origin, and how much further back its matches stand here."""

    origin: Origin
    shift: int


class OwnOrigin(NamedTuple):
    """A stage of a save as the origin of its matches ``first`` to ``last``."""

    origin: Origin
    first: int
    last: int


def own_origins(save: Save) -> list[OwnOrigin]:
    """The stages of a save as origins of its own matches."""
    of_save, stages = _as_origin(save), stages_of(save)
    lasts = [*last_matches(save, stages)[:-1], save.match_count().matches]
    own = []
    for stage, before, last in zip(stages, [0, *lasts], lasts, strict=False):
        id = f"{of_save.save}.{stage.id}" if stage.id else of_save.save
        if stage.taken_over is None:
            own.append(OwnOrigin(of_save._replace(save=id), before + 1, last))
    return own


def _as_origin(save: Save) -> Origin:
    return Origin(*save._one("SELECT save_id, name, created, program FROM tournament"))


def origins(save: Save) -> dict[int, TakenOver]:
    """The saves that matches were taken over from, by their number in this save."""
    rows = save._select("SELECT number, save, name, created, program, shift FROM origins")
    return {number: TakenOver(Origin(*its), shift) for number, *its, shift in rows}


def all_origins(save: Save) -> list[Origin]:
    """The origins of all matches of a save, the oldest first."""
    every = {its.origin for its in origins(save).values()}
    every |= {own.origin for own in own_origins(save) if own.first <= own.last}
    return sorted(every or {_as_origin(save)}, key=lambda origin: origin.age)


def saves_of(every: Iterable[Origin]) -> list[Origin]:
    """The saves of some origins, each once, the oldest first."""
    return sorted({origin.first_stage for origin in every}, key=lambda origin: origin.age)


def second_after(save: Save) -> str:
    """A time after which no origin of a save was made. Raises BadSave if one has no time."""
    newest = max(origin.created for origin in all_origins(save))
    try:
        return (datetime.fromisoformat(newest) + timedelta(seconds=1)).isoformat()
    except (ValueError, OverflowError):
        raise damaged(save.path, f"{newest[:40]!r} is not a time") from None


def origin_words(save: Save) -> str:
    """The origin of the matches in words, "" if all are of the save's own plan."""
    words = _origin(save)
    return f"{words}. {ADAPTIVE}" if words and was_adaptive(save) else words


def _origin(save: Save) -> str:
    if not origins(save):
        return ""
    (kind,) = save._one("SELECT kind FROM stages ORDER BY number LIMIT 1")
    every = saves_of(its.origin for its in origins(save).values())
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

    That is so where runs of one file with one seed were merged, or copies of a save that both got
    the same agent, game or repetition: what is drawn is the same in both.
    """
    alike = "SELECT count(*) - 1 AS more FROM matches GROUP BY entry, setting, agents, seed"
    return int(save._one(f"SELECT coalesce(sum(more), 0) FROM ({alike})")[0])


class Repeats(NamedTuple):
    """Numbers of finished matches that repeat another one but for their answers.

    ``scripted`` are those of scripted players alone: they repeat the answers, too.
    """

    scripted: int
    others: int


NO_REPEATS = Repeats(0, 0)


def finished_repeats(save: Save) -> Repeats:
    """Returns the finished matches that were taken over and repeat another one."""
    if not origins(save):
        return NO_REPEATS
    rows = save._select(
        "SELECT agents, sum(more) FROM (SELECT agents, count(*) - 1 AS more FROM matches"
        " WHERE outcome IS NOT NULL AND frozen IS NULL GROUP BY entry, setting, agents, seed)"
        " GROUP BY agents"
    )
    known = {agent.name for agent in save.tournament.agents if agent.kind == "scripted"}
    known.add(BUILT_IN)
    scripted = sum(more for agents, more in rows if known.issuperset(json.loads(agents)))
    return Repeats(scripted, sum(more for _, more in rows) - scripted)


def _names(every: list[Origin]) -> str:
    """Names and times of the oldest saves, and how many more there are."""
    shown = [f"{clean(each.name)} ({clean(each.created)})" for each in every[:MOST_NAMED]]
    more = [f"{len(every) - MOST_NAMED} more"] if len(every) > MOST_NAMED else []
    return ", ".join([*shown, *more])

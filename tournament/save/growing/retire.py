"""Retired agents: their open matches are closed, so that a tournament can finish without them.

A closed match is a frozen one whose reason says so. Its answers stay, and nothing counts it.
"""

import sqlite3
from pathlib import Path
from shlex import quote

from parlour.games.common.errors import BadInput, BadSave
from parlour.games.common.suggestions import suggestion
from parlour.tournament.save.database import writing
from parlour.tournament.save.lock import locked
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RETIRED

_CLOSE = (
    "UPDATE stored_matches SET frozen = ? WHERE outcome IS NULL AND frozen IS NULL AND number IN"
    " (SELECT number FROM matches, json_each(agents) WHERE json_each.value = ?)"
)


def retire(path: Path, agent: str) -> int:
    """Closes the open matches of an agent; returns how many. BadInput if it has none.

    BadSave if a process runs the save.
    """
    with Save(path) as save:
        names = [each.name for each in save.tournament.agents]
        if agent not in names:
            raise BadInput("AGENT", f"unknown agent {agent!r}", suggestion(agent, names))
        if save.tournament.fork is not None:
            raise BadSave(str(path), "is a fork of one match", "delete it, or leave it open")
    with locked(path), writing(path) as connection:
        closed = connection.execute(_CLOSE, (RETIRED + agent, agent)).rowcount
        if closed:
            connection.execute("DELETE FROM leaderboards")
    if not closed:
        fix = f"see `parlour status {quote(str(path))}`"
        raise BadInput("AGENT", f"{agent!r} has no open matches", fix)
    return closed


def close_for_retired(connection: sqlite3.Connection) -> None:
    """Closes the new matches of agents that have retired."""
    for (reason,) in connection.execute(
        "SELECT DISTINCT frozen FROM stored_matches WHERE frozen LIKE ?", (f"{RETIRED}%",)
    ).fetchall():
        connection.execute(_CLOSE, (reason, reason.removeprefix(RETIRED)))


def retired_matches(save: Save) -> dict[str, tuple[int, int]]:
    """The retired agents, each with its first closed match and their number."""
    rows = save._select(
        "SELECT frozen, min(number), count(*) FROM stored_matches WHERE frozen LIKE ? GROUP BY 1",
        f"{RETIRED}%",
    )
    return {reason.removeprefix(RETIRED): (first, count) for reason, first, count in rows}

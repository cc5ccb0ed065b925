"""Queries of single readers: the forecast, the budget and the cache."""

from collections import defaultdict
from typing import NamedTuple

from parlour.games.engine.moves import Seat
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import CALL_COLUMNS, StoredCall


class SeatCount(NamedTuple):
    """Seats of an agent in the matches of one game entry, either finished (``over``) or not.

    ``table`` is the number of seats of a match, ``answers`` the answers given from these seats.
    """

    entry: int
    agent: str
    table: int
    over: bool
    seats: int
    answers: int


def seat_counts(save: Save) -> list[SeatCount]:
    """Seats and answers by game entry and agent; frozen matches left out."""
    rows = save.select(
        "SELECT entry, value, json_array_length(agents), outcome IS NOT NULL, count(*),"
        " sum((SELECT count(*) FROM answers WHERE match = number AND seat = key))"
        " FROM matches, json_each(agents) WHERE frozen IS NULL GROUP BY 1, 2, 3, 4"
    )
    return [SeatCount(*row) for row in rows]


def dollars_by_entry(save: Save) -> dict[tuple[int, str], float]:
    """US dollars spent by game entry and agent; frozen matches left out."""
    if not save.has_calls:
        return {}
    rows = save.select(
        "SELECT entry, calls.agent, total(price) FROM calls JOIN matches ON matches.number = match"
        " WHERE frozen IS NULL GROUP BY 1, 2"
    )
    return {(entry, agent): dollars for entry, agent, dollars in rows}


def spent_by_agent(save: Save) -> tuple[dict[str, float], int]:
    """US dollars that each agent has spent, and the highest id of an open reservation.

    A reservation that is still open belongs to a call of a killed process: it counts as spent.
    """
    spent: dict[str, float] = defaultdict(float)
    rows: list[tuple[int, str, float]] = []
    if save.has_calls:
        rows += save.select("SELECT 0, agent, total(price) FROM calls GROUP BY agent")
    if save.version >= 5:
        rows += save.select("SELECT id, agent, dollars FROM reservations")
    for _id, agent, dollars in rows:
        spent[agent] += dollars
    return spent, max((row[0] for row in rows), default=0)


def cached_calls(
    save: Save, key: str, match_ref: tuple[int, int, Seat], *, between_matches: bool
) -> list[tuple[int, StoredCall]]:
    """Answered calls with a cache key, each with its ``seq``, the oldest first.

    Leaves out those of the ask and seat (``match_ref``: match, ask, seat), or of the whole match.
    """
    match, ask, seat = match_ref
    rows = save.select(
        f"SELECT seq, {', '.join(CALL_COLUMNS)} FROM calls"
        " WHERE cache_key = ? AND NOT (match = ? AND (? OR (ask = ? AND seat = ?))) ORDER BY seq",
        *(key, match, between_matches, ask, seat),
    )
    return [(seq, StoredCall(*columns)) for seq, *columns in rows]


def copied_calls(save: Save, match: int) -> set[int]:
    """The ``seq`` of the calls that the cache has given to a match."""
    rows = save.select("SELECT copy_of FROM calls WHERE match = ? AND copy_of IS NOT NULL", match)
    return {source for (source,) in rows}

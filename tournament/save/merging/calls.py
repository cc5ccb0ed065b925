"""The calls of a new save that is made of matches of others, and the money that is reserved.

The calls for one answer are a sequence. That of one save must be the beginning of that of another,
which is taken; else the same question was sent twice.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from parlour.games.engine.moves import Seat, player
from parlour.tournament.save.merging.copies import Batch, Copies
from parlour.tournament.save.rows import ADD_TEMPLATE, CALL_COLUMNS

LEFT_BEHIND = 0
"""``copy_of`` of an answer from the cache whose call is not in the new save."""
_MATCH, _ASK, _SEAT, _AGENT, _CACHE_KEY, _COPY_OF = map(
    CALL_COLUMNS.index, ("match", "ask", "seat", "agent", "cache_key", "copy_of")
)
_COLUMNS = ", ".join(CALL_COLUMNS)
_ADD = f"INSERT INTO calls (seq, {_COLUMNS}) VALUES (?{', ?' * len(CALL_COLUMNS)})"
_SEQS = "SELECT seq FROM stored_calls WHERE match = ? AND ask = ? AND seat = ? ORDER BY seq"

Key = tuple[int, int, Seat]
"""The match in the new save, the ask and the seat of calls."""
Reserved = Counter[tuple[str, float]]
"""The number of equal reservations, by agent and US dollars."""


def take_calls(connection: sqlite3.Connection, copies: Copies) -> None:
    """Stores the calls of all contributions, each in their order, and their templates."""
    called = [0] * (copies.matches + 1)  # the first contribution with calls of a match, from 1
    last = 0
    batch = Batch(connection, _ADD)
    for index, contribution in enumerate(copies.contributions):
        connection.executemany(
            ADD_TEMPLATE, contribution.save._rows("SELECT digest, name, text FROM templates")
        )
        numbers, names = copies.numbers(index), contribution.names
        known = _KnownCalls(connection)
        # The numbers in the new save of calls that others may be copies of, and those copies.
        seqs: dict[int, int] = {}
        sources: list[tuple[int, int]] = []
        for seq, *call in contribution.rows("calls", f"seq, {_COLUMNS}"):
            match = call[_MATCH] = numbers[call[_MATCH]]
            if not match:
                continue
            source, call[_AGENT] = call[_COPY_OF], names.get(call[_AGENT], call[_AGENT])
            call[_COPY_OF] = None if source is None else LEFT_BEHIND
            called[match] = called[match] or index + 1
            here = known.next(call) if called[match] <= index else None
            if here is None:
                here = last = last + 1
                batch.add((here, *call))
            elif not known.is_same(here, call):
                place = f"a call for the answer of {player(call[_SEAT])} to ask {call[_ASK]}"
                raise copies.conflict(index, match, place)
            if call[_CACHE_KEY] is not None:
                seqs[seq] = here
            if source is not None:
                sources.append((source, here))
        batch.store()
        # At the end: where shards were merged before, a call may follow its copies.
        connection.executemany(
            "UPDATE stored_calls SET copy_of = ? WHERE seq = ?",
            ((seqs[source], here) for source, here in sources if source in seqs),
        )


class _KnownCalls:
    """The calls that earlier contributions have of matches, compared one after the other."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._left: dict[Key, list[int]] = {}

    def next(self, call: Sequence[Any]) -> int | None:
        """The ``seq`` of the next stored call for the answer, None after the last."""
        key = call[_MATCH], call[_ASK], call[_SEAT]
        if key not in self._left:
            self._left[key] = [seq for (seq,) in self._connection.execute(_SEQS, key)]
        left = self._left[key]
        return left.pop(0) if left else None

    def is_same(self, seq: int, call: Sequence[Any]) -> bool:
        """True if the stored call is this one, whichever call they are copies of."""
        row = f"SELECT {_COLUMNS} FROM calls WHERE seq = ?"
        stored = list(self._connection.execute(row, (seq,)).fetchone())
        if stored[_COPY_OF] is not None:
            stored[_COPY_OF] = LEFT_BEHIND
        return stored == call


def take_reservations(connection: sqlite3.Connection, copies: Copies) -> None:
    """Stores the open reservations: of each answer, those of the save with the most calls."""
    held: defaultdict[Key, dict[int, Reserved]] = defaultdict(dict)
    for index, contribution in enumerate(copies.contributions):
        numbers, names = copies.numbers(index), contribution.names
        for agent, dollars, match, ask, seat in contribution.save._rows(
            "SELECT agent, dollars, match, ask, seat FROM reservations ORDER BY id"
        ):
            if number := numbers[match]:
                of_answer = held[number, ask, seat].setdefault(index, Counter())
                of_answer[names.get(agent, agent), dollars] += 1
    for key, by_contribution in held.items():
        for (agent, dollars), count in _of_the_longest(copies, key, by_contribution).items():
            connection.executemany(
                "INSERT INTO reservations (agent, dollars, match, ask, seat)"
                " VALUES (?, ?, ?, ?, ?)",
                [(agent, dollars, *key)] * count,
            )


def _of_the_longest(copies: Copies, key: Key, held: Mapping[int, Reserved]) -> Reserved:
    """The reservations for one answer in the save that has made the most calls for it.

    Where the others have more, their calls have taken the place of its reservations.
    """
    match, ask, seat = key
    calls: dict[int, int] = {}
    for index, number in copies.of_match(match):
        save = copies.contributions[index].save
        calls[index] = len(save._select(_SEQS, number, ask, seat))
    most: Reserved = Counter()
    for index, count in calls.items():
        if count == max(calls.values()):  # copies of one save have the same ones
            most |= held.get(index, Counter())
    return most

"""Takes calls, their templates and open reservations over from other saves into a new one.

The calls for one answer are a sequence. Of a match that several saves have, that of one is the
beginning of that of another, which is taken; else the same question was sent twice, a conflict.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from parlour.games.engine.moves import Seat, player
from parlour.tournament.save.merging.copies import Contribution, Copies
from parlour.tournament.save.merging.taking_over import AT_ONCE, OPEN, Taker

LEFT_BEHIND = 0
"""``copy_of`` of an answer from the cache whose call is not in the new save."""
_OWN = ("match", "ask", "seat", "agent", "cache_key", "copy_of")
_SEQS = "SELECT seq FROM calls WHERE match = ? AND ask = ? AND seat = ? ORDER BY seq"

Key = tuple[int, int, Seat]
"""The match in the new save, the ask and the seat of calls."""


class _Call(NamedTuple):
    """A call for the new save; ``rest`` has the columns beyond these."""

    match: int
    ask: int
    seat: Seat
    agent: str
    cache_key: str | None
    copy_of: int | None
    rest: tuple[Any, ...]

    def row(self) -> tuple[Any, ...]:
        """The columns after ``seq``."""
        return (*self[:-1], *self.rest)


class CallTaker(Taker):
    """Takes calls, templates and reservations over."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        contributions: Sequence[Contribution],
        copies: Copies,
    ) -> None:
        super().__init__(connection, contributions, copies)
        rows = connection.execute("SELECT name FROM pragma_table_info('calls')")
        rest = [name for (name,) in rows if name not in {"seq", *_OWN}]
        self._columns = ", ".join([*_OWN, *rest])
        self._add = (
            f"INSERT INTO calls (seq, {self._columns})"
            f" VALUES ({', '.join('?' * (1 + len(_OWN) + len(rest)))})"
        )
        self._called = [0] * (copies.matches + 1)  # the first contribution with calls, from 1
        self._last = 0

    def take_calls(self) -> None:
        """Stores the calls of all contributions, each in their order, and their templates."""
        for index, contribution in enumerate(self._contributions):
            self._connection.executemany(
                "INSERT OR IGNORE INTO templates (digest, name, text) VALUES (?, ?, ?)",
                contribution.save._rows("SELECT digest, name, text FROM templates"),
            )
            self._take_calls_of(index, contribution)

    def _take_calls_of(self, index: int, contribution: Contribution) -> None:
        numbers = self._copies.numbers(index)
        known = _KnownCalls(self._connection, self._columns)
        seqs: dict[int, int] = {}
        sources: list[tuple[int, int]] = []
        batch: list[tuple[Any, ...]] = []
        for seq, source, call in self._calls(contribution, numbers):
            self._called[call.match] = self._called[call.match] or index + 1
            here = known.next(call) if self._called[call.match] <= index else None
            if here is None:
                here = self._last = self._last + 1
                batch.append((here, *call.row()))
            elif not known.is_same(here, call):
                place = f"call for the answer of {player(call.seat)} to ask {call.ask}"
                raise self._conflict(index, call.match, f"a {place}")
            if call.cache_key is not None:
                seqs[seq] = here
            if source is not None:
                sources.append((source, here))
            if len(batch) >= AT_ONCE:
                self._connection.executemany(self._add, batch)
                batch.clear()
        self._connection.executemany(self._add, batch)
        # At the end: where shards were merged before, a call may follow its copies.
        self._connection.executemany(
            "UPDATE calls SET copy_of = ? WHERE seq = ?",
            ((seqs[source], here) for source, here in sources if source in seqs),
        )

    def _calls(
        self, contribution: Contribution, numbers: Sequence[int]
    ) -> Iterator[tuple[int, int | None, _Call]]:
        """Yields ``seq``, ``copy_of`` and call, which has the numbers of the new save."""
        where = "" if contribution.chosen is None else f" WHERE match IN ({OPEN})"
        for seq, match, ask, seat, agent, key, copy_of, *rest in contribution.save._rows(
            f"SELECT seq, {self._columns} FROM calls{where} ORDER BY seq"
        ):
            number = numbers[match] if 0 < match < len(numbers) else 0
            if not number:
                continue
            source = None if copy_of is None else LEFT_BEHIND
            name = contribution.names.get(agent, agent)
            yield seq, copy_of, _Call(number, ask, seat, name, key, source, tuple(rest))

    def take_reservations(self) -> None:
        """Stores the open reservations: of each answer, those of the save with the most calls."""
        held: defaultdict[Key, dict[int, Counter[tuple[str, float]]]] = defaultdict(dict)
        for index, contribution in enumerate(self._contributions):
            numbers = self._copies.numbers(index)
            for agent, dollars, match, ask, seat in contribution.save._rows(
                "SELECT agent, dollars, match, ask, seat FROM reservations ORDER BY id"
            ):
                number = numbers[match] if 0 < match < len(numbers) else 0
                if number:
                    of_answer = held[number, ask, seat].setdefault(index, Counter())
                    of_answer[contribution.names.get(agent, agent), dollars] += 1
        for key, by_contribution in held.items():
            for (agent, dollars), count in self._longest(key, by_contribution).items():
                self._connection.executemany(
                    "INSERT INTO reservations (agent, dollars, match, ask, seat)"
                    " VALUES (?, ?, ?, ?, ?)",
                    [(agent, dollars, *key)] * count,
                )

    def _longest(
        self, key: Key, held: Mapping[int, Counter[tuple[str, float]]]
    ) -> Counter[tuple[str, float]]:
        """The reservations for one answer in the save that has made the most calls for it.

        Where the others have more, their calls have taken the place of its reservations.
        """
        match, ask, seat = key
        calls = {
            index: len(self._contributions[index].save._select(_SEQS, number, ask, seat))
            for index, number in self._copies.copies_of(match)
        }
        most: Counter[tuple[str, float]] = Counter()
        for index, count in calls.items():
            if count == max(calls.values()):
                most |= held.get(index, Counter())
        return most


class _KnownCalls:
    """The calls that earlier contributions have of matches, compared one after the other."""

    def __init__(self, connection: sqlite3.Connection, columns: str) -> None:
        self._connection = connection
        self._columns = columns
        self._left: dict[Key, list[int]] = {}

    def next(self, call: _Call) -> int | None:
        """The ``seq`` of the next stored call for the answer, None after the last."""
        key = call.match, call.ask, call.seat
        if key not in self._left:
            rows = self._connection.execute(_SEQS, key)
            self._left[key] = [seq for (seq,) in rows]
        left = self._left[key]
        return left.pop(0) if left else None

    def is_same(self, seq: int, call: _Call) -> bool:
        """True if the stored call is this one, whichever call they are copies of."""
        stored = self._connection.execute(
            f"SELECT {self._columns} FROM calls WHERE seq = ?", (seq,)
        ).fetchone()
        copied = _OWN.index("copy_of")
        one, other = (
            (*row[:copied], row[copied] is None, *row[copied + 1 :]) for row in (stored, call.row())
        )
        return one == other

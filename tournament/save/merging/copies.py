"""The matches of a new save that is made from others: the saves that have each, its number, place.

All of it is in temporary tables of the new save, so that millions of matches take no memory.
"""

import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from parlour.games.common.errors import BadInput, BadSave
from parlour.games.common.progress import tracked
from parlour.tournament.save.bounds import MOST_MATCHES
from parlour.tournament.save.database import damaged
from parlour.tournament.save.provenance.origins import (
    ADD_ORIGIN,
    Origin,
    all_origins,
    origins,
    own_origins,
    saves_of,
)
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import ADD_TEXT, TextNumbers

OPEN = "SELECT number FROM stored_matches WHERE outcome IS NULL AND frozen IS NULL"
"""SQL for the matches that are not over."""
AT_ONCE = 4096
"""Rows that are stored together."""
_TABLES = (
    "CREATE TEMP TABLE copies (save INTEGER, number INTEGER, origin INTEGER, there INTEGER,"
    " place INTEGER, PRIMARY KEY (save, number)) WITHOUT ROWID",
    "CREATE UNIQUE INDEX temp.copies_of_match ON copies (origin, there, save)",
    # The stages of one save stand among each other, as if all had been planned at once.
    "CREATE TEMP TABLE plans (origin INTEGER PRIMARY KEY, plan INTEGER)",
)
# Places only grow: the largest is that of the copy which was made last. Copies that grew apart may
# have several matches at one place; then the origins decide.
_NUMBERED = (
    "CREATE TEMP TABLE numbered AS"
    " SELECT row_number() OVER (ORDER BY plan, max(place), origin, there) AS match,"
    " plan, origin, there, max(place) AS place FROM copies JOIN plans USING (origin)"
    " GROUP BY origin, there",
    "CREATE UNIQUE INDEX temp.numbered_identity ON numbered (origin, there)",
    "CREATE UNIQUE INDEX temp.numbered_match ON numbered (match)",
)


class Batch:
    """Rows of one statement that are stored together, with the texts that got a number in them."""

    def __init__(
        self, connection: sqlite3.Connection, sql: str, texts: TextNumbers | None = None
    ) -> None:
        self._connection, self._sql, self._texts = connection, sql, texts
        self._rows: list[tuple[object, ...]] = []

    def add(self, row: tuple[object, ...]) -> None:
        """Adds a row, and stores them if they are many."""
        self._rows.append(row)
        if len(self._rows) >= AT_ONCE:
            self.store()

    def store(self) -> None:
        """Stores the rows."""
        self._connection.executemany(self._sql, self._rows)
        self._rows.clear()
        if self._texts is not None:
            self._connection.executemany(ADD_TEXT, self._texts.new)
            self._texts.new.clear()


@dataclass(frozen=True, slots=True)
class SaveContribution:
    """A save of which matches are taken over: the ``chosen`` open ones, None for all.

    ``entries`` has the number in the new save of each of its game blocks, ``names`` the new names
    of agents by their old ones.
    """

    save: Save
    entries: Sequence[int]
    names: Mapping[str, str] = field(default_factory=dict)
    chosen: Collection[int] | None = None

    def rows(self, table: str, columns: str) -> Iterator[Any]:
        """Yields the rows of answers or calls in their order, at least those of chosen matches."""
        where = "" if self.chosen is None else f" WHERE match IN ({OPEN})"
        rows = self.save._rows(f"SELECT {columns} FROM {table}{where} ORDER BY seq")
        (count,) = self.save._one(f"SELECT count(*) FROM {table}{where}")
        return tracked(rows, f"Taking over {table.removeprefix('stored_')}", count)


class Copies:
    """The matches of the contributions, numbered for the new save, by plan and place there.

    Stores the origins. Raises BadSave for a contribution with false numbers or origins.
    """

    def __init__(
        self, connection: sqlite3.Connection, contributions: Sequence[SaveContribution]
    ) -> None:
        self._connection, self.contributions = connection, contributions
        by_id: dict[str, Origin] = {}
        for each in contributions:
            by_id |= {origin.save: origin for origin in all_origins(each.save)}
        self.origins = sorted(by_id.values(), key=lambda origin: origin.age)
        self._lengths = [each.save.match_count().matches for each in contributions]
        number_of = {origin.save: number for number, origin in enumerate(self.origins, start=1)}
        for statement in _TABLES:
            connection.execute(statement)
        plans = [origin.save for origin in saves_of(self.origins)]
        connection.executemany(
            "INSERT INTO plans VALUES (?, ?)",
            (
                (number, plans.index(origin.first_stage.save))
                for number, origin in enumerate(self.origins, start=1)
            ),
        )
        for index, each in enumerate(contributions):
            rows = ((index, *row) for row in _identities(each, number_of))
            try:
                connection.executemany("INSERT INTO copies VALUES (?, ?, ?, ?, ?)", rows)
            except sqlite3.IntegrityError:
                problem = "two of its matches have the same origin"
                raise damaged(each.save.path, problem) from None
        for statement in _NUMBERED:
            connection.execute(statement)
        self._store_origins()
        (self.matches,) = connection.execute("SELECT count(*) FROM numbered").fetchone()

    def _store_origins(self) -> None:
        lengths = self._connection.execute(
            "SELECT plan, max(place) FROM numbered GROUP BY plan ORDER BY plan"
        ).fetchall()
        begins = accumulate((length for _plan, length in lengths), initial=0)
        shifts = {plan: begin for (plan, _length), begin in zip(lengths, begins, strict=False)}
        rows = self._connection.execute("SELECT DISTINCT origin, plan FROM numbered ORDER BY 1")
        self._shifts = {number: shifts[plan] for number, plan in rows}
        self._connection.executemany(
            ADD_ORIGIN,
            ((number, *self.origins[number - 1], shift) for number, shift in self._shifts.items()),
        )

    def identity(self, match: int) -> tuple[int | None, int, int]:
        """The last columns of a match: its shifted place, its origin, and its number there."""
        origin, there, place = self._connection.execute(
            "SELECT origin, there, place FROM numbered WHERE match = ?", (match,)
        ).fetchone()
        here = place + self._shifts[origin]
        return None if here == match else here, origin, there

    def numbers(self, index: int) -> "array[int]":
        """The new number of each match of a contribution by its number there, 0 if not taken."""
        numbers = array("q", bytes(8 * (self._lengths[index] + 1)))
        for number, match in self._connection.execute(
            "SELECT number, match FROM copies JOIN numbered USING (origin, there) WHERE save = ?",
            (index,),
        ):
            numbers[number] = match
        return numbers

    def of_match(self, match: int) -> list[tuple[int, int]]:
        """The contributions that have a match, each with the match's number there."""
        return self._connection.execute(
            "SELECT save, copies.number FROM copies JOIN numbered USING (origin, there)"
            " WHERE match = ? ORDER BY save",
            (match,),
        ).fetchall()

    def conflict(self, index: int, match: int, differing: str) -> BadInput:
        """The error for a match of which a contribution has something else than an earlier one."""
        numbers = dict(self.of_match(match))
        other = next(number for number in numbers if number != index)
        paths = [each.save.path for each in self.contributions]
        problem = (
            f"{differing} is not as in match {numbers[other]} of {paths[other]},"
            " which is the same match"
        )
        place = f"{paths[index]}: match {numbers[index]}"
        return BadInput(place, problem, "both were played: leave one of them out")

    def overlaps(self) -> set[tuple[int, int]]:
        """The pairs of contributions that share a match, the lower number first."""
        rows = self._connection.execute(
            "SELECT DISTINCT one.save, other.save FROM copies AS one JOIN copies AS other"
            " USING (origin, there) WHERE one.save < other.save"
        )
        return set(rows)


def _identities(
    contribution: SaveContribution, number_of: Mapping[str, int]
) -> Iterator[tuple[int, int, int, int]]:
    """Yields number, number of the origin, number there and place there of each taken match."""
    save, chosen = contribution.save, contribution.chosen
    taken_over, own = origins(save), own_origins(save)
    lasts = [stage.last for stage in own]
    count = save.match_count().matches
    for number, origin, there, place in save._rows(
        "SELECT number, origin, origin_number, place FROM stored_matches"
    ):
        if not 1 <= number <= count:
            raise damaged(save.path, "matches: are not numbered from 1 on")
        if chosen is not None and number not in chosen:
            continue
        here = number if place is None else place
        shift = taken_over[origin].shift if origin in taken_over else 0
        if max(abs(here), abs(shift), abs(there or 0)) > MOST_MATCHES:
            raise damaged(save.path, f"match {number}: its place cannot be")
        if origin is None:
            index = bisect_left(lasts, number)
            if index == len(own) or not own[index].first <= number <= own[index].last:
                raise _without_origin(save, number)
            yield number, number_of[own[index].origin.save], number, here
        elif origin in taken_over and there is not None:
            its, shift = taken_over[origin]
            yield number, number_of[its.save], there, here - shift
        else:
            raise _without_origin(save, number)


def _without_origin(save: Save, number: int) -> BadSave:
    return damaged(save.path, f"match {number}: its origin is missing")

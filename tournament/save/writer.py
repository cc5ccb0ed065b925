"""The writer of a save: group commits, and retries of a commit that failed."""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TypeVar, cast

import aiosqlite

from parlour.tournament.plan.schedule import PlannedMatch
from parlour.tournament.save.database import fold_log
from parlour.tournament.save.new_file import DiskTrouble, rescued
from parlour.tournament.save.rows import (
    ADD_ANSWER,
    ADD_DECISION,
    ADD_MATCH,
    ADD_TEMPLATE,
    ADD_TEXT,
    CALL_COLUMNS,
    CONTROL,
    Reservation,
    RunOptions,
    StoredAnswer,
    StoredCall,
    TextNumbers,
    answer_cells,
    fingerprint,
    match_cells,
)
from parlour.tournament.save.seals import seal

RETRY_SECONDS = 2.0
"""Wait between a failed commit and the next try."""
ENOUGH_WAITING = 600
"""Rows waiting for the next commit at which ``room`` makes its callers wait."""


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Rows of one statement, and the future of those who wait until they are durable.

    ``then`` is called before they go on.
    """

    sql: str
    rows: Sequence[tuple[object, ...]]
    durable: asyncio.Future[None]
    then: Callable[[], None]


_OUTCOME = "UPDATE stored_matches SET outcome = ? WHERE number = ?"
_FROZEN = "UPDATE stored_matches SET frozen = ? WHERE number = ?"
_CALL = (
    f"INSERT INTO calls ({', '.join(CALL_COLUMNS)}) VALUES ({', '.join('?' * len(CALL_COLUMNS))})"
)
_OF_CALL = attrgetter(*(field.name for field in fields(StoredCall)))
_RESERVE = (
    "INSERT INTO reservations (id, agent, dollars, match, ask, seat) VALUES (?, ?, ?, ?, ?, ?)"
)
_PROGRAM = (
    "INSERT INTO programs (since, program, last_answer)"
    " SELECT ?, ?, coalesce(max(seq), 0) FROM stored_answers"
)
_RELEASE = "DELETE FROM reservations WHERE id = ?"
_OLD_COUNTS = "DELETE FROM counts WHERE version != ?"
_COUNTS = "INSERT INTO counts (version, body) VALUES (?, ?)"
_LEADERBOARD = "INSERT INTO leaderboards (input, body) VALUES (?, ?)"


Result = TypeVar("Result")


class _Connection(aiosqlite.Connection):
    """A connection that can be used several times in one visit to its thread.

    Each return to the event loop would wait for a slice of the fast lane.
    """

    async def visit(self, use: Callable[[sqlite3.Connection], Result]) -> Result:
        """Returns the result of a function of the connection, which is called in its thread."""
        done = self._execute(use, self._conn)  # type: ignore[no-untyped-call]
        return cast("Result", await done)


class Writer:
    """Stores rows in order; all rows that arrive during a commit share the next one.

    After a failed commit (a full disk, for instance) the batch is kept and tried again, and all
    callers keep waiting. ``on_trouble`` gets the reason at each failure and None at recovery. If
    it raises, the writer gives up and every caller gets that exception.
    """

    def __init__(
        self, connection: _Connection, texts: TextNumbers, on_trouble: Callable[[str | None], None]
    ) -> None:
        self._connection, self._texts, self._on_trouble = connection, texts, on_trouble
        self._batch: list[_Waiting] = []
        self._rows = 0
        self._room = asyncio.Event()
        self._room.set()
        self._newest: asyncio.Future[None] | None = None
        self._committing = False
        self._templates: set[str] = set()
        self._wake = asyncio.Event()
        self._task = asyncio.create_task(self._run())
        self._failure: BaseException | None = None
        self._is_first = True

    @classmethod
    async def open(cls, path: Path, on_trouble: Callable[[str | None], None]) -> "Writer":
        """Opens a save for writing. Raises BadSave; the caller holds the lock."""
        # In a thread: a large save takes minutes, and its runner would seem hung.
        uri = f"{path.absolute().as_uri()}?mode=rw"
        connection = _Connection(partial(sqlite3.connect, uri, uri=True), 64)
        await connection
        await connection.execute("PRAGMA trusted_schema = OFF")
        await connection.execute("PRAGMA synchronous = FULL")
        stored = await connection.execute_fetchall("SELECT id, text FROM texts")
        return cls(connection, TextNumbers((number, text) for number, text in stored), on_trouble)

    async def close(self) -> None:
        """Stores what is still waiting and closes the file."""
        self._closing = True
        self._wake.set()
        try:
            await self._task
            await self._connection.visit(fold_log)
        finally:
            await self._connection.close()

    _closing = False

    @property
    def idle(self) -> bool:
        """True if every row is durable, and every ``then`` was called."""
        return not self._batch and not self._committing

    @property
    def has_room(self) -> bool:
        """True while few rows wait for the next commit."""
        return self._room.is_set()

    async def room(self) -> None:
        """Returns at once while there is room, else when the next commit begins."""
        await self._room.wait()

    async def flush(self) -> None:
        """Returns once every row so far is durable."""
        if self._newest is not None:
            await self._newest

    async def answer(self, row: StoredAnswer) -> None:
        """Returns once the answer is durable."""
        await self.answers([row])

    def answers(
        self, rows: Sequence[StoredAnswer], then: Callable[[], None] = _nothing
    ) -> asyncio.Future[None]:
        """Adds answers to the next commit, in order; the future is done once they are durable."""
        values = [answer_cells(row, self._texts) for row in rows]
        self._share_texts()
        return self._enqueue(ADD_ANSWER, values, then)

    async def reserve(self, reservation: Reservation, match_ref: tuple[int, int, int]) -> None:
        """Returns once the reservation of a call is durable.

        ``match_ref`` is its match, ask and seat.
        """
        row = (reservation.id, reservation.agent, reservation.dollars, *match_ref)
        await self._put(_RESERVE, row)

    async def call(
        self,
        row: StoredCall,
        templates: Sequence[tuple[str, str]],
        reservation: Reservation | None = None,
    ) -> None:
        """Returns once a model call and the templates of its prompt are durable.

        The same transaction deletes its reservation, since the row now has the price.
        """
        if reservation is not None:
            self._enqueue(_RELEASE, [(reservation.id,)])
        for name, text in templates:
            digest = fingerprint(text)
            if digest not in self._templates:
                self._templates.add(digest)
                self._enqueue(ADD_TEMPLATE, [(digest, name, text)])
        await self._put(_CALL, _OF_CALL(row))

    def outcome(
        self, match: int, outcome: str, then: Callable[[], None] = _nothing
    ) -> asyncio.Future[None]:
        """Adds the outcome of a match to the next commit; the future is done once it is durable."""
        return self.outcomes([(outcome, match)], then)

    def outcomes(
        self, rows: Sequence[tuple[str, int]], then: Callable[[], None] = _nothing
    ) -> asyncio.Future[None]:
        """Adds outcomes, each with its match, to the next commit; the future is done then."""
        cells = [(self._texts.cell(outcome), match) for outcome, match in rows]
        self._share_texts()
        return self._enqueue(_OUTCOME, cells, then)

    async def freeze(self, match: int, reason: str) -> None:
        """Returns once it is durable that the match cannot be replayed."""
        await self._put(_FROZEN, (reason, match))

    async def leaderboard(self, fingerprint: str, body: str) -> None:
        """Returns once the leaderboard is durable."""
        await self._put(_LEADERBOARD, (fingerprint, body))

    async def counts(self, version: str, block: bytes) -> None:
        """Returns once a block of counts is durable; it replaces those of other versions."""
        self._enqueue(_OLD_COUNTS, [(version,)])
        await self._put(_COUNTS, (version, block))

    def keep(self, control: RunOptions) -> asyncio.Future[None]:
        """Adds the run options to the next commit; the future is done once they are durable."""
        return self._enqueue(CONTROL, [control.row()])

    async def program(self, version: str) -> None:
        """Returns once it is durable that this version of the program goes on with the save."""
        await self._put(_PROGRAM, (datetime.now(UTC).isoformat(timespec="seconds"), version))

    def decide(
        self, decision: tuple[object, ...], matches: Sequence[PlannedMatch]
    ) -> asyncio.Future[None]:
        """Adds a decision and its matches to the next commit; done once they are durable."""
        rows = [match_cells(match, match.number, self._texts) for match in matches]
        self._share_texts()
        self._enqueue(ADD_MATCH, rows)
        return self._enqueue(ADD_DECISION, [decision])

    async def rescued(self, path: Path) -> DiskTrouble:
        """Copies the save, whose file is gone, beside its place. Returns the error that says so."""
        return await self._connection.visit(partial(rescued, path))

    def _share_texts(self) -> None:
        """Adds the texts that have just got a number to the commit of the rows that use it."""
        if self._texts.new:
            self._enqueue(ADD_TEXT, self._texts.new)
            self._texts.new = []

    async def _put(self, sql: str, values: tuple[object, ...]) -> None:
        await self._enqueue(sql, [values])

    def _enqueue(
        self, sql: str, rows: Sequence[tuple[object, ...]], then: Callable[[], None] = _nothing
    ) -> asyncio.Future[None]:
        """Adds rows to the next commit; the future is done once they are durable."""
        if self._failure is not None:
            raise self._failure
        self._newest = durable = asyncio.get_running_loop().create_future()
        self._batch.append(_Waiting(sql, rows, durable, then))
        self._rows += len(rows)
        if self._rows >= ENOUGH_WAITING:
            self._room.clear()
        self._wake.set()
        return durable

    async def _run(self) -> None:
        while self._batch or not self._closing:
            await self._wake.wait()
            self._wake.clear()
            batch, self._batch, self._rows = self._batch, [], 0
            self._room.set()
            if not batch:
                continue
            self._committing = True
            try:
                await self._commit(batch)
                for waiting in batch:
                    waiting.then()
            except BaseException as error:
                self._failure = error
                self._room.set()  # who waits for it gets the failure at its next row
                for waiting in batch + self._batch:
                    if not waiting.durable.done():
                        waiting.durable.set_exception(error)
                        waiting.durable.exception()  # marks it as retrieved, if nobody waits
                return
            self._committing = False
            for waiting in batch:
                if not waiting.durable.done():
                    waiting.durable.set_result(None)

    async def _commit(self, batch: list[_Waiting]) -> None:
        """Stores a batch in one transaction and retries until it is durable."""
        troubled = False
        by_statement: dict[str, list[tuple[object, ...]]] = {}
        for waiting in batch:
            by_statement.setdefault(waiting.sql, []).extend(waiting.rows)
        while True:
            try:
                await self._connection.visit(partial(_store, by_statement, closed=self._is_first))
            except sqlite3.OperationalError as error:
                troubled = True
                self._on_trouble(str(error))
                await asyncio.sleep(RETRY_SECONDS)
            else:
                self._is_first = False
                if troubled:
                    self._on_trouble(None)
                return


def _store(
    by_statement: Mapping[str, Sequence[tuple[object, ...]]],
    connection: sqlite3.Connection,
    *,
    closed: bool,
) -> None:
    """Stores rows and seals them, in one transaction. If it raises, nothing is stored."""
    with connection:
        for sql, rows in by_statement.items():
            connection.executemany(sql, rows)
        seal(connection, closed=closed)

"""The one writer of a save: group commit, and a commit that fails loses nothing."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import aiosqlite

from parlour.tournament.save.database import upgrade
from parlour.tournament.save.rows import (
    CALL_COLUMNS,
    CONTROL,
    Reservation,
    RunOptions,
    StoredAnswer,
    StoredCall,
    fingerprint,
    notes_to_json,
)

RETRY_SECONDS = 2.0
"""How long the writer waits before it tries a failed commit again."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """One thing to be stored, and whoever waits until it is durable."""

    sql: str
    values: tuple[object, ...]
    durable: asyncio.Future[None]


_ANSWER = (
    "INSERT INTO answers (match, ask, seat, kind, round, value, fault, tries, notes, digest)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_OUTCOME = "UPDATE matches SET outcome = ? WHERE number = ?"
_FROZEN = "UPDATE matches SET frozen = ? WHERE number = ?"
_TEMPLATE = "INSERT OR IGNORE INTO templates (digest, name, text) VALUES (?, ?, ?)"
_CALL = (
    f"INSERT INTO calls ({', '.join(CALL_COLUMNS)}) VALUES ({', '.join('?' * len(CALL_COLUMNS))})"
)
_RESERVE = (
    "INSERT INTO reservations (id, agent, dollars, match, ask, seat) VALUES (?, ?, ?, ?, ?, ?)"
)
_RELEASE = "DELETE FROM reservations WHERE id = ?"
_LEADERBOARD = "INSERT INTO leaderboards (input, body) VALUES (?, ?)"


class Writer:
    """Stores what it is given, in order; everything that arrives during a commit shares the next.

    A commit that fails (a full disk, say) keeps its batch and is tried again; nobody who waits
    on it goes on. ``on_trouble`` is told the reason at each failure and None at recovery; where
    it raises, the writer gives up and everybody who waits gets that exception.
    """

    def __init__(
        self, connection: aiosqlite.Connection, on_trouble: Callable[[str | None], None]
    ) -> None:
        self._connection = connection
        self._on_trouble = on_trouble
        self._batch: list[_Waiting] = []
        self._committing = False
        self._templates: set[str] = set()
        self._wake = asyncio.Event()
        self._task = asyncio.create_task(self._run())
        self._failure: BaseException | None = None

    @classmethod
    async def open(cls, path: Path, on_trouble: Callable[[str | None], None]) -> "Writer":
        """Opens a save for writing. Raises BadSave; the caller holds the lock."""
        upgrade(path)
        connection = await aiosqlite.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)
        await connection.execute("PRAGMA trusted_schema = OFF")
        await connection.execute("PRAGMA synchronous = FULL")
        return cls(connection, on_trouble)

    async def close(self) -> None:
        """Stores what is left and closes the file."""
        self._closing = True
        self._wake.set()
        try:
            await self._task
        finally:
            await self._connection.close()

    _closing = False

    @property
    def idle(self) -> bool:
        """Whether everything that was handed in is durable."""
        return not self._batch and not self._committing

    async def answer(self, row: StoredAnswer) -> None:
        """Returns once the answer is durable."""
        await self._put(
            _ANSWER,
            (
                row.match,
                row.ask,
                row.seat,
                row.kind,
                row.round,
                row.value,
                row.fault,
                row.tries,
                notes_to_json(row.notes),
                row.digest,
            ),
        )

    async def reserve(self, reservation: Reservation, place: tuple[int, int, int]) -> None:
        """Returns once it is durable what is set aside for a call."""
        row = (reservation.id, reservation.agent, reservation.dollars, *place)
        await self._put(_RESERVE, row)

    async def call(
        self,
        row: StoredCall,
        templates: Sequence[tuple[str, str]],
        reservation: Reservation | None = None,
    ) -> None:
        """Returns once a call of a model, and the templates it was made from, are durable.

        In the same transaction goes what was set aside for it: its price now stands in its row.
        """
        if reservation is not None:
            self._hand_in(_RELEASE, (reservation.id,))
        for name, text in templates:
            digest = fingerprint(text)
            if digest not in self._templates:
                self._templates.add(digest)
                self._hand_in(_TEMPLATE, (digest, name, text))
        await self._put(_CALL, astuple(row))

    async def outcome(self, match: int, outcome: str) -> None:
        """Returns once the match's outcome is durable."""
        await self._put(_OUTCOME, (outcome, match))

    async def freeze(self, match: int, reason: str) -> None:
        """Returns once it is on record that the match cannot be replayed."""
        await self._put(_FROZEN, (reason, match))

    async def leaderboard(self, fingerprint: str, body: str) -> None:
        """Returns once the leaderboard is durable."""
        await self._put(_LEADERBOARD, (fingerprint, body))

    def keep(self, control: RunOptions) -> asyncio.Future[None]:
        """Has the next commit store how it is played; what comes back is done then."""
        return self._hand_in(CONTROL, control.row())

    async def _put(self, sql: str, values: tuple[object, ...]) -> None:
        await self._hand_in(sql, values)

    def _hand_in(self, sql: str, values: tuple[object, ...]) -> asyncio.Future[None]:
        """Adds one thing to the next commit; what comes back is done once it is durable."""
        if self._failure is not None:
            raise self._failure
        durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._batch.append(_Waiting(sql, values, durable))
        self._wake.set()
        return durable

    async def _run(self) -> None:
        while self._batch or not self._closing:
            await self._wake.wait()
            self._wake.clear()
            batch, self._batch = self._batch, []
            if not batch:
                continue
            self._committing = True
            try:
                await self._commit(batch)
            except BaseException as error:
                self._failure = error
                for waiting in batch + self._batch:
                    if not waiting.durable.done():
                        waiting.durable.set_exception(error)
                        waiting.durable.exception()  # seen, should nobody wait any more
                return
            self._committing = False
            for waiting in batch:
                if not waiting.durable.done():
                    waiting.durable.set_result(None)

    async def _commit(self, batch: list[_Waiting]) -> None:
        """Stores a batch in one transaction, again and again until it is durable."""
        troubled = False
        while True:
            try:
                start = 0
                while start < len(batch):  # runs of the same statement go as one
                    sql, end = batch[start].sql, start
                    while end < len(batch) and batch[end].sql == sql:
                        end += 1
                    await self._connection.executemany(
                        sql, [waiting.values for waiting in batch[start:end]]
                    )
                    start = end
                await self._connection.commit()
            except sqlite3.OperationalError as error:
                await self._connection.rollback()
                troubled = True
                self._on_trouble(str(error))
                await asyncio.sleep(RETRY_SECONDS)
            else:
                if troubled:
                    self._on_trouble(None)
                return

"""The writer: an acknowledged row is durable and in order, whatever the disk does."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from parlour.games.engine.moves import Seat
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredAnswer, notes_of
from parlour.tournament.save.writer import Writer
from tests.tournaments import in_save, new_save, stored_rows


def row(number: int, value: str = "{}") -> StoredAnswer:
    """The answer to one ask of match 1."""
    return StoredAnswer(1, number, Seat(0), "clue", 1, value, None, 1, None, "")


def stored(path: Path) -> list[int]:
    """The asks that another connection finds answered, in the order of their arrival."""
    return [ask for (ask,) in stored_rows(path, "SELECT ask FROM answers ORDER BY seq")]


@asynccontextmanager
async def writing(
    path: Path, on_trouble: Callable[[str | None], None] = lambda _reason: None
) -> AsyncIterator[Writer]:
    """A writer, which is closed at the end."""
    async with asyncio.timeout(30):
        writer = await Writer.open(path, on_trouble)
        try:
            yield writer
        finally:
            await asyncio.wait_for(writer.close(), timeout=5)


async def test_notes_are_a_mapping_until_they_are_stored(tmp_path: Path) -> None:
    path = new_save(tmp_path)
    notes = {"scratchpad": "so", "beliefs": [[0.5, 0.5]], "a": None}

    async with writing(path) as writer:
        await writer.answer(row(0)._replace(notes=notes))
        await writer.answer(row(1)._replace(notes={}))
        await writer.answer(row(2)._replace(notes=None))
        await writer.answer(row(3)._replace(notes='{"a": 1}'))  # as read from another save
    stored = in_save(path, lambda s: s.answers_of(1))
    assert [answer.notes for answer in stored] == [
        '{"a": null, "beliefs": [[0.5, 0.5]], "scratchpad": "so"}',
        None,
        None,
        '{"a": 1}',
    ]
    assert [notes_of(answer) for answer in stored] == [notes, {}, {}, {"a": 1}]
    assert notes_of(row(0)._replace(notes=notes)) == notes


async def test_a_save_is_one_whole_file_after_the_writer_also_while_it_is_read(
    tmp_path: Path,
) -> None:
    path, copy = new_save(tmp_path), tmp_path / "copy.db"
    with Save(path) as watched:
        async with writing(path) as writer:
            await writer.answer(row(0))
        assert len(watched.answers_of(1)) == 1
        copy.write_bytes(path.read_bytes())
        assert stored(copy) == [0]


async def statements(writer: Writer) -> list[str]:
    """A list to which every BEGIN and COMMIT of the writer will be added."""
    seen: list[str] = []

    def trace(sql: str) -> None:
        seen.extend(word for word in ("BEGIN", "COMMIT") if sql.startswith(word))

    await writer._connection.set_trace_callback(trace)
    return seen


async def test_a_thousand_concurrent_answers_share_one_commit_in_order(tmp_path: Path) -> None:
    path = new_save(tmp_path)

    async with writing(path) as writer:
        seen = await statements(writer)
        await asyncio.gather(*(writer.answer(row(number)) for number in range(1000)))
        assert stored(path) == list(range(1000))
        assert seen == ["BEGIN", "COMMIT"]


async def test_rows_that_arrive_during_a_commit_share_the_next_one(tmp_path: Path) -> None:
    path = new_save(tmp_path)

    async with writing(path) as writer:
        seen = await statements(writer)
        first = asyncio.create_task(writer.answer(row(0)))
        while not seen:  # until its transaction has begun
            await asyncio.sleep(0)
        later = [asyncio.create_task(writer.answer(row(number))) for number in range(1, 50)]
        await asyncio.gather(first, *later)
        assert stored(path) == list(range(50))
        assert seen == ["BEGIN", "COMMIT"] * 2


def test_closing_stores_waiting_rows(tmp_path: Path) -> None:
    path = new_save(tmp_path)

    async def work(writer: Writer) -> None:
        task = asyncio.create_task(writer.answer(row(0)))
        await asyncio.sleep(0)
        await writer.close()
        await task

    async def whole() -> None:
        await work(await Writer.open(path, lambda _reason: None))

    asyncio.run(asyncio.wait_for(whole(), timeout=30))
    assert stored(path) == [0]


def full(writer: Writer, pages: int) -> Awaitable[object]:
    """Lets the save have so many pages and no more: SQLite then says that the disk is full."""
    return writer._connection.execute(f"PRAGMA max_page_count = {pages}")


LONG = '{"text": "' + "x" * 100_000 + '"}'


async def test_during_trouble_all_callers_wait_and_each_failed_try_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.tournament.save.writer.RETRY_SECONDS", 0.01)
    path = new_save(tmp_path)
    heard: list[str | None] = []
    other = sqlite3.connect(path, isolation_level=None)

    async with writing(path, heard.append) as writer:
        await writer._connection.execute("PRAGMA busy_timeout = 10")
        other.execute("BEGIN IMMEDIATE")  # another program has the file
        waiting = asyncio.create_task(writer.answer(row(0)))
        while len(heard) < 3:
            await asyncio.sleep(0.01)
        assert not waiting.done()
        other.execute("ROLLBACK")
        await waiting
    other.close()
    assert set(heard[:-1]) == {"database is locked"}
    assert heard[-1] is None
    assert stored(path) == [0]


class HadEnoughError(Exception):
    """Error that the listener raises to end the writer."""


async def test_an_exception_of_on_trouble_reaches_every_waiting_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.tournament.save.writer.RETRY_SECONDS", 0.01)
    path = new_save(tmp_path)
    heard: list[str | None] = []

    def listen(reason: str | None) -> None:
        heard.append(reason)
        if len(heard) == 3:
            raise HadEnoughError

    async with writing(path, listen) as writer:
        await writer.answer(row(0))
        await full(writer, 1)
        waiting = [writer.answer(row(number, LONG)) for number in range(1, 4)]
        results = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(result) for result in results] == [HadEnoughError] * 3
        with pytest.raises(HadEnoughError):  # and whoever comes later
            await writer.answer(row(4))
    assert len(heard) == 3
    assert stored(path) == [0]


async def test_a_writer_syncs_every_commit_to_the_disk(tmp_path: Path) -> None:
    async with writing(new_save(tmp_path)) as writer:
        pragmas = {}
        for pragma in ("synchronous", "journal_mode", "trusted_schema"):
            async with writer._connection.execute(f"PRAGMA {pragma}") as cursor:
                pragmas[pragma] = await cursor.fetchone()
        assert pragmas == {"synchronous": (2,), "journal_mode": ("wal",), "trusted_schema": (0,)}


async def test_a_cancelled_caller_does_not_withdraw_its_row(tmp_path: Path) -> None:
    path = new_save(tmp_path)

    async with writing(path) as writer:
        impatient = asyncio.create_task(writer.answer(row(0)))
        await asyncio.sleep(0)
        impatient.cancel()
        await writer.answer(row(1))
        assert impatient.cancelled()
    assert stored(path) == [0, 1]

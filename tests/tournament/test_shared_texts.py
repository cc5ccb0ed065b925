"""Texts that recur are stored once: the size of a save, its views, and the migration to them."""

import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from parlour.games.common.errors import BadSave
from parlour.tournament.plan.loader import read_preset
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.create import create_save
from parlour.tournament.save.database import SCHEMA_VERSION, TEXTS_SHARED, migrate, upgrade
from parlour.tournament.save.digests import digest_text, packed_digest
from parlour.tournament.save.finished import fingerprint_of
from parlour.tournament.save.outline import experiment_counts, outline
from parlour.tournament.save.queries import new_answers, open_answer_counts, seat_counts
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import first_difference
from parlour.tournament.save.summary import read_summary
from parlour.tournament.save.texts import LONGEST_SHARED, TextNumbers
from tests.tournaments import ROOT, aged, environment, play, tamper

TABLES = ("matches", "answers")
OLDEST_COLUMNS = 12
"""Columns of ``matches`` before save version 9."""


def impostor(repetitions: int) -> Tournament:
    """Half of the smaller impostor tournament, which scripted players play."""
    preset = read_preset("impostor-small")
    return replace(preset, games=preset.games[:2], repetitions=repetitions)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small") / "small.db"
    create_save(path, impostor(repetitions=1))
    play(path)
    return path


@pytest.fixture
def played(small: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(small, tmp_path))


def rows(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def contents(path: Path) -> list[list[Any]]:
    """Every row of matches and answers, as plain SQL shows them in all versions."""
    matches, answers = (rows(path, f"SELECT * FROM {name} ORDER BY 1") for name in TABLES)
    return [[row[:OLDEST_COLUMNS] for row in matches], answers]


def read(path: Path) -> list[object]:
    """The result of each reader that knows of cells."""
    with Save(path) as save:
        return [
            *(save.matches(), list(save.answers()), save.records(), save.progress()),
            *(fingerprint_of(save), new_answers(save, 0), outline(save), experiment_counts(save)),
            *(open_answer_counts(save), seat_counts(save), read_summary(path)),
        ]


def test_a_match_of_impostor_takes_less_than_a_kilobyte(small: Path, tmp_path: Path) -> None:
    larger = tmp_path / "larger.db"
    create_save(larger, impostor(repetitions=2))
    more = play(larger).progress.finished
    with Save(small) as save:
        matches = save.match_count().finished
    assert more == 2 * matches
    assert larger.stat().st_size - small.stat().st_size <= 1024 * (more - matches)


def test_an_older_save_reads_the_same_before_and_after_its_migration(played: Path) -> None:
    tamper(played, "UPDATE matches SET outcome = NULL WHERE number % 3 = 0")
    older = aged(played, TEXTS_SHARED - 1)
    before, size = contents(older), older.stat().st_size
    assert before == contents(played)
    assert read(older) == read(played)
    assert contents(older) == before
    assert rows(older, "PRAGMA user_version") == [(TEXTS_SHARED - 1,)]
    upgrade(older)
    assert rows(older, "PRAGMA user_version") == [(SCHEMA_VERSION,)]
    assert contents(older) == before
    assert read(older) == read(played)
    assert older.stat().st_size < size
    assert rows(older, "SELECT DISTINCT typeof(digest) FROM stored_answers") == [("blob",)]
    with Save(older) as save:
        assert first_difference(save) is None


def test_a_migration_leaves_the_event_loop_free_for_signs_of_life(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []

    def watched(path: Path) -> None:
        threads.append(threading.current_thread())
        upgrade(path)

    monkeypatch.setattr("parlour.tournament.save.writer.upgrade", watched)
    assert play(aged(played, TEXTS_SHARED - 1)).progress.done
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


KILLED = """
import os, signal, sys
from pathlib import Path
from parlour.tournament.save import database

class Connection(database.sqlite3.Connection):
    def execute(self, sql, *values):
        if sql == "COMMIT":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().execute(sql, *values)

opened = database.sqlite3.connect
database.sqlite3.connect = lambda *places, **options: opened(
    *places, factory=Connection, **options
)
database.upgrade(Path(sys.argv[1]))
"""


def test_a_migration_that_is_killed_leaves_the_older_save_whole(played: Path) -> None:
    older = aged(played, TEXTS_SHARED - 1)
    before = contents(older)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(older)], cwd=ROOT, env=environment(), check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert rows(older, "PRAGMA user_version") == [(TEXTS_SHARED - 1,)]
    assert contents(older) == before
    upgrade(older)
    assert contents(older) == before


def test_a_migration_on_a_full_disk_leaves_the_older_save_whole(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = aged(played, TEXTS_SHARED - 1)
    before = contents(older)

    def on_a_full_disk(connection: sqlite3.Connection, current: int) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        migrate(connection, current=current)

    monkeypatch.setattr("parlour.tournament.save.database.migrate", on_a_full_disk)
    with pytest.raises(BadSave) as raised:
        upgrade(older)
    assert str(raised.value) == (f"{older}: cannot be migrated (the disk is full); free some space")
    assert contents(older) == before


TEXT = {"matches": "condition", "answers": "value"}
KEY = {"matches": "number", "answers": "seq"}


@pytest.mark.parametrize("name", TABLES)
def test_the_views_take_changes_as_the_tables_did(played: Path, name: str) -> None:
    older = aged(played, TEXTS_SHARED - 1)
    for path in (played, older):
        tamper(path, f"UPDATE {name} SET {TEXT[name]} = '5' WHERE {KEY[name]} = 2")
        tamper(path, f"DELETE FROM {name} WHERE {KEY[name]} = 3")
        (row,) = rows(path, f"SELECT * FROM {name} WHERE {KEY[name]} = 2")
        assert "5" in row
        tamper(path, f"DELETE FROM {name} WHERE {KEY[name]} = 2")
        tamper(path, f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", *row)
        with pytest.raises(sqlite3.IntegrityError):
            tamper(path, f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", *row)
    assert contents(played) == contents(older)


def test_a_text_that_is_missing_is_damage(played: Path) -> None:
    ((number,),) = rows(played, "SELECT max(value) FROM stored_answers WHERE value < ''")
    tamper(played, "DELETE FROM texts WHERE id = ?", number)
    with Save(played) as save, pytest.raises(BadSave) as raised:
        save.records()
    damage = f"is damaged (text {number} is missing); restore a copy of it"
    assert str(raised.value) == f"{played}: {damage}"


def test_a_reader_knows_texts_that_are_shared_after_it_began(played: Path) -> None:
    with Save(played) as save:
        before = save.answers_of(2)
        number = rows(played, "SELECT max(id) + 1 FROM texts")[0][0]
        tamper(played, "INSERT INTO texts VALUES (?, ?)", number, '{"text":"A new one"}')
        tamper(played, "UPDATE stored_answers SET value = ? WHERE seq = ?", number, before[0].seq)
        assert save.answers_of(2) == [
            before[0]._replace(value='{"text":"A new one"}'),
            *before[1:],
        ]


def test_a_text_gets_a_number_when_it_recurs() -> None:
    texts = TextNumbers([(1, "clue"), (7, "vote")])
    assert [texts.cell(text) for text in ("vote", "a", "b", "a", "clue", "a", "b")] == [
        *(7, "a", "b", 8, 1, 8, 9)
    ]
    assert texts.new == [(8, "a"), (9, "b")]
    assert texts.cell("") == ""
    assert texts.cell("") == 10
    longest = "x" * LONGEST_SHARED
    assert [texts.cell(longest), texts.cell(longest)] == [longest, 11]
    assert [texts.cell(longest + "x") for _ in range(3)] == [longest + "x"] * 3


def test_texts_get_numbers_while_there_is_room() -> None:
    texts = TextNumbers(most=2)
    assert [texts.cell(text) for text in "aabbccc"] == ["a", 1, "b", 2, "c", "c", "c"]
    # Texts that are seen once are forgotten after as many others.
    texts = TextNumbers(most=2)
    assert [texts.cell(text) for text in "abcabca"] == [*"abcabca"]


@pytest.mark.parametrize("digest", ["0123456789abcdef", "00" * 8, "x", "", "ABCD", "0 1", "abc"])
def test_a_fingerprint_is_read_back(digest: str) -> None:
    assert digest_text(packed_digest(digest)) == digest

"""Texts that recur are stored once: the size of a save, its views, and readers."""

import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from parlour.games.common.errors import BadSave
from parlour.tournament.plan.loader import read_preset
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.finished import fingerprint_of
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.outline import experiment_counts, outline
from parlour.tournament.save.queries import answers_given, new_answers, seat_counts
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import LONGEST_SHARED, TextNumbers, digest_text, packed_digest
from parlour.tournament.save.summary import read_summary
from tests.tournaments import in_save, play, stored_rows, tamper

TABLES = ("matches", "answers")


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


def read(path: Path) -> list[object]:
    """The result of each reader that knows of cells."""
    with Save(path) as save:
        return [
            *(save.matches(), list(save.answers()), save.records(), save.progress()),
            *(fingerprint_of(save), new_answers(save, 0), outline(save), experiment_counts(save)),
            *(answers_given(save), seat_counts(save), read_summary(path)),
        ]


def test_a_match_of_impostor_takes_less_than_a_kilobyte(small: Path, tmp_path: Path) -> None:
    larger = tmp_path / "larger.db"
    create_save(larger, impostor(repetitions=2))
    more = play(larger).progress.finished
    matches = in_save(small, Save.match_count).finished
    assert more == 2 * matches
    assert larger.stat().st_size - small.stat().st_size <= 1024 * (more - matches)


def test_rows_that_have_their_texts_themselves_read_the_same(played: Path) -> None:
    tamper(played, "UPDATE matches SET outcome = NULL WHERE number % 3 = 0")
    before = read(played)
    tamper(played, "UPDATE matches SET number = number")
    tamper(played, "UPDATE answers SET seq = seq")
    assert stored_rows(played, "SELECT DISTINCT typeof(game) FROM stored_matches") == [("text",)]
    assert stored_rows(played, "SELECT DISTINCT typeof(digest) FROM stored_answers") == [("text",)]
    assert read(played) == before


TEXT = {"matches": "condition", "answers": "value"}
KEY = {"matches": "number", "answers": "seq"}


@pytest.mark.parametrize("name", TABLES)
def test_the_views_take_changes_as_tables_do(played: Path, name: str) -> None:
    every = f"SELECT * FROM {name} ORDER BY {KEY[name]}"
    before = stored_rows(played, every)
    row = list(before[1])
    tamper(played, f"UPDATE {name} SET {TEXT[name]} = '5' WHERE {KEY[name]} = 2")
    (changed,) = stored_rows(played, f"SELECT * FROM {name} WHERE {KEY[name]} = 2")
    assert [new for new, old in zip(changed, row, strict=True) if new != old] == ["5"]
    tamper(played, f"DELETE FROM {name} WHERE {KEY[name]} IN (2, 3)")
    assert stored_rows(played, every) == [before[0], *before[3:]]
    insert = f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})"
    tamper(played, insert, *changed)
    with pytest.raises(sqlite3.IntegrityError):
        tamper(played, insert, *changed)
    assert stored_rows(played, every) == [before[0], changed, *before[3:]]


def test_a_text_that_is_missing_is_damage(played: Path) -> None:
    ((number,),) = stored_rows(played, "SELECT max(value) FROM stored_answers WHERE value < ''")
    tamper(played, "DELETE FROM texts WHERE id = ?", number)
    with Save(played) as save, pytest.raises(BadSave) as raised:
        save.records()
    damage = f"is damaged (text {number} is missing); restore a copy of it"
    assert str(raised.value) == f"{played}: {damage}"


def test_a_reader_knows_texts_that_are_shared_after_it_began(played: Path) -> None:
    with Save(played) as save:
        before = save.answers_of(2)
        number = stored_rows(played, "SELECT max(id) + 1 FROM texts")[0][0]
        tamper(played, "INSERT INTO texts VALUES (?, ?)", number, '{"text":"A new one"}')
        tamper(played, "UPDATE stored_answers SET value = ? WHERE seq = ?", number, before[0].seq)
        assert save.answers_of(2) == [before[0]._replace(value='{"text":"A new one"}'), *before[1:]]


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

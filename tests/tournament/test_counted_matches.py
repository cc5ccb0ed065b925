"""Counts that a run stores: those of every preset, of newer matches, and of another version."""

import sqlite3
from pathlib import Path

import pytest

from parlour.games.engine.record import MatchRecord
from parlour.ratings.counting import blocks
from parlour.ratings.measures.measures import measures
from parlour.ratings.reports.leaderboard import leaderboard, leaderboard_by_condition
from parlour.results import board_of, measures_of
from parlour.tournament.plan.loader import read_preset
from parlour.tournament.reports import counted_matches
from parlour.tournament.reports.counted_matches import MatchCounter
from parlour.tournament.reports.leaderboards import current_leaderboard
from parlour.tournament.save.create import create_save
from parlour.tournament.save.database import SCHEMA_VERSION, upgrade
from parlour.tournament.save.finished import stored_counts
from parlour.tournament.save.reader import Save
from tests.tournament.test_older_saves import unpacked
from tests.tournaments import finished, play

SHORT = ("demo", "impostor-small", "magic-small", "gossip-paper", "all-games")


def rows(path: Path) -> list[tuple[str, bytes]]:
    connection = sqlite3.connect(path)
    stored = connection.execute("SELECT version, body FROM counts ORDER BY seq").fetchall()
    connection.close()
    return stored


def tamper(path: Path, sql: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(sql, values)
    connection.close()


def counts_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The matches that are read in full for all results of a save, which are those from scratch."""
    read: list[int] = []
    real = counted_matches.records_in_full

    def noted(save: Save, numbers: list[int]) -> list[MatchRecord]:
        read.extend(numbers)
        return real(save, numbers)

    monkeypatch.setattr(counted_matches, "records_in_full", noted)
    tamper(path, "DELETE FROM leaderboards")
    with Save(path) as save:
        records = save.records()
    assert board_of(path) == leaderboard(records)
    assert board_of(path, by="condition") == leaderboard_by_condition(records)
    assert board_of(path, without_faults=True) == leaderboard(records, without_faults=True)
    assert measures_of(path) == measures(records)
    sound = [record for record in records if not record.faulty]
    assert measures_of(path, without_faults=True) == measures(sound)
    return read


@pytest.mark.parametrize("preset", SHORT)
def test_stored_counts_of_a_preset_are_those_from_scratch(
    preset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "save.db"
    create_save(path, read_preset(preset))
    assert play(path).progress.done
    assert rows(path)
    assert counts_read(path, monkeypatch) == []


def test_only_newer_matches_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = finished(tmp_path)
    tamper(path, "DELETE FROM counts")
    tamper(path, "UPDATE matches SET frozen = 'for a while' WHERE number > 3")
    counter = MatchCounter()
    with Save(path) as save:
        assert len(counter.counted(save).rows) == 3
        first = counter.new_block()
        assert counter.new_block() is None
        assert first is not None
    tamper(path, "INSERT INTO counts (version, body) VALUES (?, ?)", counter.version, first)
    assert counts_read(path, monkeypatch) == []
    tamper(path, "UPDATE matches SET frozen = NULL")
    with Save(path) as save:
        newer = [match.number for match in save.matches() if match.number > 3]
    assert counts_read(path, monkeypatch) == newer * 5
    # The same counter, which has the first three in memory.
    with Save(path) as save:
        assert measures(counter.counted(save)) == measures(save.records())
    second = counter.new_block()
    tamper(path, "INSERT INTO counts (version, body) VALUES (?, ?)", counter.version, second)
    monkeypatch.undo()
    assert counts_read(path, monkeypatch) == []


def test_another_version_of_the_definitions_counts_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = finished(tmp_path)
    before = rows(path)
    monkeypatch.setattr(blocks, "COUNTS", blocks.COUNTS + 1)
    with Save(path) as save:
        numbers = [match.number for match in save.matches()]
    assert counts_read(path, monkeypatch) == numbers * 5
    # The next run replaces them, although it has nothing to play.
    play(path)
    after = rows(path)
    assert {version for version, _ in after}.isdisjoint(version for version, _ in before)
    monkeypatch.undo()
    monkeypatch.setattr(blocks, "COUNTS", blocks.COUNTS + 1)
    assert counts_read(path, monkeypatch) == []


def test_a_changed_outcome_is_counted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = finished(tmp_path)
    tamper(path, "UPDATE matches SET outcome = replace(outcome, '0.0', '0.5') WHERE number = 2")
    assert set(counts_read(path, monkeypatch)) == {2}


def test_damaged_counts_are_counted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = finished(tmp_path)
    tamper(path, "UPDATE counts SET body = x'00'")
    assert counts_read(path, monkeypatch)


@pytest.mark.parametrize("name", ["finished", "unfinished"])
def test_a_save_without_a_table_of_counts_is_counted(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = unpacked(tmp_path, name)
    assert counts_read(path, monkeypatch)
    with Save(path) as save:
        assert save.version < 7
    upgrade(path)
    with Save(path) as save:
        assert save.version == SCHEMA_VERSION
        assert stored_counts(save, "1") == []
    assert counts_read(path, monkeypatch)


def test_a_save_that_cannot_be_written_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = finished(tmp_path)
    tamper(path, "DELETE FROM leaderboards")
    path.chmod(0o400)
    content = path.read_bytes()
    with Save(path) as save:
        assert current_leaderboard(save) == leaderboard(save.records())
    assert path.read_bytes() == content

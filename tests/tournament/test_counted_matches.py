"""Counts that a run stores: those of every preset, of newer matches, and of another version."""

import re
import shutil
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.api.results import board_of, measures_of
from parlour.games.engine.record import MatchRecord
from parlour.ratings.counting import blocks
from parlour.ratings.counting.book import CountBook
from parlour.ratings.measures.measures import measures
from parlour.ratings.reports.ranking import leaderboard, leaderboard_by_condition
from parlour.tournament.plan.loader import read_preset
from parlour.tournament.reports import counted_matches
from parlour.tournament.reports.checking import first_falsehood
from parlour.tournament.reports.counted_matches import (
    FALSE_COUNTS,
    FALSE_RATINGS,
    MatchCounter,
    first_false_count,
)
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.reader import Save
from tests.ratings.records import without_faults
from tests.tournaments import finished, forge, in_save, parlour, play, stored_rows, tamper

SHORT = ("demo", "impostor-small")
"""The first has every game, the second teams."""


def rows(path: Path) -> list[tuple[str, bytes]]:
    return stored_rows(path, "SELECT version, body FROM counts ORDER BY seq")


def ladders(path: Path) -> list[str]:
    book = CountBook()
    for _, body in rows(path):
        assert blocks.extend(book, body)
    return book.ladders


def counts_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The matches that are read in full for all results of a save, which are those from scratch."""
    read: list[int] = []
    real = counted_matches.records_in_full

    def noted(save: Save, numbers: list[int]) -> list[MatchRecord]:
        read.extend(numbers)
        return real(save, numbers)

    monkeypatch.setattr(counted_matches, "records_in_full", noted)
    tamper(path, "DELETE FROM leaderboards")
    records = in_save(path, Save.records)
    assert board_of(path) == leaderboard(records)
    assert board_of(path, by="condition") == leaderboard_by_condition(records)
    assert board_of(path, without_faults=True) == leaderboard(records, without_faults=True)
    assert measures_of(path) == measures(records)
    sound = without_faults(records)
    assert measures_of(path, without_faults=True) == measures(sound)
    return read


@pytest.mark.parametrize("preset", SHORT)
def test_stored_counts_of_a_preset_are_those_from_scratch(
    preset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "save.db"
    create_save(path, read_preset(preset))
    # With ratings that go on from a checkpoint, all computed in this process.
    monkeypatch.setattr("parlour.ratings.skill.checkpoints.EVERY", 10)
    monkeypatch.setattr("parlour.tournament.reports.leaderboards.FEW", 10_000)
    assert play(path).progress.done
    assert ladders(path)
    assert counts_read(path, monkeypatch) == []


def test_only_newer_matches_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = finished(tmp_path)
    tamper(path, "DELETE FROM counts")
    tamper(path, "UPDATE matches SET frozen = 'for a while' WHERE number > 3")
    counter = MatchCounter()
    with Save(path) as save:
        assert len(counter.counted(save).rows) == 3
        (first,) = counter.new_blocks()
        assert counter.new_blocks() == []
    tamper(path, "INSERT INTO counts (version, body) VALUES (?, ?)", counter.version, first)
    assert counts_read(path, monkeypatch) == []
    tamper(path, "UPDATE matches SET frozen = NULL")
    newer = [match.number for match in in_save(path, Save.matches) if match.number > 3]
    assert counts_read(path, monkeypatch) == newer * 5
    # The same counter, which has the first three in memory.
    with Save(path) as save:
        assert measures(counter.counted(save)) == measures(save.records())
    (second,) = counter.new_blocks()
    tamper(path, "INSERT INTO counts (version, body) VALUES (?, ?)", counter.version, second)
    monkeypatch.undo()
    assert counts_read(path, monkeypatch) == []


def test_many_matches_are_stored_as_several_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.tournament.reports.counted_matches.AT_ONCE", 2)
    monkeypatch.setattr("parlour.tournament.reports.counted_matches.BLOCK", 4)
    path = finished(tmp_path)
    expected = rows(path)
    assert len(expected) == 3  # of 12 matches
    assert counts_read(path, monkeypatch) == []
    tamper(path, "DELETE FROM counts")
    counter = MatchCounter()
    with Save(path) as save:
        assert measures(counter.counted(save)) == measures(save.records())
    assert len(counter.new_blocks()) == 3


def test_another_version_of_the_definitions_counts_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = finished(tmp_path)
    before = rows(path)
    monkeypatch.setattr(blocks, "COUNTS", blocks.COUNTS + 1)
    numbers = [match.number for match in in_save(path, Save.matches)]
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


def _one_more(column: "array[Any]") -> None:
    column[len(column) // 2] += 1


def _other_names(book: CountBook) -> None:
    """Each match is counted for other agents."""
    names = sorted(set(book.in_places))
    after = dict(zip(names, [*names[1:], names[0]], strict=True))
    book.in_places[:] = array("i", map(after.__getitem__, book.in_places))


def _another_answer(book: CountBook) -> None:
    book.answers[:] = [re.sub(r'"suspect": \d', '"suspect": null', text) for text in book.answers]


def _no_answers(book: CountBook) -> None:
    book.answers[:] = ["[]" for _ in book.answers]


FALSIFIED: dict[str, Callable[[CountBook], None]] = {
    "nothing": lambda book: None,
    "k of a shape": lambda book: _one_more(book.shaped.k),
    "n of a shape": lambda book: _one_more(book.shaped.n),
    "k of a single match": lambda book: _one_more(book.exact.k),
    "n of a single match": lambda book: _one_more(book.exact.n),
    "a fault": lambda book: _one_more(book.faulty),
    "names": _other_names,
    "answers that sequences follow": _another_answer,
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with played presets: the first has many games, the second teams."""
    folder = tmp_path_factory.mktemp("counts")
    for preset in ("demo", "impostor-small"):
        path = folder / f"{preset}.db"
        create_save(path, read_preset(preset))
        assert play(path).progress.done
    return folder


def falsified(path: Path, change: Callable[[CountBook], None]) -> None:
    """Changes the stored counts of a save as a stranger could, so that they can still be read."""
    ((version, body),) = rows(path)
    book = CountBook()
    assert blocks.extend(book, body)
    change(book)
    false = blocks.block(book, blocks.lengths(CountBook()))
    assert blocks.extend(CountBook(), false)
    tamper(path, "UPDATE counts SET body = ? WHERE version = ?", false, version)


@pytest.mark.parametrize("what", FALSIFIED)
def test_a_match_whose_stored_counts_are_false_is_found(
    what: str, played: Path, tmp_path: Path
) -> None:
    path = tmp_path / "save.db"
    of_teams = FALSIFIED[what] is _another_answer
    shutil.copy(played / ("impostor-small.db" if of_teams else "demo.db"), path)
    falsified(path, FALSIFIED[what])
    falsehood = in_save(path, first_false_count)
    if what == "nothing":
        assert falsehood is None
        return
    assert falsehood is not None
    assert re.fullmatch(rf"match \d+: {FALSE_COUNTS}", falsehood)
    if what == "a fault":
        done = parlour("check", path, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (1, f"parlour: {path}: {falsehood}\n")


def test_check_names_the_match_after_which_stored_ratings_are_false(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.ratings.skill.checkpoints.EVERY", 5)
    path = finished(tmp_path)

    def higher(book: CountBook) -> None:
        book.ladders[1] = book.ladders[1].replace('["Ada"], ', '["Ada"], 1')

    assert in_save(path, first_false_count) is None
    falsified(path, higher)
    assert in_save(path, first_false_count) == f"match 10: {FALSE_RATINGS}"


def test_the_first_match_with_false_counts_is_named(tmp_path: Path) -> None:
    path = finished(tmp_path)

    def blamed(book: CountBook) -> None:
        numbers, rows = book.latest()
        for row in rows[np.isin(numbers, [9, 5, 7])]:
            book.faulty[row] += 1

    falsified(path, blamed)
    assert in_save(path, first_false_count) == f"match 5: {FALSE_COUNTS}"


def test_counts_that_break_a_game_s_counting_are_refused(played: Path, tmp_path: Path) -> None:
    path = tmp_path / "save.db"
    shutil.copy(played / "impostor-small.db", path)
    falsified(path, _no_answers)
    paper = ("paper", "impostor", "--out", "out", "--no-figures")
    for command, *options in (("check",), ("leaderboard", "--view=measures"), ("site",), paper):
        done = parlour(command, path, *options, cwd=tmp_path)
        assert done.returncode != 0
        assert "stored counts cannot be added up" in done.stderr
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("damage", ["none", "counts", "answers"])
def test_all_cores_find_the_first_falsehood_that_one_finds(
    damage: str, played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "save.db"
    shutil.copy(played / "impostor-small.db", path)
    if damage == "counts":
        falsified(path, _no_answers)
    elif damage == "answers":
        forge(path, "UPDATE answers SET round = 9 WHERE match = 5 AND ask = 0")
    with Save(path) as save:
        alone = first_falsehood(save, prompts=False)
        monkeypatch.setattr("parlour.tournament.reports.checking.FEW", 0)
        assert first_falsehood(save, prompts=False) == alone
    assert (alone is None) == (damage == "none")

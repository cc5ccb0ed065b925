"""Places: a save whose matches are numbered in another order than its schedule's is rated alike."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from parlour.ratings.measures.measures import measures
from parlour.ratings.sensitivity.drop import matches_to_drop
from parlour.ratings.skill import checkpoints
from parlour.tournament.reports.counted_matches import MatchCounter, first_false_count
from parlour.tournament.reports.leaderboards import current_leaderboard
from parlour.tournament.save.finished import fingerprint_of
from parlour.tournament.save.reader import Save
from tests.tournaments import SMALL, new_save, play, tamper

GAMES = """
[[games]]
name = "impostor"
limit = 2
assignment = "team_aware"

[[games]]
name = "donation"
"""


def permuted(path: Path, seed: int) -> list[int]:
    """Numbers the planned matches of a save in another order; returns the number of each place."""
    with closing(sqlite3.connect(path)) as connection, connection:
        (count,) = connection.execute("SELECT count(*) FROM stored_matches").fetchone()
        numbers = list(range(1, count + 1))
        Random(seed).shuffle(numbers)
        connection.execute("UPDATE stored_matches SET place = number, number = -number")
        connection.executemany(
            "UPDATE stored_matches SET number = ? WHERE place = ?",
            [(number, place) for place, number in enumerate(numbers, 1)],
        )
    return numbers


def boards(path: Path) -> tuple[str, object, object, object]:
    """Everything that depends on the order of matches: leaderboard, details, input, drops."""
    with Save(path) as save:
        counted = MatchCounter().counted(save)
        drops = [(each.leader, each.other, each.needed) for each in matches_to_drop(counted)]
        board = current_leaderboard(save).to_json()
        return board, measures(counted), fingerprint_of(save), drops


@pytest.mark.parametrize("seed", range(3))
def test_ratings_follow_places_and_not_numbers(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "EVERY", 8)
    text = re.sub('"(bayesian|literal)"', '"random"', SMALL) + GAMES
    as_planned = new_save(tmp_path, text, "planned.db")
    otherwise = new_save(tmp_path, text, "otherwise.db")
    numbers = permuted(otherwise, seed)
    for path in (as_planned, otherwise):
        assert play(path).progress.done
    expected = boards(as_planned)
    assert boards(otherwise) == expected
    with Save(otherwise) as save:
        assert [record.number for record in save.records()] == numbers
        assert first_false_count(save) is None
        counted = MatchCounter().counted(save)
        assert next(checkpoints.checkpoints(counted)).matches == len(numbers) // 8 * 8
    for table in ("counts", "leaderboards"):
        tamper(otherwise, f"DELETE FROM {table}")
    assert boards(otherwise) == expected
    # Without places the numbers are the order, and the ratings are others.
    tamper(otherwise, "UPDATE stored_matches SET place = NULL")
    assert boards(otherwise)[0] != expected[0]


def test_a_checkpoint_does_not_hold_after_other_matches_came_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "EVERY", 4)
    path = new_save(tmp_path)
    assert play(path).progress.done
    tamper(path, "UPDATE stored_matches SET outcome = (SELECT min(outcome) FROM stored_matches)")
    tamper(path, "DELETE FROM counts")
    with Save(path) as save:
        counter = MatchCounter()
        checkpoints.rated(counter.counted(save))
        assert next(checkpoints.checkpoints(counter.counted(save))).matches == 12
        # The outcomes at all places stay the same, the agents do not.
        tamper(path, "UPDATE stored_matches SET place = 13 - number")
        assert not list(checkpoints.checkpoints(counter.counted(save)))

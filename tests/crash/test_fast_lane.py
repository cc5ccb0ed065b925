"""Killed at random points of the fast lane, a run comes to what the slow lane comes to unkilled."""

import random
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.crash.running import ANSWERS, MATCHES, TOURNAMENT, count, finish, is_in_a_match, kill_at
from tests.tournaments import LANES, contents, finished, new_save


def repeated(times: int) -> str:
    """The tournament so many times over: a run of it in the fast lane can be hit."""
    return TOURNAMENT.replace("seed = 11", f"seed = 11\nrepetitions = {times}")


@cache
def undisturbed(times: int) -> dict[str, Any]:
    """Contents of its save after an uninterrupted run in the slow lane."""
    with TemporaryDirectory() as folder:
        whole = contents(finished(Path(folder), repeated(times), pace=LANES["slow"]))
    assert (len(whole["matches"]), len(whole["answers"])) == (times * MATCHES, times * ANSWERS)
    return whole


def struck(save: Path, kills: int, times: int, dice: random.Random) -> int:
    """Kills that many runners of a save; returns how many left matches in the middle."""
    inside = 0
    for left in range(kills, 0, -1):
        before = count(save)
        more = before + dice.randrange(1, (times * ANSWERS - before) // left)
        kill_at(save, more, dice, "--concurrency", dice.choice([1, 4, 64]))
        inside += is_in_a_match(save)
    return inside


@pytest.mark.parametrize(
    ("kills", "times", "seed"),
    [(5, 20, 1), *(pytest.param(20, 40, seed, marks=pytest.mark.soak) for seed in range(50))],
)
def test_kills_in_the_fast_lane_change_nothing(
    tmp_path: Path, kills: int, times: int, seed: int
) -> None:
    save = new_save(tmp_path, repeated(times))
    inside = struck(save, kills, times, random.Random(seed))
    assert inside >= 2, "no kill came in the middle of a match"
    finish(save)
    assert contents(save) == undisturbed(times)

"""Killed at random points of the fast lane, a run comes to what the slow lane comes to unkilled."""

import random
import time
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from parlour.tournament.save.reader import Save
from tests.crash.running import ANSWERS, MATCHES, TOURNAMENT, count, finish, running, until
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
        with running(save, "--concurrency", dice.choice([1, 4, 64])) as process:
            assert until(lambda target=more: count(save) >= target, process), "it was too quick"
            time.sleep(dice.uniform(0, 0.02))
            process.kill()
        assert process.wait() == -9
        assert count(save) >= more, "what had been durable is gone"
        with Save(save) as opened:
            parts = map(len, opened.unfinished_answers().values())
            inside += any(0 < part < 21 for part in parts)
    return inside


def test_five_kills_in_the_fast_lane_change_nothing(tmp_path: Path) -> None:
    save = new_save(tmp_path, repeated(20))
    assert struck(save, 5, 20, random.Random(1)) >= 2, "no kill came in the middle of a match"
    finish(save)
    assert contents(save) == undisturbed(20)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(50))
def test_a_thousand_kills_in_the_fast_lane_change_nothing(tmp_path: Path, seed: int) -> None:
    save = new_save(tmp_path, repeated(40))
    struck(save, 20, 40, random.Random(seed))
    finish(save)
    assert contents(save) == undisturbed(40)

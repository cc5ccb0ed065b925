"""The window of the plan: every match comes once, and few are in memory."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlour.tournament.run import upcoming
from parlour.tournament.run.runner import Runner
from parlour.tournament.run.upcoming import Upcoming
from parlour.tournament.save.finished import fingerprint_of
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredMatch
from tests.tournaments import LANES, MATCHES, new_save, play, tamper

OUTCOME = '{"ending": "done", "payoffs": [], "roles": [], "sides": []}'
SMALL = 3


@pytest.fixture
def save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Save]:
    monkeypatch.setattr(upcoming, "FEWEST", SMALL)
    path = new_save(tmp_path)
    tamper(path, "UPDATE matches SET frozen = 'it differs' WHERE number IN (2, 5)")
    with Save(path) as opened:
        yield opened


def nobody(_match: StoredMatch) -> bool:
    return False


def test_matches_come_in_order_and_few_are_held(save: Save) -> None:
    seen, expected = [], Counter[int]()
    todo = Upcoming(lambda matches: expected.update(m.number for m in matches), nobody)
    todo.open(save)
    while todo:
        assert len(todo) < 2 * SMALL
        seen.append(todo.pop(next(iter(todo))).number)
    unfinished = [match.number for match in save.matches("unfinished")]
    assert seen == unfinished
    assert expected == Counter(unfinished)


@pytest.mark.parametrize("seed", range(5))
def test_any_match_can_be_taken_once_and_given_back(save: Save, seed: int) -> None:
    dice, expected = random.Random(seed), Counter[int]()
    todo = Upcoming(lambda matches: expected.update(m.number for m in matches), nobody)
    todo.open(save)
    unfinished = {match.number for match in save.matches("unfinished")}
    out: dict[int, StoredMatch] = {}
    for number in [dice.randint(1, MATCHES + 2) for _ in range(3 * MATCHES)]:
        match = todo.pop(number, None)
        assert (match is not None) == (number in unfinished and number not in out)
        if match is not None and dice.random() < 0.7:
            out[number] = match
        elif match is not None:
            todo.update({number: match})
    while todo:
        number = min(todo)
        del todo[number]
        assert number not in out
        out[number] = save.match(number)
    assert out.keys() == unfinished
    assert expected == Counter(unfinished)


def test_matches_that_are_played_elsewhere_are_left_out(save: Save) -> None:
    todo, seen = Upcoming(lambda _matches: None, lambda match: match.number % 2 == 0), []
    todo.open(save)
    assert todo.pop(MATCHES, None) is None
    assert MATCHES % 2 == 0
    while todo:
        seen.append(todo.pop(next(iter(todo))).number)
    assert seen == [m.number for m in save.matches("unfinished") if m.number % 2]


@pytest.mark.parametrize("lane", LANES)
def test_a_run_with_a_small_window_plays_what_one_with_all_matches_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lane: str
) -> None:
    whole, small = (new_save(tmp_path / name) for name in made(tmp_path, "whole", "small"))
    play(whole, pace=LANES[lane])
    monkeypatch.setattr(upcoming, "FEWEST", SMALL)
    held: list[int] = []

    def watch(runner: Runner, _before: object) -> None:
        runner._turns.on_answer_stored.append(lambda *_: held.append(len(runner._todo)))

    play(small, pace=LANES[lane], on_start=watch)
    with Save(whole) as one, Save(small) as other:
        assert fingerprint_of(one) == fingerprint_of(other)
        assert first_difference(other) is None
    assert max(held) < 2 * SMALL


def made(folder: Path, *names: str) -> tuple[str, ...]:
    """The names of folders that are made."""
    for name in names:
        (folder / name).mkdir()
    return names

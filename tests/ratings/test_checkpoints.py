"""Ratings that go on from a checkpoint, against ratings from the first match."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import pytest

from parlour.games.engine.record import MatchRecord
from parlour.ratings.counting.blocks import block, extend, lengths
from parlour.ratings.counting.book import CountBook
from parlour.ratings.counting.counted import Counted
from parlour.ratings.reports.ranking import leaderboard
from parlour.ratings.skill import checkpoints as module
from parlour.ratings.skill.checkpoints import checkpoints, first_false_checkpoint, rated
from parlour.ratings.skill.trueskill_ladders import Ladders
from tests.ratings.laddered import rate
from tests.ratings.records import drawn, numbered, without_faults

EVERY = 4
SEATED = {"impostor": "xyzv", "undercover": "xyz", "donation": "xyzvwxyzv", "chameleon": "xyz"}


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EVERY", EVERY)


def season(*games: str) -> list[MatchRecord]:
    """Matches of these games by turns."""
    matches = []
    for n in range(40):
        game = games[n % len(games)]
        agents = SEATED[game]
        matches.append(drawn(game, agents[n % 3 :] + agents[: n % 3], n, faulty=0.1))
    return numbered(matches)


@pytest.fixture
def rated_matches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the matches that are rated."""
    numbers: list[int] = []
    real = Ladders.play

    def noted(self: Ladders, record: MatchRecord) -> None:
        numbers.append(record.number)
        real(self, record)

    monkeypatch.setattr(Ladders, "play", noted)
    return numbers


def grown(book: CountBook, records: Sequence[MatchRecord]) -> CountBook:
    """The book with more matches, stored and read again."""
    for record in records:
        book.add(record, check=record.number)
    rated(Counted.in_book(book))
    again = CountBook()
    assert extend(again, block(book, lengths(CountBook())))
    return again


@pytest.mark.parametrize("games", [("impostor",), ("donation",), tuple(SEATED)])
@pytest.mark.parametrize("order", ["as planned", "late ones", "any"])
def test_ratings_go_on_as_from_the_first_match(games: tuple[str, ...], order: str) -> None:
    records = season(*games)
    as_played = list(records)
    if order == "late ones":
        as_played = [*records[:2], *records[3:20], records[2], *records[21:], records[20]]
    elif order == "any":
        Random(5).shuffle(as_played)
    book, played = CountBook(), []
    for begin in range(0, len(as_played), 7):
        part = as_played[begin : begin + 7]
        book = grown(book, part)
        played = sorted([*played, *part], key=lambda record: record.number)
        assert rated(Counted.in_book(book)) == rate(played)
        sound = without_faults(played)
        assert rated(Counted.in_book(book).without_faults()) == rate(sound)
    assert next(checkpoints(Counted.in_book(book))).matches == len(records)
    assert leaderboard(Counted.in_book(book)) == leaderboard(records)


def test_only_matches_after_the_last_checkpoint_are_rated(rated_matches: list[int]) -> None:
    records = season("impostor")
    book = grown(CountBook(), records[:18])
    rated_matches.clear()
    rated(Counted.in_book(book))
    assert len(rated_matches) == 2
    book = grown(book, records[18:])
    rated_matches.clear()
    rated(Counted.in_book(book))
    assert rated_matches == []


def test_no_checkpoint_is_made_while_an_earlier_match_is_to_be_played() -> None:
    records = season("impostor")
    book = grown(CountBook(), [*records[:9], *records[10:]])
    assert [each.matches for each in checkpoints(Counted.in_book(book))] == [8, 4]
    book = grown(book, [records[9]])
    held = [each.matches for each in checkpoints(Counted.in_book(book))]
    assert held == [*range(40, 0, -EVERY)]


def test_a_second_game_needs_its_own_ladders() -> None:
    first, second = season("impostor"), season("impostor", "undercover")
    records = numbered([*first[:10], *second[1::2]])
    book = grown(CountBook(), records[:10])
    book = grown(book, records[10:])
    assert rated(Counted.in_book(book)) == rate(records)
    assert len(next(checkpoints(Counted.in_book(book))).ladders) == 3


def test_a_checkpoint_before_a_changed_outcome_holds_and_none_after() -> None:
    records = season("impostor")
    book = grown(CountBook(), records)
    other = replace(records[9], outcome=records[11].outcome)
    book.add(other, check=77)
    changed = Counted.in_book(book)
    assert [each.matches for each in checkpoints(changed)] == [8, 4]
    assert rated(changed) == rate([*records[:9], other, *records[10:]])


MU = r'(\["x"\], )[^,]+'
"""The mean of the first rating of an agent."""
DAMAGED: dict[str, Callable[[str], str]] = {
    "no JSON": lambda text: text[:-1],
    "no ladder": lambda text: "[4, null]",
    "nested": lambda text: "[" * 100_000,
    "no number": lambda text: re.sub(MU, r"\1Infinity", text, count=1),
    "another ladder's player": lambda text: text.replace('["x"]', '["x", "y"]', 1),
    "a deviation below 0": lambda text: re.sub(MU, r"\g<0>, -1.0", text, count=1),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_damaged_checkpoints_are_not_used(what: str) -> None:
    records = season("impostor")
    book = grown(CountBook(), records)
    before = list(book.ladders)
    book.ladders[:] = map(DAMAGED[what], before)
    assert not set(book.ladders).intersection(before)
    assert list(checkpoints(Counted.in_book(book))) == []
    assert rated(Counted.in_book(book)) == rate(records)


@pytest.mark.parametrize("number", [0, 3, 9])
def test_a_false_checkpoint_is_found(number: int) -> None:
    records = season("impostor")
    book = grown(CountBook(), records)
    again = CountBook()
    for record in records:
        again.add(record, check=record.number)
    assert first_false_checkpoint(Counted.in_book(book), Counted.in_book(again)) is None
    text = book.ladders[number]
    book.ladders[number] = text.replace('["x"], ', '["x"], 1', 1)
    assert book.ladders[number] != text
    false = first_false_checkpoint(Counted.in_book(book), Counted.in_book(again))
    assert false == (number + 1) * EVERY

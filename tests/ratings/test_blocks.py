"""Stored blocks of counts, against counts from scratch."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from parlour.games.engine.record import MatchRecord
from parlour.games.impostor import GAME
from parlour.ratings.counting.blocks import block, counts_version, extend, lengths
from parlour.ratings.counting.counted import CountBook, Counted
from parlour.ratings.measures.measures import measures
from parlour.ratings.reports.ranking import leaderboard, leaderboard_by_condition
from tests.ratings.records import drawn, numbered

SEATED = {"impostor": "xyzv", "undercover": "xyz", "chameleon": "xyz", "donation": "xyzvwxyzv"}


def season() -> list[MatchRecord]:
    """Matches of four games, with faults."""
    matches = []
    for n, (game, agents) in product(range(8), SEATED.items()):
        matches.append(drawn(game, agents[n % 3 :] + agents[: n % 3], n, faulty=0.1))
    return numbered(matches)


def blocks_of(parts: Sequence[Sequence[MatchRecord]]) -> list[bytes]:
    """The matches counted in parts, a block each."""
    book, bodies = CountBook(), []
    for part in parts:
        since = lengths(book)
        for record in part:
            book.add(record)
        bodies.append(block(book, since))
    return bodies


def read(bodies: Sequence[bytes]) -> CountBook:
    book = CountBook()
    for body in bodies:
        assert extend(book, body)
    return book


def test_stored_counts_are_those_from_scratch() -> None:
    records = season()
    # In the order in which matches ended, with one block while the next ones are not stored yet.
    shuffled = [*records[20:], *records[:9], *records[9:20]]
    book = read(blocks_of([shuffled[:5], shuffled[5:18]]))
    for record in shuffled[18:]:
        book.add(record)
    stored = Counted.in_book(book)
    assert [record.number for record in stored.records] == [record.number for record in records]
    assert stored.counts() == Counted.of(records).counts()
    assert list(stored.counts()) == list(Counted.of(records).counts())
    assert measures(stored) == measures(records)
    for without_faults in (False, True):
        for board in (leaderboard, leaderboard_by_condition):
            expected = board(records, without_faults=without_faults)
            assert board(stored, without_faults=without_faults) == expected
    some = [record.number for record in records if record.number % 3]
    chosen = [record for record in records if record.number % 3]
    assert measures(Counted.in_book(book, some)) == measures(chosen)


def test_a_match_that_was_counted_again_counts_once() -> None:
    records = season()
    other = replace(records[0], outcome=records[4].outcome, answers=records[4].answers)
    book = read(blocks_of([[other, *records[1:]]]))
    book.add(records[0], check=7)
    assert book.holds([records[0].number], [7]).all()
    assert measures(Counted.in_book(book)) == measures(records)


def test_a_block_of_another_book_is_no_part_of_this_one() -> None:
    records = season()
    first, second = blocks_of([records[:10], records[10:]])
    book = CountBook()
    assert not extend(book, second)
    assert not len(book)
    assert extend(book, first)
    assert not extend(book, first)
    assert extend(book, second)
    assert measures(Counted.in_book(book)) == measures(records)


def changed(body: bytes, part: int, value: object) -> bytes:
    """The block with another part of its first line."""
    line, _, numbers = zlib.decompress(body).partition(b"\n")
    head = json.loads(line)
    head[part] = value
    return zlib.compress(json.dumps(head).encode() + b"\n" + numbers)


def test_damaged_blocks_add_nothing() -> None:
    records = season()
    first, second = blocks_of([records[:10], records[10:]])
    plain = zlib.decompress(second)
    at = plain.index(b"\n") + 1
    numbers = plain[at:]
    damaged = [b"", b"no block", second[:-9], second[9:], zlib.compress(plain[:-8])]
    # A number that is none of a row that is there, in each place of every column of numbers.
    damaged += [changed(second, part, []) for part in (1, 2, 3, 4, 5, 6, 8)]
    damaged += [changed(second, part, [["x"]]) for part in (2, 3, 4)]
    sizes = json.loads(plain[: at - 1])[-1]
    begin = 0
    for column, (size, each) in enumerate(zip(sizes, CountBook().columns, strict=True)):
        width = each.itemsize
        if column in {2, 3, 5, 6, 7, 10, 11, 12, 13, 14, 15, 18, 19, 20, 21} and size:
            middle = begin + width * (size // 2)
            wild = (2**30).to_bytes(width, "little")
            wild_one = numbers[:middle] + wild + numbers[middle + width :]
            damaged.append(zlib.compress(plain[:at] + wild_one))
        begin += width * size
    book = read([first])
    before = lengths(book)
    for body in damaged:
        assert not extend(book, body)
        assert lengths(book) == before
    assert extend(book, second)
    assert measures(Counted.in_book(book)) == measures(records)


def test_the_version_follows_the_games_and_the_code_of_others(tmp_path: Path) -> None:
    own = counts_version([GAME])
    assert own == counts_version([GAME, GAME]) != counts_version([replace(GAME, version=99)])
    (tmp_path / "counting.py").write_text("x = 1", encoding="utf-8")
    other = replace(GAME, name="other", folder=tmp_path)
    before = counts_version([other])
    (tmp_path / "counting.py").write_text("x = 2", encoding="utf-8")
    assert counts_version([other]) != before


@pytest.mark.parametrize("details", [True, False])
def test_counts_without_details_are_those_of_a_leaderboard(details: bool) -> None:
    records = season()
    book = read(blocks_of([records[:12]]))
    book.details = details
    for record in records[12:]:
        book.add(record)
    assert leaderboard(Counted.in_book(book)) == leaderboard(records)

"""The finished matches of a save as counted: stored counts, and those of newer matches."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from itertools import compress

import numpy as np

from parlour.games.common.collection import uncollected
from parlour.games.common.errors import ParlourError
from parlour.games.common.progress import tracked
from parlour.games.engine.record import MatchRecord
from parlour.ratings.counting.blocks import FORM, block, counts_version, extend, lengths
from parlour.ratings.counting.book import CountBook
from parlour.ratings.counting.counted import Counted
from parlour.ratings.counting.lines import first_difference, first_other_sequence
from parlour.ratings.skill.checkpoints import first_false_checkpoint
from parlour.tournament.save.database import damaged
from parlour.tournament.save.finished import (
    outcome_checks,
    places_of,
    records_in_full,
    stored_counts,
)
from parlour.tournament.save.growing.check import raise_if_damaged, ranges
from parlour.tournament.save.reader import Save

AT_ONCE = 4096
"""Matches that are read and counted together: their answers take more memory than counts."""
BLOCK = 16 * AT_ONCE
"""Matches of one block of stored counts, which is unpacked as a whole."""

NOT_OF_COUNTS = (MemoryError, ImportError)
"""Errors that say nothing of the counts; a game's counting may raise any other one."""
FALSE_COUNTS = "its stored counts are not those of its answers"
"""The difference of a match whose stored counts were changed."""
FALSE_RATINGS = "the ratings stored after it are not those of the matches"
"""The difference where the state of the ladders was changed."""


def finished_records(save: Save) -> Iterator[MatchRecord]:
    """The finished matches in full, in order of their places."""
    return in_full(save, outcome_checks(save)[0])


def in_full(save: Save, numbers: Sequence[int]) -> Iterator[MatchRecord]:
    """Yields these finished matches in full, some read at once."""
    for begin in range(0, len(numbers), AT_ONCE):
        yield from records_in_full(save, numbers[begin : begin + AT_ONCE])


def counted_by_group(save: Save, group_of: Mapping[str, str], *, details: bool = False) -> Counted:
    """Counts the finished matches with groups in the place of their agents."""
    book = CountBook(details=details)
    with uncollected():
        for record in finished_records(save):
            groups = tuple(group_of.get(agent, agent) for agent in record.agents)
            book.add(replace(record, agents=groups))
        return Counted.in_book(book)


class MatchCounter:
    """Counts the finished matches of one save, each once; it may be used again as they grow.

    ``details``: also what no leaderboard shows. Stored counts always have it.
    """

    def __init__(self, *, details: bool = True) -> None:
        self._details = details
        self._book: CountBook | None = None
        self._stored: list[int] = []
        self._blocks: list[bytes] = []
        self.version = ""

    def counted(self, save: Save) -> Counted:
        """Returns the matches that are finished by now."""
        with uncollected():
            book = self._book = self._book or self._stored_book(save)
            numbers, checks = outcome_checks(save)
            new = np.flatnonzero(~book.holds(numbers, checks)).tolist()
            check_of = {numbers[place]: checks[place] for place in new}
            records = tracked(in_full(save, list(check_of)), "Counting matches", len(check_of))
            for done, record in enumerate(records):
                if done % BLOCK == 0:
                    self._end_block(book)
                book.add(record, check_of[record.number])
            book.places = places_of(save)  # those of counted matches may have changed, too
            return Counted.in_book(book, numbers)

    def _stored_book(self, save: Save) -> CountBook:
        self.version = _version(save)
        book = _stored_book(save)
        self._stored = lengths(book)
        book.details = self._details
        return book

    def new_blocks(self) -> list[bytes]:
        """Returns what was counted since the last blocks, to be stored; none if nothing was."""
        if self._book is not None:
            self._end_block(self._book)
        blocks, self._blocks = self._blocks, []
        return blocks

    def _end_block(self, book: CountBook) -> None:
        if self._details and self._stored != lengths(book):
            self._blocks.append(block(book, self._stored))
            self._stored = lengths(book)


class Recount:
    """Stored counts of a save, to be compared range by range with those of its answers."""

    def __init__(self, save: Save) -> None:
        self._save, self.stored = save, _stored_book(save)
        numbers, checks = outcome_checks(save)
        held = self.stored.holds(numbers, checks)
        self._current = array("q", compress(numbers, held))

    def difference(self, numbers: range) -> "tuple[str | None, bytes]":
        """The first false match of a range in words, and the counts of its answers as a block."""
        again = CountBook()
        first = lengths(again)
        with uncollected():
            for record in in_full(self._save, [n for n in self._current if n in numbers]):
                again.add(record)
            try:
                number = first_difference(self.stored, again)
            except NOT_OF_COUNTS:
                raise
            except Exception:  # answers that nobody gave
                return NO_COUNTS, b""
        return (None if number is None else f"match {number}: {FALSE_COUNTS}"), block(again, first)

    def difference_of_all(self, blocks: Iterable[bytes]) -> str | None:
        """The first match that is false only beside the others, where each is right by itself."""
        records: list[MatchRecord] = []
        try:
            for body in blocks:
                book = CountBook()
                extend(book, body)
                book.places = self.stored.places
                records += Counted.in_book(book).records
            records.sort(key=lambda record: self.stored.place_of(record.number))
            stored = Counted.in_book(self.stored, self._current)
            number = first_other_sequence(stored.records, records)
            if number is not None:
                return f"match {number}: {FALSE_COUNTS}"
            # Its lines are those of the answers, so that it can be rated again.
            unrated = copy(self.stored)
            unrated.ladders = []
            after = first_false_checkpoint(stored, Counted.in_book(unrated, self._current))
        except NOT_OF_COUNTS:
            raise
        except Exception:
            return NO_COUNTS
        return None if after is None else f"match {after}: {FALSE_RATINGS}"


MOST = 2**31
"""Matches of a range that has all matches of any save."""
NO_COUNTS = "its stored counts cannot be added up"


def first_false_count(
    save: Save, parts: "Iterable[tuple[str | None, bytes]] | None" = None
) -> str | None:
    """Names the first match whose stored counts are not those of its answers, None if all are.

    Or else the match after which the stored ratings are not those of the matches. ``parts`` are the
    results of ``Recount.difference`` for all ranges, where others count the matches.
    """
    recount, blocks = Recount(save), []
    if parts is None:
        parts = map(recount.difference, ranges(save, MOST))
    for difference, body in parts:
        if difference is not None:
            return difference
        blocks.append(body)
    return recount.difference_of_all(blocks)


@contextmanager
def raise_if_false(save: Save) -> Iterator[None]:
    """Context for work on stored counts: as ``raise_if_damaged``, and BadSave if they are false."""
    try:
        with raise_if_damaged(save):
            yield
    except (ParlourError, OSError, *NOT_OF_COUNTS):
        raise
    except Exception:
        difference = first_false_count(save)
        if difference is None:
            raise
        raise damaged(save.path, difference) from None


def _version(save: Save) -> str:
    return f"{FORM}: {counts_version(entry.game for entry in save.tournament.games)}"


def _stored_book(save: Save) -> CountBook:
    book = CountBook()
    book.places = places_of(save)
    for body in stored_counts(save, _version(save)):
        extend(book, body)
    return book

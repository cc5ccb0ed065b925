"""The finished matches of a save as counted: stored counts, and those of newer matches."""

from collections.abc import Mapping
from dataclasses import replace

from parlour.games.common.collection import uncollected
from parlour.ratings.counting.blocks import block, counts_version, extend, lengths
from parlour.ratings.counting.book import CountBook
from parlour.ratings.counting.counted import Counted
from parlour.tournament.save.finished import outcome_checks, records_in_full, stored_counts
from parlour.tournament.save.reader import Save

AT_ONCE = 4096
"""Matches that are read and counted together: their answers take more memory than counts."""


def counted_by_group(save: Save, group_of: Mapping[str, str]) -> Counted:
    """Counts the finished matches with groups in the place of their agents."""
    book = CountBook(details=False)
    with uncollected():
        numbers = list(outcome_checks(save))
        for begin in range(0, len(numbers), AT_ONCE):
            for record in records_in_full(save, numbers[begin : begin + AT_ONCE]):
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
        self.version = ""

    def counted(self, save: Save) -> Counted:
        """Returns the matches that are finished by now."""
        with uncollected():
            book = self._book = self._book or self._stored_book(save)
            checks = outcome_checks(save)
            new = [number for number, check in checks.items() if book.check_of(number) != check]
            for begin in range(0, len(new), AT_ONCE):
                for record in records_in_full(save, new[begin : begin + AT_ONCE]):
                    book.add(record, checks[record.number])
            return Counted.in_book(book, checks)

    def _stored_book(self, save: Save) -> CountBook:
        book = CountBook()
        self.version = counts_version(entry.game for entry in save.tournament.games)
        for body in stored_counts(save, self.version):
            extend(book, body)
        self._stored = lengths(book)
        book.details = self._details
        return book

    def new_block(self) -> bytes | None:
        """Returns what was counted since the last block, to be stored; None if nothing was."""
        book = self._book
        if book is None or self._stored == lengths(book):
            return None
        added = block(book, self._stored)
        self._stored = lengths(book)
        return added

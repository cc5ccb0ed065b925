"""The matches to come: a window of the plan, filled from the save as matches are begun."""

from collections.abc import Callable
from functools import cache
from itertools import islice
from typing import Any

from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredMatch

FEWEST = 1000
"""Matches that the window has at least, and that are read at once: some milliseconds' work."""

LOOK_AHEAD = 200
"""Number of matches searched for one whose endpoints have no queue."""


class Upcoming(dict[int, StoredMatch]):
    """The next matches that are not begun, by number; later ones stay in the save.

    It is empty only if none is left. Matches that come back are added as to any dictionary.
    ``expect`` gets all matches as they are read; those that are played ``is_elsewhere`` are left
    out.
    """

    def __init__(
        self,
        expect: Callable[[list[StoredMatch]], None],
        is_elsewhere: Callable[[StoredMatch], bool],
    ) -> None:
        super().__init__()
        self._expect, self._is_elsewhere = expect, is_elsewhere
        self._save: Save | None = None
        self._read = 0
        """The number up to which the plan was read."""
        self._taken: set[int] = set()
        """Later matches that were taken out already."""

    def open(self, save: Save) -> None:
        """Reads the first unfinished matches of a save, which stays open."""
        self._save = save
        self._fill()

    def first(
        self,
        leaves: Callable[[StoredMatch], bool],
        is_clogged: Callable[[tuple[str, ...]], bool] = lambda _agents: False,
    ) -> int | None:
        """The first match that the pool ``leaves`` and whose agents are not clogged; None: none.

        Only the first matches that are left are searched.
        """
        ahead = islice(filter(leaves, self.values()), LOOK_AHEAD)
        is_full = cache(is_clogged)  # many matches have the same agents
        return next((match.number for match in ahead if not is_full(match.agents)), None)

    def pop(self, number: int, *default: Any) -> Any:
        """Takes out a match, which may be one that was not read yet."""
        if number > self._read:
            self._read_one(number)
        match = super().pop(number, *default)
        self._fill()
        return match

    def __delitem__(self, number: int) -> None:
        super().__delitem__(number)
        self._fill()

    def _read_one(self, number: int) -> None:
        if self._save is None or number in self._taken:
            return
        for match in self._save.matches_after(number - 1, 1, "unfinished"):
            if match.number == number and not self._is_elsewhere(match):
                self._taken.add(number)
                self._add([match])

    def _fill(self) -> None:
        """Reads on until there are enough matches, or no more in the save."""
        while self._save is not None and len(self) < FEWEST:
            matches = self._save.matches_after(self._read, FEWEST, "unfinished")
            if not matches:
                self._save = None
                return
            self._read = matches[-1].number
            self._add([match for match in matches if match.number not in self._taken])
            self._taken = {number for number in self._taken if number > self._read}

    def _add(self, matches: list[StoredMatch]) -> None:
        self._expect(matches)
        self.update((match.number, match) for match in matches if not self._is_elsewhere(match))

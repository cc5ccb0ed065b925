"""The race and the networks of a save, which grow with each match that is over."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import one_line
from parlour.tournament.save.finished import last_answers, records_of
from parlour.tournament.save.growing.check import raise_if_damaged
from parlour.tournament.save.queries import over_of
from parlour.tournament.save.reader import Save

if TYPE_CHECKING:
    from parlour.ratings.counting.ties import Kind, Network, Ties
    from parlour.ratings.skill.race import Race, RaceChart

CHUNK = 200
"""Matches that are read and counted between two pauses."""
POINTS = 400
"""The most points of a course: more than a chart has columns of dots."""


@dataclass(frozen=True, slots=True)
class Charts:
    """The race of all games together (None) and of each, and the networks, after ``matches``."""

    matches: int = 0
    races: "Mapping[str | None, RaceChart]" = field(default_factory=dict)
    networks: "Mapping[Kind, Network]" = field(default_factory=dict)


class History:
    """Counts the matches of a save in the order in which they were over.

    ``shown`` is replaced as a whole, so that a screen reads it while a thread counts; it is None
    until all matches were counted once. ``done`` of ``total`` matches are counted. ``trouble``
    says why the save cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seq = 0
        self._open: dict[int, int] = {}
        self._waiting: list[int] = []
        self._races: dict[str | None, Race] = {}
        self._ties: Ties | None = None
        self._counting, self._closed = Lock(), Event()
        self._next = 0.0
        self.shown: Charts | None = None
        self.done = self.total = 0
        self.trouble = ""

    @property
    def progress(self) -> str:
        """The state of the first count in words."""
        return self.trouble or f"Counting the matches … {self.done:,} of {self.total:,}"

    def close(self) -> None:
        """Ends a running count."""
        self._closed.set()

    def refresh(self) -> bool:
        """Counts the matches that are over since. Returns whether anything has changed.

        Call it in a thread. It rests as long as it works, so that keys are answered, and pauses
        afterwards for some time. Returns False at once while another thread counts.
        """
        if time.monotonic() < self._next or not self._counting.acquire(blocking=False):
            return False
        try:
            return self._refresh()
        except ParlourError as error:
            changed = self.trouble != (problem := one_line(str(error)))
            self.trouble = problem
            return changed
        finally:
            self._next = time.monotonic() + 1.0
            self._counting.release()

    def _refresh(self) -> bool:
        from parlour.ratings.counting.ties import Ties

        self._ties = self._ties or Ties()
        with Save(self._path) as save:
            self._find(save)
            self.trouble, before = "", self.done
            while self._waiting and not self._closed.is_set():
                begun = time.monotonic()
                part, self._waiting = self._waiting[:CHUNK], self._waiting[CHUNK:]
                self._count(save, part)
                if self._waiting:
                    self._closed.wait(time.monotonic() - begun)
        if self._closed.is_set() or (self.shown is not None and self.done == before):
            return False
        self.shown = self._chart()
        return True

    def _find(self, save: Save) -> None:
        """Finds the matches that are over and not counted yet, in the order they were over."""
        touched = last_answers(save, self._seq)
        self._seq = max([self._seq, *touched.values()])
        self._open |= touched
        # All open matches, since the outcome is stored a moment after the last answer.
        ended = over_of(save, sorted(self._open))
        over = [number for number, frozen in ended.items() if not frozen]
        self._waiting += sorted(over, key=lambda number: self._open[number])
        for number in over:
            del self._open[number]
        self.total = self.done + len(self._waiting)

    def _count(self, save: Save, numbers: list[int]) -> None:
        from parlour.ratings.counting.ties import VOTE
        from parlour.ratings.skill.race import Race

        assert self._ties is not None
        single = len({entry.game.name for entry in save.tournament.games}) == 1
        with raise_if_damaged(save):
            for record in records_of(save, numbers, [VOTE]):
                whole = self._races.setdefault(None, Race())
                whole.add(record)
                # With a single game, its race is that of all games.
                own = self._races.setdefault(record.game, whole if single else Race())
                if own is not whole:
                    own.add(record)
                self._ties.add(record)
        self.done += len(numbers)

    def _chart(self) -> Charts:
        from parlour.ratings.counting.ties import KINDS

        assert self._ties is not None
        races = {game: race.chart(POINTS) for game, race in self._races.items()}
        networks = {kind: self._ties.network(kind) for kind in KINDS}
        return Charts(self.done, races, networks)

"""The match on a screen, and how far its table is played."""

from dataclasses import dataclass, field

from parlour.games.engine.moves import Seat
from parlour.games.engine.table import Table
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import Diverged, feed, new_table
from parlour.tournament.save.rows import StoredAnswer, StoredMatch

BARRED = "People play in this match: it opens when it is over. s takes a seat, o looks on."
"""The text in place of a hidden match."""


@dataclass(slots=True)
class Focus:
    """The match on screen: its table, and the answers from which the table was built.

    ``shown`` counts the answers that the table was fed: all of them in a live view, fewer while a
    replay looks back. A ``barred`` match has no table.
    """

    match: StoredMatch
    answers: list[StoredAnswer] = field(default_factory=list)
    shown: int = 0
    table: Table | None = None
    trouble: str = ""
    barred: bool = False

    @property
    def waiting(self) -> tuple[Seat, ...]:
        """The seats that have not answered the current ask."""
        return () if self.table is None else self.table.waiting

    def show(self, save: Save, count: int) -> None:
        """Puts the table into its state after ``count`` answers, forwards or backwards."""
        count, self.trouble = max(0, min(count, len(self.answers))), ""
        if self.barred:
            self.table, self.shown, self.trouble = None, 0, BARRED
            return
        try:
            if self.table is None or count < self.shown:
                self.table, self.shown = new_table(save.tournament, self.match), 0
            for answer in self.answers[self.shown : count]:
                feed(self.table, answer)
                self.shown += 1
        except Diverged as difference:
            self.trouble = str(difference)

    def turn_starts(self) -> list[int]:
        """The number of answers before each ask, then of all: the steps of a replay."""
        starts = [
            index
            for index, answer in enumerate(self.answers)
            if index == 0 or answer.ask != self.answers[index - 1].ask
        ]
        return [*starts, len(self.answers)]

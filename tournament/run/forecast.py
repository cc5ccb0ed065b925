"""The outlook: how many answers are still to come, and what they will cost.

Counted for each agent in each block of the tournament file, since a match of one game takes more
answers than one of another, and some agents cost more than others or nothing: by the matches that
are over, and before the first is, by one played at random.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from parlour.games.engine.moves import Seat
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import answers_per_match
from parlour.tournament.save.queries import dollars_by_entry, seat_counts
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredMatch


@dataclass(slots=True)
class _Part:
    """What is known of one agent in one block: its seats in matches over and ``open``."""

    expected: float
    over: int = 0
    open: int = 0
    answers_of_over: int = 0
    answers_of_open: int = 0
    dollars: float = 0.0

    @property
    def left(self) -> float:
        """Answers that it will yet give there."""
        each = self.answers_of_over / self.over if self.over else self.expected
        return max(0.0, self.open * each - self.answers_of_open)

    @property
    def answers(self) -> int:
        """Answers that it has given there."""
        return self.answers_of_over + self.answers_of_open


class Outlook:
    """Learns of every answer, call and ending, and tells what is left."""

    def __init__(self, tournament: Tournament) -> None:
        self._models = tournament.models.keys()
        self._expected = answers_per_match(tournament)
        self._parts: dict[tuple[int, str], _Part] = {}

    def reads(self, save: Save) -> None:
        """Takes in what a save holds already."""
        for entry, agent, seats, over, count, answers in seat_counts(save):
            part = self._parts.setdefault((entry, agent), _Part(self._expected[entry] / seats))
            if over:
                part.over, part.answers_of_over = count, answers
            else:
                part.open, part.answers_of_open = count, answers
        for (entry, agent), dollars in dollars_by_entry(save).items():
            # A damaged save may hold calls of agents that play in no match: they do not count.
            if (entry, agent) in self._parts:
                self._parts[entry, agent].dollars = dollars

    def _part(self, entry: int, agent: str) -> _Part:
        """The part of an agent in a block; one that no save was read for has nothing left."""
        return self._parts.setdefault((entry, agent), _Part(expected=0.0))

    def answered(self, entry: int, agent: str) -> None:
        """One more answer of an agent in a match of that block."""
        self._part(entry, agent).answers_of_open += 1

    def paid(self, entry: int, agent: str, dollars: float) -> None:
        """What a call of an agent in a match of that block has come to."""
        self._part(entry, agent).dollars += dollars

    def over(self, match: StoredMatch, by: Iterable[Seat]) -> None:
        """A match has ended; ``by`` are the seats of its answers."""
        given = Counter(by)
        self._no_longer_open(match, given)
        for seat, agent in enumerate(match.agents):
            part = self._part(match.entry, agent)
            part.over += 1
            part.answers_of_over += given[Seat(seat)]

    def frozen(self, match: StoredMatch, by: Iterable[Seat]) -> None:
        """A match will never end; ``by`` are the seats of its answers."""
        self._no_longer_open(match, Counter(by))

    def _no_longer_open(self, match: StoredMatch, given: Counter[Seat]) -> None:
        for seat, agent in enumerate(match.agents):
            part = self._part(match.entry, agent)
            part.open -= 1
            part.answers_of_open -= given[Seat(seat)]

    @property
    def answers(self) -> float:
        """About how many answers are still to come."""
        return sum(part.left for part in self._parts.values())

    @property
    def dollars(self) -> float | None:
        """About what they will cost; None before there is anything to judge by.

        An answer of a model that has given none in that block is taken to cost what those of
        models do.
        """
        paid = [part for (_, agent), part in self._parts.items() if agent in self._models]
        answers = sum(part.answers for part in paid)
        if not answers:
            return None
        usual = sum(part.dollars for part in paid) / answers
        return sum(
            part.left * (part.dollars / part.answers if part.answers else usual) for part in paid
        )

"""Forecast of a run: the remaining answers and what they will cost.

Computed for each agent in each block of the tournament file, since games differ in answers per
match and agents in price. Based on the finished matches of the block; before the first one, on a
match played at random.
"""

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass

from parlour.games.engine.moves import Seat
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import answers_per_match
from parlour.tournament.save.queries import dollars_by_entry, seat_counts
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredAnswer, StoredCall, StoredMatch


@dataclass(slots=True)
class _BlockShare:
    """Counts of one agent in one block: its seats in finished and in open matches."""

    expected: float
    finished: int = 0
    open: int = 0
    answers_of_finished: int = 0
    answers_of_open: int = 0
    dollars: float = 0.0

    @property
    def answers_left(self) -> float:
        """Expected number of remaining answers."""
        per_seat = self.answers_of_finished / self.finished if self.finished else self.expected
        return max(0.0, self.open * per_seat - self.answers_of_open)

    @property
    def answers(self) -> int:
        """Number of answers so far."""
        return self.answers_of_finished + self.answers_of_open


class Forecast:
    """Counts every answer, call and ending, and estimates the rest."""

    def __init__(self, tournament: Tournament) -> None:
        self._models = tournament.paid.keys()
        self._expected = answers_per_match(tournament)
        self._parts: dict[tuple[int, str], _BlockShare] = {}
        self._entries: dict[int, int] = {}
        """The game entry of each match that is expected."""
        self._loaded = 0
        """The number of the last match that ``load`` counted: later ones are decided meanwhile."""
        self._planned = 0
        """The number of the last match that is known."""

    def load(self, save: Save) -> None:
        """Loads the contents of a save."""
        self._loaded = self._planned = save.match_count().matches
        for entry, agent, table, is_over, seats, answers in seat_counts(save):
            new = _BlockShare(self._expected[entry] / table)
            part = self._parts.setdefault((entry, agent), new)
            if is_over:
                part.finished, part.answers_of_finished = seats, answers
            else:
                part.open, part.answers_of_open = seats, answers
        for key, dollars in dollars_by_entry(save).items():
            if key in self._parts:  # a damaged save may hold calls of agents that play no match
                self._parts[key].dollars = dollars

    def expect(self, matches: Iterable[StoredMatch]) -> None:
        """Adds the matches that will be played. They are new unless ``load`` counted them."""
        for match in matches:
            self._entries[match.number] = match.entry
            if match.number <= self._loaded:
                continue
            self._planned = max(self._planned, match.number)
            per_seat = self._expected[match.entry] / len(match.agents)
            for agent in match.agents:
                part = self._parts.setdefault((match.entry, agent), _BlockShare(per_seat))
                part.open += 1

    def answer_stored(self, match: StoredMatch, answer: StoredAnswer) -> None:
        """Counts an answer."""
        self._parts[match.entry, match.agents[answer.seat]].answers_of_open += 1

    def call_stored(self, call: StoredCall) -> None:
        """Counts the price of a call."""
        if call.copy_of is None:
            self._parts[self._entries[call.match], call.agent].dollars += call.price or 0.0

    def match_finished(self, match: StoredMatch, seats: Iterable[Seat]) -> None:
        """Counts a match that has ended; ``seats`` are those of its answers."""
        answers = Counter(seats)
        self._close(match, answers)
        for seat, agent in enumerate(match.agents):
            part = self._parts[match.entry, agent]
            part.finished += 1
            part.answers_of_finished += answers[Seat(seat)]

    def match_frozen(self, match: StoredMatch, seats: Iterable[Seat]) -> None:
        """Leaves out a match that will never end; ``seats`` are those of its answers."""
        self._close(match, Counter(seats))

    def _close(self, match: StoredMatch, answers: Counter[Seat]) -> None:
        self._entries.pop(match.number, None)
        for seat, agent in enumerate(match.agents):
            part = self._parts[match.entry, agent]
            part.open -= 1
            part.answers_of_open -= answers[Seat(seat)]

    @property
    def answers(self) -> float:
        """Expected number of remaining answers."""
        return sum(part.answers_left for part in self._parts.values())

    @property
    def dollars(self) -> float | None:
        """Expected cost of the remaining answers; None before the first answer of a model.

        A model without answers in a block is taken to cost the average of all models.
        """
        parts = [part for (_, agent), part in self._parts.items() if agent in self._models]
        answers = sum(part.answers for part in parts)
        if not answers:
            return None
        average = sum(part.dollars for part in parts) / answers
        prices = [part.dollars / part.answers if part.answers else average for part in parts]
        return sum(part.answers_left * price for part, price in zip(parts, prices, strict=True))

    def up_to(self, matches: int) -> tuple[float, float | None]:
        """Expected remaining answers and their US dollars if so many matches are planned in all.

        Those that are not planned yet are taken for the average of those that are.
        """
        more = max(0, matches - self._planned) / max(1, self._planned)
        parts, dollars = self._parts.values(), self.dollars
        answers = self.answers + more * (self.answers + sum(part.answers for part in parts))
        if dollars is not None:
            dollars += more * (dollars + sum(part.dollars for part in parts))
        return answers, dollars


WINDOW_SECONDS = 30.0
"""The running time that a recent estimate covers."""


class ThroughputEstimate:
    """Amount per second over the last 30 seconds of running time, or in all if that was 0.

    Updated about every second. Only time between two updates while running counts, so a pause and
    the steps taken in it change nothing.
    """

    def __init__(self) -> None:
        self._recent: deque[tuple[float, float]] = deque()
        self._last: tuple[float, float] | None = None
        self._seconds, self._amount = 0.0, 0.0

    def update(self, now: float, total: float, running: bool) -> float | None:
        """The estimate, given the total amount so far; None while paused or without any amount."""
        last, self._last = self._last, (now, total) if running else None
        if not running:
            return None
        if last is not None:
            self._add(now - last[0], total - last[1])
        seconds = sum(span for span, _ in self._recent)
        amount = sum(amount for _, amount in self._recent)
        if amount == 0:
            seconds, amount = self._seconds, self._amount
        return amount / seconds if amount and seconds else None

    def _add(self, seconds: float, amount: float) -> None:
        self._seconds += seconds
        self._amount += amount
        self._recent.append((seconds, amount))
        while sum(span for span, _ in self._recent) > WINDOW_SECONDS + seconds / 2:
            self._recent.popleft()

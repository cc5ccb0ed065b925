"""The outlook: how many answers are still to come, and what they will cost.

Counted block by block of the tournament file, since a match of one game takes more than one of
another: by the matches that are over, and before the first is, by one played at random.
"""

from dataclasses import dataclass

from tournament.config import Tournament
from tournament.save import Save
from tournament.schedule import answers_of_a_match

_MATCHES = """
SELECT entry, outcome IS NOT NULL, count(*) FROM matches WHERE frozen IS NULL GROUP BY 1, 2
"""
_ANSWERS = """
SELECT entry, outcome IS NOT NULL, count(*) FROM answers JOIN matches ON matches.number = match
WHERE frozen IS NULL GROUP BY 1, 2
"""
_DOLLARS = """
SELECT entry, total(price) FROM calls JOIN matches ON matches.number = match
WHERE frozen IS NULL GROUP BY 1
"""


@dataclass(slots=True)
class _Block:
    """What is known of the matches of one block: over, or still to be played (``open``)."""

    expected: int
    over: int = 0
    open: int = 0
    answers_of_over: int = 0
    answers_of_open: int = 0
    dollars: float = 0.0

    @property
    def left(self) -> float:
        """Answers that its matches will yet take."""
        each = self.answers_of_over / self.over if self.over else self.expected
        return max(0.0, self.open * each - self.answers_of_open)

    @property
    def answers(self) -> int:
        """Answers that it has."""
        return self.answers_of_over + self.answers_of_open


class Outlook:
    """Learns of every answer, call and ending, and tells what is left."""

    def __init__(self, tournament: Tournament) -> None:
        self._blocks = [_Block(answers_of_a_match(entry)) for entry in tournament.games]

    def reads(self, save: Save) -> None:
        """Takes in what a save holds already."""
        for entry, over, count in save.select(_MATCHES):
            block = self._blocks[entry]
            block.over, block.open = (count, block.open) if over else (block.over, count)
        for entry, over, count in save.select(_ANSWERS):
            if over:
                self._blocks[entry].answers_of_over = count
            else:
                self._blocks[entry].answers_of_open = count
        if save.has_calls:
            for entry, dollars in save.select(_DOLLARS):
                self._blocks[entry].dollars = dollars

    def answered(self, entry: int) -> None:
        """One more answer in a match of that block."""
        self._blocks[entry].answers_of_open += 1

    def paid(self, entry: int, dollars: float) -> None:
        """What a call in a match of that block has come to."""
        self._blocks[entry].dollars += dollars

    def over(self, entry: int, answers: int) -> None:
        """A match has ended, with so many answers."""
        block = self._blocks[entry]
        block.open -= 1
        block.over += 1
        block.answers_of_open -= answers
        block.answers_of_over += answers

    def frozen(self, entry: int, answers: int) -> None:
        """A match will never end."""
        self._blocks[entry].open -= 1
        self._blocks[entry].answers_of_open -= answers

    @property
    def answers(self) -> float:
        """About how many answers are still to come."""
        return sum(block.left for block in self._blocks)

    @property
    def dollars(self) -> float | None:
        """About what they will cost; None before there is anything to judge by.

        An answer in a block of which none is there yet is taken to cost what others do.
        """
        answers = sum(block.answers for block in self._blocks)
        if not answers:
            return None
        usual = sum(block.dollars for block in self._blocks) / answers
        return sum(
            block.left * (block.dollars / block.answers if block.answers else usual)
            for block in self._blocks
        )

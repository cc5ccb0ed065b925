"""Texts that the rows of a save repeat: each is stored once, in ``texts``, under a number.

Scripted players repeat their answers, and a tournament its experiments, line-ups and outcomes. A
cell of ``stored_matches`` or ``stored_answers`` has the number of its text, or the text itself.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from parlour.tournament.save.database import damaged

MOST_SHARED = 16_384
"""Texts that a save shares at most: the writer and each reader keep them in memory."""
LONGEST_SHARED = 500
"""Characters of the longest text that is shared."""


class TextNumbers:
    """Gives numbers to texts, for the one process that writes a save.

    A text gets one at its second occurrence, since most texts of language models have no second.
    ``stored`` are the numbers and texts that the save has. ``new`` are those that it gets next:
    the caller stores them in the same commit as the rows, and clears the list.
    """

    def __init__(self, stored: Iterable[tuple[int, str]] = (), most: int = MOST_SHARED) -> None:
        self._numbers = {text: number for number, text in stored}
        self._last = max(self._numbers.values(), default=0)
        self._most = most
        self._seen: set[str] = set()
        self.new: list[tuple[int, str]] = []

    def cell(self, text: str) -> int | str:
        """Returns the number of a text, or the text if it has none."""
        number = self._numbers.get(text)
        if number is not None:
            return number
        if len(text) > LONGEST_SHARED or len(self._numbers) >= self._most:
            return text
        if text not in self._seen:
            if len(self._seen) >= self._most:  # forgets texts that have not recurred for long
                self._seen.clear()
            self._seen.add(text)
            return text
        self._seen.discard(text)
        self._last += 1
        self._numbers[text] = self._last
        self.new.append((self._last, text))
        return self._last


class SharedTexts(dict[int, str]):
    """The shared texts of an open save by number, read when one is met that is not here yet.

    ``select`` returns the rows of a query. A number without a text raises BadSave.
    """

    def __init__(self, path: Path, select: Callable[..., list[tuple[int, str]]]) -> None:
        super().__init__()
        self._path = path
        self._select = select

    def __missing__(self, number: int) -> str:
        known = max(self, default=0)
        self.update(self._select("SELECT id, text FROM texts WHERE id > ?", known))
        if self.get(number) is None:
            raise damaged(self._path, f"text {number} is missing")
        return self[number]

    def text(self, cell: int | str) -> str:
        """The text of a cell."""
        return cell if isinstance(cell, str) else self[cell]

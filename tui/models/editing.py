"""Editing of a text by keys: the text and its caret before and after each, and its lines."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from rich.cells import cell_len


class Edited(NamedTuple):
    """A text and its caret: the index of the sign before which is inserted."""

    text: str
    caret: int

    def inserting(self, more: str) -> "Edited":
        """With more at the caret."""
        return Edited(
            self.text[: self.caret] + more + self.text[self.caret :], self.caret + len(more)
        )

    def to(self, caret: int) -> "Edited":
        """With the caret elsewhere."""
        return Edited(self.text, max(0, min(len(self.text), caret)))

    def without(self, start: int, end: int) -> "Edited":
        """Without a part, at whose place the caret is then."""
        return Edited(self.text[: max(0, start)] + self.text[end:], max(0, start))

    @property
    def word_before(self) -> int:
        """The start of the word before the caret."""
        before = self.text[: self.caret].rstrip()
        return before.rfind(" ") + 1

    @property
    def word_after(self) -> int:
        """The end of the word behind the caret."""
        rest = self.text[self.caret :]
        blanks = len(rest) - len(rest.lstrip())
        end = rest.find(" ", blanks)
        return len(self.text) if end < 0 else self.caret + end


EDITS: Mapping[str, Callable[[Edited], Edited]] = {
    "left": lambda old: old.to(old.caret - 1),
    "right": lambda old: old.to(old.caret + 1),
    "home": lambda old: old.to(0),
    "end": lambda old: old.to(len(old.text)),
    "ctrl+left": lambda old: old.to(old.word_before),
    "ctrl+right": lambda old: old.to(old.word_after),
    "backspace": lambda old: old.without(old.caret - 1, old.caret),
    "delete": lambda old: old.without(old.caret, old.caret + 1),
    "ctrl+w": lambda old: old.without(old.word_before, old.caret),
    "ctrl+u": lambda old: old.without(0, old.caret),
    "ctrl+k": lambda old: old.without(old.caret, len(old.text)),
}
"""The keys that edit, as in Textual's input. Left, home and the like move the caret alone."""


def line_starts(text: str, width: int) -> list[int]:
    """The index of the first sign of each line of a text, wrapped at blanks where it has some.

    There is room for the caret behind the last sign.
    """
    starts, start, used = [0], 0, 0
    for index, sign in enumerate(f"{text} "):
        used += cell_len(sign)
        if used <= width or index == start:
            continue
        blank = text.rfind(" ", start, index)
        start = blank + 1 if blank >= 0 else index
        starts.append(start)
        used = cell_len(text[start : index + 1]) + (index == len(text))
    return starts

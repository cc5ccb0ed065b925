"""Text for the terminal: safe, on one line, and cut to a width in columns; and its styles."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from rich.cells import cell_len, set_cell_size

from parlour.games.common.text import clean, one_line

T = TypeVar("T")
BOLD, DIM, WARN = "bold", "dim", "bold red"
"""Rich styles. No meaning is carried by colour alone."""


def following(items: Sequence[T], now: object, by: int = 1) -> T:
    """The item so many places after another, round the ends; one that is none is the first."""
    at = items.index(now) if now in items else 0
    return items[(at + by) % len(items)]


def out_of_sight(what: str, sides: Mapping[str, int]) -> str:
    """The numbers of things out of sight by the arrows to them, as words; "" if there are none."""
    counts = "  ".join(f"{arrow} {count}" for arrow, count in sides.items() if count > 0)
    return f"{what}: {counts}" if counts else ""


def shown_path(path: Path) -> str:
    """A path on one line, with ~ for the user's home."""
    return one_line(str(path).replace(str(Path.home()), "~", 1))


def typed(text: str) -> str:
    """Typed or pasted text without control characters; blanks stay as they are."""
    return clean(text).replace("\n", " ").replace("\t", " ")


def fitted(text: str, width: int) -> str:
    """A text in exactly ``width`` columns of the screen: padded, or cut with an ellipsis."""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, max(0, width - 1)) + "…"


def last_words(title: str, width: int) -> str:
    """A title in a width: of "Prisoner's dilemma", the "Dilemma" where not both words fit."""
    words = title.split()
    for start in range(len(words)):
        shorter = " ".join(words[start:])
        if cell_len(shorter) <= width:
            return shorter[:1].upper() + shorter[1:]
    return cut(title, width)


def cut(text: str, width: int) -> str:
    """Untrusted text on one line, cut with an ellipsis to at most a width in columns."""
    line = one_line(text)
    return line if cell_len(line) <= width else fitted(line, width)

"""Parts of a screen as its panes take them: a picture with its title, and the lines of a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rich.text import Text

Draw = Callable[[int, int], Sequence[Text]]


@dataclass(frozen=True, slots=True)
class Picture:
    """A pane beside or below the table: its title, a note at its lower right, and its lines."""

    title: Text
    draw: Draw
    note: Text = field(default_factory=Text)


@dataclass(frozen=True, slots=True)
class TableLines:
    """A table at a width: its agents in order, headings, lines a row, and hidden columns."""

    agents: Sequence[str]
    headings: Sequence[Text]
    tall: int
    row: Callable[[int, bool], Sequence[Text]]
    hidden: str = ""

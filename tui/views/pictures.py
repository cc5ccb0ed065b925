"""A picture of a screen as its pane takes it: with its title and a note."""

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

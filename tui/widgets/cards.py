"""A few cards to choose one from, drawn by a function."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

DrawCards = Callable[[int, int, int], tuple[Sequence[Text], int]]
"""Returns the lines and the line of the first card, from the chosen card, width and height."""
CARD_LINES = 3
"""Lines of a card, with the blank one below it."""


class Cards(Widget, can_focus=True):
    """Cards of two lines, one below the other. Arrows choose one, Enter or a click takes it."""

    DEFAULT_CSS = "Cards { height: 1fr; }"
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Card above", show=False, id="cards.up"),
        Binding("down,j", "move(1)", "Card below", show=False, id="cards.down"),
        Binding("enter,space", "take", "Take the card", show=False, id="cards.take"),
    ]
    chosen = reactive(0)

    class Taken(Message):
        """A card was taken."""

        def __init__(self, card: int) -> None:
            super().__init__()
            self.card = card

    def __init__(self, draw: DrawCards, count: int, *, id: str) -> None:
        super().__init__(id=id)
        self._draw, self._count = draw, count
        self._first_line = 0

    def render(self) -> Text:
        """The cards with what is around them."""
        lines, self._first_line = self._draw(self.chosen, self.size.width, self.size.height)
        return Text("\n", no_wrap=True).join(lines)

    def action_move(self, by: int) -> None:
        """Chooses another card."""
        self.chosen = max(0, min(self._count - 1, self.chosen + by))

    def action_take(self) -> None:
        """Takes the chosen card."""
        self.post_message(self.Taken(self.chosen))

    def on_click(self, event: Click) -> None:
        """Takes the clicked card."""
        card, part = divmod(event.y - self._first_line, CARD_LINES)
        if 0 <= card < self._count and part < CARD_LINES - 1:
            self.chosen = card
            self.action_take()

"""The button below a form, which sends it or goes on."""

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Static

from parlour.tui.look.look import Look
from parlour.tui.widgets.options import FIELD_BEFORE, NEXT_FIELD


class SendPressed(Message):
    """The button of a form was pressed."""


class SendButton(Static, can_focus=True):
    """The last line of a form."""

    DEFAULT_CSS = """
    SendButton { width: auto; height: 1; color: $look-text; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "go", "Send, or continue", show=False, id="seat.go"),
        NEXT_FIELD,
        FIELD_BEFORE,
    ]

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._words, self._look = "", Look()

    def show(self, words: str, look: Look) -> None:
        """Shows the button with these words."""
        self._words, self._look = words, look
        self._draw(focused=self.has_focus)

    def on_focus(self) -> None:
        """Shows the sign of the focus."""
        self._draw(focused=True)

    def on_blur(self) -> None:
        """Removes it."""
        self._draw(focused=False)

    def _draw(self, *, focused: bool) -> None:
        palette = self._look.palette
        sign = self._look.signs.cursor if focused else " "
        ground = palette.cursor if focused else palette.raised
        style = f"bold {palette.text} on {ground}" if focused else f"{palette.text} on {ground}"
        self.update(Text.assemble((sign, palette.accent), " ", (f" [ {self._words} ] ", style)))

    def action_go(self) -> None:
        """Presses the button."""
        self.post_message(SendPressed())

    def on_click(self) -> None:
        """Presses the button."""
        self.action_go()

"""The base of the screens with the form of an answer: its keys, and the refusal of a field."""

from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from parlour.tui.look.look import Look
from parlour.tui.models.form import Form, FormField, Missing
from parlour.tui.widgets.seat_turn import SeatTurn, SendButton


class FillingScreen(Screen[Any]):
    """A screen with a form that is filled in and sent."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Send", priority=True, id="seat.send"),
        # Priority over the fields. Keys may arrive in a burst, as over a slow connection: those
        # after Enter would otherwise still go to the field before.
        Binding(
            "enter",
            "next",
            "Next field; on [ Send ] send",
            show=False,
            priority=True,
            id="seat.next",
        ),
    ]

    @property
    def look(self) -> Look:
        """The look of the form."""
        raise NotImplementedError

    @property
    def turn(self) -> SeatTurn:
        """The box with the question and its form."""
        return self.query_one(SeatTurn)

    def action_next(self) -> None:
        """Goes to the next field, or presses the button on the last line."""
        if isinstance(self.focused, SendButton):
            self.on_send_pressed()
        else:
            self.focus_next()

    def on_send_pressed(self) -> None:
        """Sends the answer."""
        self.action_send()

    def action_send(self) -> None:
        """Sends the answer, or shows where it is refused."""
        raise NotImplementedError

    def filled_in(self, form: Form) -> dict[str, Any] | None:
        """The answer that the form makes; None if a field is missing, which is then said there."""
        self.refuse(None, "")
        value = form.value(self.turn.form.contents)
        if isinstance(value, Missing):
            self.refuse(value.field, value.message)
            return None
        return value

    def refuse(self, field: FormField | None, words: str) -> None:
        """Shows a refusal at the field to blame and goes there, else beside the button."""
        row = self.turn.form.row_of(field)
        self.turn.refuse(row, words, self.look)
        if row is not None and self.is_current:
            self.set_focus(row.widget)

"""The base of the screens with the form of an answer: its pane, its key, and what is refused."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.screen import Screen

from parlour.tui.look.cast import ShownIdentity
from parlour.tui.look.look import Look
from parlour.tui.models.form import Cursor, Field, Filling, FormRows, Missing
from parlour.tui.views.fields import FieldLook, answer_rows
from parlour.tui.widgets.fields_pane import SeatTurn


class FillingScreen(Screen[Any]):
    """A screen with a form that is filled in and sent."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s", "send", "Send", id="seat.send")]

    def __init__(self, **of_the_screen: Any) -> None:
        super().__init__(**of_the_screen)
        self.filling = Filling()
        self._above: Callable[[int], Sequence[Text]] = lambda width: ()
        self._people: Sequence[ShownIdentity] = ()

    @property
    def look(self) -> Look:
        """The look of the form."""
        raise NotImplementedError

    @property
    def turn(self) -> SeatTurn:
        """The pane with the question and its form."""
        return self.query_one(SeatTurn)

    def new_turn(self) -> SeatTurn:
        """The pane with the question and its form, for composing."""
        return SeatTurn(self._rows, self._fields, self._fill)

    def lay_out(self, filling: Filling, people: Sequence[ShownIdentity] = ()) -> None:
        """Shows a form in place of the one before, from its first field on.

        ``people`` are the players as they are drawn; without them each is its number.
        """
        self.filling, self._people = filling, people
        fields = filling.fields()
        self.turn.can_focus = bool(fields)
        self.turn.go_to(fields[0].path if fields else ())

    def show_turn(self, title: Text, above: Callable[[int], Sequence[Text]], asked: bool) -> None:
        """Shows lines above the form, from its width; ``asked``: it is the person's turn."""
        self._above = above
        self.turn.set_class(asked, "asked")
        self.turn.set_title(title)
        self.turn.show()

    def _rows(self, at: Cursor | None, width: int) -> FormRows:
        look = FieldLook(self.look, width, at, digits=True, people=self._people)
        return answer_rows(self.filling, look, self._above(width))

    def _fields(self) -> Sequence[Field]:
        return self.filling.fields()

    def _fill(self, field: Field) -> None:
        self.filling.fill(field)
        self.turn.show()

    def on_fields_pane_pressed(self) -> None:
        """Sends the answer."""
        self.action_send()

    def action_send(self) -> None:
        """Sends the answer, or shows where it is refused."""
        raise NotImplementedError

    def filled_in(self) -> dict[str, Any] | None:
        """The answer that the form makes; None if a field is missing, which is then said there."""
        value = self.filling.value()
        if isinstance(value, Missing):
            self.refuse(value.field, value.message)
            return None
        return value

    def refuse(self, field: Field | None, words: str) -> None:
        """Shows a refusal at the field to blame and goes there, else beside the button."""
        self.filling.refuse(field, words)
        if field is None:
            self.turn.show()
        else:
            self.turn.go_to(field.path)
            if self.is_current:
                self.turn.focus()

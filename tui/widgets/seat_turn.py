"""The panes of a person's seat: the talk, and the turn with question, form and button."""

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from parlour.tui.models.form import MOST_DIGIT
from parlour.tui.widgets.fields_pane import ChangeField, DrawRows, FieldsOf, FieldsPane
from parlour.tui.widgets.talk_pane import TalkPane


class SeatTalk(TalkPane):
    """The talk at a seat. The newest line is always the last one: there is little room above."""

    def _keep_up(self) -> None:
        self._seen = len(self.lines)
        self._top = max(0, self._seen - self.scrollable_content_region.height)


class SeatTurn(FieldsPane):
    """The question with the form below it, or a few words while nothing is asked.

    It is as high as its lines.
    """

    DEFAULT_CSS = """
    SeatTurn { max-height: 65%; border-subtitle-color: $look-warn; }
    SeatTurn.asked { border: round $look-accent; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "next(1)", "Next field", show=False, id="seat.next"),
        Binding("shift+tab", "next(-1)", "Field before", show=False, id="seat.before"),
        Binding("enter", "enter", "Next field; on [ Send ] send", show=False, id="seat.enter"),
        Binding("space", "tick", "Send, or next option", show=False, id="seat.go"),
        *(
            Binding(str(n), f"take({n})", f"Take option {n}", show=False, id=f"seat.option{n}")
            for n in range(MOST_DIGIT + 1)
        ),
    ]

    def __init__(self, draw: DrawRows, fields: FieldsOf, change: ChangeField) -> None:
        super().__init__(draw, fields, change, id="turn")
        self._note = Text()

    def show(self) -> None:
        """Draws again, and takes the height that the lines need."""
        super().show()
        self.styles.height = self.virtual_size.height + 2

    @property
    def hint(self) -> Text:
        """The words in the lower border."""
        return self._note

    def set_note(self, note: Text) -> None:
        """Shows words in the lower border, such as that nothing runs."""
        self._note = note
        self.set_subtitle(note)

    def action_next(self, by: int) -> None:
        """Goes to the next field, from the last one to the next pane."""
        here = self.at
        self.action_move(by)
        if self.at == here:
            self.action_edge(0 if by > 0 else -1)
            (self.screen.focus_next if by > 0 else self.screen.focus_previous)()

    def action_take(self, digit: int) -> None:
        """Chooses the option with that digit, if there is one."""
        field = self.field
        if field is not None and field.kind == "choice" and digit in field.digits():
            self.give(field, field.digits().index(digit))

"""The panes of a person's seat: the talk, and the turn with question, form and button."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Static

from parlour.games.common.text import one_line
from parlour.tui.look.cast import Identity
from parlour.tui.look.look import Look
from parlour.tui.models.form import Content, Form
from parlour.tui.widgets.form_fields import AnswerForm, FieldRow
from parlour.tui.widgets.options import FIELD_BEFORE, NEXT_FIELD
from parlour.tui.widgets.talk_pane import TalkPane


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


DrawQuestion = Callable[[int], Sequence[Text]]
"""Returns the lines above a form from their width."""


class SeatTalk(TalkPane):
    """The talk at a seat. The newest line is always the last one: there is little room above."""

    def _keep_up(self) -> None:
        self._seen = len(self.lines)
        self._top = max(0, self._seen - self.scrollable_content_region.height)


class SeatTurn(Vertical):
    """The question with the form below it, or a few words while nothing is asked."""

    DEFAULT_CSS = """
    SeatTurn { height: auto; max-height: 65%; padding: 0 1; border: round $look-rule;
               border-title-color: $look-text; border-subtitle-color: $look-warn; }
    SeatTurn.asked { border: round $look-accent; }
    SeatTurn > #question { height: auto; }
    SeatTurn > #last { height: auto; max-height: 3; }
    SeatTurn #error { width: 1fr; height: auto; padding: 0 1; }
    """

    def __init__(self) -> None:
        super().__init__(id="turn")
        self._draw: DrawQuestion = lambda width: ()

    def compose(self) -> ComposeResult:
        """Yields the question, the form, and the button with the place of an error."""
        yield Static(id="question")
        yield AnswerForm(id="form")
        with Horizontal(id="last"):
            yield SendButton(id="send")
            yield Static(id="error")

    @property
    def form(self) -> AnswerForm:
        """The form."""
        return self.query_one(AnswerForm)

    @property
    def button(self) -> SendButton:
        """The button that sends the form, or goes on after the end of a match."""
        return self.query_one(SendButton)

    def show(self, title: Text, draw: DrawQuestion, *, asked: bool) -> None:
        """Shows the lines above the form; ``asked`` marks that it is the person's turn."""
        self._draw = draw
        self.set_class(asked, "asked")
        self.border_title = title
        self._redraw()

    def on_resize(self) -> None:
        """Draws for the new width."""
        self._redraw()

    def _redraw(self) -> None:
        width = self.scrollable_content_region.width
        if width:
            self.query_one("#question", Static).update(Text("\n").join(self._draw(width)))

    def set_note(self, words: str) -> None:
        """Shows words in the lower border, such as that nothing runs; "" shows none."""
        if str(self.border_subtitle or "") != words:
            self.border_subtitle = Text(words)

    async def lay_out(
        self,
        form: Form | None,
        contents: Sequence[Content],
        button: str,
        look: Look,
        people: Sequence[Identity] = (),
    ) -> None:
        """Replaces the form, or removes it; without the words of a button there is none.

        ``people`` are the players as they are drawn; without them each is its number.
        """
        self.refuse(None, "", look)
        await self.form.lay_out(form, contents, look, people)
        self.button.show(button, look)
        self.query_one("#last").display = bool(button)

    def refuse(self, row: FieldRow | None, words: str, look: Look) -> None:
        """Shows a refusal below the field to blame; without one, beside the button."""
        self.form.refuse(row, words)
        shown = f"{look.signs.failed} {one_line(words)}" if words and row is None else ""
        self.query_one("#error", Static).update(Text(shown, f"bold {look.palette.bad}"))

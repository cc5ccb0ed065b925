"""Dialog with the form of a stored answer, for another one in its place."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from parlour.games.engine.moves import Fault, player
from parlour.tui.look.look import Look
from parlour.tui.models.form import Content, FormField, Missing
from parlour.tui.models.save_view import Focus
from parlour.tui.models.seat import Question
from parlour.tui.text import cut
from parlour.tui.views.fork import answer_lines
from parlour.tui.widgets.form_fields import SendButton
from parlour.tui.widgets.seat_turn import SeatTurn

SAME = "This is the answer that was given: change it."


class AnswerDialog(ModalScreen[Mapping[str, Any] | None]):
    """The form of an ask, filled in with the stored answer; returns a legal other one."""

    DEFAULT_CSS = """
    AnswerDialog { align: center middle; }
    AnswerDialog > SeatTurn { width: 100; max-width: 95%; max-height: 95%; background: $look-bg;
                              border-subtitle-color: $look-soft; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        # Priority over the fields, as at a seat.
        Binding("ctrl+s", "send", "Send", priority=True, id="seat.send"),
        Binding(
            "enter",
            "next",
            "Next field; on [ Send ] send",
            show=False,
            priority=True,
            id="seat.next",
        ),
        Binding("escape", "cancel", "Close", id="window.close"),
    ]

    def __init__(
        self, question: Question, focus: Focus, stored: Mapping[str, Any], look: Look
    ) -> None:
        super().__init__()
        self._question, self._focus, self._look = question, focus, look
        self._contents: list[Content] = question.form.contents(stored)
        self._before = question.ask.answer.model_validate(stored)

    def compose(self) -> ComposeResult:
        """Yields the question with its form."""
        yield SeatTurn()

    async def on_mount(self) -> None:
        """Fills the form in and goes to its first field."""
        look, turn = self._look, self.query_one(SeatTurn)
        agent = self._focus.match.agents[self._question.seat]
        more = f"{player(self._question.seat)}, {cut(agent, 30)}"
        title = look.title("", "Another answer", more)
        turn.show(title, self._draw, asked=True)
        turn.border_subtitle = look.keys([("ctrl+s", "plays on with it"), ("esc", "cancels")])
        await turn.lay_out(self._question.form, self._contents, "Play on", look)
        self.set_focus(turn.form.rows[0].widget)

    def _draw(self, width: int) -> Sequence[Text]:
        return answer_lines(self._question, self._focus, self._look, width)

    def action_next(self) -> None:
        """Goes to the next field, or sends from the last line."""
        if isinstance(self.focused, SendButton):
            self.action_send()
        else:
            self.focus_next()

    def on_send_pressed(self) -> None:
        """Sends the answer."""
        self.action_send()

    def action_cancel(self) -> None:
        """Closes the form; nothing is forked."""
        self.dismiss(None)

    def action_send(self) -> None:
        """Returns the answer, or shows where it is refused."""
        self.run_worker(self._send(), exclusive=True, exit_on_error=False)

    async def _send(self) -> None:
        question, form = self._question, self.query_one(SeatTurn).form
        for row in form.rows:
            await row.wait_for_keys()
        value = question.form.value(form.contents)
        if isinstance(value, Missing):
            self._refuse(value.field, value.message)
            return
        judged = question.ask.judge(question.seat, value)
        if isinstance(judged, Fault):
            self._refuse(question.to_blame(value), judged.message)
        elif judged == self._before:
            self._refuse(None, SAME)
        else:
            self.dismiss(value)

    def _refuse(self, field: FormField | None, words: str) -> None:
        """Shows a refusal at the field to blame and goes there, else beside the button."""
        turn = self.query_one(SeatTurn)
        row = turn.form.row_of(field)
        turn.refuse(row, words, self._look)
        if row is not None:
            self.set_focus(row.widget)

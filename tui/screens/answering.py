"""Dialog with the form of a stored answer, for another one in its place."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from parlour.games.engine.moves import Fault
from parlour.tui.look.look import Look
from parlour.tui.models.form import Content, FormField
from parlour.tui.models.seat import Question
from parlour.tui.screens.filling import FillingScreen
from parlour.tui.views.fork import answer_lines, with_names
from parlour.tui.views.scene import Scene
from parlour.tui.widgets.dialogs import ClosedOnce
from parlour.tui.widgets.seat_turn import SeatTurn

SAME = "This is the answer that was given: change it."


class AnswerDialog(ClosedOnce[Mapping[str, Any] | None], FillingScreen):
    """The form of an ask, filled in with the stored answer; returns a legal other one."""

    DEFAULT_CSS = """
    AnswerDialog { align: center middle; }
    AnswerDialog > SeatTurn { width: 100; max-width: 95%; max-height: 95%; background: $look-bg;
                              border-subtitle-color: $look-soft; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Close", id="window.close"),
    ]

    def __init__(self, question: Question, scene: Scene, stored: Mapping[str, Any]) -> None:
        """``scene`` is the match as shown, whose names and chips the form has too."""
        super().__init__()
        self._question, self._scene = with_names(question, scene), scene
        self._contents: list[Content] = question.form.contents(stored)
        self._before = question.ask.answer.model_validate(stored)

    @property
    def look(self) -> Look:
        """The look of the match."""
        return self._scene.look

    def compose(self) -> ComposeResult:
        """Yields the question with its form."""
        yield SeatTurn()

    async def on_mount(self) -> None:
        """Fills the form in and goes to its first field."""
        look, turn, form = self.look, self.turn, self._question.form
        title = look.title("", "Another answer of ")
        turn.show(title.append_text(self._scene.name(self._question.seat)), self._draw, asked=True)
        turn.border_subtitle = look.keys([("ctrl+s", "plays on with it"), ("esc", "cancels")])
        await turn.lay_out(form, self._contents, "Play on", look, self._scene.people)
        self.set_focus(turn.form.rows[0].widget)

    def _draw(self, width: int) -> Sequence[Text]:
        return answer_lines(self._question, self._scene, width)

    def action_cancel(self) -> None:
        """Closes the form; nothing is forked."""
        self.dismiss(None)

    def action_send(self) -> None:
        """Returns the answer, or shows where it is refused."""
        self.run_worker(self._send(), exclusive=True, exit_on_error=False)

    async def _send(self) -> None:
        question = self._question
        await self.turn.form.wait_for_keys()
        value = self.filled_in(question.form)
        if value is None:
            return
        judged = question.ask.judge(question.seat, value)
        if isinstance(judged, Fault):
            self.refuse(question.to_blame(value), judged.message)
        elif judged == self._before:
            self.refuse(None, SAME)
        else:
            self.dismiss(value)

    def refuse(self, field: FormField | None, words: str) -> None:
        """Shows a refusal with the names of the match."""
        super().refuse(field, self._scene.words(words).plain)

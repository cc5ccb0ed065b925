"""Small windows over a screen: help, a choice, a line of text."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from parlour.tui.views.match import typed
from parlour.tui.widgets.panes import ListPane, TextPane


class Field(Input):
    """A line to type into; whatever is pasted is text, and no command to the terminal."""

    def validate_value(self, value: str) -> str:
        """The value without what steers a terminal."""
        return typed(value)


class Window(ModalScreen[str | None]):
    """The base: closes on Escape, with nothing chosen."""

    DEFAULT_CSS = """
    Window { align: center middle; }
    Window > Vertical { width: 64; max-width: 95%; height: auto; max-height: 95%;
                        border: round $primary; background: $surface; padding: 0 1; }
    Window Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Close", id="window.close")
    ]

    def action_cancel(self) -> None:
        """Closes the window; nothing is done."""
        self.dismiss(None)


class Help(Window):
    """Every key of the screen below, with what it does."""

    DEFAULT_CSS = """
    Help > Vertical { height: 90%; }
    Help TextPane, Help TextPane:focus { height: 1fr; border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1,q", "cancel", "Close", show=False, id="help.close")
    ]

    def __init__(self, title: str, keys: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._title, self._keys = title, keys

    def compose(self) -> ComposeResult:
        """The list of keys."""
        with Vertical():
            yield Static(Text(f"Keys: {self._title}   (↑ ↓ scroll, Esc closes)", "bold"))
            yield TextPane(empty="No keys here.", id="keys")

    def on_mount(self) -> None:
        """Fills the list."""
        width = max((len(key) for key, _ in self._keys), default=0)
        lines = [Text.assemble((f"{key:<{width}}  ", "bold"), does) for key, does in self._keys]
        self.query_one(TextPane).show(lines, anew=True)
        self.query_one(TextPane).focus()


class Choice(Window):
    """One of a few things, by its number or by the cursor."""

    DEFAULT_CSS = "Choice ListPane, Choice ListPane:focus { max-height: 16; border: none; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(str(n), f"take({n})", f"Take {n}", show=False, id=f"choice.{n}")
        for n in range(1, 10)
    ]

    def __init__(self, title: str, options: Sequence[tuple[str, str]]) -> None:
        """``options`` are (what is returned, what is shown)."""
        super().__init__()
        self._title, self._options = title, options

    def compose(self) -> ComposeResult:
        """The title and the options."""
        with Vertical():
            yield Static(Text(f"{self._title}   (number or Enter, Esc cancels)", "bold"))
            yield ListPane(self._row, empty="Nothing to choose from.", id="options")

    def on_mount(self) -> None:
        """Fills the list."""
        pane = self.query_one(ListPane)
        pane.styles.height = len(self._options)
        pane.show(len(self._options))
        pane.focus()

    def _row(self, index: int, width: int) -> Text:
        return Text(f"{index + 1}  {self._options[index][1]}", no_wrap=True)

    def action_take(self, number: int) -> None:
        """Takes an option by its number."""
        if number <= len(self._options):
            self.dismiss(self._options[number - 1][0])

    def on_list_pane_opened(self, message: ListPane.Opened) -> None:
        """Takes the option under the cursor."""
        message.stop()
        self.dismiss(self._options[message.row][0])

    def on_list_pane_moved(self, message: ListPane.Moved) -> None:
        """The cursor's moves concern nobody else."""
        message.stop()


class Line(Window):
    """One line of text from the user."""

    def __init__(self, title: str, value: str = "", hint: str = "") -> None:
        super().__init__()
        self._title, self._value, self._hint = title, value, hint

    def compose(self) -> ComposeResult:
        """The title and the field."""
        with Vertical():
            yield Static(Text(f"{self._title}   (Enter takes it, Esc cancels)", "bold"))
            yield Field(self._value, placeholder=self._hint, id="line")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Hands the line back."""
        self.dismiss(event.value.strip())

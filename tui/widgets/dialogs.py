"""Dialogs over a screen: key help, a choice, a line of text, and the palette of all actions."""

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, TypeVar

from rich.text import Text
from textual.app import ComposeResult, SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Event
from textual.fuzzy import Matcher
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import one_line
from parlour.tui.look.look import spread
from parlour.tui.text import DIM, WARN, out_of_sight, typed
from parlour.tui.widgets.closing import unless_closing
from parlour.tui.widgets.drawn import DrawnPane
from parlour.tui.widgets.panes import ListPane

T = TypeVar("T")


class TextInput(Input):
    """A line of input without control characters, also where they are pasted."""

    def validate_value(self, value: str) -> str:
        """The value without control characters."""
        return typed(value)


class ClosedOnce(ModalScreen[T]):
    """A dialog for which a key that was struck twice closes nothing but itself."""

    async def on_event(self, event: Event) -> None:
        """Handles an event; while the dialog closes, widgets may be missing."""
        with unless_closing(self.app, self):
            await super().on_event(event)

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Closes the dialog with a result. Once it is closed, nothing happens."""
        return super().dismiss(result) if self.is_active else AwaitComplete()


class Dialog(ClosedOnce[str | None]):
    """The base of the dialogs: Escape closes it, with nothing chosen."""

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > Vertical { width: 64; max-width: 95%; height: auto; max-height: 95%;
                        border: round $primary; background: $surface; padding: 0 1; }
    Dialog Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Close", id="window.close")
    ]

    def action_cancel(self) -> None:
        """Closes the dialog with nothing chosen."""
        self.dismiss(None)

    def on_list_pane_moved(self, message: ListPane.Moved) -> None:
        """Keeps the move from the screen below, which has a list too."""
        message.stop()


class TextDialog(Dialog):
    """A title over lines that are scrolled where more than fit."""

    DEFAULT_CSS = """
    TextDialog > Vertical { width: 130; height: auto; max-height: 95%; padding: 0 2;
                            background: $look-bg; border: round $look-accent; }
    TextDialog DrawnPane, TextDialog DrawnPane:focus { height: auto; border: none; }
    """

    def __init__(self, title: str, draw: Callable[[int], Sequence[Text]]) -> None:
        """``draw`` returns the lines in a width."""
        super().__init__()
        self._title, self._draw = title, draw

    def compose(self) -> ComposeResult:
        """Yields the lines."""
        with Vertical():
            yield DrawnPane(lambda width, _height: self._draw(max(8, width)), id="lines")

    def on_mount(self) -> None:
        """Shows the lines."""
        self.query_one(Vertical).border_title = Text(self._title)
        pane = self.query_one(DrawnPane)
        pane.focus()
        self.watch(pane, "scroll_y", self._show_hidden, init=False)
        self._fill()

    def on_resize(self) -> None:
        """Draws for the new size."""
        self._fill()

    def below(self) -> int:
        """The number of lines below those in sight."""
        pane = self.query_one(DrawnPane)
        height = pane.scrollable_content_region.height
        return max(0, pane.virtual_size.height - height - pane.scroll_offset.y)

    def hint(self, hidden: str) -> str:
        """The words in the lower border; ``hidden`` says how many lines are out of sight."""
        return hidden or "esc closes"

    def _fill(self) -> None:
        pane = self.query_one(DrawnPane)
        # Without the border and the space beside the text: the height goes by the lines.
        lines = self._draw(max(8, min(130, self.size.width * 95 // 100) - 8))
        pane.styles.height = min(len(lines), max(1, self.size.height * 95 // 100 - 2))
        pane.show(reset=True)
        self.call_after_refresh(self._show_hidden)

    def _show_hidden(self) -> None:
        """Shows in the border how many lines are above and below those in sight."""
        above = self.query_one(DrawnPane).scroll_offset.y
        hidden = out_of_sight("more", {"↑": above, "↓": self.below()})
        self.query_one(Vertical).border_subtitle = Text(self.hint(hidden))


class Help(TextDialog):
    """The keys of the screen below, with what each does."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1,q", "cancel", "Close", show=False, id="help.close")
    ]

    def __init__(self, title: str, draw: Callable[[int], Sequence[Text]]) -> None:
        super().__init__(f"Keys: {title}", draw)


class ChoiceDialog(Dialog):
    """A choice from a few options, by number or by the cursor."""

    DEFAULT_CSS = """
    ChoiceDialog ListPane, ChoiceDialog ListPane:focus { max-height: 16; border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(str(n), f"take({n})", f"Take {n}", show=False, id=f"choice.{n}")
        for n in range(1, 10)
    ]

    def __init__(
        self, title: str, options: Sequence[tuple[str, str | Text]], note: str = ""
    ) -> None:
        """``options`` are pairs of the value returned and the text shown, below the ``note``."""
        super().__init__()
        self._title, self._options, self._note = title, options, note

    def compose(self) -> ComposeResult:
        """Yields the title and the options."""
        with Vertical():
            yield Static(Text(f"{self._title}   (number or Enter, Esc cancels)", "bold"))
            if self._note:
                yield Static(Text(one_line(self._note)), id="note")
            yield ListPane(self._row, empty="Nothing to choose from.", id="options")

    def on_mount(self) -> None:
        """Fills the list."""
        pane = self.query_one(ListPane)
        pane.styles.height = len(self._options)
        pane.show(len(self._options))
        pane.focus()

    def _row(self, index: int, width: int) -> Text:
        return Text(f"{index + 1}  ", no_wrap=True).append(self._options[index][1])

    def action_take(self, number: int) -> None:
        """Chooses an option by its number."""
        if number <= len(self._options):
            self.dismiss(self._options[number - 1][0])

    def on_list_pane_opened(self, message: ListPane.Opened) -> None:
        """Chooses the option under the cursor."""
        message.stop()
        self.dismiss(self._options[message.row][0])


class LinePrompt(Dialog):
    """A prompt for one line of text; it stays open with a line that cannot be taken."""

    def __init__(
        self, title: str, value: str = "", hint: str = "", check: Callable[[str], object] = str
    ) -> None:
        """``check`` raises ParlourError for a line that cannot be taken; an empty one can."""
        super().__init__()
        self._title, self._value, self._hint, self._check = title, value, hint, check

    def compose(self) -> ComposeResult:
        """Yields the title and the input."""
        with Vertical():
            yield Static(Text(f"{self._title}   (Enter accepts, Esc cancels)", "bold"))
            yield TextInput(self._value, placeholder=self._hint, id="line")
            yield Static(id="problem")

    def on_mount(self) -> None:
        """Shows a problem only once there is one."""
        self.query_one("#problem").display = False

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Returns the line, or shows what is wrong with it."""
        line, problem = event.value.strip(), self.query_one("#problem", Static)
        try:
            if line:
                self._check(line)
        except ParlourError as error:
            problem.update(Text(one_line(str(error)), WARN))
            problem.display = True
        else:
            self.dismiss(line)


class Leaving(ChoiceDialog):
    """Asks what happens to a running tournament when its viewer leaves."""

    def __init__(self, state: str, note: str = "") -> None:
        """``state`` is the runner's: a tournament that is paused, or will be, stays so.

        ``note`` is what the user should know before choosing.
        """
        options = [
            ("leave", "keep it running; parlour attach opens it again"),
            ("pause", "finish the turns in flight, then pause"),
            ("stop", "stop it; it can be resumed"),
        ]
        if state == "paused":
            options[:2] = [("leave", "keep it paused; parlour attach opens it again")]
        elif state == "pausing":
            options[:2] = [
                ("leave", "leave now; it pauses after the turns in flight"),
                ("pause", "wait until it is paused"),
            ]
        elif state == "hung":
            options = [
                ("leave", "leave it as it is"),
                ("pause", "leave; it pauses once it answers again"),
                ("stop", "leave; it stops once it answers again"),
            ]
        super().__init__("Leave", options, note)


ROWS = 16
"""The most commands in sight."""


class CommandList(Dialog):
    """Commands that fit what is typed, the best first. Enter runs the one under the cursor."""

    DEFAULT_CSS = "CommandList ListPane, CommandList ListPane:focus { border: none; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "hits('move(-1)')", "Command above", show=False),
        Binding("down", "hits('move(1)')", "Command below", show=False),
        Binding("pageup", "hits('page(-1)')", "Page up", show=False),
        Binding("pagedown", "hits('page(1)')", "Page down", show=False),
    ]

    def __init__(self, commands: Iterable[SystemCommand]) -> None:
        super().__init__()
        self._commands = self._hits = sorted(commands, key=lambda command: command.title)

    def compose(self) -> ComposeResult:
        """Yields the line that is typed into, and the commands."""
        with Vertical():
            yield TextInput(placeholder="A part of its name", compact=True)
            yield ListPane(self._row, empty="Nothing has such a name.", id="hits")

    def on_mount(self) -> None:
        """Shows all commands."""
        self._find("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Finds what fits."""
        event.stop()
        self._find(event.value.strip())

    def _find(self, typed: str) -> None:
        matcher = Matcher(typed)
        scores = {each.title: matcher.match(each.title) if typed else 1 for each in self._commands}
        fitting = [each for each in self._commands if scores[each.title] > 0]
        self._hits = sorted(fitting, key=lambda command: -scores[command.title])
        for pane in self.query(ListPane):  # none while the dialog closes
            pane.styles.height = min(ROWS, max(1, len(self._hits)))
            pane.show(len(self._hits))
            pane.go_to(0)

    def _row(self, index: int, width: int) -> Text:
        command = self._hits[index]
        return spread(Text(command.title), Text(command.help, DIM), width)

    async def action_hits(self, action: str) -> None:
        """Moves the cursor of the list, while the keys go to the line."""
        for pane in self.query(ListPane):
            await pane.run_action(action)

    def on_input_submitted(self, _event: Input.Submitted) -> None:
        """Runs the command under the cursor."""
        for pane in self.query(ListPane):
            self._run(pane.cursor)

    def on_list_pane_opened(self, message: ListPane.Opened) -> None:
        """Runs a command that was clicked."""
        message.stop()
        self._run(message.row)

    def _run(self, row: int) -> None:
        if self.is_active and row < len(self._hits):
            self.dismiss(None)
            self.app.call_later(self._hits[row].callback)

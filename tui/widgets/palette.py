"""The palette: every action, found by letters of its name.

Textual's own fails where keys come while it opens, searches or closes.
"""

from collections.abc import Iterable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.fuzzy import Matcher
from textual.widgets import Input

from parlour.tui.look.look import spread
from parlour.tui.text import DIM
from parlour.tui.widgets.dialogs import Dialog, TextInput
from parlour.tui.widgets.panes import ListPane

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

    def __init__(self, commands: Iterable[SystemCommand], hint: str) -> None:
        """``hint`` stands in the line while nothing is typed."""
        super().__init__()
        self._commands = self._hits = sorted(commands, key=lambda command: command.title)
        self._hint = hint

    def compose(self) -> ComposeResult:
        """Yields the line that is typed into, and the commands."""
        with Vertical():
            yield TextInput(placeholder=self._hint, compact=True)
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

    def on_list_pane_moved(self, message: ListPane.Moved) -> None:
        """Keeps the move from the screen below, which has a list too."""
        message.stop()

    def _run(self, row: int) -> None:
        if self.is_active and row < len(self._hits):
            self.dismiss(None)
            self.app.call_later(self._hits[row].callback)

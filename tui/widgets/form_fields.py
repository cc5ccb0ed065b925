"""The widgets of a form: a choice, words, a number, and the line that sends it."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Key
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea
from textual.widgets.text_area import Edit, EditResult

from parlour.tui.models.form import Entry
from parlour.tui.views.match import one_line, typed
from parlour.tui.widgets.dialogs import Field


class Go(Message):
    """Enter was pressed on the last line of a form."""


def option_lines(names: Sequence[str], chosen: int | None, width: int) -> list[Text]:
    """Options side by side, as many to a line as fit; the chosen one is marked and bold."""
    lines = [Text(no_wrap=True)]
    for place, name in enumerate(names):
        mark = "●" if place == chosen else "○"
        option = Text(f"{mark} {name}", "bold" if place == chosen else "")
        if lines[-1] and lines[-1].cell_len + 2 + cell_len(option.plain) > width:
            lines.append(Text(no_wrap=True))
        lines[-1].append("  " if lines[-1] else "").append_text(option)
    return lines


_DOWN = Binding("down", "app.focus_next", "Next entry", show=False, id="seat.next_entry")
_UP = Binding("up", "app.focus_previous", "Entry before", show=False, id="seat.entry_before")


async def _at_once(widget: Widget, event: Key) -> None:
    """Does what a key of the widget's own says in the order in which keys are typed.

    It else goes all the way up before anything is done, and letters that were typed after it are
    there before.
    """
    active = widget.screen.active_bindings.get(event.key)
    if active is not None and active.node is widget and active.enabled:
        await widget.run_action(active.binding.action)
        event.stop()
        event.prevent_default()


class Options(Widget, can_focus=True):
    """One of a few things: left and right choose, as do the digits."""

    DEFAULT_CSS = "Options { height: auto; width: 1fr; } Options:focus { text-style: underline; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "turn(1)", "Next option", show=False, id="seat.next_option"),
        Binding("left,h", "turn(-1)", "Option before", show=False, id="seat.option_before"),
        *(
            Binding(str(n), f"take({n})", f"Take option {n}", show=False, id=f"seat.option{n}")
            for n in range(1, 10)
        ),
        _DOWN,
        _UP,
    ]
    chosen: reactive[int | None] = reactive(None)

    def __init__(self, names: Sequence[str], chosen: int | None, id: str) -> None:
        super().__init__(id=id)
        self._names = [one_line(name) for name in names]
        self.set_reactive(Options.chosen, chosen)

    def render(self) -> Text:
        """All options."""
        return Text("\n").join(option_lines(self._names, self.chosen, self.size.width))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the options take."""
        return len(option_lines(self._names, self.chosen, width))

    async def _on_key(self, event: Key) -> None:
        """Chooses at once, also where Enter has already moved on: keys may come in a burst."""
        if self.screen.focused is self:
            await _at_once(self, event)
        elif (action := _CHOOSE.get(event.key)) is not None:
            await self.run_action(action)
            event.stop()
            event.prevent_default()

    def action_turn(self, by: int) -> None:
        """Chooses the next option or the one before; from none the first or the last."""
        last = len(self._names) - 1
        if self.chosen is None:
            self.chosen = 0 if by > 0 else last
        else:
            self.chosen = max(0, min(last, self.chosen + by))

    def action_take(self, number: int) -> None:
        """Chooses by number, from 1."""
        if number <= len(self._names):
            self.chosen = number - 1


_CHOOSE = {
    key: binding.action
    for binding in Options.BINDINGS
    if isinstance(binding, Binding)
    for key in binding.key.split(",")
}


class Words(TextArea):
    """A text of several lines on the screen and one in the answer; Enter goes on."""

    DEFAULT_CSS = "Words { height: auto; max-height: 4; width: 1fr; }"

    def __init__(self, text: str, id: str) -> None:
        super().__init__(typed(text), id=id, compact=True, highlight_cursor_line=False)

    def on_mount(self) -> None:
        """Goes on where the text ends."""
        self.move_cursor(self.document.end)

    async def _on_key(self, event: Key) -> None:
        await _at_once(self, event)

    def edit(self, edit: Edit) -> EditResult:
        """Takes what is typed or pasted without what steers a terminal."""
        edit.text = typed(edit.text)
        return super().edit(edit)

    def action_cursor_down(self, select: bool = False) -> None:
        """From the last line, to the next entry."""
        if self.navigator.is_last_wrapped_line(self.cursor_location) and not select:
            self.screen.focus_next()
        else:
            super().action_cursor_down(select)

    def action_cursor_up(self, select: bool = False) -> None:
        """From the first line, to the entry before."""
        if self.navigator.is_first_wrapped_line(self.cursor_location) and not select:
            self.screen.focus_previous()
        else:
            super().action_cursor_up(select)


class Number(Field):
    """A number, or whatever is typed in its place; Enter goes on."""

    BINDINGS: ClassVar[list[BindingType]] = [_DOWN, _UP]

    async def _on_key(self, event: Key) -> None:
        await _at_once(self, event)


class Row(Horizontal):
    """An entry with its name, and what stands in it at first."""

    DEFAULT_CSS = """
    Row { height: auto; }
    Row > Static { width: 25; height: auto; padding: 0 1 0 0; color: $text-muted; }
    Row:focus-within > Static { color: $text; text-style: bold reverse; }
    """

    def __init__(self, entry: Entry, number: int, filled: str | int | None) -> None:
        super().__init__()
        self.entry, self._number, self._filled = entry, number, filled

    def compose(self) -> ComposeResult:
        """The name and the widget."""
        entry, name = self.entry, f"entry{self._number}"
        yield Static(Text(one_line(entry.label)))
        shown = str(self._filled or "")
        if entry.kind == "choice":
            place = self._filled if isinstance(self._filled, int) else None
            yield Options([label for label, _ in entry.options], place, name)
        elif entry.kind == "number":
            yield Number(shown, id=name, compact=True)
        else:
            yield Words(shown, name)

    @property
    def widget(self) -> Options | TextArea | Input:
        """What is filled in."""
        found = self.query_one(f"#entry{self._number}")
        assert isinstance(found, Options | TextArea | Input)
        return found

    async def settles(self) -> None:
        """Comes back when all the keys that came for this entry are in it."""
        settled = asyncio.Event()
        if self.widget.call_later(settled.set):  # else the form has gone
            await settled.wait()

    @property
    def content(self) -> str | int | None:
        """What was filled in."""
        widget = self.widget
        if isinstance(widget, Options):
            return widget.chosen
        return typed(widget.text if isinstance(widget, TextArea) else widget.value)


class Send(Static, can_focus=True):
    """The last line of a form."""

    DEFAULT_CSS = """
    Send { width: auto; height: 1; padding: 0 1; background: $surface-lighten-2; }
    Send:focus { text-style: bold reverse; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "go", "Send, or go on", show=False, id="seat.go"),
        _DOWN,
        _UP,
    ]

    def action_go(self) -> None:
        """Says that Enter was pressed."""
        self.post_message(Go())

    def on_click(self) -> None:
        """A click does the same."""
        self.action_go()

"""The widgets of a form: choices, texts, numbers, and the button that sends it."""

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

from parlour.tui.models.form import Content, FormField
from parlour.tui.text import one_line, typed
from parlour.tui.widgets.dialogs import TextInput


class SendPressed(Message):
    """The button of a form was pressed."""


def option_lines(names: Sequence[str], chosen: int | None, width: int) -> list[Text]:
    """Options side by side, as many to a line as fit. The chosen one is marked and bold."""
    lines = [Text(no_wrap=True)]
    for index, name in enumerate(names):
        mark, style = ("●", "bold") if index == chosen else ("○", "")
        option = Text(f"{mark} {name}", style)
        if lines[-1] and lines[-1].cell_len + 2 + cell_len(option.plain) > width:
            lines.append(Text(no_wrap=True))
        lines[-1].append("  " if lines[-1] else "").append_text(option)
    return lines


_DOWN = Binding("down", "app.focus_next", "Next field", show=False, id="seat.next_entry")
_UP = Binding("up", "app.focus_previous", "Previous field", show=False, id="seat.entry_before")


async def _run_now(widget: Widget, event: Key) -> None:
    """Runs the action of a widget's key before the next key is handled.

    Textual would first pass the key up to the app, and letters typed after it would be inserted
    before its action runs.
    """
    active = widget.screen.active_bindings.get(event.key)
    if active is not None and active.node is widget and active.enabled:
        await widget.run_action(active.binding.action)
        event.stop()
        event.prevent_default()


class Options(Widget, can_focus=True):
    """A choice by left and right, or by digits."""

    DEFAULT_CSS = "Options { height: auto; width: 1fr; } Options:focus { text-style: underline; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "turn(1)", "Next option", show=False, id="seat.next_option"),
        Binding("left,h", "turn(-1)", "Previous option", show=False, id="seat.option_before"),
        *(
            Binding(str(n), f"take({n})", f"Take option {n}", show=False, id=f"seat.option{n}")
            for n in range(1, 10)
        ),
        _DOWN,
        _UP,
    ]
    chosen: reactive[int | None] = reactive(None)

    def __init__(
        self, names: Sequence[str], digits: Sequence[int], chosen: int | None, id: str
    ) -> None:
        """``digits`` has the number that chooses each option."""
        super().__init__(id=id)
        self._names = [one_line(name) for name in names]
        self._digits = list(digits)
        self.set_reactive(Options.chosen, chosen)

    def render(self) -> Text:
        """The options side by side."""
        return Text("\n").join(option_lines(self._names, self.chosen, self.size.width))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of lines that the options take."""
        return len(option_lines(self._names, self.chosen, width))

    async def _on_key(self, event: Key) -> None:
        """Chooses before the next key is handled.

        In a burst of keys Enter may have moved the focus on already, so keys of this field are
        accepted after it too.
        """
        if self.screen.focused is self:
            await _run_now(self, event)
        elif (action := _CHOOSE.get(event.key)) is not None:
            await self.run_action(action)
            event.stop()
            event.prevent_default()

    def action_turn(self, by: int) -> None:
        """Chooses the next or previous option; the first or last if none is chosen."""
        last = len(self._names) - 1
        if self.chosen is None:
            self.chosen = 0 if by > 0 else last
        else:
            self.chosen = max(0, min(last, self.chosen + by))

    def action_take(self, number: int) -> None:
        """Chooses the option with that number, if there is one."""
        if number in self._digits:
            self.chosen = self._digits.index(number)


def _actions_by_key() -> dict[str, str]:
    actions: dict[str, str] = {}
    for binding in Options.BINDINGS:
        if isinstance(binding, Binding):
            actions |= dict.fromkeys(binding.key.split(","), binding.action)
    return actions


_CHOOSE = _actions_by_key()


class TextField(TextArea):
    """A text that wraps on the screen and is one line in the answer. Enter goes on."""

    DEFAULT_CSS = "TextField { height: auto; max-height: 4; width: 1fr; }"

    def __init__(self, text: str, id: str) -> None:
        super().__init__(typed(text), id=id, compact=True, highlight_cursor_line=False)

    def on_mount(self) -> None:
        """Puts the cursor at the end of the text."""
        self.move_cursor(self.document.end)

    async def _on_key(self, event: Key) -> None:
        await _run_now(self, event)

    def edit(self, edit: Edit) -> EditResult:
        """Inserts text without control characters."""
        edit.text = typed(edit.text)
        return super().edit(edit)

    def action_cursor_down(self, select: bool = False) -> None:
        """Goes down, from the last line to the next field."""
        if self.navigator.is_last_wrapped_line(self.cursor_location) and not select:
            self.screen.focus_next()
        else:
            super().action_cursor_down(select)

    def action_cursor_up(self, select: bool = False) -> None:
        """Goes up, from the first line to the previous field."""
        if self.navigator.is_first_wrapped_line(self.cursor_location) and not select:
            self.screen.focus_previous()
        else:
            super().action_cursor_up(select)


class NumberField(TextInput):
    """A number. Anything else typed is refused by the rules. Enter goes on."""

    BINDINGS: ClassVar[list[BindingType]] = [_DOWN, _UP]

    async def _on_key(self, event: Key) -> None:
        await _run_now(self, event)


class FieldRow(Horizontal):
    """A field of a form with its label, and its first content."""

    DEFAULT_CSS = """
    FieldRow { height: auto; }
    FieldRow > Static { width: 25; height: auto; padding: 0 1 0 0; color: $text-muted; }
    FieldRow:focus-within > Static { color: $text; text-style: bold reverse; }
    """

    def __init__(self, field: FormField, number: int, content: Content) -> None:
        super().__init__()
        self.field, self._number, self._first_content = field, number, content

    def compose(self) -> ComposeResult:
        """Yields the label and the widget."""
        field, content = self.field, self._first_content
        id = f"field{self._number}"
        yield Static(Text(one_line(field.label)))
        if field.kind == "choice":
            chosen = content if isinstance(content, int) else None
            yield Options([name for name, _ in field.options], field.digits(), chosen, id)
        elif field.kind == "number":
            yield NumberField(str(content or ""), id=id, compact=True)
        else:
            yield TextField(str(content or ""), id)

    @property
    def widget(self) -> Options | TextArea | Input:
        """The widget that is filled in."""
        widget = self.query_one(f"#field{self._number}")
        assert isinstance(widget, Options | TextArea | Input)
        return widget

    async def wait_for_keys(self) -> None:
        """Returns when all keys sent to this field so far have been handled."""
        handled = asyncio.Event()
        if self.widget.call_later(handled.set):  # False if the form is gone
            await handled.wait()

    @property
    def content(self) -> Content:
        """The text, or the index of the chosen option."""
        widget = self.widget
        if isinstance(widget, Options):
            return widget.chosen
        return typed(widget.text if isinstance(widget, TextArea) else widget.value)


class SendButton(Static, can_focus=True):
    """The last line of a form."""

    DEFAULT_CSS = """
    SendButton { width: auto; height: 1; padding: 0 1; background: $surface-lighten-2; }
    SendButton:focus { text-style: bold reverse; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "go", "Send, or continue", show=False, id="seat.go"),
        _DOWN,
        _UP,
    ]

    def action_go(self) -> None:
        """Presses the button."""
        self.post_message(SendPressed())

    def on_click(self) -> None:
        """Presses the button."""
        self.action_go()

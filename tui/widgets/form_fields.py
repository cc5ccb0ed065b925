"""The widgets of a form: its fields with their labels, and its sums."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.css.query import NoMatches
from textual.events import Key
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea
from textual.widgets.text_area import Edit, EditResult

from parlour.games.common.text import one_line
from parlour.tui.look.cast import Identity
from parlour.tui.look.look import Look
from parlour.tui.models.form import Content, Form, FormField, Sum
from parlour.tui.text import typed
from parlour.tui.widgets.dialogs import TextInput
from parlour.tui.widgets.options import FIELD_BEFORE, NEXT_FIELD, Options, run_now

OPTIONAL = "(optional)"
WIDEST_LABEL = 27


class TextField(TextArea):
    """A text that wraps on the screen and is one line in the answer. Enter goes on."""

    DEFAULT_CSS = """
    TextField, TextField:focus { height: auto; max-height: 4; width: 1fr;
                                 background: $look-panel; color: $look-text; }
    """

    def __init__(self, text: str, id: str) -> None:
        super().__init__(typed(text), id=id, compact=True, highlight_cursor_line=False)

    def on_mount(self) -> None:
        """Puts the cursor at the end of the text."""
        self.move_cursor(self.document.end)

    async def on_key(self, event: Key) -> None:
        """Runs the field's own keys before the next one comes."""
        await run_now(self, event)

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

    DEFAULT_CSS = """
    NumberField, NumberField:focus { width: 14; background: $look-panel; color: $look-text; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [NEXT_FIELD, FIELD_BEFORE]

    async def on_key(self, event: Key) -> None:
        """Runs the field's own keys before the next one comes."""
        await run_now(self, event)


class FieldRow(Horizontal):
    """A field of a form with a sign where the focus is, its label, and its refusal below it."""

    DEFAULT_CSS = """
    FieldRow { height: auto; }
    FieldRow > .sign { width: 2; height: 1; color: $look-accent; }
    FieldRow > .label { height: auto; padding: 0 1 0 0; color: $look-soft; }
    FieldRow.focused > .label { color: $look-text; text-style: bold; }
    FieldRow > Vertical { height: auto; width: 1fr; }
    FieldRow .refusal { height: auto; color: $look-bad; text-style: bold; display: none; }
    """

    def __init__(
        self, field: FormField, number: int, content: Content, look: Look, label_width: int,
        people: Sequence[Identity],
    ) -> None:  # fmt: skip
        super().__init__()
        self.field, self._number, self._first_content = field, number, content
        self._look, self._label_width, self._people = look, label_width, people

    def compose(self) -> ComposeResult:
        """Yields the sign, the label, the widget, and the line of a refusal."""
        yield Static(classes="sign")
        label = Static(label_of(self.field, self._look), classes="label")
        label.styles.width = self._label_width + 1
        yield label
        with Vertical():
            yield self._made()
            yield Static(classes="refusal")

    def _made(self) -> Widget:
        field, content = self.field, self._first_content
        id = f"field{self._number}"
        if field.kind == "choice":
            chosen = content if isinstance(content, int) else None
            return Options(field, chosen, self._look, id, self._people)
        if field.kind == "number":
            return NumberField(str(content or ""), id=id, compact=True, select_on_focus=False)
        return TextField(str(content or ""), id)

    def on_descendant_focus(self) -> None:
        """Shows the sign."""
        self._mark(focused=True)

    def on_descendant_blur(self) -> None:
        """Removes the sign."""
        self._mark(focused=False)

    def _mark(self, *, focused: bool) -> None:
        self.set_class(focused, "focused")
        sign = self._look.signs.cursor if focused else ""
        self.query_one(".sign", Static).update(sign, layout=False)

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

    def refuse(self, words: str) -> None:
        """Shows below the field why its content is refused; "" shows nothing."""
        line = self.query_one(".refusal", Static)
        line.update(Text(f"{self._look.signs.failed} {one_line(words)}" if words else ""))
        line.display = bool(words)


class SumLine(Static):
    """The running sum of the numbers above it."""

    DEFAULT_CSS = "SumLine { height: 1; }"

    def __init__(self, form: Form, one: Sum, look: Look, indent: int) -> None:
        super().__init__()
        self._form, self._sum, self._look, self._indent = form, one, look, indent

    def show(self, contents: Sequence[Content]) -> None:
        """Shows the sum of the contents of the form."""
        line = sum_line(self._form.sum_of(self._sum, contents), self._sum.total, self._look)
        self.update(Text(" " * self._indent).append_text(line), layout=False)


class AnswerForm(VerticalScroll, can_focus=False):
    """The fields of a form, one below the other, with their sums and the refusal of one."""

    DEFAULT_CSS = "AnswerForm { height: auto; scrollbar-size: 1 1; }"

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._refused: tuple[FieldRow, list[Content]] | None = None

    async def lay_out(
        self,
        form: Form | None,
        contents: Sequence[Content],
        look: Look,
        people: Sequence[Identity] = (),
    ) -> None:
        """Replaces the fields by those of a form with these contents, or by none.

        ``people`` are the players as they are drawn; without them each is its number.
        """
        self._refused = None
        await self.remove_children()
        self.display = form is not None
        if form is None:
            return
        width = max((label_of(field, look).cell_len for field in form.fields), default=0)
        label_width = min(WIDEST_LABEL, width)
        children: list[Widget] = []
        numbered = enumerate(zip(form.fields, contents, strict=True))
        for number, (field, content) in numbered:
            children.append(FieldRow(field, number, content, look, label_width, people))
            sums = [one for one in form.sums if form.last_of(one) is field]
            children += [SumLine(form, one, look, label_width + 3) for one in sums]
        await self.mount(*children)
        self._show_sums()

    @property
    def rows(self) -> list[FieldRow]:
        """The fields from the first to the last."""
        return list(self.query(FieldRow))

    def row_of(self, field: FormField | None) -> FieldRow | None:
        """The row of a field, None if there is none."""
        return next((row for row in self.rows if row.field is field), None)

    @property
    def contents(self) -> list[Content]:
        """The content of each field."""
        return [row.content for row in self.rows]

    async def wait_for_keys(self) -> None:
        """Returns when all keys sent to its fields so far have been handled."""
        for row in self.rows:
            await row.wait_for_keys()

    def refuse(self, row: FieldRow | None, words: str = "") -> None:
        """Shows the refusal of a field until the form changes; None shows none."""
        if self._refused is not None:
            self._refused[0].refuse("")
        self._refused = None
        if row is not None:
            row.refuse(words)
            self._refused = row, self.contents
            self.call_after_refresh(row.scroll_visible, animate=False)

    def on_text_area_changed(self) -> None:
        """Follows what is typed."""
        self._follow()

    def on_input_changed(self) -> None:
        """Follows what is typed."""
        self._follow()

    def on_options_changed(self) -> None:
        """Follows what is chosen."""
        self._follow()

    def _follow(self) -> None:
        """Shows the sums, and takes back the refusal of what the user has changed."""
        with suppress(NoMatches):  # the form is being replaced
            self._show_sums()
            if self._refused is not None and self._refused[1] != self.contents:
                self.refuse(None)

    def _show_sums(self) -> None:
        contents = self.contents
        for line in self.query(SumLine):
            line.show(contents)


def label_of(field: FormField, look: Look) -> Text:
    """The label of a field, with a mark where it may stay empty."""
    label = Text(one_line(field.label))
    return label.append(f" {OPTIONAL}", look.palette.faint) if field.optional else label


def sum_line(total: float | None, wanted: int, look: Look) -> Text:
    """A running sum in words, with what is missing or too much."""
    palette, signs = look.palette, look.signs
    if total is None:
        return Text(f"{signs.failed} not all of them are numbers", palette.bad)
    left = wanted - total
    if left == 0:
        return Text(f"{signs.done} together {wanted}", palette.good)
    rest = f"{left:g} to go" if left > 0 else f"{-left:g} too much"
    line = Text(f"together {total:g} of {wanted}, ", palette.soft)
    return line.append(rest, palette.warn if left > 0 else palette.bad)

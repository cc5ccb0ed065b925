"""The widget of forms: fields in lines with a cursor; and the panes of a person's seat."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Click, Key, Paste
from textual.geometry import Size
from textual.message import Message

from parlour.tui.models.form import (
    EDITS,
    MOST_DIGIT,
    Content,
    Cursor,
    Edited,
    Field,
    FieldPath,
    FormRow,
)
from parlour.tui.text import typed
from parlour.tui.widgets.panes import Pane
from parlour.tui.widgets.talk_pane import TalkPane

DrawRows = Callable[[Cursor | None, int], Sequence[FormRow]]
"""Returns the lines, from the cursor where the pane has the keys, and from the width."""
NUMBER_SIGNS = "0123456789.-$"
"""Signs that are typed into numbers; any other key does what it does elsewhere."""
DIGITS = "digits are typed; tab: next pane"
"""The hint on a field that is typed: elsewhere digits go to panes."""
ChangeField = Callable[[Field], None]
"""Takes a field with its new content at once, so that a burst of keys finds it."""
FieldsOf = Callable[[], Sequence[Field]]
"""Returns the fields as they are now."""


class FieldsPane(Pane):
    """Fields drawn by a function. Space ticks, left and right choose, letters and digits type.

    The pane holds no contents: each change goes to a function, and the pane is shown again. Not
    Textual's inputs and selects: they are widgets, and the focus moves between widgets later than
    the keys of a burst come, as over a slow connection, which then go to the field before.
    """

    DEFAULT_CSS = """
    FieldsPane { scrollbar-gutter: stable; }
    FieldsPane > .pane--cursor { background: $look-bg; }
    FieldsPane:focus > .pane--cursor { background: $look-cursor; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Field above", show=False, id="fields.up"),
        Binding("down,j", "move(1)", "Field below", show=False, id="fields.down"),
        Binding("pageup", "move(-8)", "Fields up", show=False, id="fields.page_up"),
        Binding("pagedown", "move(8)", "Fields down", show=False, id="fields.page_down"),
        Binding("home", "edge(0)", "First field", show=False, id="fields.first"),
        Binding("end", "edge(-1)", "Last field", show=False, id="fields.last"),
        Binding("space", "tick", "Tick", id="fields.tick"),
        Binding("right,l", "turn(1)", "Next choice", show=False, id="fields.next"),
        Binding("left,h", "turn(-1)", "Choice before", show=False, id="fields.before"),
        Binding("enter", "enter", "To its details", show=False, id="fields.enter"),
    ]

    class Pressed(Message):
        """The button under the cursor was pressed."""

    def __init__(
        self, draw: DrawRows, fields: FieldsOf, change: ChangeField, *, id: str, hint: str = ""
    ) -> None:
        """The cursor begins at the first field."""
        super().__init__(id=id)
        self._hint = hint
        self._draw, self.fields, self._change = draw, fields, change
        self.at: FieldPath = ()
        self._caret: int | None = None  # at the end of the text
        self._before: list[Edited] = []  # texts to go back to
        self._rows: Sequence[FormRow] = ()

    @property
    def field(self) -> Field | None:
        """The field under the cursor."""
        return next((field for field in self.fields() if field.path == self.at), None)

    @property
    def cursor(self) -> Cursor:
        """The place of the field under the cursor, with the caret in its text."""
        return Cursor(self.at, self._caret)

    def show(self) -> None:
        """Draws again. A cursor whose field is gone goes to the first."""
        width = self.scrollable_content_region.width
        order = [field.path for field in self.fields()]
        if self.at not in order and order:
            self.at, self._caret = order[0], None
        self._rows = self._draw(self.cursor if self.has_focus else None, width) if width else ()
        self.virtual_size = Size(0, len(self._rows))
        self.set_subtitle(self.hint)
        self.repaint()

    @property
    def hint(self) -> Text:
        """The words in the lower border."""
        field = self.field
        is_typed = self.has_focus and field is not None and field.is_typed
        return Text(DIGITS if is_typed else self._hint)

    def line(self, index: int, width: int) -> Text:
        """A drawn line."""
        return self._rows[index].line if index < len(self._rows) else Text()

    def line_style(self, index: int) -> Style | None:
        """The style of the cursor on the lines of its field."""
        if index < len(self._rows) and self._rows[index].path == self.at:
            return self.get_component_rich_style("pane--cursor")
        return None

    def on_resize(self) -> None:
        """Draws for the new size."""
        self.show()
        self.to_cursor()

    def watch_has_focus(self, value: bool) -> None:
        """Shows or hides the sign of the cursor."""
        super().watch_has_focus(value)
        self.show()
        self.refresh()

    def go_to(self, path: FieldPath) -> None:
        """Moves the cursor to a field, and the caret to the end of its text."""
        self.at, self._caret = path, None
        self._before.clear()
        self.show()
        self.refresh()
        self.to_cursor()

    def to_cursor(self) -> None:
        """Scrolls to the field under the cursor."""
        own = [index for index, row in enumerate(self._rows) if row.path == self.at]
        height, top = self.scrollable_content_region.height, self.scroll_offset.y
        if not own or not height:
            return
        if own[0] < top:
            # With the heading above, so that the first field brings the first line.
            above = own[0] - 1 if own[0] and self._rows[own[0] - 1].path is None else own[0]
            self.scroll_to(y=0 if above <= 1 else above, animate=False)
        elif own[-1] >= top + height:
            self.scroll_to(y=own[-1] - height + 1, animate=False)

    # --- Keys

    def action_move(self, by: int) -> None:
        """Moves the cursor by fields; in a text of several lines first the caret by lines."""
        order = [field.path for field in self.fields()]
        if order and not (abs(by) == 1 and self._moved_in_text(by)):
            place = order.index(self.at) if self.at in order else 0
            to = order[max(0, min(len(order) - 1, place + by))]
            if to != self.at:
                self.go_to(to)

    def _moved_in_text(self, by: int) -> bool:
        """Moves the caret a line up or down, unless it is on the first or last one."""
        text = self._text()
        starts = [row.start for row in self._rows if row.path == self.at and row.start is not None]
        here = sum(start <= text.caret for start in starts) - 1
        if not 0 <= here + by < len(starts):
            return False
        end = [*starts[1:], len(text.text) + 1][here + by] - 1
        self._set_caret(min(end, starts[here + by] + text.caret - starts[here]))
        return True

    def action_edge(self, place: int) -> None:
        """Moves the cursor to the first or last field."""
        fields = self.fields()
        if fields:
            self.go_to(fields[place].path)

    def action_tick(self) -> None:
        """Ticks or unticks; takes the next option of a choice; presses a button."""
        field = self.field
        if field is not None and field.kind == "button":
            self.post_message(self.Pressed())
        elif field is not None and field.kind in {"tick", "choice"}:
            self.give(field, field.turned(1))
        elif field is not None:
            self._say(f"Type into {field.label}: there is nothing to tick.")

    def action_turn(self, by: int) -> None:
        """Takes the next option, or the one before; a number is raised or lowered by one."""
        field = self.field
        if field is not None and field.kind in {"choice", "number"}:
            self.give(field, field.turned(by))
        elif field is not None and field.kind != "button":
            self._say("Space ticks it.")

    def _say(self, words: str) -> None:
        self.notify(words, timeout=6, markup=False)

    def action_enter(self) -> None:
        """Goes from a tick to the details of what is ticked, else to the next field."""
        field, fields = self.field, self.fields()
        details = [other.path for other in fields if other.kind != "tick"]
        if field is not None and field.kind == "button":
            self.action_tick()
        elif field is not None and field.kind == "tick" and details and fields[0].kind == "tick":
            self.go_to(details[0])
        else:
            self.action_move(1)

    async def on_key(self, event: Key) -> None:
        """Types into a number or a text; runs the pane's own keys before the next one comes."""
        if not self._edited(event):
            active = self.screen.active_bindings.get(event.key)
            if active is None or active.node not in (self, self.screen) or not active.enabled:
                return
            # Those of the screen too, else they would be run after keys that were pressed later.
            await self.app.run_action(active.binding.action, active.node)
        event.stop()
        event.prevent_default()

    def _text(self) -> Edited:
        """The text of the field under the cursor, and its caret."""
        field = self.field
        text = str(field.content or "") if field is not None and field.is_typed else ""
        return Edited(text, len(text) if self._caret is None else min(len(text), self._caret))

    def _edited(self, event: Key) -> bool:
        """Edits the text under the cursor; False for a key that does not."""
        field = self.field
        if field is None or not field.is_typed:
            return False
        old = self._text()
        if event.key == "ctrl+z":
            new = self._before.pop() if self._before else old
            self.give(field, new.text, new.caret)
            return True
        if self._takes(field, event.character):
            new = old.inserting(typed(str(event.character)))
        elif event.key in EDITS and not self._is_stepped(field, event.key):
            new = EDITS[event.key](old)
        else:
            return False
        if new.text == old.text:
            self._set_caret(new.caret)
        else:
            self._before.append(old)
            self.give(field, new.text, new.caret)
        return True

    def give(self, field: Field, content: Content, caret: int | None = None) -> None:
        """Gives a field another content; the caret goes there, or to the end."""
        self._caret = caret
        self._change(replace(field, content=content))

    def _set_caret(self, caret: int) -> None:
        self._caret = caret
        self.show()

    @staticmethod
    def _is_stepped(field: Field, key: str) -> bool:
        """True for keys that step through numbers, or leave them, instead of moving the caret."""
        return field.kind == "number" and key in {"left", "right", "home", "end"}

    @staticmethod
    def _takes(field: Field, sign: str | None) -> bool:
        """True for a sign that is typed into a field."""
        printable = bool(sign) and str(sign).isprintable()
        return printable and (field.kind != "number" or str(sign) in NUMBER_SIGNS)

    def on_paste(self, event: Paste) -> None:
        """Inserts pasted text."""
        field = self.field
        if field is not None and field.is_typed:
            event.stop()
            old = self._text()
            self._before.append(old)
            new = old.inserting(typed(event.text))
            self.give(field, new.text, new.caret)

    def on_click(self, event: Click) -> None:
        """Goes to the clicked field; a second click ticks it, or puts the caret there."""
        index = event.y - 1 + self.scroll_offset.y  # the border takes the first line
        row = self._rows[index] if 0 <= index < len(self._rows) else None
        if row is None or row.path is None:
            return
        if row.path != self.at:
            self.go_to(row.path)
        elif row.start is not None:
            room = event.x - 2 - row.column  # behind the border and the padding
            text = self._text().text
            fitting = range(row.start, len(text) + 1)
            near = [end for end in fitting if cell_len(text[row.start : end]) <= max(0, room)]
            self._set_caret(near[-1])
        else:
            self.action_tick()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """True for a key that is typed here, so that no binding takes it."""
        field = self.field
        return field is not None and field.is_typed and self._takes(field, character)


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

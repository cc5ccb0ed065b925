"""Pane of fields in lines: a cursor goes from field to field, and keys change the one under it."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Click, Key, Paste
from textual.geometry import Size

from parlour.tui.models.new_fields import Field
from parlour.tui.text import typed
from parlour.tui.widgets.panes import Pane

DrawRows = Callable[[str | None, int], Sequence[tuple[Text, str | None]]]
"""Returns lines with the ids of their fields, from the field that has the keys and the width."""
NUMBER_SIGNS = "0123456789.-$"
"""Signs that are typed into numbers; any other key does what it does elsewhere."""
TYPED = frozenset({"number", "text"})
"""The kinds of fields in which keys are typed."""
DIGITS = "digits are typed; tab: next pane"
"""The hint on such a field: elsewhere digits go to panes."""
Change = Literal["toggle", "next", "before", "text"]
ChangeField = Callable[[str, Change, str], None]
"""Changes a field at once, so that a burst of keys finds its new value; a text is given whole."""


class FieldsPane(Pane):
    """Fields drawn by a function. Space ticks, left and right choose, letters and digits type.

    The pane holds no values: each change goes to a function, and the pane is shown again.
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
        Binding("end", "edge(1)", "Last field", show=False, id="fields.last"),
        Binding("space", "tick", "Tick", id="fields.tick"),
        Binding("right,l", "turn('next')", "Next choice", show=False, id="fields.next"),
        Binding("left,h", "turn('before')", "Choice before", show=False, id="fields.before"),
        Binding("enter", "enter", "To its details", show=False, id="fields.enter"),
    ]

    def __init__(
        self,
        draw: DrawRows,
        fields: Callable[[], Sequence[Field]],
        change: ChangeField,
        *,
        at: str,
        id: str,
        hint: str = "",
    ) -> None:
        """``fields`` returns the fields as they are now; the cursor begins at one of them."""
        super().__init__(id=id)
        self._hint = hint
        self._draw, self._fields, self._change, self.at = draw, fields, change, at
        self._rows: Sequence[tuple[Text, str | None]] = ()

    def show(self) -> None:
        """Draws again. A cursor whose field is gone goes to the first."""
        width = self.scrollable_content_region.width
        order = [field.id for field in self._fields()]
        if self.at not in order and order:
            self.at = order[0]
        self._rows = self._draw(self.at if self.has_focus else None, width) if width else ()
        self.virtual_size = Size(0, len(self._rows))
        field = self._field()
        is_typed = self.has_focus and field is not None and field.kind in TYPED
        self.set_subtitle(Text(DIGITS if is_typed else self._hint))
        self.repaint()

    def line(self, index: int, width: int) -> Text:
        """A drawn line."""
        return self._rows[index][0] if index < len(self._rows) else Text()

    def line_style(self, index: int) -> Style | None:
        """The style of the cursor on the lines of its field."""
        if index < len(self._rows) and self._rows[index][1] == self.at:
            return self.get_component_rich_style("pane--cursor")
        return None

    def on_resize(self) -> None:
        """Draws for the new size."""
        self.show()
        self._scroll_to_cursor()

    def watch_has_focus(self, value: bool) -> None:
        """Shows or hides the sign of the cursor."""
        super().watch_has_focus(value)
        self.show()
        self.refresh()

    def go_to(self, field: str) -> None:
        """Moves the cursor to a field."""
        self.at = field
        self.show()
        self.refresh()
        self._scroll_to_cursor()

    def _scroll_to_cursor(self) -> None:
        own = [index for index, (_, field) in enumerate(self._rows) if field == self.at]
        height, top = self.scrollable_content_region.height, self.scroll_offset.y
        if not own or not height:
            return
        if own[0] < top:
            # With the heading above, so that the first field brings the first line.
            above = own[0] - 1 if own[0] and self._rows[own[0] - 1][1] is None else own[0]
            self.scroll_to(y=0 if above <= 1 else above, animate=False)
        elif own[-1] >= top + height:
            self.scroll_to(y=own[-1] - height + 1, animate=False)

    def _field(self) -> Field | None:
        return next((field for field in self._fields() if field.id == self.at), None)

    # --- Keys

    def action_move(self, by: int) -> None:
        """Moves the cursor by fields."""
        order = [field.id for field in self._fields()]
        if order:
            place = order.index(self.at) if self.at in order else 0
            self.go_to(order[max(0, min(len(order) - 1, place + by))])

    def action_edge(self, last: int) -> None:
        """Moves the cursor to the first or last field."""
        order = [field.id for field in self._fields()]
        if order:
            self.go_to(order[-1 if last else 0])

    def action_tick(self) -> None:
        """Ticks or unticks; takes the next option of a choice."""
        field = self._field()
        if field is not None and field.kind in {"tick", "choice"}:
            change: Change = "toggle" if field.kind == "tick" else "next"
            self._change(field.id, change, "")
        elif field is not None:
            self._say(f"{field.label} is typed.")

    def action_turn(self, change: Change) -> None:
        """Takes the next option, or the one before; a number is raised or lowered by one."""
        field = self._field()
        if field is not None and field.kind in {"choice", "number"}:
            self._change(field.id, change, "")
        elif field is not None:
            self._say("Space ticks it." if field.kind == "tick" else f"{field.label} is typed.")

    def _say(self, words: str) -> None:
        self.notify(words, timeout=6, markup=False)

    def action_enter(self) -> None:
        """Goes from a tick to the details of what is ticked, else to the next field."""
        field, fields = self._field(), self._fields()
        details = [other.id for other in fields if other.kind != "tick"]
        if field is not None and field.kind == "tick" and details and fields[0].kind == "tick":
            self.go_to(details[0])
        else:
            self.action_move(1)

    async def on_key(self, event: Key) -> None:
        """Types into a number or a text; runs the pane's own keys before the next one comes."""
        field = self._field()
        new = None if field is None else self._edited(field, event)
        if field is not None and new is not None:
            self._change(field.id, "text", new)
        else:
            active = self.screen.active_bindings.get(event.key)
            if active is None or active.node not in (self, self.screen) or not active.enabled:
                return
            # Those of the screen too, else they would be run after keys that were pressed later.
            await self.app.run_action(active.binding.action, active.node)
        event.stop()
        event.prevent_default()

    def _edited(self, field: Field, event: Key) -> str | None:
        """The text of a field after a key; None for a key that does not edit it."""
        if field.kind not in TYPED:
            return None
        if event.key == "backspace":
            return str(field.value)[:-1]
        if event.key in {"delete", "ctrl+u"}:
            return ""
        if event.character and event.is_printable and self._takes(field, event.character):
            return str(field.value) + typed(event.character)
        return None

    def _takes(self, field: Field, sign: str) -> bool:
        return field.kind == "text" or sign in NUMBER_SIGNS

    def on_paste(self, event: Paste) -> None:
        """Inserts pasted text at the end."""
        field = self._field()
        if field is not None and field.kind in TYPED:
            event.stop()
            text = str(field.value) + typed(event.text)
            self._change(field.id, "text", text)

    def on_click(self, event: Click) -> None:
        """Goes to the clicked field; a second click ticks it or takes its next option."""
        index = event.y - 1 + self.scroll_offset.y  # the border takes the first line
        field = self._rows[index][1] if 0 <= index < len(self._rows) else None
        if field is None:
            return
        if field == self.at:
            self.action_tick()
        else:
            self.go_to(field)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """True for a key that is typed here, so that no binding takes it."""
        field = self._field()
        if field is None or field.kind not in TYPED or not character:
            return False
        return character.isprintable() and self._takes(field, character)

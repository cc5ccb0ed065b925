"""Panes of lines: their base, a list with a cursor, and a table.

Only the lines in sight are drawn.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Span, Text
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.events import Click, Event
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from parlour.tui.look.look import whole_words
from parlour.tui.widgets.closing import unless_closing

DrawRow = Callable[[int, int], Text | Sequence[Text]]
"""Returns a row, of one line or several, from its index and the width in columns."""


TITLE_EDGES = 6
"""Columns of the border at both sides of a title."""
STRIPS_KEPT = 300
"""Lines of a pane that are kept as drawn, since most are drawn again unchanged."""
Appearance = tuple[str, str | Style, tuple[Span, ...]]


def _appearance(text: Text) -> Appearance:
    """Hashable key of a text's appearance: its characters, style and spans."""
    return text.plain, text.style, tuple(text.spans)


class Pane(ScrollView, can_focus=True, inherit_bindings=False):
    """The base of the panes: a title, and lines drawn on demand."""

    DEFAULT_CSS = """
    Pane { border: round $look-rule; border-title-color: $look-text; padding: 0 1;
           border-subtitle-color: $look-soft; scrollbar-size: 1 1;
           overflow-x: hidden; overflow-y: auto; }
    Pane:focus { border: round $look-accent; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"pane--cursor"}

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._whole_title = Text()
        self._title: Appearance | None = None
        self._subtitle: Appearance | None = None
        self._drawn: dict[int, tuple[Appearance | None, Style | None]] = {}
        self._strips: LRUCache[tuple[Appearance, int, Style], Strip] = LRUCache(STRIPS_KEPT)
        self._style = Style()
        self.head: Sequence[Text] = ()
        """The lines at the top that stay where they are."""

    async def on_event(self, event: Event) -> None:
        """Handles an event; while the screen closes, widgets may be missing."""
        with unless_closing(self.app, self):
            await super().on_event(event)

    def on_resize(self) -> None:
        """Shows as much of the title as fits now."""
        self._show_title()

    def line(self, index: int, width: int) -> Text:
        """The text of one line, at a width in columns."""
        raise NotImplementedError

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draws lines of the pane, whose own style is computed once for all of them."""
        self._style = self.rich_style
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Draws one line of the pane."""
        width = self.scrollable_content_region.width
        appearance, marked = self._drawn[y] = self._to_draw(y)
        if appearance is None:
            return Strip.blank(width, self._style)
        style = marked or self._style
        strip = self._strips.get((appearance, width, style))
        if strip is None:
            strip = self._strip(appearance, width).apply_style(style).simplify()
            self._strips[appearance, width, style] = strip
        return strip

    def _strip(self, appearance: Appearance, width: int) -> Strip:
        plain, style, spans = appearance
        # Appended to another text: Rich drops the style of a text that has no spans.
        text = Text().append_text(Text(plain, style, spans=list(spans)))
        text.truncate(width, overflow="ellipsis")
        return Strip(text.render(self.app.console)).adjust_cell_length(width)

    def _to_draw(self, y: int) -> tuple[Appearance | None, Style | None]:
        """The text on a line of the pane and the style of the cursor on it."""
        line = self._in_sight(y)
        if line is None:
            return None, None
        return _appearance(line), self.line_style(self.index_at(y))

    def _in_sight(self, y: int) -> Text | None:
        """The text on a line of the pane, None below the last one."""
        if y < len(self.head):
            return self.head[y]
        index = self.index_at(y)
        if not 0 <= index < self.virtual_size.height:
            return None
        return self.line(index, self.scrollable_content_region.width)

    def index_at(self, y: int) -> int:
        """The index of the line at a line of the pane; negative in the head."""
        return self.scroll_offset.y + y - len(self.head)

    def repaint(self) -> None:
        """Draws again those lines in sight that have changed."""
        for y in range(self.scrollable_content_region.height):
            if self._drawn.get(y) != self._to_draw(y):
                self.refresh(Region(0, y, self.scrollable_content_region.width, 1))

    def set_title(self, title: Text) -> None:
        """Sets the title in the border, in whole words that fit."""
        self._whole_title = title
        self._show_title()

    def _show_title(self) -> None:
        """Shows the title if it differs, since setting it draws the whole pane."""
        width = self.outer_size.width - TITLE_EDGES
        title = whole_words(self._whole_title, width) if width > 0 else self._whole_title
        if self._title != _appearance(title):
            self._title = _appearance(title)
            self.border_title = title

    def set_subtitle(self, subtitle: Text) -> None:
        """Sets the words in the lower border if they differ."""
        if self._subtitle != _appearance(subtitle):
            self._subtitle = _appearance(subtitle)
            self.border_subtitle = subtitle

    def line_style(self, index: int) -> Style | None:
        """The style of a line, None for that of the pane."""
        return None


class ListPane(Pane):
    """A list of rows with a cursor, which covers all lines of its row. Enter opens it."""

    DEFAULT_CSS = """
    ListPane > .pane--cursor { background: $look-raised; }
    ListPane:focus > .pane--cursor { background: $look-cursor; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Row up", show=False, id="list.up"),
        Binding("down,j", "move(1)", "Row down", show=False, id="list.down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="list.page_up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="list.page_down"),
        Binding("home", "edge(0)", "First row", show=False, id="list.first"),
        Binding("end,G", "edge(1)", "Last row", show=False, id="list.last"),
        Binding("enter", "open", "Open the row", show=False, id="list.open"),
    ]
    cursor = reactive(0)

    class Moved(Message):
        """The user moved the cursor to a row."""

        def __init__(self, pane: "ListPane", row: int) -> None:
            super().__init__()
            self.pane, self.row = pane, row

        @property
        def control(self) -> "ListPane":
            """The pane of the row."""
            return self.pane

    class Opened(Moved):
        """The user opened a row by Enter or a second click."""

    def __init__(self, row: DrawRow, *, empty: str, id: str, tall: int = 1, gap: int = 0) -> None:
        """Rows of ``tall`` lines, ``gap`` blank lines apart; ``empty`` is the text without any."""
        super().__init__(id=id)
        self._row, self.empty, self._count = row, empty, 0
        self.tall, self._gap = tall, gap

    @property
    def _pitch(self) -> int:
        """The lines from the first of a row to the first of the next."""
        return self.tall + self._gap

    def show(self, count: int) -> None:
        """There are ``count`` rows now; draws what has changed."""
        self._count = count
        lines = count * self._pitch - self._gap if count else len(self._empty_lines())
        self.virtual_size = Size(0, len(self.head) + lines)
        self.cursor = max(0, min(self.cursor, count - 1))
        self.repaint()

    def line(self, index: int, width: int) -> Text:
        """A line of a row, or of the text for an empty list."""
        if not self._count:
            lines = self._empty_lines()
            return lines[index] if index < len(lines) else Text()
        row, part = divmod(index, self._pitch)
        shown = self.row_lines(row, width) if row < self._count else ()
        return shown[part] if part < len(shown) else Text()

    def row_lines(self, row: int, width: int) -> Sequence[Text]:
        """The lines of a row."""
        drawn = self._row(row, width)
        if not isinstance(drawn, Text):
            return drawn
        if row == self.cursor:
            drawn.stylize("not dim")  # dim on the cursor's colour is hard to read
        return [drawn]

    def _empty_lines(self) -> list[Text]:
        width = max(8, self.scrollable_content_region.width)
        return list(Text(self.empty, "dim").wrap(self.app.console, width))

    def on_resize(self) -> None:
        """Wraps the text for an empty list to the new width."""
        if not self._count:
            self.show(0)

    def line_style(self, index: int) -> Style | None:
        """The style of the cursor on the lines of its row."""
        row, part = divmod(index, self._pitch)
        if self._count and row == self.cursor and part < self.tall:
            return self.get_component_rich_style("pane--cursor")
        return None

    def watch_cursor(self) -> None:
        """Scrolls so that the whole row of the cursor is in sight."""
        height = self.scrollable_content_region.height - len(self.head)
        first, top = self.cursor * self._pitch, self.scroll_offset.y
        if first < top:
            self.scroll_to(y=first, animate=False)
        elif height > 0 and first + self.tall > top + height:
            self.scroll_to(y=first + self.tall - height, animate=False)
        self.repaint()

    def go_to(self, row: int) -> None:
        """Moves the cursor and posts that it was moved."""
        if self._count:
            self.cursor = max(0, min(row, self._count - 1))
            self.post_message(self.Moved(self, self.cursor))

    def action_move(self, by: int) -> None:
        """Moves the cursor by rows."""
        self.go_to(self.cursor + by)

    def action_page(self, by: int) -> None:
        """Moves the cursor by a page."""
        rows = (self.scrollable_content_region.height - len(self.head)) // self._pitch
        self.go_to(self.cursor + by * max(1, rows - 1))

    def action_edge(self, last: int) -> None:
        """Moves the cursor to the first or last row."""
        self.go_to(self._count - 1 if last else 0)

    def action_open(self) -> None:
        """Opens the row under the cursor."""
        if self._count:
            self.post_message(self.Opened(self, self.cursor))

    def on_click(self, event: Click) -> None:
        """Moves the cursor to the clicked row, or opens the row if it is there."""
        index = self.index_at(event.y - 1)  # the border takes the first line
        row = index // self._pitch
        if index >= 0 and row < self._count:
            again = row == self.cursor
            self.go_to(row)
            if again:
                self.action_open()


RowLines = Callable[[int, int], Sequence[Text]]
"""Returns the lines of a row, from its index and the width in columns."""
Headings = Callable[[int], Sequence[Text]]
"""Returns the headings at a width in columns."""


class TablePane(ListPane):
    """A list with headings that stay in place while its rows scroll.

    ``marks_row``: the row under the cursor has the colour of the cursor; else the row shows it
    itself. ``shape`` are the lines of an empty list, in place of its text.
    """

    DEFAULT_CSS: ClassVar[str] = ""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "open", "Open", id="list.open")]

    def __init__(self, rows: RowLines, headings: Headings, *, empty: str, id: str) -> None:
        super().__init__(rows, empty=empty, id=id)
        self._headings = headings
        self._made: dict[int, Sequence[Text]] = {}
        self.marks_row = True
        self.shape: Sequence[Text] = ()

    def fill(self, count: int, tall: int = 1) -> None:
        """There are ``count`` rows of ``tall`` lines now; draws what has changed."""
        self.tall = tall
        self._made.clear()
        width = self.scrollable_content_region.width
        self.head = self._headings(width) if count and width else ()
        self.show(count)

    def on_resize(self) -> None:
        """Draws for the new width."""
        self.fill(self._count, self.tall)

    def row_lines(self, row: int, width: int) -> Sequence[Text]:
        """The lines of a row, made once until the table is filled or the cursor moves."""
        if row not in self._made:
            self._made[row] = super().row_lines(row, width)
        return [line.copy() for line in self._made[row]]

    def _empty_lines(self) -> list[Text]:
        # No more than fit: a scrollbar that goes with them would leave the table too narrow.
        height = self.scrollable_content_region.height
        return [line.copy() for line in self.shape[: height or None]] or super()._empty_lines()

    def line_style(self, index: int) -> Style | None:
        """The style of the cursor on its row."""
        return super().line_style(index) if self.marks_row else None

    def watch_cursor(self) -> None:
        """Scrolls so that the row of the cursor is in sight, and draws it again."""
        self._made.clear()
        super().watch_cursor()
        self.refresh()

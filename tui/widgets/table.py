"""List under fixed headings, whose rows may take several lines."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.geometry import Size

from parlour.tui.widgets.panes import ListPane

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
        super().__init__(lambda index, width: Text(), empty=empty, id=id)
        self._rows, self._headings = rows, headings
        self._tall = 1
        self._head: Sequence[Text] = ()
        self._made: dict[int, Sequence[Text]] = {}
        self.marks_row = True
        self.shape: Sequence[Text] = ()

    def fill(self, count: int, tall: int = 1) -> None:
        """There are ``count`` rows of ``tall`` lines now; draws what has changed."""
        self._tall = tall
        self._made.clear()
        width = self.scrollable_content_region.width
        self._head = self._headings(width) if count and width else ()
        self.show(count)
        if count:
            self.virtual_size = Size(0, len(self._head) + count * tall)
            self.repaint()

    def on_resize(self) -> None:
        """Draws for the new width."""
        self.fill(self._count, self._tall)

    def _in_sight(self, y: int) -> Text | None:
        if not self._count:
            return super()._in_sight(y)
        width = self.scrollable_content_region.width
        if y < len(self._head):
            return self._head[y]
        index = self.scroll_offset.y + y - len(self._head)
        return self.line(index, width) if index < self._count * self._tall else None

    def line(self, index: int, width: int) -> Text:
        """A line of the rows, or of the text for an empty list."""
        if not self._count:
            return super().line(index, width)
        row, part = divmod(index, self._tall)
        if row >= self._count:
            return Text()
        if row not in self._made:
            self._made[row] = self._rows(row, width)
        lines = self._made[row]
        return lines[part].copy() if part < len(lines) else Text()

    def _empty_lines(self) -> list[Text]:
        # No more than fit: a scrollbar that goes with them would leave the table too narrow.
        height = self.scrollable_content_region.height
        return [line.copy() for line in self.shape[: height or None]] or super()._empty_lines()

    def line_style(self, index: int) -> Style | None:
        """The style of the cursor on its row."""
        row = (index - len(self._head)) // self._tall
        return super().line_style(row) if self.marks_row and self._count else None

    def watch_cursor(self) -> None:
        """Scrolls so that the row of the cursor is in sight, and draws it again."""
        self._made.clear()
        height = self.scrollable_content_region.height - len(self._head)
        first, top = self.cursor * self._tall, self.scroll_offset.y
        if first < top:
            self.scroll_to(y=first, animate=False)
        elif height > 0 and first + self._tall > top + height:
            self.scroll_to(y=first + self._tall - height, animate=False)
        self.refresh()

    def on_click(self, event: object) -> None:
        """Moves the cursor to the clicked row, or opens the row if it is there."""
        # The border takes the first line.
        y = getattr(event, "y", 0) - 1 - len(self._head)
        row = (y + self.scroll_offset.y) // self._tall
        if y >= 0 and row < self._count:
            again = row == self.cursor
            self.go_to(row)
            if again:
                self.action_open()

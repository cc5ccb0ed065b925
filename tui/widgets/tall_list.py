"""List whose rows take several lines each, with a blank line between."""

from collections.abc import Callable, Sequence

from rich.style import Style
from rich.text import Text
from textual.geometry import Size

from parlour.tui.widgets.panes import ListPane

RowLines = Callable[[int, int, bool], Sequence[Text]]
"""Returns the lines of a row, from its index, the width, and if the cursor is on it."""


class TallList(ListPane):
    """A ListPane with ``lines`` lines a row. The cursor covers them all."""

    def __init__(self, draw: RowLines, *, lines: int, empty: str, id: str) -> None:
        super().__init__(lambda index, width: Text(), empty=empty, id=id)
        self._draw_row, self._lines = draw, lines
        self._pitch = lines + 1

    def show(self, count: int) -> None:
        """There are ``count`` rows now; draws those in sight again."""
        super().show(count)
        if count:
            self.virtual_size = Size(0, count * self._pitch - 1)
            self.repaint()

    def line(self, index: int, width: int) -> Text:
        """One line of a row, or of the text for an empty list."""
        if not self._count:
            return super().line(index, width)
        row, part = divmod(index, self._pitch)
        if row >= self._count or part == self._lines:
            return Text()
        return self._draw_row(row, width, row == self.cursor)[part]

    def line_style(self, index: int) -> Style | None:
        """The style of the cursor on the lines of its row."""
        row, part = divmod(index, self._pitch)
        if self._count and row == self.cursor and part < self._lines:
            return self.get_component_rich_style("pane--cursor")
        return None

    def watch_cursor(self) -> None:
        """Scrolls so that the whole row is in sight."""
        height = self.scrollable_content_region.height
        first, top = self.cursor * self._pitch, self.scroll_offset.y
        if first < top:
            self.scroll_to(y=first, animate=False)
        elif height and first + self._lines > top + height:
            self.scroll_to(y=first + self._lines - height, animate=False)
        self.refresh()

    def action_page(self, by: int) -> None:
        """Moves the cursor by a page."""
        rows = self.scrollable_content_region.height // self._pitch
        self.go_to(self.cursor + by * max(1, rows - 1))

    def on_click(self, event: object) -> None:
        """Moves the cursor to the clicked row, or opens the row if it is there."""
        y = getattr(event, "y", 0) - 1 + self.scroll_offset.y  # the border takes the first line
        row = y // self._pitch
        if 0 <= row < self._count:
            again = row == self.cursor
            self.go_to(row)
            if again:
                self.action_open()

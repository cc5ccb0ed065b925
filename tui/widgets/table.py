"""List under fixed headings, whose rows may take several lines."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType

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

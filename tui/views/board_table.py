"""Table of agents: columns that stay, one that grows, and columns that scroll sideways."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from rich.text import Text

from parlour.tui.look.look import Look, fit
from parlour.tui.models.sorting import UNSORTED, Sorting, SortValue

T = TypeVar("T")
Align = Literal["left", "right", "center"]


@dataclass(frozen=True, slots=True)
class BoardColumn(Generic[T]):
    """A column: its key and title, its width, and the text and the value of its cell.

    ``value`` None: the table cannot be sorted by it. ``grows`` says how many columns more it takes
    where there is room. It is shown from a table of ``least`` columns on; one that ``scrolls``
    stands at the end. ``head`` draws a heading other than the title.
    """

    key: str
    title: str
    width: int
    draw: Callable[[T, int], Text]
    value: Callable[[T], SortValue] | None = None
    align: Align = "right"
    texts: bool = False
    grows: int = 0
    least: int = 0
    scrolls: bool = False
    head: Callable[[int], Text] | None = None


@dataclass(frozen=True)
class BoardTable(Generic[T]):
    """Rows in the order of ``sorting``, drawn at a width.

    ``first`` of the columns that scroll are out of sight at the left. In a narrow table, they take
    the place of the one that grows once it is scrolled.
    """

    look: Look
    columns: Sequence[BoardColumn[T]]
    items: Sequence[T]
    sorting: Sorting = UNSORTED
    first: int = 0
    narrow: int = 96

    @property
    def rows(self) -> list[T]:
        """The rows in order."""
        column = next((each for each in self.columns if each.key == self.sorting.column), None)
        if column is None or column.value is None:
            return Sorting(None, self.sorting.backwards).order(self.items, lambda row: None)
        return self.sorting.order(self.items, column.value)

    def sortable(self) -> list[str]:
        """The keys of the columns that can order the table."""
        return [column.key for column in self.columns if column.value is not None]

    def layout(self, width: int) -> list[tuple[BoardColumn[T], int]]:
        """The columns in sight with their widths; a blank stands between two."""
        narrow = width < self.narrow
        scrolled = narrow and self.first > 0
        fixed = [
            column
            for column in self.columns
            if not column.scrolls and width >= column.least and not (scrolled and column.grows)
        ]
        room = width - 1 - sum(column.width + 1 for column in fixed)
        shown = []
        start = max(0, self.first - 1) if narrow else self.first
        for column in self._scrolling()[start:] if scrolled or not narrow else []:
            if room < column.width + 1:
                break
            room -= column.width + 1
            shown.append(column)
        laid = []
        for column in fixed:
            more = min(column.grows, max(0, room))
            room -= more
            laid.append((column, column.width + more))
        return [*laid, *((column, column.width) for column in shown)]

    def _scrolling(self) -> list[BoardColumn[T]]:
        return [column for column in self.columns if column.scrolls]

    def hidden(self, width: int) -> str:
        """The number of columns out of sight on either side, as words; "" if there are none."""
        scrolling = self._scrolling()
        shown = [column for column, _ in self.layout(width) if column.scrolls]
        before = scrolling.index(shown[0]) if shown else 0
        after = len(scrolling) - before - len(shown)
        counts = [f"{arrow} {count}" for arrow, count in (("←", before), ("→", after)) if count]
        return "more columns: " + "  ".join(counts) if counts else ""

    def shifted(self, by: int, width: int) -> int:
        """The columns out of sight after a move, which stops when the last one is in sight."""
        if by > 0 and "→" not in self.hidden(width):
            return self.first
        return max(0, self.first + by)

    def heading(self, width: int) -> Text:
        """The titles; an arrow stands at the one that orders the table."""
        line, palette, signs = Text("  ", no_wrap=True), self.look.palette, self.look.signs
        for column, wide in self.layout(width):
            line.append(" " if line.cell_len > 2 else "")
            arrow = self.sorting.arrow(
                column.key, numbers=not column.texts, up=signs.up, down=signs.down
            )
            if arrow:
                title = fit(Text(column.title), wide - 2).plain.rstrip()
                words = Text(f"{title} {arrow}".strip(), f"bold {palette.accent}")
                line.append_text(fit(words, wide, align=column.align))
            elif column.head is not None:
                line.append_text(fit(column.head(wide), wide))
            else:
                line.append_text(fit(Text(column.title, palette.faint), wide, align=column.align))
        return fit(line, width)

    def line(self, item: T, width: int, *, cursor: bool = False) -> Text:
        """A row; a sign marks the one under the cursor."""
        palette = self.look.palette
        line = Text(no_wrap=True)
        line.append(f"{self.look.signs.cursor} " if cursor else "  ", palette.accent)
        for column, wide in self.layout(width):
            line.append(" " if line.cell_len > 2 else "")
            line.append_text(fit(column.draw(item, wide), wide, align=column.align))
        return fit(line, width)

"""Table of agents: columns that stay, one that grows, and columns that scroll sideways."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

from rich.text import Text

from parlour.games.common.forms import NOTHING, Form
from parlour.games.common.tables import Column
from parlour.tui.look.look import Look, fit
from parlour.tui.models.sorting import UNSORTED, Sorting

T = TypeVar("T")
Align = Literal["left", "right", "center"]
PICTURE = Form(str, numeric=False, order=None)
"""The form of a column that is drawn, and orders nothing."""


@dataclass(frozen=True, slots=True)
class BoardColumn(Column[T]):
    """A column on a screen: its key and width, besides what every column has.

    ``draw`` draws its cell; else it is the text in the ``ink`` of the palette. ``grows`` says how
    many columns more it takes where there is room. It is shown from a table of ``least`` columns
    on; one that ``scrolls`` stands at the end. ``head`` draws a heading other than the title.
    """

    key: str = ""
    width: int = 7
    draw: Callable[[T, int], Text] | None = None
    ink: Literal["text", "soft"] = "text"
    align: Align | None = None
    grows: int = 0
    least: int = 0
    scrolls: bool = False
    head: Callable[[int], Text] | None = None

    def placed(self, text: Text, wide: int) -> Text:
        """A text in the width of the column."""
        return fit(text, wide, align=self.align or ("right" if self.form.numeric else "left"))


def picture(key: str, width: int, draw: Callable[[T, int], Text], **more: Any) -> BoardColumn[T]:
    """A column that is drawn, and orders nothing."""
    return BoardColumn(more.pop("title", ""), lambda row: None, PICTURE, key, width, draw, **more)


def arrow_of(sorting: Sorting, look: Look, key: str, *, numbers: bool) -> str:
    """The sign in the heading of a column that orders the table; "" in another."""
    return sorting.arrow(key, numbers=numbers, up=look.signs.up, down=look.signs.down)


def hidden_words(before: int, after: int) -> str:
    """The numbers of columns out of sight on either side, as words; "" if there are none."""
    counts = [f"{arrow} {count}" for arrow, count in (("←", before), ("→", after)) if count]
    return "more columns: " + "  ".join(counts) if counts else ""


@dataclass(frozen=True)
class BoardTable(Generic[T]):
    """Rows in the order of ``sorting``, drawn at a width.

    ``first`` of the columns that scroll are out of sight at the left. In a table below ``narrow``,
    they take the place of the one that grows once it is scrolled.
    """

    look: Look
    columns: Sequence[BoardColumn[T]]
    items: Sequence[T]
    width: int
    sorting: Sorting = UNSORTED
    first: int = 0
    narrow: int = 96
    tall: int = 1

    @cached_property
    def rows(self) -> list[T]:
        """The rows in order."""
        column = next((each for each in self.columns if each.key == self.sorting.column), None)
        if column is None or column.form.order is None:
            return Sorting(None, self.sorting.backwards).order(self.items, lambda row: None)
        return self.sorting.order(self.items, column.order)

    @property
    def agents(self) -> list[str]:
        """The agents of the rows."""
        return [str(getattr(row, "agent", "")) for row in self.rows]

    @property
    def sortable(self) -> list[str]:
        """The keys of the columns that can order the table."""
        return [column.key for column in self.columns if column.form.order is not None]

    @cached_property
    def layout(self) -> list[tuple[BoardColumn[T], int]]:
        """The columns in sight with their widths; a blank stands between two."""
        narrow = self.width < self.narrow
        scrolled = narrow and self.first > 0
        fixed = [
            column
            for column in self.columns
            if not column.scrolls and self.width >= column.least and not (scrolled and column.grows)
        ]
        room = self.width - 1 - sum(column.width + 1 for column in fixed)
        shown = []
        start = max(0, self.first - 1) if narrow else self.first
        for column in self._scrolling[start:] if scrolled or not narrow else []:
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

    @property
    def _scrolling(self) -> list[BoardColumn[T]]:
        return [column for column in self.columns if column.scrolls]

    @property
    def hidden(self) -> str:
        """The number of columns out of sight on either side, as words; "" if there are none."""
        scrolling = self._scrolling
        shown = [column for column, _ in self.layout if column.scrolls]
        before = scrolling.index(shown[0]) if shown else 0
        return hidden_words(before, len(scrolling) - before - len(shown))

    def shifted(self, by: int) -> int:
        """The columns out of sight after a move, which stops when the last one is in sight."""
        if by > 0 and "→" not in self.hidden:
            return self.first
        return max(0, self.first + by)

    @property
    def headings(self) -> list[Text]:
        """The titles; an arrow stands at the one that orders the table."""
        palette = self.look.palette
        parts = []
        for column, wide in self.layout:
            numeric = column.form.numeric
            arrow = arrow_of(self.sorting, self.look, column.key, numbers=numeric)
            title = Text(column.title, palette.faint)
            if arrow:
                words = fit(Text(column.title), wide - 2).plain.rstrip()
                title = Text(f"{words} {arrow}".strip(), f"bold {palette.accent}")
            elif column.head is not None:
                title = column.head(wide)
            parts.append(column.placed(title, wide))
        return [fit(Text("  ", no_wrap=True).append_text(_joined(parts)), self.width)]

    def row(self, index: int, *, cursor: bool = False) -> list[Text]:
        """The one line of a row; a sign marks the one under the cursor."""
        line = Text(f"{self.look.signs.cursor} " if cursor else "  ", self.look.palette.accent)
        item = self.rows[index]
        parts = [
            column.placed(self._cell(column, item, wide), wide) for column, wide in self.layout
        ]
        return [fit(Text(no_wrap=True).append_text(line).append_text(_joined(parts)), self.width)]

    def _cell(self, column: BoardColumn[T], item: T, wide: int) -> Text:
        if column.draw is not None:
            return column.draw(item, wide)
        text = column.text(item)
        ink = "faint" if text == NOTHING and column.ink == "text" else column.ink
        return Text(text, getattr(self.look.palette, ink))


def _joined(parts: Sequence[Text]) -> Text:
    return Text(" ", no_wrap=True).join(parts)

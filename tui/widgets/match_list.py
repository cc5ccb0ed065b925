"""The list of matches as a tree, with a cursor that stays on its row while rows come and go."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from parlour.tui.models.match_tree import (
    GroupHeading,
    MatchRow,
    MatchTree,
    Rest,
    TreeBasis,
    TreeRow,
    fits,
)
from parlour.tui.widgets.panes import ListPane

DrawRow = Callable[[TreeRow, int, bool], Text]
"""Returns the text of a row in a width; True if the cursor is on it."""
NO_MATCH = "No match fits the filter: / changes it."


class MatchList(ListPane):
    """Matches below their games. Enter opens a match, and opens or closes a heading."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "open", "Open", id="list.open")]
    DEFAULT_CSS = "MatchList { scrollbar-size: 0 0; }"

    def __init__(self, tree: MatchTree, draw: DrawRow, *, id: str) -> None:
        super().__init__(self._text, empty=NO_MATCH, id=id)
        self._tree, self._draw_row = tree, draw
        self._shown: TreeBasis | None = None

    def _text(self, index: int, width: int) -> Text:
        rows = self._tree.rows
        if index >= len(rows):  # one fewer since the list was laid out
            return Text()
        return self._draw_row(rows[index], width, index == self.cursor)

    def update(self, shown: TreeBasis) -> None:
        """Brings the rows up to date; the cursor stays on its match or heading."""
        place = self._place(self.row_at(self.cursor))
        self._shown = shown
        self._tree.update(shown)
        self.show(len(self._tree.rows))
        self._stand_on(place)

    def row_at(self, index: int) -> TreeRow | None:
        """The row with this index."""
        rows = self._tree.rows
        return rows[index] if 0 <= index < len(rows) else None

    def stand_on(self, number: int) -> None:
        """Puts the cursor on a match, if it has a row."""
        self._stand_on((MatchRow, number))

    def go_to(self, row: int) -> None:
        """Moves the cursor, past rows on which it cannot stand."""
        rows = self._tree.rows
        if not rows:
            return
        row = max(0, min(row, len(rows) - 1))
        step = 1 if row >= self.cursor else -1
        at = row
        while 0 <= at < len(rows) and not fits(rows[at]):
            at += step
        if not 0 <= at < len(rows):  # nothing in that direction: stay at the edge
            at = next((i for i in range(row, len(rows)) if fits(rows[i])), self.cursor)
        super().go_to(at)

    def action_open(self) -> None:
        """Opens or closes a heading, or opens the match under the cursor."""
        row = self.row_at(self.cursor)
        if isinstance(row, GroupHeading | Rest) and self._shown is not None:
            self._tree.toggle(row)
            self.update(self._shown)
        elif isinstance(row, MatchRow):
            super().action_open()

    def _place(self, row: TreeRow | None) -> tuple[type, object] | None:
        if isinstance(row, MatchRow):
            return MatchRow, row.number
        return (type(row), row.group) if isinstance(row, GroupHeading | Rest) else None

    def _stand_on(self, place: tuple[type, object] | None) -> None:
        if place is None:
            return
        kind, key = place
        if kind is MatchRow and isinstance(key, int):
            index = self._tree.row_of(key)
        else:
            places = enumerate(map(self._place, self._tree.rows))
            index = next((i for i, other in places if other == place), None)
        if index is not None and index != self.cursor:
            self.cursor = index

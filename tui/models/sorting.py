"""Order of the rows of a table: by one of its columns, or its own."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from parlour.games.common.forms import SortValue
from parlour.tui.look.palette import Signs

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sorting:
    """The column that orders a table, by its key (None: the table's own order).

    Numbers go from the largest on and texts from A on, unless ``backwards``. Rows without a value
    are last either way.
    """

    column: str | None = None
    backwards: bool = False

    def following(self, columns: Sequence[str]) -> "Sorting":
        """Returns the order by the next column; after the last one, the table's own."""
        at = columns.index(self.column) if self.column in columns else -1
        return Sorting(columns[at + 1] if at + 1 < len(columns) else None)

    def reversed(self) -> "Sorting":
        """Returns the same order from the other end."""
        return Sorting(self.column, not self.backwards)

    def order(self, rows: Iterable[T], value: Callable[[T], SortValue]) -> list[T]:
        """Returns the rows in order; ``value`` gives that of a row in the column."""
        if self.column is None:
            own = list(rows)
            return own[::-1] if self.backwards else own
        valued: list[T] = []
        missing: list[T] = []
        for row in rows:
            (missing if value(row) is None else valued).append(row)
        numbers = all(isinstance(value(row), int | float) for row in valued)

        def key(row: T) -> tuple[float, str]:
            of_row = value(row)
            return (float(of_row or 0), "") if numbers else (0.0, str(of_row).casefold())

        return sorted(valued, key=key, reverse=numbers != self.backwards) + missing

    def arrow(self, column: str, signs: Signs, *, numbers: bool) -> str:
        """Returns the sign in the heading of a column: up if it grows from row to row, or ""."""
        if column != self.column:
            return ""
        return signs.down if numbers != self.backwards else signs.up


UNSORTED = Sorting()
"""The order of a table before a key was pressed."""

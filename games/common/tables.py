"""Tables as data. A kind of table is declared once, column by column.

Makers show it: ``parlour.ratings.reports.writers`` as Markdown and LaTeX,
``parlour.cli.console_tables`` on a console, ``parlour.site.figures`` on a page, and
``parlour.tui.views.board_table`` on a screen.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Generic, TypeVar

from parlour.games.common.forms import NOTHING, TEXT, CellForm, SortValue

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """A column of a table: its title, the value of an item in it, and the form of its cells."""

    title: str
    value: Callable[[T], object]
    form: CellForm = TEXT

    def text(self, item: T) -> str:
        """The text of the cell of an item; a dash where it has no value."""
        value = self.value(item)
        return NOTHING if value is None else self.form.text(value)

    def order(self, item: T) -> SortValue:
        """The value by which rows are sorted; None where the item has none."""
        value = self.value(item)
        return None if value is None or self.form.order is None else self.form.order(value)


@dataclass(frozen=True, slots=True)
class ColumnTable(Generic[T]):
    """A row for each item, below a heading if it has one.

    The first ``leads`` columns name a row: a narrow screen repeats them before those for which it
    has no room beside the others. Or it shows the table ``narrow`` in place of this one.
    """

    columns: Sequence[Column[T]]
    items: Sequence[T]
    heading: str = ""
    leads: int = 0
    narrow: "ColumnTable[Any] | None" = None

    @property
    def titles(self) -> list[str]:
        """The titles of the columns."""
        return [column.title for column in self.columns]

    @property
    def rows(self) -> list[list[str]]:
        """The texts of the cells, row by row."""
        return list(map(self._row, self.items))

    def _row(self, item: T) -> list[str]:
        return [column.text(item) for column in self.columns]


def listed(
    forms: Mapping[str, CellForm], rows: Iterable[Sequence[object]], heading: str = ""
) -> ColumnTable[Sequence[object]]:
    """Returns the table of rows of values, whose columns are given as forms by title."""
    columns: list[Column[Sequence[object]]] = [
        Column(title, itemgetter(place), form) for place, (title, form) in enumerate(forms.items())
    ]
    return ColumnTable(columns, list(rows), heading)


def taken(item: object, fields: Iterable[str]) -> dict[str, object]:
    """Returns the attributes of an item by name."""
    return {name: getattr(item, name) for name in fields}

"""Figures and tables as data, which the template writes out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from markupsafe import Markup

from parlour.games.common import forms
from parlour.games.common.forms import COUNT, CellForm
from parlour.games.common.tables import Column
from parlour.ratings.reports import cells
from parlour.ratings.reports.cells import MEASURE, STRENGTH
from parlour.ratings.reports.leaderboard import Cell as MeasureCell
from parlour.ratings.skill.strength import Strength
from parlour.tui.look.cast import Cast, ShownIdentity

T = TypeVar("T")
PERSON = CellForm(str, numeric=False)
"""The form of a name of an agent, which has its chip before it."""


@dataclass(frozen=True, slots=True)
class PageCell:
    """A cell of a table.

    ``small`` stands below the text: an interval and an n. ``person`` stands before it as a chip.
    ``picture`` is drawn in place of the text, ``style`` a class of the page.
    """

    text: str = ""
    small: str = ""
    person: ShownIdentity | None = None
    picture: Markup | None = None
    style: str = ""


Entry = str | PageCell


def entries(*several: Entry) -> list[Entry]:
    """Entries of a row or of its titles."""
    return list(several)


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table; the first ``lead`` columns hold words, the others numbers."""

    titles: Sequence[Entry]
    rows: Sequence[Sequence[Entry]]
    lead: int = 1


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing; ``least`` is the width in pixels below which it is scrolled and not shrunk."""

    title: str
    description: str
    width: float
    height: float
    body: Markup
    least: int = 0


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: pictures with the table of their data, or a table that is a figure itself.

    ``note`` says how to read it. ``legend`` has pairs of a class and words.
    """

    id: str
    title: str
    note: str
    table: PageTable
    pictures: Sequence[Chart] = ()
    legend: Sequence[tuple[str, str]] = ()


def number(value: float | None, digits: int = 2) -> str:
    """A number with a true minus sign, or a dash for None."""
    return forms.number(value, digits).replace("-", "−")


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign."""
    words = number(value, digits)
    return words if words.startswith("−") or float(f"{value:.{digits}f}") == 0 else f"+{words}"


def count(value: float) -> str:
    """A count with separators, without a needless fraction."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def bounds(
    low: float | None, high: float | None, digits: int = 2, none: str = forms.TOO_FEW
) -> str:
    """The ends of an interval in brackets, or the word for ``none``."""
    return none.strip() if low is None else f"[{number(low, digits)}, {number(high, digits)}]"


FOREST = "forest"
"""The title of a column of intervals, in place of which an axis is drawn."""


def table_of(
    columns: Sequence[Column[T]], items: Iterable[T], cast: Cast, lead: int = 1, forest: Entry = ""
) -> PageTable:
    """The table of items, with the head of the column ``FOREST`` if there is one.

    A column of the form ``PERSON`` has names of agents.
    """

    def entry(column: Column[T], item: T) -> Entry:
        value = column.value(item)
        if isinstance(value, PageCell):
            return value
        if column.form is PERSON:
            return PageCell(person=cast[str(value)])
        write = OF_FORM.get(column.form, column.form.text)
        return forms.NOTHING if value is None else write(value)

    def row(item: T) -> list[Entry]:
        return [entry(column, item) for column in columns]

    titles = [forest if column.title == FOREST else column.title for column in columns]
    return PageTable(titles, list(map(row, items)), lead)


def by_agent(
    cast: Cast,
    agents: Sequence[str],
    titles: Mapping[str, Entry],
    cell: Callable[[str, str], Entry],
) -> PageTable:
    """The table of a row an agent; ``cell`` gives the entry of an agent and the key of a column."""

    def row(agent: str) -> list[Entry]:
        return [PageCell(person=cast[agent]), *(cell(agent, key) for key in titles)]

    return PageTable(["", *titles.values()], list(map(row, agents)))


def lines(*words: str) -> str:
    """The words that are not empty, one below the other."""
    return "\n".join(filter(None, words))


def of_measure(cell: MeasureCell | None, *, style: str = "") -> PageCell:
    """The cell of a measure: its value, and below its interval and counts."""
    if cell is None:
        return PageCell(forms.NOTHING)
    k = "" if cell.k is None else f"{count(cell.k)}/"
    counts = f"{k}{count(cell.n)}" if k else f"n {count(cell.n)}"
    digits = 2 if abs(cell.value) < 10 else 1
    small = lines(bounds(cell.low, cell.high, digits, cells.why_none(cell)), counts)
    return PageCell(number(cell.value, digits), small, style=style)


def of_strength(strength: Strength | None) -> PageCell:
    """The cell of a strength: its value, and below its interval and number of matches."""
    if strength is None:
        return PageCell(forms.NOTHING)
    small = lines(bounds(strength.low, strength.high), f"n {count(strength.matches)}")
    return PageCell(signed(strength.value), small)


OF_FORM: dict[CellForm, Callable[[Any], Entry]] = {
    MEASURE: of_measure,
    STRENGTH: of_strength,
    COUNT: count,
}
"""The forms whose cells are other on a page than as a text."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page: a title, sentences, and figures; ``short`` is its name in the list."""

    id: str
    title: str
    short: str
    words: Sequence[str]
    figures: Sequence[Figure]

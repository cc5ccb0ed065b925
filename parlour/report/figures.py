"""Figures and tables as data, which the template writes out."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from parlour.ratings.reports import cells
from parlour.ratings.reports.leaderboard import Cell as MeasureCell
from parlour.ratings.skill.strength import Strength
from parlour.tui.look.cast import Identity


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    ``small`` stands below the text: an interval and an n. ``person`` stands before it as a chip.
    ``picture`` is drawn in place of the text, ``style`` a class of the page.
    """

    text: str = ""
    small: str = ""
    person: Identity | None = None
    picture: Markup | None = None
    style: str = ""


Entry = str | Cell


def entries(*several: Entry) -> list[Entry]:
    """Entries of a row or of its titles."""
    return list(several)


@dataclass(frozen=True, slots=True)
class Table:
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
    name: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: pictures with the table of their data, or a table that is a figure itself.

    ``note`` says how to read it. ``legend`` has pairs of a class and words. ``half``: it may stand
    beside another one. ``beside``: the table stands beside the pictures and is not folded.
    """

    id: str
    title: str
    note: str
    table: Table
    pictures: Sequence[Chart] = ()
    legend: Sequence[tuple[str, str]] = ()
    half: bool = False
    beside: bool = False


def number(value: float | None, digits: int = 2) -> str:
    """A number with a true minus sign, or a dash for None."""
    return cells.number(value, digits).replace("-", "−")


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign."""
    words = number(value, digits)
    return words if words.startswith("−") or float(f"{value:.{digits}f}") == 0 else f"+{words}"


def percent(share: float | None) -> str:
    """A share in percent without decimals."""
    return cells.NOTHING if share is None else f"{100 * share:.0f} %"


def count(value: float) -> str:
    """A count with separators, without a needless fraction."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def bounds(
    low: float | None, high: float | None, digits: int = 2, none: str = cells.TOO_FEW
) -> str:
    """The ends of an interval in brackets, or the word for ``none``."""
    return none.strip() if low is None else f"[{number(low, digits)}, {number(high, digits)}]"


def lines(*words: str) -> str:
    """The words that are not empty, one below the other."""
    return "\n".join(filter(None, words))


def of_measure(cell: MeasureCell | None, *, style: str = "") -> Cell:
    """The cell of a measure: its value, and below its interval and counts."""
    if cell is None:
        return Cell(cells.NOTHING)
    k = "" if cell.k is None else f"{count(cell.k)}/"
    counts = f"{k}{count(cell.n)}" if k else f"n {count(cell.n)}"
    digits = 2 if abs(cell.value) < 10 else 1
    small = lines(bounds(cell.low, cell.high, digits, cells.why_none(cell)), counts)
    return Cell(number(cell.value, digits), small, style=style)


def of_strength(strength: Strength | None) -> Cell:
    """The cell of a strength: its value, and below its interval and number of matches."""
    if strength is None:
        return Cell(cells.NOTHING)
    small = lines(bounds(strength.low, strength.high), f"n {count(strength.matches)}")
    return Cell(signed(strength.value), small)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page: a title, sentences, and figures; ``short`` is its name in the list."""

    id: str
    title: str
    short: str
    words: Sequence[str]
    figures: Sequence[Figure]

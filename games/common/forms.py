"""Forms of quantities in the cells of tables: one for each kind of number, share and interval."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

NOTHING = "–"
"""Text of a missing value."""
TOO_FEW, NO_SPREAD = " [too few]", " [no spread]"
"""Texts of a missing interval: there are too few clusters, or all clusters have the same mean."""
INTERVALS = "intervals"
"""The name of what a narrow screen leaves out of cells before it leaves out columns."""


def number(value: float | None, digits: int = 3) -> str:
    """Returns a number with fixed decimal digits, or a dash for None."""
    if value is None:
        return NOTHING
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def percent(share: float | None, digits: int = 0) -> str:
    """Returns a share in percent, or a dash for None."""
    return NOTHING if share is None else f"{100 * share:.{digits}f} %"


def with_interval(
    value: float | None, low: float | None, high: float | None, digits: int = 3, none: str = ""
) -> str:
    """Returns a value with its interval, ``.652 [.630, .671]``, or the word for ``none``."""
    interval = none if low is None else f" [{number(low, digits)}, {number(high, digits)}]"
    return number(value, digits) + interval


def by_kind(counts: Mapping[str, int]) -> str:
    """Returns counts with the names of their kinds: ``illegal 2, empty 1``."""
    return ", ".join(f"{kind} {count}" for kind, count in counts.items()) or NOTHING


SortValue = float | str | None


@dataclass(frozen=True, slots=True)
class CellForm:
    """The form of a column: the text of a value, and whether it is set as a number is.

    Numbers are flush right and never broken. ``spared`` is what a narrow screen calls the
    intervals that it leaves out of these cells. ``order`` is that by which rows are sorted, None
    where they cannot be.
    """

    text: Callable[[Any], str]
    numeric: bool = True
    spared: str = ""
    order: Callable[[Any], SortValue] | None = lambda value: value


TEXT, COUNT = CellForm(str, numeric=False), CellForm(str)
THOUSANDS = CellForm(lambda value: f"{value:,}")


@cache
def decimals(digits: int = 3) -> CellForm:
    """Returns the form of a number with so many decimal digits."""
    return CellForm(lambda value: number(value, digits))


@cache
def percents(digits: int = 0) -> CellForm:
    """Returns the form of a share in percent."""
    return CellForm(lambda value: percent(value, digits))


@cache
def interval(digits: int = 3, none: str = "") -> CellForm:
    """Returns the form of a value with the ends of its interval, given as three numbers."""

    def text(ends: Sequence[float | None]) -> str:
        value, low, high = ends
        return with_interval(value, low, high, digits, none)

    return CellForm(text, spared=INTERVALS)

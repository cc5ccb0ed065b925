"""Forms of quantities in the cells of tables: one for each kind of number, interval and rank."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # slow: a table of conduct needs none of it
    from parlour.ratings.reports.leaderboard import Cell
    from parlour.ratings.skill.strength import Strength

NOTHING = "–"
"""Text of a missing value."""
TOO_FEW, NO_SPREAD = " [too few]", " [no spread]"
"""Texts of a missing interval: there are too few clusters, or all clusters have the same mean."""
INTERVALS, OF_STRENGTH = "intervals", "the interval of strength"
"""Names of what a narrow screen leaves out of cells before it leaves out columns."""


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


def measure(cell: "Cell | None") -> str:
    """Returns a measure with its interval."""
    if cell is None:
        return NOTHING
    return with_interval(cell.value, cell.low, cell.high, none=why_none(cell))


def why_none(cell: "Cell") -> str:
    """Returns the word in place of the interval of a measure that has none.

    A count has one without any spread, if there are clusters enough.
    """
    return NO_SPREAD if cell.se == 0 and cell.k is None else TOO_FEW


def counts(cell: "Cell | None") -> str:
    """Returns ``3/12``; or ``of 12``, the matches behind it, for what is not a count."""
    if cell is None:
        return NOTHING
    return f"of {cell.n:.0f}" if cell.k is None else f"{cell.k:.10g}/{cell.n:.10g}"


def strength(value: "Strength | None") -> str:
    """Returns a strength with its interval: ``0.27 [-0.12, 0.66]``."""
    if value is None:
        return NOTHING
    return with_interval(value.value, value.low, value.high, 2, TOO_FEW)


class Ranked(Protocol):
    """Something with the first and the last rank that it may have."""

    @property
    def rank(self) -> int:
        """The first one."""

    @property
    def last_rank(self) -> int:
        """The last one."""


def rank(value: Ranked | None) -> str:
    """Returns the possible ranks: ``2–4``, or ``1`` if there is only one.

    Agents whose ranks overlap share them.
    """
    if value is None:
        return NOTHING
    first, last = value.rank, value.last_rank
    return str(first) if first == last else f"{first}–{last}"


def by_kind(counts: "dict[str, int]") -> str:
    """Returns counts with the names of their kinds: ``illegal 2, empty 1``."""
    return ", ".join(f"{kind} {count}" for kind, count in counts.items()) or NOTHING


SortValue = float | str | None


def _itself(value: Any) -> SortValue:
    known: SortValue = value
    return known


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a column: the text of a value, and whether it is set as a number is.

    Numbers are flush right and never broken. ``spared`` is what a narrow screen calls the
    intervals that it leaves out of these cells. ``order`` is that by which rows are sorted, None
    where they cannot be.
    """

    text: Callable[[Any], str]
    numeric: bool = True
    spared: str = ""
    order: Callable[[Any], SortValue] | None = _itself


TEXT, COUNT = Form(str, numeric=False), Form(str)
THOUSANDS = Form(lambda value: f"{value:,}")
MEASURE = Form(measure, spared=INTERVALS, order=attrgetter("value"))
STRENGTH = Form(strength, spared=OF_STRENGTH, order=attrgetter("value"))
RANK = Form(rank, order=lambda value: -value.rank - value.last_rank / 1e4)
COUNTS = Form(counts, order=attrgetter("value"))


@cache
def decimals(digits: int = 3) -> Form:
    """Returns the form of a number with so many decimal digits."""
    return Form(lambda value: number(value, digits))


@cache
def percents(digits: int = 0) -> Form:
    """Returns the form of a share in percent."""
    return Form(lambda value: percent(value, digits))


@cache
def interval(digits: int = 3, none: str = "") -> Form:
    """Returns the form of a value with the ends of its interval, given as three numbers."""

    def text(ends: Sequence[float | None]) -> str:
        value, low, high = ends
        return with_interval(value, low, high, digits, none)

    return Form(text, spared=INTERVALS)

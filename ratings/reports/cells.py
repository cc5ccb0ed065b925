"""Texts of numbers, intervals and ranks in the cells of tables."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # slow: a table of conduct needs none of it
    from parlour.ratings.reports.leaderboard import Cell
    from parlour.ratings.skill.strength import Strength

NOTHING = "–"
"""Text of a missing value."""
TOO_FEW, NO_SPREAD = " [too few]", " [no spread]"
"""Texts of a missing interval: there are too few clusters, or all clusters have the same mean."""


def number(value: float | None, digits: int = 3) -> str:
    """Returns a number with fixed decimal digits, or a dash for None."""
    if value is None:
        return NOTHING
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


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
    """Returns the word in place of the interval of a measure that has none."""
    return NO_SPREAD if cell.se == 0 else TOO_FEW


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


def rank(value: "Strength | None") -> str:
    """Returns the possible ranks of a strength: ``2–4``, or ``1`` if there is only one.

    Agents whose ranks overlap share them.
    """
    if value is None:
        return NOTHING
    if value.rank == value.last_rank:
        return str(value.rank)
    return f"{value.rank}–{value.last_rank}"

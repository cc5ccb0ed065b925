"""Forms of what ratings have in the cells of tables: measures, strengths, ranks and counts."""

from operator import attrgetter
from typing import TYPE_CHECKING

from parlour.games.common import forms

if TYPE_CHECKING:  # slow: a table of conduct needs none of it
    from parlour.ratings.adaptive.until import DecidedPlace
    from parlour.ratings.measures.measures import Row
    from parlour.ratings.reports.leaderboard import Cell
    from parlour.ratings.skill.strength import Strength

NO_INTERVAL = (
    "Too few: no interval, with fewer than five clusters behind the figure; of several games those"
    " count whose clusters differ, or all if none do. A mean without a bound has none either."
    " No spread: all clusters agree."
)
"""The note on the words in place of an interval."""


def measure(cell: "Cell | Row | None") -> str:
    """Returns a measure with its interval."""
    if cell is None:
        return forms.NOTHING
    return forms.with_interval(cell.value, cell.low, cell.high, none=why_none(cell))


def why_none(cell: "Cell | Row") -> str:
    """Returns the word in place of the interval of a measure that has none.

    A count has one without any spread, if there are clusters enough.
    """
    return forms.NO_SPREAD if cell.se == 0 and cell.k is None else forms.TOO_FEW


def counts(cell: "Cell | None") -> str:
    """Returns ``3/12``; or ``of 12``, the matches behind it, for what is not a count."""
    if cell is None:
        return forms.NOTHING
    return f"of {cell.n:.0f}" if cell.k is None else f"{cell.k:.10g}/{cell.n:.10g}"


def strength(value: "Strength | None") -> str:
    """Returns a strength with its interval: ``0.27 [-0.12, 0.66]``."""
    if value is None:
        return forms.NOTHING
    return forms.with_interval(value.value, value.low, value.high, 2, forms.TOO_FEW)


def rank(value: "DecidedPlace | Strength | None") -> str:
    """Returns the possible ranks: ``2–4``, or ``1`` if there is only one.

    Agents whose ranks overlap share them.
    """
    if value is None:
        return forms.NOTHING
    first, last = value.rank, value.last_rank
    return str(first) if first == last else f"{first}–{last}"


MEASURE = forms.CellForm(measure, order=attrgetter("value"))
STRENGTH = forms.CellForm(strength, order=attrgetter("value"))
RANK = forms.CellForm(rank, order=lambda value: -value.rank - value.last_rank / 1e4)
COUNTS = forms.CellForm(counts, order=attrgetter("value"))

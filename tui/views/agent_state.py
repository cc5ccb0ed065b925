"""The page of an agent as drawn: its figures, and what was chosen."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.models.sorting import UNSORTED, Sorting

if TYPE_CHECKING:
    from parlour.ratings.reports.agent import Page


@dataclass(frozen=True, slots=True)
class PageState:
    """The page of an agent as drawn, with that of a second agent over it if there is one.

    ``numbered``: the values bear the numbers of the spokes.
    """

    page: "Page"
    cast: Cast
    look: Look
    against: "Page | None" = None
    numbered: bool = False
    places: Sorting = UNSORTED
    met: Sorting = UNSORTED

    @property
    def pages(self) -> "list[Page]":
        """The page, then the one over it."""
        return [self.page] if self.against is None else [self.page, self.against]

"""Places of the leaderboard's panes by the size of the screen, and what they show."""

from dataclasses import dataclass

from parlour.tui.views.leaderboard import (
    CONDUCT,
    HEAT,
    MET,
    NETWORKS,
    OVERALL,
    RACE,
    LeaderboardState,
)
from parlour.tui.views.networks import CELL
from parlour.tui.views.pictures import Picture
from parlour.tui.views.standings_table import people_width

CHROME = 3
"""Lines of header, tabs and footer."""
PICTURES_FROM = (110, 30)
"""Columns and lines of the screen from which on pictures stand below the standings."""
RADAR, NARROW_RADAR, BROAD_FROM = 64, 56, 140
BORDER = 2


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Lines of the table with its border (0: hidden), and columns of the panes below.

    ``one`` None takes what is left; 0 hides it, and so does ``two`` False.
    """

    table: int
    one: int | None
    two: bool

    @property
    def below(self) -> bool:
        """True if any pane stands below the table."""
        return self.two or self.one != 0


def arrangement(state: LeaderboardState, width: int, height: int, warned: int = 0) -> Arrangement:
    """Returns the places for a screen of a size; ``warned`` lines are taken by warnings."""
    body, agents = height - CHROME - warned, len(state.agents())
    pictured = width >= PICTURES_FROM[0] and height >= PICTURES_FROM[1]
    if state.view == RACE:
        return Arrangement(0, None, False)
    if state.view == NETWORKS:
        return _networks(state, width)
    if not agents or state.view == MET:
        return Arrangement(body, 0, False)
    if state.view == CONDUCT:
        return _above(min(agents + 1 + BORDER, body - 5), body)
    if state.view in HEAT:
        most = body - (14 if pictured else 9)
        table = state.heat_table(width - 4, max(1, most - BORDER))
        lines = min(most, len(table.headings) + table.tall * agents + BORDER)
        return _above(lines, body)
    wanted = agents + 1 + BORDER
    if pictured:
        radar = RADAR if width >= BROAD_FROM else NARROW_RADAR
        return Arrangement(max(5, min(wanted, body - 14)), radar, True)
    return _above(min(wanted, body - 8), body)


def _above(lines: int, body: int) -> Arrangement:
    """A table with one pane below it, where there is room for both."""
    if body - lines < 5 or lines < 5:
        return Arrangement(body, 0, False)
    return Arrangement(lines, None, False)


def _networks(state: LeaderboardState, width: int) -> Arrangement:
    if width < PICTURES_FROM[0]:
        return Arrangement(0, 0, True) if state.as_ring else Arrangement(0, None, False)
    network = state.network()
    wanted = people_width(state.cast, width // 2) + CELL * len(network.present) + 7
    return Arrangement(0, max(58, min(wanted, width // 2)), True)


def shown_pictures(
    state: LeaderboardState, places: Arrangement
) -> tuple[Picture | None, Picture | None]:
    """The pictures of the two panes below the table, None for one that is hidden."""
    if state.view == OVERALL and not places.two:
        return (state.details() if places.below else None), None
    pictures: list[Picture | None] = [*state.pictures(), None, None]
    return (pictures[0] if places.one != 0 else None), (pictures[1] if places.two else None)

"""The base of screens over the leaderboard, which show standings that it keeps fresh."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from parlour.tui.models.standings import Standings
from parlour.tui.screens.base import ParlourScreen

if TYPE_CHECKING:
    from parlour.ratings.reports.leaderboard import Leaderboard

LOOK_SECONDS = 1.0
"""How often it looks whether the leaderboard has something newer."""


class OfStandingsScreen(ParlourScreen):
    """Filled anew whenever there are new standings; ``FIRST`` is the pane that has the keys."""

    FIRST: ClassVar[str]

    def __init__(self, path: Path, standings: Standings) -> None:
        super().__init__()
        self._path, self._standings = path, standings
        self._board: Leaderboard | None = None

    def _fill(self) -> None:
        """Takes the board that the standings have now, and shows it."""
        raise NotImplementedError

    def _show(self) -> None:
        """Shows what fits of it."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Shows what is there, and looks whether there is something newer."""
        self.query_one(self.FIRST).focus()
        self._look()
        self.set_interval(LOOK_SECONDS, self._look)

    def _look(self) -> None:
        if self._board is None or self._board is not self._standings.board:
            self._fill()

    def on_resize(self) -> None:
        """More or fewer columns fit."""
        self.call_after_refresh(self._show)

    def action_back(self) -> None:
        """Goes back to where one came from."""
        self.app.pop_screen()

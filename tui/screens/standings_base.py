"""The base of the screens that show standings, and keep up to date with them."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from parlour.tui.models.standings import Standings
from parlour.tui.screens.base import ParlourScreen

if TYPE_CHECKING:
    from parlour.ratings.reports.leaderboard import Leaderboard


class StandingsScreen(ParlourScreen):
    """Refills itself when the standings change; ``FIRST`` is the pane with the focus."""

    FIRST: ClassVar[str]
    CHECK_SECONDS: ClassVar[float] = 1.0
    """Seconds between two checks for newer standings."""

    def __init__(self, path: Path, standings: Standings) -> None:
        super().__init__()
        self._path, self._standings = path, standings
        self._board: Leaderboard | None = None

    def _fill(self) -> None:
        """Takes the current leaderboard and shows it."""
        raise NotImplementedError

    def _show(self) -> None:
        """Shows the columns for which there is room."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Shows the current standings and starts checking for newer ones."""
        self.query_one(self.FIRST).focus()
        self._fill()
        self._check()
        self.set_interval(self.CHECK_SECONDS, self._check)

    def _check(self) -> None:
        """Shows newer standings if there are any."""
        if self._board is None or self._board is not self._standings.board:
            self._fill()

    def on_resize(self) -> None:
        """Lays the columns out for the new width."""
        self.call_after_refresh(self._show)

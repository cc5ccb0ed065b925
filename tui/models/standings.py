"""The leaderboard of a save in step with its matches, computed off the screen's loop."""

import time
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from parlour.games.common.errors import ParlourError
from parlour.tui.views.match import DIM, WARN, fitted, one_line

if TYPE_CHECKING:
    from parlour.ratings.reports.leaderboard import Leaderboard, Standing
    from parlour.tournament.reports.leaderboards import Computer


class Standings:
    """A save's leaderboard; ``board`` is None before the first one is there.

    ``trouble`` says why there is none, if the save cannot be read. ``behind``: matches may have
    ended since it was computed. ``without_faults``: of the matches that had none.
    """

    def __init__(self, path: Path, *, without_faults: bool = False) -> None:
        self._path = path
        self._without_faults = without_faults
        self._next = 0.0
        self._known = ""
        self._computing = Lock()
        self._computer: Computer | None = None
        self.board: Leaderboard | None = None
        self.trouble = ""
        self.behind = True

    @property
    def kind(self) -> str:
        """What it leaves out, as the names of files say it; empty if nothing."""
        return "-without-faults" if self._without_faults else ""

    def close(self) -> None:
        """Whatever is being computed is wanted no more."""
        if self._computer is not None:
            self._computer.close()

    def due(self, finished: bool) -> bool:
        """Whether it is time to compute it anew: at once when the tournament has ended.

        Else it waits ten times as long as it took the last time.
        """
        if self._computing.locked():
            return False
        return self.behind and (finished or time.monotonic() >= self._next)

    def refresh(self) -> bool:
        """Computes the leaderboard anew if matches have ended; call it in a thread.

        True if anything is new; False at once while another thread is at it.
        """
        if not self._computing.acquire(blocking=False):
            return False
        try:
            return self._refresh()
        finally:
            self._computing.release()

    def _refresh(self) -> bool:
        from parlour.ratings.reports.leaderboard import Leaderboard  # heavy: after the first paint
        from parlour.tournament.reports.leaderboards import Computer

        begun = time.monotonic()
        self.behind = False
        self._computer = self._computer or Computer()
        try:
            found = self._computer.computed(
                self._path, self._known, without_faults=self._without_faults
            )
            if found is not None:
                self._known, self.trouble = found[0], ""
                self.board = Leaderboard.from_json(found[1])
            anything_new = found is not None
        except ParlourError as error:
            self.trouble, anything_new = one_line(str(error)), True
        now = time.monotonic()
        self._next = now + max(1.0, 10 * (now - begun))
        return anything_new

    def lines(self, width: int) -> list[Text]:
        """The overall standings for a narrow pane."""
        if self.trouble:
            return [Text(self.trouble, WARN)]
        if self.board is None:
            return [Text("Computing …", DIM)]
        standings = self.board.by("overall")
        if not standings:
            return [Text("No match is finished yet.", DIM)]
        from parlour.ratings.reports.cells import number, rank

        names = [one_line(standing.agent) for standing in standings]
        ranks = [rank(standing.strength) for standing in standings]
        first = max(map(len, ranks))
        strength = max(8, *(len(_strength(standing)) for standing in standings))
        name = max(4, min(width - first - strength - 8, max(map(cell_len, names))))
        whole = width >= first + name + strength + 15  # else the win rate goes without its interval
        titles = f"{'':{first + name + 1}}{'strength':>{strength + 1}}"
        lines = [Text(titles + ("    win rate" if whole else " wins"), DIM, no_wrap=True)]
        for place, standing, agent in zip(ranks, standings, names, strict=True):
            won = standing.measures.get("win_rate")
            share = number(won.value if won else None, 2)
            if whole and won and won.low is not None and won.high is not None:
                share += f" ±{(won.high - won.low) / 2:.2f}"
            cells = f"{_strength(standing):>{strength}} {share:>{11 if whole else 4}}"
            lines.append(Text(f"{place:>{first}} {fitted(agent, name)} {cells}", no_wrap=True))
        lines.append(Text(f"{self.board.matches} matches; l shows all", DIM))
        return lines


def _strength(standing: "Standing") -> str:
    from parlour.ratings.reports.cells import number

    found = standing.strength
    if found is None:
        return number(None)
    return f"{number(found.value, 2)} ±{(found.high - found.low) / 2:.2f}"

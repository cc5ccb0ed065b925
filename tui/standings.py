"""The leaderboard of a save in step with its matches, computed off the screen's loop."""

import time
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from games.errors import ParlourError
from tui.describe import DIM, WARN, fitted, one_line

if TYPE_CHECKING:
    from ratings.leaderboard import Leaderboard
    from tournament.leaderboards import Computer


class Standings:
    """A save's leaderboard; ``board`` is None before the first one is there.

    ``trouble`` says why there is none, if the save cannot be read. ``behind``: matches may have
    ended since it was computed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._next = 0.0
        self._known = ""
        self._computing = Lock()
        self._computer: Computer | None = None
        self.board: Leaderboard | None = None
        self.trouble = ""
        self.behind = True

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
        from ratings.leaderboard import Leaderboard  # heavy: after the first paint
        from tournament.leaderboards import Computer

        begun = time.monotonic()
        self.behind = False
        self._computer = self._computer or Computer()
        try:
            found = self._computer.computed(self._path, self._known)
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
        names = [one_line(standing.agent) for standing in standings]
        name = max(4, min(width - 24, max(cell_len(agent) for agent in names)))
        lines = [Text(f"{'':3}{'':{name}} rating   win rate", DIM, no_wrap=True)]
        for rank, standing in enumerate(standings, start=1):
            rating = "–" if standing.rating is None else f"{standing.rating:.2f}"
            won = standing.measures.get("win_rate")
            if won is None:
                share = "–"
            elif won.low is None or won.high is None:
                share = f"{won.value:.2f}"
            else:
                share = f"{won.value:.2f} ±{(won.high - won.low) / 2:.2f}"
            agent = fitted(names[rank - 1], name)
            lines.append(Text(f"{rank:2} {agent} {rating:>6} {share:>11}", no_wrap=True))
        lines.append(Text(f"{self.board.matches} matches; l shows all", DIM))
        return lines

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


class Standings:
    """A save's leaderboard; ``board`` is None before the first one is there.

    ``trouble`` says why there is none, if the save cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._next = 0.0
        self._print = ""
        self._computing = Lock()
        self.board: Leaderboard | None = None
        self.trouble = ""

    def refresh(self) -> bool:
        """Computes the leaderboard anew if matches have ended; call it in a thread.

        Waits ten times as long as it took the last time. True if anything is new; False at
        once while another thread is at it.
        """
        if time.monotonic() < self._next or not self._computing.acquire(blocking=False):
            return False
        try:
            return self._refresh()
        finally:
            self._computing.release()

    def _refresh(self) -> bool:
        from tournament.save import Save  # with what follows, heavy: after the first paint
        from tournament.session import current_leaderboard

        begun = time.monotonic()
        try:
            with Save(self._path) as save:
                fingerprint = save.fingerprint()
                if self.board is not None and fingerprint == self._print:
                    return False
                self.board, self._print = current_leaderboard(save), fingerprint
                self.trouble = ""
        except ParlourError as error:
            self.trouble = one_line(str(error))
        finally:  # looking whether anything is new takes its time as well
            now = time.monotonic()
            self._next = now + max(1.0, 10 * (now - begun))
        return True

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

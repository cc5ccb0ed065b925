"""The conduct of a save's agents, recomputed as answers arrive."""

import time
from pathlib import Path

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import one_line
from parlour.tournament.reports.conduct import Conduct, conduct
from parlour.tournament.save.queries import newest_rows
from parlour.tournament.save.reader import Save


class ConductTable:
    """One row of conduct an agent; ``rows`` is None until it was computed once.

    ``trouble`` says why the save cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._next = 0.0
        self._known: tuple[int, int] | None = None
        self.rows: list[Conduct] | None = None
        self.trouble = ""

    def refresh(self) -> bool:
        """Recomputes the rows if answers were added. Returns whether they changed.

        Call it in a thread. It pauses for ten times its last duration, so that a large save costs
        at most a tenth of a core.
        """
        begun = time.monotonic()
        if begun < self._next:
            return False
        try:
            with Save(self._path) as save:
                known = newest_rows(save)
                if known == self._known:
                    return False
                self.rows, self._known, self.trouble = conduct(save), known, ""
        except ParlourError as error:
            self.trouble = one_line(str(error))
        now = time.monotonic()
        self._next = now + max(1.0, 10 * (now - begun))
        return True

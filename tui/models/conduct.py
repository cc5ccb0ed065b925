"""The conduct of a save's agents in step with its answers, computed off the screen's loop."""

import time
from pathlib import Path

from parlour.games.common.errors import ParlourError
from parlour.tournament.reports.conduct import Conduct, conduct
from parlour.tournament.save.queries import newest_rows
from parlour.tournament.save.reader import Save
from parlour.tui.views.match import one_line


class Behaviour:
    """How the agents of a save behave; ``found`` is None before it is known.

    ``trouble`` says why it cannot be told, if the save cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._next = 0.0
        self._known: tuple[int, int] | None = None
        self.found: list[Conduct] | None = None
        self.trouble = ""

    def refresh(self) -> bool:
        """Computes it anew if anything has come; call it in a thread. True if anything is new.

        It waits ten times as long as it took the last time.
        """
        begun = time.monotonic()
        if begun < self._next:
            return False
        try:
            with Save(self._path) as save:
                known = newest_rows(save)
                if known == self._known:
                    return False
                self.found, self._known, self.trouble = conduct(save), known, ""
        except ParlourError as error:
            self.trouble = one_line(str(error))
        now = time.monotonic()
        self._next = now + max(1.0, 10 * (now - begun))
        return True

"""The leaderboard of a save, recomputed as matches end."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import one_line
from parlour.tournament.reports.conduct import Conduct, conduct
from parlour.tournament.save.lock import holder
from parlour.tournament.save.queries import newest_rows
from parlour.tournament.save.reader import Save

if TYPE_CHECKING:
    from parlour.ratings.reports.decided_ranks import DecidedRanks
    from parlour.ratings.reports.leaderboard import Leaderboard
    from parlour.tournament.reports.leaderboards import Computer
    from parlour.tournament.save.growing.decisions import Adaptive
    from parlour.tournament.save.provenance.alarms import Alarm
    from parlour.tournament.save.provenance.remarks import Remark


ALARM_SECONDS = 60.0
"""Seconds between two looks for alarms while the save is played."""


class Standings:
    """A save's leaderboard; ``board`` is None until it was computed once.

    ``trouble`` says why the save cannot be read. ``behind``: matches may have ended since.
    ``without_faults``: only matches without a fault count. ``before`` has the place of each agent
    when the reader looked last. ``alarms`` are those of the save, ``remarks`` those on its
    provenance, ``decided`` the ranks of an adaptive tournament, which are of all its matches.
    """

    def __init__(self, path: Path, *, without_faults: bool = False) -> None:
        self._path = path
        self._without_faults = without_faults
        self._next = self._alarms_due = 0.0
        self._known = ""
        self._computing = Lock()
        self._computer: Computer | None = None
        self.board: Leaderboard | None = None
        self.trouble = ""
        self.behind = True
        self.before: dict[str, int] = {}
        self.alarms: list[Alarm] = []
        self.remarks: list[Remark] = []
        self._adaptive: Adaptive | None = None
        self.decided: DecidedRanks | None = None

    @property
    def kind(self) -> str:
        """The suffix of file names: what is left out, empty if nothing is."""
        return "-without-faults" if self._without_faults else ""

    def places(self) -> dict[str, int]:
        """The place of each agent in the overall standings."""
        rows = () if self.board is None else self.board.by("overall")
        return {row.agent: place for place, row in enumerate(rows)}

    def looked_at(self) -> None:
        """The reader has looked: moves count from now on."""
        self.before = self.places()

    def close(self) -> None:
        """Stops a running computation."""
        if self._computer is not None:
            self._computer.close()

    def due(self, finished: bool) -> bool:
        """True if it is time to recompute: at once after the end of the tournament.

        Before that, ten times the last duration must pass: it costs at most a tenth of a core.
        """
        if self._computing.locked():
            return False
        return self.behind and (finished or time.monotonic() >= self._next)

    def refresh(self) -> bool:
        """Recomputes the leaderboard if matches have ended. Returns whether it changed.

        Call it in a thread. Returns False at once while another thread computes.
        """
        if not self._computing.acquire(blocking=False):
            return False
        try:
            return self._refresh()
        finally:
            self._computing.release()

    def _look_for_alarms(self, now: float) -> None:
        """Reads alarms and remarks: every answer, so once a minute while the save is played."""
        from parlour.tournament.save.provenance.alarms import alarms_of  # late, as below
        from parlour.tournament.save.provenance.remarks import remarks_of

        if now >= self._alarms_due or holder(self._path) is None:
            self._alarms_due = now + ALARM_SECONDS
            with Save(self._path) as save:
                self.alarms, self.remarks = alarms_of(save), remarks_of(save)

    def _decide(self) -> bool:
        """Follows the decisions of an adaptive tournament. Returns whether the ranks changed."""
        from parlour.tournament.save.growing.decisions import (
            course_of,
            ranks_of,  # late, as below
        )

        with Save(self._path) as save:
            if save.tournament.schedule != "adaptive" or self._without_faults:
                return False
            if self._adaptive is None or self._adaptive.whole != save.tournament:  # it has grown
                self._adaptive = course_of(save)
            self._adaptive.follow(save)
        before, self.decided = self.decided, ranks_of(self._adaptive.in_newest_stage())
        return self.decided != before

    def _refresh(self) -> bool:
        from parlour.ratings.reports.leaderboard import (
            Leaderboard,
        )  # slow: imported after the first paint
        from parlour.tournament.reports.leaderboards import Computer

        begun = time.monotonic()
        self.behind = False
        self._computer = self._computer or Computer()
        try:
            computed = self._computer.computed(
                self._path, self._known, without_faults=self._without_faults
            )
            changed = bool(computed.board)
            if changed:
                self._known, self.trouble = computed.input, ""
                self.board = Leaderboard.from_json(computed.board)
                self.before = self.before or self.places()
                self._look_for_alarms(begun)
            changed |= self._decide()
        except ParlourError as error:
            self.trouble, changed = one_line(str(error)), True
        now = time.monotonic()
        self._next = now + max(1.0, 10 * (now - begun))
        return changed


@dataclass(frozen=True, slots=True)
class Entrants:
    """The agents of a tournament in its order; ``kinds`` says in words what each of them is."""

    name: str = ""
    agents: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)


def read_entrants(path: Path) -> Entrants:
    """The agents of a save. Raises BadSave if it cannot be read."""
    with Save(path) as save:
        configs = save.tournament.agents
        name = save.name
    kinds = {config.name: _kind(config) for config in configs}
    return Entrants(name, tuple(config.name for config in configs), kinds)


def _kind(config: object) -> str:
    """The kind of an agent, with its strategies or its model."""
    kind = str(getattr(config, "kind", ""))
    what = getattr(config, "strategy", None) or getattr(config, "model", None) or ""
    words = what if isinstance(what, str) else ", ".join(map(str, what))
    return one_line(f"{kind}: {words}" if words else kind)


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

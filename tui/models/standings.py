"""The leaderboard of a save, its race and its networks, recomputed as matches end."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING

from parlour.games.common.errors import ParlourError
from parlour.games.common.progress import listening
from parlour.games.common.text import one_line
from parlour.tournament.reports.conduct import Conduct, conduct
from parlour.tournament.save.finished import last_answers, records_of
from parlour.tournament.save.lock import holder
from parlour.tournament.save.queries import newest_rows, over_of
from parlour.tournament.save.reader import Save

if TYPE_CHECKING:
    from parlour.ratings.counting.ties import Kind, Network, Ties
    from parlour.ratings.reports.decided_ranks import DecidedRanks
    from parlour.ratings.reports.leaderboard import Leaderboard
    from parlour.ratings.skill.race import Race, RaceChart
    from parlour.tournament.reports.leaderboards import Computer
    from parlour.tournament.save.growing.decisions import Adaptive
    from parlour.tournament.save.provenance.alarms import Alarm
    from parlour.tournament.save.provenance.remarks import Remark


COMPUTING = "Computing …"
ALARM_SECONDS = 60.0
"""Seconds between two looks for alarms while the save is played."""


class Computation:
    """Something that a thread computes from a save; ``trouble`` says why that cannot be read.

    ``progress`` says how far it is, with the time left where that is known. It pauses for ``PAUSE``
    times its last duration, so that it costs at most a tenth of a core; the caller keeps to that
    unless it ``WAITS`` itself.
    """

    PAUSE, WAITS = 10.0, True

    def __init__(self, path: Path) -> None:
        self._path = path
        self._next = 0.0
        self._computing = Lock()
        self.trouble, self.progress = "", COMPUTING
        self._since: tuple[float, int] | None = None

    def refresh(self) -> bool:
        """Computes what has changed. Returns whether anything has.

        Call it in a thread. Returns False at once while another thread computes.
        """
        if self.WAITS and time.monotonic() < self._next:
            return False
        if not self._computing.acquire(blocking=False):
            return False
        begun, self._since = time.monotonic(), None
        try:
            with listening(self._hear):
                return self._refresh()
        except ParlourError as error:
            before, self.trouble = self.trouble, one_line(str(error))
            return self.trouble != before
        finally:
            now = time.monotonic()
            self._next = now + max(1.0, self.PAUSE * (now - begun))
            self._computing.release()

    def _refresh(self) -> bool:
        raise NotImplementedError

    def _hear(self, work: str, done: int, total: int) -> None:
        now = time.monotonic()
        begun, first = self._since = self._since or (now, done)
        words = f"{work} … {done:,} of {total:,}"
        if done > first:
            left = (now - begun) * (total - done) / (done - first)
            words += f", about {max(1.0, left):.0f} s left"
        self.progress = words if done < total else COMPUTING


class Standings(Computation):
    """A save's leaderboard; ``board`` is None until it was computed once.

    ``behind``: matches may have ended since.
    ``without_faults``: only matches without a fault count. ``before`` has the place of each agent
    when the reader looked last. ``alarms`` are those of the save, ``remarks`` those on its
    provenance, ``decided`` the ranks of an adaptive tournament, which are of all its matches.
    """

    WAITS = False

    def __init__(self, path: Path, *, without_faults: bool = False) -> None:
        super().__init__(path)
        self._without_faults = without_faults
        self._alarms_due = 0.0
        self._known = ""
        self._computer: Computer | None = None
        self.board: Leaderboard | None = None
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
        from parlour.tournament.save.growing.decisions import course_of, ranks_of  # late, as below

        with Save(self._path) as save:
            if save.tournament.schedule != "adaptive" or self._without_faults:
                return False
            if self._adaptive is None or self._adaptive.whole != save.tournament:  # it has grown
                self._adaptive = course_of(save)
            self._adaptive.follow(save)
        before, self.decided = self.decided, ranks_of(self._adaptive.in_newest_stage())
        return self.decided != before

    def _refresh(self) -> bool:
        from parlour.ratings.reports.leaderboard import Leaderboard  # slow: after the first paint
        from parlour.tournament.reports.leaderboards import Computer

        begun = time.monotonic()
        self.behind = False
        self._computer = self._computer or Computer()
        computed = self._computer.computed(
            self._path, self._known, without_faults=self._without_faults
        )
        changed = bool(computed.board)
        if changed:
            self._known, self.trouble = computed.input, ""
            self.board = Leaderboard.from_json(computed.board)
            self.before = self.before or self.places()
            self._look_for_alarms(begun)
        return self._decide() or changed


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


class ConductTable(Computation):
    """One row of conduct an agent; ``rows`` is None until it was computed once."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._seen: tuple[int, int] | None = None
        self.rows: list[Conduct] | None = None

    def _refresh(self) -> bool:
        """Computes the rows again if answers were added."""
        with Save(self._path) as save:
            newest = newest_rows(save)
            if newest == self._seen:
                return False
            self.rows, self._seen, self.trouble = conduct(save), newest, ""
        return True


CHUNK = 200
"""Matches that are read and counted between two pauses."""
POINTS = 400
"""The most points of a course: more than a chart has columns of dots."""


@dataclass(frozen=True, slots=True)
class Charts:
    """The race of all games together (None) and of each, and the networks, after ``matches``."""

    matches: int = 0
    races: "Mapping[str | None, RaceChart]" = field(default_factory=dict)
    networks: "Mapping[Kind, Network]" = field(default_factory=dict)


class MatchHistory(Computation):
    """Counts the matches of a save in the order in which they were over.

    ``shown`` is replaced as a whole, so that a screen reads it while a thread counts; it is None
    until all matches were counted once. ``done`` of ``total`` matches are counted. It rests as
    long as it works, so that keys are answered.
    """

    PAUSE = 0.0

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._seq = 0
        self._open: dict[int, int] = {}
        self._waiting: list[int] = []
        self._races: dict[str | None, Race] = {}
        self._ties: Ties | None = None
        self._closed = Event()
        self.shown: Charts | None = None
        self.done = self.total = 0

    def close(self) -> None:
        """Ends a running count."""
        self._closed.set()

    def _refresh(self) -> bool:
        """Counts the matches that are over since."""
        from parlour.ratings.counting.ties import Ties

        self._ties = self._ties or Ties()
        with Save(self._path) as save:
            self._find(save)
            self.trouble, before = "", self.done
            while self._waiting and not self._closed.is_set():
                begun = time.monotonic()
                self._hear("Counting matches", self.done, self.total)
                part, self._waiting = self._waiting[:CHUNK], self._waiting[CHUNK:]
                self._count(save, part)
                if self._waiting:
                    self._closed.wait(time.monotonic() - begun)
        if self._closed.is_set() or (self.shown is not None and self.done == before):
            return False
        self.shown = self._chart()
        return True

    def _find(self, save: Save) -> None:
        """Finds the matches that are over and not counted yet, in the order they were over."""
        touched = last_answers(save, self._seq)
        self._seq = max([self._seq, *touched.values()])
        self._open |= touched
        # All open matches, since the outcome is stored a moment after the last answer.
        ended = over_of(save, sorted(self._open))
        over = [number for number, frozen in ended.items() if not frozen]
        self._waiting += sorted(over, key=lambda number: self._open[number])
        for number in over:
            del self._open[number]
        self.total = self.done + len(self._waiting)

    def _count(self, save: Save, numbers: list[int]) -> None:
        from parlour.ratings.counting.ties import VOTE  # late, as below
        from parlour.ratings.skill.race import add_to_races
        from parlour.tournament.save.growing.check import raise_if_damaged

        assert self._ties is not None
        single = len({entry.game.name for entry in save.tournament.games}) == 1
        with raise_if_damaged(save):
            for record in records_of(save, numbers, [VOTE]):
                add_to_races(self._races, record, single_game=single)
                self._ties.add(record)
        self.done += len(numbers)

    def _chart(self) -> Charts:
        from parlour.ratings.counting.ties import KINDS

        assert self._ties is not None
        races = {game: race.chart(POINTS) for game, race in self._races.items()}
        networks = {kind: self._ties.network(kind) for kind in KINDS}
        return Charts(self.done, races, networks)

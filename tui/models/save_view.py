"""State of a save for the screens, polled from the file and from the runner; and a match of it."""

from collections import Counter
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from parlour.games.common.errors import ParlourError
from parlour.games.engine.moves import Seat
from parlour.games.engine.table import Table
from parlour.tournament.control.client import RunnerCommands, ask_runner_soon
from parlour.tournament.control.launch import last_words
from parlour.tournament.control.requests import GetStatus, Request
from parlour.tournament.control.status import MoneyStatus, OpenCall, RunnerStatus, hung
from parlour.tournament.plan.schedule import match_lengths
from parlour.tournament.save.provenance.alarms import Alarm
from parlour.tournament.save.queries import decided, new_answers, over_of
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import Diverged, feed, new_table
from parlour.tournament.save.rows import StoredAnswer, StoredMatch
from parlour.tui.look.cast import Cast
from parlour.tui.look.palette import Palette
from parlour.tui.models.form import Content
from parlour.tui.models.match_tree import MatchLines, fitting

BARRED = "People play in this match: it opens when it is over. s takes a seat, o looks on."
"""The text in place of a hidden match."""


@dataclass(slots=True)
class Focus:
    """The match on screen: its table, and the answers from which the table was built.

    ``shown`` counts the answers that the table was fed: all of them in a live view, fewer while a
    replay looks back. A ``barred`` match has no table.
    """

    match: StoredMatch
    answers: list[StoredAnswer] = field(default_factory=list)
    shown: int = 0
    table: Table | None = None
    trouble: str = ""
    barred: bool = False

    @property
    def waiting(self) -> tuple[Seat, ...]:
        """The seats that have not answered the current ask."""
        return () if self.table is None else self.table.waiting

    def show_all(self, save: Save) -> None:
        """Reads the answers, and puts the table into its state after all of them."""
        # In order of arrival, so that the answers shown before keep their place.
        answers = () if self.barred else save.answers_of(self.match.number)
        self.answers = sorted(answers, key=lambda answer: answer.seq)
        self.show(save, len(self.answers))

    def show(self, save: Save, count: int) -> None:
        """Puts the table into its state after ``count`` answers, forwards or backwards."""
        count, self.trouble = max(0, min(count, len(self.answers))), ""
        if self.barred:
            self.table, self.shown, self.trouble = None, 0, BARRED
            return
        try:
            if self.table is None or count < self.shown:
                self.table, self.shown = new_table(save.tournament, self.match), 0
            for answer in self.answers[self.shown : count]:
                feed(self.table, answer)
                self.shown += 1
        except Diverged as difference:
            self.trouble = str(difference)

    def turn_starts(self) -> list[int]:
        """The number of answers before each ask, then of all: the steps of a replay."""
        starts = [
            index
            for index, answer in enumerate(self.answers)
            if index == 0 or answer.ask != self.answers[index - 1].ask
        ]
        return [*starts, len(self.answers)]


CELLS, SECONDS_A_CELL = 16, 2


class Activity:
    """Counts the answers that come, by moments of two seconds."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._asks = 0

    def add(self, now: float, asks: int) -> None:
        """Takes the number of answers since the screen was opened."""
        moment = int(now // SECONDS_A_CELL)
        self._counts[moment] += asks - self._asks
        self._asks = asks
        for old in [other for other in self._counts if other <= moment - CELLS]:
            del self._counts[old]

    def values(self, now: float) -> list[float]:
        """Asks a second over the last 32 s, the oldest first."""
        last = int(now // SECONDS_A_CELL)
        moments = range(last - CELLS + 1, last + 1)
        return [self._counts[moment] / SECONDS_A_CELL for moment in moments]


GROWN = "The tournament has grown: leave this screen and open it again to see all of it."
"""The text on a save that has more matches than when it was opened."""
MATCHES_KEPT = 1000
"""The matches whose seats and results are kept in memory: more than a list has in sight."""
FEW_ENDED = 60
"""The matches that ended last, which are listed."""
STATUS_SECONDS, COMMAND_SECONDS = 2.0, 10.0
"""Seconds that a runner may take to report its status, and to carry out and store a command."""


@dataclass(slots=True)
class LocalState:
    """The state of a save at this terminal: seats taken, and whether it has watched people play.

    A terminal that plays must not watch, and one that has watched must not play. ``drafts``
    holds the contents of unsent forms, by match, ask and seat. ``seen_order`` are the agents in
    the order in which the leaderboard was last seen.
    """

    seats: set[str] = field(default_factory=set)
    looked_on: bool = False
    drafts: dict[tuple[int, int, Seat], list[Content]] = field(default_factory=dict)
    seen_order: tuple[str, ...] = ()


class SaveView(RunnerCommands[Coroutine[Any, Any, str | None]]):
    """One save as watched: its matches, the match in focus, and the last status of the runner.

    ``lines`` has every match by number, ``asks`` counts the answers that came while it was
    watched, ``moved`` has the value of ``asks`` at the newest answer of each match, ``ended`` the
    last matches that ended, the newest last. ``live`` is the runner's last status, None
    while nothing runs the save. ``failed`` lists the errors of the runner, also after its end, and
    ``alarms`` its alarms. ``hung`` is a sentence on a process without a sign of life.
    ``trouble`` says why the save can no longer be read; ``has_grown`` is true if that is since it
    has more matches by now. Matches with people are barred until they
    are over, unless this terminal looks on.
    """

    def __init__(self, path: Path, local: LocalState | None = None) -> None:
        self.path, self.local = path, local or LocalState()
        self.save = Save(path)
        self._load()
        lengths = match_lengths(self.save.tournament)
        self.expected = [length.answers for length in lengths]
        self.rounds = [length.rounds for length in lengths]
        self.games = {entry.game.name: entry.game for entry in self.save.tournament.games}
        self.asks = 0
        self.activity = Activity()
        self.people = frozenset(self.save.tournament.people)
        self._decides = self.save.tournament.schedule == "adaptive"
        self.live: RunnerStatus | None = None
        self._commands = self._unanswered = 0
        self._spent: float | None = None
        self.focus: Focus | None = None
        self.trouble = ""
        self.has_grown = False
        self.failed: list[str] = []
        self.alarms: list[Alarm] = []
        self.hung = ""
        self.moved: dict[int, int] = {}
        self._stored: dict[int, StoredMatch] = {}

    def _load(self) -> None:
        """Lists all matches, and those that have ended or are open."""
        self.decided = decided(self.save)  # first: what is decided meanwhile is listed later
        # In one transaction: an answer stored in between would be counted twice or not at all.
        with self.save.one_moment():
            self.lines = MatchLines(self.save)
            self._seq, self._last = self.save.last_seq(), self.save.last_match()
        self.progress, self.ended = self.lines.count, self.lines.last_over(FEW_ENDED)
        self._open = self.lines.open_numbers()

    def cast(self, palette: Palette) -> Cast:
        """The agents of the tournament, in the colours of a palette."""
        return _cast(tuple([agent.name for agent in self.save.tournament.agents]), palette)

    def close(self) -> None:
        """Closes the save."""
        self.save.close()

    def poll(self) -> bool:
        """Reads new answers and endings. Returns whether there were any."""
        try:
            changed, self.trouble = self._poll(), ""
            return changed
        except ParlourError as error:
            self.trouble = str(error)
            return False

    def _has_decided(self) -> bool:
        """True if an adaptive tournament has decided more; then all matches are listed again."""
        if decided(self.save) == self.decided:
            return False
        self._load()
        return True

    def _poll(self) -> bool:
        if self._has_decided():
            return True
        if not self._decides and self.save.last_match() > self._last:
            self.has_grown = True
            raise ParlourError(GROWN)
        seq, touched = new_answers(self.save, self._seq)
        if max(touched, default=0) > len(self.lines):  # planned meanwhile: the next poll sees it
            return True
        self._seq = seq
        for number, new in touched.items():
            self.lines.add_answers(number, new)
            self.asks += new.answers
            self.moved[number] = self.asks
        # The end of a match may have been read before its last answers, which come now.
        self._open.update(number for number in touched if not self.lines.is_over(number))
        # All open matches, since the outcome is stored a moment after the last answer.
        ended = over_of(self.save, sorted(self._open))
        for number, frozen in ended.items():
            self.lines.end(number, frozen=frozen)
        self._open -= ended.keys()
        self.ended = [*self.ended, *sorted(ended)][-FEW_ENDED:]
        if ended:
            froze, before = sum(ended.values()), self.progress
            finished = before.finished + len(ended) - froze
            self.progress = replace(before, finished=finished, frozen=before.frozen + froze)
        changed = touched.keys() | ended.keys()
        if self.number in changed:
            self.look_at(self.number)
        return bool(changed)

    @property
    def money(self) -> MoneyStatus | None:
        """Spending and budgets: from the runner, or from the save while nothing runs."""
        if self.live is not None:
            self._spent = None
            return self.live
        try:
            if self._spent is None:  # nothing is spent while nothing runs
                self._spent = self.save.spent().dollars
            control = self.save.control()
        except ParlourError as error:
            self.trouble = str(error)
            return None
        return MoneyStatus(
            dollars=self._spent, budget=control.budget, agent_budgets=control.agent_budgets
        )

    async def listen(self) -> None:
        """Asks the runner for its status, unless a command is out, whose reply is the status."""
        if not self._unanswered:
            await self.status()

    async def send(self, request: Request) -> str | None:
        """Sends the runner a request. Returns the error in words, or None."""
        is_command = not isinstance(request, GetStatus)
        self._commands += is_command
        self._unanswered += is_command
        commands = self._commands
        try:
            reply = await ask_runner_soon(
                self.path, request, COMMAND_SECONDS if is_command else STATUS_SECONDS
            )
            if commands == self._commands:  # else the reply is older than a later command
                self.live = self._known(reply)
            self.failed, self.alarms, self.hung = reply.failed, reply.alarms, ""
        except ParlourError as error:
            if self.hung or "does not answer" in str(error):
                self.hung = hung(self.path)
            if not is_command or "nothing runs" in str(error):
                self.live = None
                if not self.failed and not self.progress.done:
                    self.failed = last_words(self.path)
            return str(error)
        finally:
            self._unanswered -= is_command
        return None

    def _known(self, reply: RunnerStatus) -> RunnerStatus:
        """A status without the matches that were added since the save was opened."""
        if reply.matches <= len(self.lines):
            return reply
        if not self._decides:
            self.has_grown, self.trouble = True, GROWN
        waiting = {n: seats for n, seats in reply.waiting.items() if n <= len(self.lines)}
        return reply.model_copy(update={"waiting": waiting})

    @property
    def number(self) -> int | None:
        """The number of the match in focus."""
        return None if self.focus is None else self.focus.match.number

    @property
    def state(self) -> str:
        """The state of the runner: running, pausing, ..., or finished, or not running."""
        if self.live is not None:
            return self.live.state
        if self.hung:
            return "hung"
        return "finished" if self.progress.done else "not running"

    def look_at(self, number: int) -> None:
        """Puts a match into focus, up to its newest answer. Raises BadSave if it cannot be read."""
        self.focus = self.up_to_date(self.focus if self.number == number else None, number)

    def up_to_date(self, focus: Focus | None, number: int) -> Focus:
        """A match up to its newest answer, from its state so far if there is one.

        Raises BadSave if it cannot be read.
        """
        focus = focus or Focus(self.save.match(number))
        if self.lines.is_over(number) and focus.match.outcome is None:
            focus.match = self.save.match(number)
        if focus.barred != self.barred(focus.match):
            focus.barred, focus.table = not focus.barred, None
        focus.show_all(self.save)
        return focus

    def stored(self, number: int) -> StoredMatch | None:
        """Seats and result of a match, read once; None if they cannot be read."""
        known = self._stored.get(number)
        if known is not None and (known.outcome or known.frozen or not self.lines.is_over(number)):
            return known
        try:
            match = self.save.match(number)
        except ParlourError:
            return None
        if len(self._stored) >= MATCHES_KEPT:
            self._stored.clear()
        self._stored[number] = match
        return match

    def barred(self, match: StoredMatch) -> bool:
        """True if people play in the match, who may sit at this terminal: it is hidden."""
        if self.people.isdisjoint(match.agents) or self.local.looked_on:
            return False
        return not self.lines.is_over(match.number)

    def waited_for(self, number: int) -> list[int]:
        """The seats that a match waits for; none where that would give away who plays."""
        if self.people and not self.local.looked_on:
            return []
        return [] if self.live is None else self.live.waiting.get(number, [])

    def calls_of(self, number: int) -> dict[int, OpenCall]:
        """The calls under way of a match, by seat."""
        calls = () if self.live is None else self.live.open_calls
        return {call.seat: call for call in calls if call.match == number}

    def matching(self, text: str) -> list[int]:
        """The matches that fit a casefolded filter."""
        return list(fitting(self.save, self.lines, text))

    def first_to_show(self) -> int:
        """The number of a match in play, else of one that is not over, else 1."""
        running = self.running()
        return running[0] if running else self.lines.first_left() or 1

    def at_table(self) -> list[int]:
        """The numbers of the matches that have begun and are not over."""
        waiting = () if self.live is None else self.live.waiting
        over = (number for number in waiting if self.lines.is_over(number))
        return sorted(self._open.union(waiting).difference(over))

    def running(self) -> list[int]:
        """The numbers of the matches in play."""
        if self.live is not None:
            return sorted(self.live.waiting)
        return sorted(self._open)


_cast = lru_cache(maxsize=4)(Cast)
"""Made once for all that is drawn of a tournament: letters of many agents take a while."""


def view_of_match(
    path: Path, number: int, local: LocalState | None = None
) -> tuple[SaveView, Focus]:
    """A save as watched with a match in focus. Raises BadSave if the match cannot be read."""
    watched = SaveView(path, local)
    try:
        watched.look_at(number)
    except ParlourError:
        watched.close()
        raise
    assert watched.focus is not None
    return watched, watched.focus


class Tables:
    """The matches that a wall shows; those that are no longer asked for are let go."""

    def __init__(self, watched: SaveView) -> None:
        self._watched = watched
        self._known: dict[int, Focus] = {}

    def up_to_date(self, numbers: Iterable[int]) -> list[Focus]:
        """These matches up to their newest answers, without those that cannot be read."""
        known: dict[int, Focus] = {}
        for number in numbers:
            try:
                known[number] = self._up_to_date(number)
            except ParlourError:
                continue
        self._known = known
        return list(known.values())

    def _up_to_date(self, number: int) -> Focus:
        watched, focus = self._watched, self._known.get(number)
        if watched.focus is not None and watched.number == number:
            return watched.focus
        line = watched.lines[number]
        if focus is not None and line.answers == len(focus.answers) and not line.over:
            same = focus.barred == watched.barred(focus.match)
            return focus if same else watched.up_to_date(focus, number)
        return watched.up_to_date(focus, number)

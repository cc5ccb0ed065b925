"""What there is to show of a save, without any screen: polled from the file and the runner."""

from dataclasses import dataclass, field
from pathlib import Path

from parlour.games.common.errors import ParlourError
from parlour.games.engine.moves import Seat
from parlour.games.engine.table import Table
from parlour.tournament.control.client import Request, ask_runner_soon
from parlour.tournament.control.launch import last_words
from parlour.tournament.control.status import MoneyStatus, RunnerStatus
from parlour.tournament.plan.schedule import answers_per_match
from parlour.tournament.save.queries import MatchLine, endings, match_lines, new_answers
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import Diverged, feed, new_table
from parlour.tournament.save.rows import MatchCount, StoredAnswer, StoredMatch

BARRED = "People play in this match: it opens when it is over. s takes a seat, o looks on."
"""What stands in the place of such a match."""
SECONDS = {False: 2.0, True: 10.0}
"""How long a runner may take to say how things stand, and to do and store what a command says."""


@dataclass(slots=True)
class Here:
    """What was done at this terminal with a save: seats that were taken, whether one looked on.

    Who plays must not look on, nor who has looked on play.
    """

    seats: set[str] = field(default_factory=set)
    looked_on: bool = False
    drafts: dict[tuple[int, int, Seat], list[str | int | None]] = field(default_factory=dict)
    """What stood in the form of a match's ask and seat when its seat was left."""


@dataclass(slots=True)
class Focus:
    """The match that is looked at: its table, and the answers that made it.

    ``shown`` is how many answers the table has been fed; all of them in a live view, fewer
    while a replay looks back. Of a match that is ``barred`` there is no table.
    """

    match: StoredMatch
    answers: list[StoredAnswer] = field(default_factory=list)
    shown: int = 0
    table: Table | None = None
    trouble: str = ""
    barred: bool = False

    def show(self, save: Save, count: int) -> None:
        """Brings the table to the state after ``count`` answers, forwards or backwards."""
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
        """After how many answers each ask began: the steps of a replay, the end included."""
        starts = [
            index
            for index, answer in enumerate(self.answers)
            if index == 0 or answer.ask != self.answers[index - 1].ask
        ]
        return [*starts, len(self.answers)]


class SaveView:
    """One save as watched: its matches, the focused one, and the runner's latest word.

    ``lines`` has one entry a match; ``live`` is what the runner last said, None while nothing
    runs the save; ``failed`` is what went wrong in it, also after its end; ``trouble`` is why the
    save cannot be read any more, if so. Matches with people are barred until they are over, unless
    one looks on ``here``.
    """

    def __init__(self, path: Path, here: Here | None = None) -> None:
        self.path, self.here = path, here or Here()
        self.save = Save(path)
        # At one moment: what is stored in between would else be counted twice or not at all.
        with self.save.one_moment():
            self.lines: list[MatchLine] = match_lines(self.save)
            self.progress = self.save.match_count()
            self._seq = self.save.last_seq()
        self.expected = answers_per_match(self.save.tournament)
        self.people = frozenset(self.save.tournament.people)
        self.seats = [len(e.game.sides(e.setting(0))) for e in self.save.tournament.games]
        self.live: RunnerStatus | None = None
        self._commands = self._unanswered = 0
        self._spent: float | None = None
        self.focus: Focus | None = None
        self.trouble = ""
        self.failed: list[str] = []
        self._open = {line.number for line in self.lines if line.answers and not line.over}

    def close(self) -> None:
        """Lets go of the save."""
        self.save.close()

    def poll(self) -> bool:
        """Reads what is new in the save. True if anything is."""
        try:
            changed, self.trouble = self._poll(), ""
            return changed
        except ParlourError as error:
            self.trouble = str(error)
            return False

    def _poll(self) -> bool:
        self._seq, touched = new_answers(self.save, self._seq)
        for number, count in touched.items():
            self.lines[number - 1].answers += count
        self._open |= touched.keys()
        # Of all that are open, since the outcome is stored a moment after the last answer.
        ended: set[int] = set()
        for number, ending, frozen in endings(self.save, sorted(self._open)):
            line = self.lines[number - 1]
            line.ending, line.frozen = ending, frozen
            if line.over:
                ended.add(number)
        self._open -= ended
        if ended:
            froze = sum(self.lines[number - 1].frozen is not None for number in ended)
            before = self.progress
            self.progress = MatchCount(
                before.matches, before.finished + len(ended) - froze, before.frozen + froze
            )
        changed = touched.keys() | ended
        if self.focus is not None and self.focus.match.number in changed:
            self.look_at(self.focus.match.number)
        return bool(changed)

    @property
    def money(self) -> MoneyStatus | None:
        """What is spent and may be: as the runner tells it, else as the save has it."""
        if self.live is not None:
            self._spent = None
            return self.live
        try:
            if self._spent is None:  # while nothing runs nothing more is spent
                self._spent = self.save.spent().dollars
            control = self.save.control()
        except ParlourError as error:
            self.trouble = str(error)
            return None
        return MoneyStatus(
            dollars=self._spent, budget=control.budget, agent_budgets=control.agent_budgets
        )

    async def listen(self) -> None:
        """Asks the runner how things stand; not while a command is out, whose answer says it."""
        if not self._unanswered:
            await self.tell({"do": "status"})

    async def tell(self, request: Request) -> str | None:
        """Sends the runner a command; what went wrong in words, None if nothing did."""
        is_command = request["do"] != "status"
        self._commands += is_command
        self._unanswered += is_command
        commands = self._commands
        try:
            said = await ask_runner_soon(self.path, request, SECONDS[is_command])
            if commands == self._commands:  # else it does not know of a command that came after
                self.live = said
            self.failed = said.failed
        except ParlourError as error:
            if request["do"] == "status" or "nothing runs" in str(error):
                self.live = None
                if not self.failed and not self.progress.done:
                    self.failed = last_words(self.path)
            return str(error)
        finally:
            self._unanswered -= is_command
        return None

    @property
    def state(self) -> str:
        """Running, pausing, quiesced, stopping; or finished or not running, with no runner."""
        if self.live is not None:
            return self.live.state
        return "finished" if self.progress.done else "not running"

    def look_at(self, number: int) -> None:
        """Focuses a match and shows it as far as it is. Raises BadSave if it cannot be read."""
        if self.focus is None or self.focus.match.number != number:
            self.focus = Focus(self.save.match(number))
        focus = self.focus
        if self.lines[number - 1].over and focus.match.outcome is None:
            focus.match = self.save.match(number)
        if focus.barred != self.barred(focus.match):
            focus.barred, focus.table = not focus.barred, None
        # By arrival, so that what is already shown stays where it is in the list.
        answers = () if focus.barred else self.save.answers_of(number)
        focus.answers = sorted(answers, key=lambda a: a.seq)
        focus.show(self.save, len(focus.answers))

    def barred(self, match: StoredMatch) -> bool:
        """Whether people play in the match, who might be the ones at this terminal."""
        if self.people.isdisjoint(match.agents) or self.here.looked_on:
            return False
        return not self.lines[match.number - 1].over

    def waited_for(self, number: int) -> list[int]:
        """The seats that a match waits for, as the runner last said; none where that may tell."""
        if self.people and not self.here.looked_on:
            return []
        return [] if self.live is None else self.live.waiting.get(number, [])

    def running(self) -> list[int]:
        """The matches in play, by number."""
        if self.live is not None:
            return sorted(self.live.waiting)
        return sorted(self._open)

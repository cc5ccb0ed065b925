"""A seat taken at this terminal, without any screen: what it is asked, and its answers."""

from dataclasses import dataclass
from typing import Any

from parlour.games.common.errors import ParlourError
from parlour.games.engine.moves import Ask, Seat
from parlour.games.engine.prompts import Prompt, render
from parlour.games.engine.table import Table, View
from parlour.tournament.control.client import Connection, Request
from parlour.tournament.run.state import OpenAsk
from parlour.tui.models.form import Form, form_of
from parlour.tui.models.save_view import Focus, SaveView

REFUSALS = 4
"""How often a seat is tried for; one that was left just now may take a moment to be free."""


class SeatLost(ParlourError):
    """The seat is somebody else's."""


@dataclass(frozen=True, slots=True)
class Question:
    """An ask that waits for this seat: its place, what it is, and all that the seat knows."""

    match: int
    number: int
    seat: Seat
    ask: Ask[Any]
    view: View
    prompt: Prompt
    form: Form

    @property
    def place(self) -> tuple[int, int, Seat]:
        """Which of all asks it is."""
        return self.match, self.number, self.seat


class Sitting:
    """Holds the seat of an agent for as long as it is open.

    ``question`` is what is asked now, if anything. ``focus`` is the match that it belongs to, or
    the last one that something was asked in, and ``seat`` the seat there.
    """

    def __init__(self, watched: SaveView, agent: str) -> None:
        self.watched, self.agent = watched, agent
        self.question: Question | None = None
        self.focus: Focus | None = None
        self.seat = Seat(0)
        self.left: float | None = None
        self.seated = False
        self._refused = 0
        self._connection = Connection(watched.path)

    def close(self) -> None:
        """Lets go of the seat, which then waits."""
        self._connection.close()
        self.seated = False

    @property
    def table(self) -> Table | None:
        """The table of the match, None before anything was asked."""
        return None if self.focus is None else self.focus.table

    async def listen(self) -> None:
        """Hears what is asked; takes the seat first, if need be. Raises SeatLost."""
        self.seated = self.seated and self._connection.is_open
        request: Request = {"do": "sit", "agent": self.agent}
        if self.seated:
            request = {"do": "status", "match": self.question and self.question.match}
        try:
            self.watched.live = await self._connection.ask(request)
            self.seated, self._refused = True, 0
        except ParlourError as refusal:
            self.watched.live, self.seated = None, False
            self._refused += self._connection.is_open
            if self._refused >= REFUSALS:
                raise SeatLost(_words(refusal, self.watched)) from None
        changed = self.watched.poll()
        self._look(changed)

    async def say(self, value: dict[str, Any]) -> str | None:
        """Answers the question; what is wrong in words, None if it was taken."""
        question = self.question
        if question is None:
            return "nothing is asked now"
        place = {"match": question.match, "ask": question.number, "seat": question.seat}
        try:
            reply = await self._connection.ask({"do": "answer", **place, "value": value})
        except ParlourError as refusal:
            return _words(refusal, self.watched)
        if reply.refused is None:
            self.question = None
        return reply.refused

    def _look(self, changed: bool) -> None:
        """Brings question and table up to date."""
        if not self.seated:
            return  # the question stays, with what was typed: the next runner puts it again
        row = self._row()
        if row is None and self._is_pending():
            return
        if row is None:
            self.question, self.left = None, None
            if changed and self.focus is not None:
                self._show(self.focus.match.number)
            return
        match, number, seat, self.left = row
        old = self.question
        if old is not None and old.place == (match, number, seat):
            return
        self._show(match)
        self.seat, self.question = Seat(seat), None
        table = self.table
        if table is not None and table.pending is not None and table.ask_number == number:
            ask, view = table.pending, table.view(self.seat)
            prompt = render(table.game, view, ask.kind)
            form = form_of(ask, view)
            self.question = Question(match, number, self.seat, ask, view, prompt, form)

    def _is_pending(self) -> bool:
        """Whether a question stays open though the runner does not ask it now.

        A runner that stops takes its asks back, and one that has just started asks again only when
        it has begun the match. What was typed must survive both.
        """
        live, question = self.watched.live, self.question
        if live is None or question is None or self.watched.lines[question.match - 1].over:
            return False
        return live.state == "stopping" or question.match not in live.waiting

    def _row(self) -> OpenAsk | None:
        """The ask to be shown: the one that is shown, else one of the same match, else the first.

        While the last match is over and not yet looked at, none.
        """
        live = self.watched.live
        asks = [] if live is None else live.person(self.agent).asks
        here = None if self.focus is None else self.focus.match.number

        def rank(row: OpenAsk) -> tuple[bool, bool]:
            shown = self.question
            return (shown is None or row[1:3] != (shown.number, shown.seat), row.match != here)

        if not asks or self.is_over:
            return None
        return min(asks, key=rank)

    @property
    def is_over(self) -> bool:
        """Whether the match has ended, and nobody has said yet that it was seen."""
        return self.focus is not None and self.watched.lines[self.focus.match.number - 1].over

    def go_on(self) -> None:
        """The end of the match was seen."""
        if self.is_over:
            self.focus = None

    def _show(self, number: int) -> None:
        """The match as far as it is."""
        save = self.watched.save
        if self.focus is None or self.focus.match.number != number or self.is_over:
            self.focus = Focus(save.match(number))
        self.focus.answers = save.answers_of(number)
        self.focus.answers.sort(key=lambda answer: answer.seq)
        self.focus.show(save, len(self.focus.answers))


def _words(refusal: ParlourError, watched: SaveView) -> str:
    """What the runner said, without the save's name before it."""
    return str(refusal).removeprefix(f"{watched.path}: ")

"""A person's seat at this terminal: the open question, and sending its answer."""

from dataclasses import dataclass
from typing import Any

from parlour.games.common.errors import ParlourError
from parlour.games.engine.events import View
from parlour.games.engine.game import AskTexts
from parlour.games.engine.moves import Ask, Seat
from parlour.games.engine.prompts import Prompt, render
from parlour.games.engine.table import Table
from parlour.tournament.control.client import RunnerConnection
from parlour.tournament.control.requests import Answer, GetStatus, Sit
from parlour.tournament.run.state import OpenAsk
from parlour.tui.models.form import Field, Form, field_to_blame, form_of
from parlour.tui.models.save_view import Focus, SaveView

MAX_REFUSALS = 4
"""Requests for a seat before it counts as lost. A seat just left may take a moment to be free."""


class SeatLost(ParlourError):
    """Someone else has the seat."""


@dataclass(frozen=True, slots=True)
class Question:
    """An ask that waits for this seat: the form, and the question in words for a person.

    ``prompt`` is the question as a model would read it, with the rules.
    """

    match: int
    number: int
    seat: Seat
    ask: Ask[Any]
    view: View
    prompt: Prompt
    words: str
    form: Form

    @property
    def match_ref(self) -> tuple[int, int, Seat]:
        """The match, the number of the ask and the seat."""
        return self.match, self.number, self.seat

    def to_blame(self, value: object) -> Field | None:
        """The field of a refused answer that must change, None if no single one must."""
        return field_to_blame(self.ask, self.seat, self.form, value)


class SeatClient:
    """Holds the seat of an agent until it is closed.

    ``question`` is the open question, if any. ``focus`` is its match, or that of the last question,
    and ``seat`` the seat in that match. ``prompt`` is that of the last question, None once the
    match is over.
    """

    def __init__(self, watched: SaveView, agent: str) -> None:
        self.watched, self.agent = watched, agent
        self.question: Question | None = None
        self.prompt: Prompt | None = None
        self.focus: Focus | None = None
        self.seat = Seat(0)
        self.left: float | None = None
        self.seated = False
        self._refused = 0
        self._connection = RunnerConnection(watched.path)

    def close(self) -> None:
        """Leaves the seat, which then waits."""
        self._connection.close()
        self.seated = False

    @property
    def table(self) -> Table | None:
        """The table of the match, None before the first question."""
        return None if self.focus is None else self.focus.table

    async def listen(self) -> None:
        """Fetches the open question; requests the seat first if it is not held. Raises SeatLost."""
        self.seated = self.seated and self._connection.is_open
        shown = None if self.question is None else self.question.match
        try:
            request = GetStatus(match=shown) if self.seated else Sit(agent=self.agent)
            self.watched.live = await self._connection.send(request)
            self.seated, self._refused = True, 0
        except ParlourError as refusal:
            self.watched.live, self.seated = None, False
            self._refused += self._connection.is_open
            if self._refused >= MAX_REFUSALS:
                raise SeatLost(_words(refusal, self.watched)) from None
        changed = self.watched.poll()
        self._update(changed)

    async def answer(self, value: dict[str, Any]) -> str | None:
        """Answers the question. Returns the error in words, or None if it was accepted."""
        question = self.question
        if question is None:
            return "no question is open"
        match, ask, seat = question.match_ref
        try:
            given = Answer(match=match, ask=ask, seat=seat, value=value)
            reply = await self._connection.send(given)
        except ParlourError as refusal:
            return _words(refusal, self.watched)
        if reply.refused is None:
            self.question = None
        return reply.refused

    def _update(self, changed: bool) -> None:
        """Updates question and table from the status of the runner."""
        if not self.seated and not self.is_over:
            return  # the question stays, with the draft: the next runner asks it again
        request = self._next_request()
        if request is None and self._is_pending():
            return
        if request is None:
            self.question, self.left = None, None
            if self.is_over:
                self.prompt = None
            if changed and self.focus is not None:
                self._show(self.focus.match.number)
            return
        match, number, seat, self.left = request
        if self.question is not None and self.question.match_ref == (match, number, seat):
            return
        self._show(match)
        self.seat, self.question = Seat(seat), None
        table = self.table
        if table is not None and table.pending is not None and table.ask_number == number:
            self.question = question_at(match, table, self.seat)
            self.prompt = self.question.prompt

    def _is_pending(self) -> bool:
        """True while a question stays open though the runner does not ask it now.

        A runner that stops withdraws its questions, and one that has just started asks again only
        when it has begun the match. The draft must survive both.
        """
        live, question = self.watched.live, self.question
        if live is None or question is None or self.watched.lines.is_over(question.match):
            return False
        return live.state == "stopping" or question.match not in live.waiting

    def _next_request(self) -> OpenAsk | None:
        """The ask to show.

        It is the one shown now, else one of the same match, else the first. None while the end of
        the last match is on screen.
        """
        live = self.watched.live
        asks = [] if live is None else live.person(self.agent).asks
        current = None if self.focus is None else self.focus.match.number

        def rank(row: OpenAsk) -> tuple[bool, bool]:
            shown = self.question
            return (shown is None or row[1:3] != (shown.number, shown.seat), row.match != current)

        if not asks or self.is_over:
            return None
        return min(asks, key=rank)

    @property
    def is_over(self) -> bool:
        """True while the end of the match is on screen."""
        return self.focus is not None and self.watched.lines.is_over(self.focus.match.number)

    def go_on(self) -> None:
        """Closes the end of the match, so that the next one can begin."""
        if self.is_over:
            self.focus = None

    def _show(self, number: int) -> None:
        """Shows the match up to its newest answer."""
        save = self.watched.save
        if self.focus is None or self.focus.match.number != number or self.is_over:
            self.focus = Focus(save.match(number))
        self.focus.show_all(save)


def question_at(match: int, table: Table, seat: Seat) -> Question:
    """The question that a table asks a seat now. Raises BadInput if its prompt cannot be filled."""
    ask, view = table.pending, table.view(seat)
    assert ask is not None
    prompt = render(table.game, view, ask.kind)
    texts = table.game.texts.asks.get(ask.kind)
    words = _question(texts, view) or prompt.question
    form = form_of(ask, view, texts)
    return Question(match, table.ask_number, seat, ask, view, prompt, words, form)


def _question(texts: AskTexts | None, view: View) -> str:
    """The game's question to a person, "" if it has none for this view."""
    if texts is None:
        return ""
    try:
        return texts.question(view)
    except (LookupError, TypeError, ValueError, AttributeError):  # a record of another form
        return ""


def _words(refusal: ParlourError, watched: SaveView) -> str:
    """The runner's error without the name of the save before it."""
    return str(refusal).removeprefix(f"{watched.path}: ")

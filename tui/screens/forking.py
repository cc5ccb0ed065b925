"""Dialogs that put a fork of the match on screen together: its seat, its change, the answer."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rich.text import Text
from textual.app import App

from parlour.games.common.errors import ParlourError
from parlour.games.engine.moves import Seat
from parlour.tournament.save.growing.fork import Change, agent_for, person_named
from parlour.tournament.save.rows import StoredAnswer
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.models.save_view import SaveView
from parlour.tui.models.seat import question_at
from parlour.tui.screens.answering import AnswerDialog
from parlour.tui.views.scene import scene_of
from parlour.tui.widgets.dialogs import Choice

ANSWER, PERSON, AGENT = "answer", "person", "agent:"
ME = "me"
"""The name of a person that takes over a seat here."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A fork that was put together; ``person`` is the name of who plays here."""

    match: int
    ask: int
    change: Change
    person: str | None


class Forking:
    """One fork that is put together, from the ask at which the match on screen stands."""

    def __init__(
        self,
        app: App[None],
        watched: SaveView,
        look: Look,
        done: Callable[[Wanted], None],
        failed: Callable[[str], None],
    ) -> None:
        """The match in focus must have a pending ask. ``failed`` gets a refusal in one line."""
        self._app, self._watched, self._look = app, watched, look
        self._done, self._failed = done, failed
        focus = watched.focus
        assert focus is not None
        assert focus.table is not None
        assert focus.table.pending is not None
        self._focus, self._pending, self._ask = focus, focus.table.pending, focus.table.ask_number
        agents = [agent.name for agent in watched.save.tournament.agents]
        self._cast = Cast(agents, look.palette)
        self._scene = scene_of(focus, self._cast, look, waiting=focus.table.waiting)
        self._seat = Seat(0)

    def start(self) -> None:
        """Asks for the seat: those that are asked come first."""
        asked = self._pending.seats
        seats = range(len(self._focus.match.agents))
        options = []
        for seat in sorted(seats, key=lambda seat: seat not in asked):
            note = "" if seat in asked else "  (not asked here: another player only)"
            name = Text.assemble(self._scene.chip(seat), " ", self._scene.name(seat))
            options.append((str(seat), name.append(note, self._look.palette.soft)))
        title = f"Fork at ask {self._ask}: which seat"
        self._app.push_screen(Choice(title, options), self._seat_chosen)

    def _answers(self) -> list[StoredAnswer]:
        return [answer for answer in self._focus.answers if answer.ask == self._ask]

    def _seat_chosen(self, choice: str | None) -> None:
        if choice is None:
            return
        self._seat = Seat(int(choice))
        stored = self._stored()
        options: list[tuple[str, str | Text]] = []
        options += [] if stored is None else [(ANSWER, "another answer")]
        options.append((PERSON, "I play this seat from here on"))
        now = self._focus.match.agents[self._seat]
        for name in self._cast.agents:
            if name != now:
                who = self._cast[name]
                words = Text.assemble(self._look.chip(who), " ", self._look.name(who), " plays it")
                options.append((AGENT + name, words))
        title = f"What changes for {self._scene.people[self._seat].name}"
        self._app.push_screen(Choice(title, options), self._change_chosen)

    def _stored(self) -> StoredAnswer | None:
        return next((each for each in self._answers() if each.seat == self._seat), None)

    def _change_chosen(self, choice: str | None) -> None:
        stored, tournament = self._stored(), self._watched.save.tournament
        try:
            if choice == ANSWER and stored is not None:
                self._ask_for_answer(json.loads(stored.value))
            elif choice == PERSON:
                self._want(Change(self._seat, agent=person_named(tournament, ME)), ME)
            elif choice is not None:
                agent = agent_for(tournament, choice.removeprefix(AGENT))
                self._want(Change(self._seat, agent=agent), None)
        except ParlourError as error:
            self._failed(str(error))

    def _ask_for_answer(self, stored: Mapping[str, Any]) -> None:
        """Opens the form with the stored answer. Raises BadInput if its prompt cannot be filled."""
        table = self._focus.table
        assert table is not None
        question = question_at(self._focus.match.number, table, self._seat)
        if not question.form.fields:
            self._failed("This answer has no form: parlour fork --answer takes it as JSON.")
            return
        form = AnswerDialog(question, self._scene, stored)
        self._app.push_screen(form, self._answered)

    def _answered(self, answer: Mapping[str, Any] | None) -> None:
        if answer is not None:
            self._want(Change(self._seat, answer=answer), None)

    def _want(self, change: Change, person: str | None) -> None:
        self._done(Wanted(self._focus.match.number, self._ask, change, person))

"""Dialogs that put a fork of the match on screen together: its seat, its change, the answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType

from parlour.agents.code_blocks import PythonConfig
from parlour.agents.registry import refuse_unable
from parlour.games.common.errors import BadInput, ParlourError
from parlour.games.engine.moves import Fault, Seat
from parlour.tournament.save.growing.fork import ForkChange, agent_for, person_named
from parlour.tournament.save.rows import StoredAnswer
from parlour.tui.look.look import Look
from parlour.tui.models.form import Field, Filling
from parlour.tui.models.save_view import SaveView
from parlour.tui.models.seat import Question, question_at
from parlour.tui.screens.filling import FillingScreen
from parlour.tui.views.fork import answer_lines, with_names
from parlour.tui.views.scene import Scene, scene_of
from parlour.tui.widgets.dialogs import ChoiceDialog, ClosedOnce

SAME = "This is the answer that was given: change it."
NO_FORM = "This answer has no form: parlour fork --answer takes it as JSON."


class AnswerDialog(ClosedOnce[Mapping[str, Any] | None], FillingScreen):
    """The form of an ask, filled in with the stored answer; returns a legal other one."""

    DEFAULT_CSS = """
    AnswerDialog { align: center middle; }
    AnswerDialog > SeatTurn { width: 100; max-width: 95%; max-height: 95%; background: $look-bg;
                              border-subtitle-color: $look-soft; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Close", id="window.close")
    ]

    def __init__(self, question: Question, scene: Scene, stored: Mapping[str, Any]) -> None:
        """``scene`` is the match as shown, whose names and chips the form has too."""
        super().__init__()
        self._question, self._scene = with_names(question, scene), scene
        self._contents = question.form.contents(stored)
        self._before = question.ask.answer.model_validate(stored)

    @property
    def look(self) -> Look:
        """The look of the match."""
        return self._scene.look

    def compose(self) -> ComposeResult:
        """Yields the question with its form."""
        yield self.new_turn()

    def on_mount(self) -> None:
        """Fills the form in and goes to its first field."""
        title = self.look.title("", "Another answer of ")
        title.append_text(self._scene.name(self._question.seat))
        above = partial(answer_lines, self._question, self._scene)
        self.show_turn(title, above, asked=True)
        self.turn.set_note(self.look.keys([("ctrl+s", "plays on with it"), ("esc", "cancels")]))
        filling = Filling(self._question.form, self._contents, "Play on")
        self.lay_out(filling, self._scene.people)
        self.set_focus(self.turn)

    def action_cancel(self) -> None:
        """Closes the form; nothing is forked."""
        self.dismiss(None)

    def action_send(self) -> None:
        """Returns the answer, or shows where it is refused."""
        question, value = self._question, self.filled_in()
        if value is None:
            return
        judged = question.ask.judge(question.seat, value)
        if isinstance(judged, Fault):
            self.refuse(question.to_blame(value), judged.message)
        elif judged == self._before:
            self.refuse(None, SAME)
        else:
            self.dismiss(value)

    def refuse(self, field: Field | None, words: str) -> None:
        """Shows a refusal with the names of the match."""
        super().refuse(field, self._scene.words(words).plain)


ANSWER, PERSON, AGENT = "answer", "person", "agent:"
ME = "me"
"""The name of a person that takes over a seat here."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A fork that was put together; ``person`` is the name of who plays here."""

    match: int
    ask: int
    change: ForkChange
    person: str | None


class Forking:
    """One fork that is put together, from the ask at which the match on screen stands."""

    def __init__(self, app: App[None], watched: SaveView, look: Look) -> None:
        """The match in focus must have a pending ask."""
        self._app, self._watched, self._look = app, watched, look
        focus = watched.focus
        assert focus is not None
        assert focus.table is not None
        assert focus.table.pending is not None
        self._focus, self._table, self._pending = focus, focus.table, focus.table.pending
        self._ask = focus.table.ask_number
        self._cast = watched.cast(look.palette)
        self._scene = scene_of(focus, self._cast, look)

    async def wanted(self) -> Wanted | None:
        """Asks for the seat, for the change and for the answer, in a worker; None: no fork.

        Raises ParlourError for an agent or an answer that cannot be had.
        """
        seat = await self._choice(f"Fork at ask {self._ask}: which seat", self._seats())
        if seat is None:
            return None
        number = Seat(int(seat))
        title = f"What changes for {self._scene.people[number].name}"
        kind = await self._choice(title, self._changes(number))
        if kind is None:
            return None
        tournament, person = self._watched.save.tournament, None
        if kind == ANSWER:
            answer = await self._answer(number)
            if answer is None:
                return None
            change = ForkChange(number, answer=answer)
        elif kind == PERSON:
            person, change = ME, ForkChange(number, agent=person_named(tournament, ME))
        else:
            change = ForkChange(number, agent=agent_for(tournament, kind.removeprefix(AGENT)))
        return Wanted(self._focus.match.number, self._ask, change, person)

    async def _choice(self, title: str, options: Sequence[tuple[str, str | Text]]) -> str | None:
        chosen: str | None = await self._app.push_screen_wait(ChoiceDialog(title, options))
        return chosen

    def _seats(self) -> list[tuple[str, str | Text]]:
        """All seats: those that are asked come first."""
        asked = self._pending.seats
        options: list[tuple[str, str | Text]] = []
        seats = range(len(self._focus.match.agents))
        for seat in sorted(seats, key=lambda seat: seat not in asked):
            note = "" if seat in asked else "  (not asked here: another player only)"
            name = Text.assemble(self._scene.chip(seat), " ", self._scene.name(seat))
            options.append((str(seat), name.append(note, self._look.palette.soft)))
        return options

    def _changes(self, seat: Seat) -> list[tuple[str, str | Text]]:
        """The changes that a seat can have: its answer, the user, or another agent."""
        options: list[tuple[str, str | Text]] = []
        options += [] if self._stored(seat) is None else [(ANSWER, "another answer")]
        options.append((PERSON, "I play this seat from here on"))
        now = self._focus.match.agents[seat]
        for name in self._cast.agents:
            if name != now and self._can_play(name):
                person = self._look.person(self._cast[name])
                options.append((AGENT + name, person.append(" plays it")))
        return options

    def _can_play(self, name: str) -> bool:
        """True for an agent that can play the match's game."""
        try:
            agent = agent_for(self._watched.save.tournament, name)
            refuse_unable(agent, self._table.game, (self._table.setting,), name)
        except BadInput:
            return False
        return not isinstance(agent, PythonConfig)  # no screen can make it

    def _stored(self, seat: Seat) -> StoredAnswer | None:
        answers = (each for each in self._focus.answers if each.ask == self._ask)
        return next((each for each in answers if each.seat == seat), None)

    async def _answer(self, seat: Seat) -> Mapping[str, Any] | None:
        """Another answer from a form with the stored one. Raises BadInput for a bad prompt."""
        stored = self._stored(seat)
        assert stored is not None
        question = question_at(self._focus.match.number, self._table, seat)
        if not question.form.fields:
            raise ParlourError(NO_FORM)
        form = AnswerDialog(question, self._scene, json.loads(stored.value))
        answer: Mapping[str, Any] | None = await self._app.push_screen_wait(form)
        return answer

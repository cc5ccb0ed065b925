"""The screen of a person at a seat: all that the seat knows, what it is asked, and a form."""

import asyncio
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.css.query import NoMatches
from textual.widgets import Footer, Static

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import clean
from parlour.games.engine.moves import player
from parlour.games.engine.transcript import sentence, transcript
from parlour.tui.models.form import Missing
from parlour.tui.models.save_view import Here, SaveView
from parlour.tui.models.seat import Question, SeatLost, Sitting
from parlour.tui.screens.steering import RunnerScreen
from parlour.tui.views import match as describe
from parlour.tui.widgets.form_fields import Row, Send
from parlour.tui.widgets.panes import TextPane

LOOK_SECONDS = 0.25
"""How often the screen looks whether something is asked."""


class SeatScreen(RunnerScreen):
    """One seat: nothing else of a match is to be seen here before it is over."""

    TITLE = "Seat"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Send", priority=True, id="seat.send"),
        # Before the entries: of keys that come in a burst, as over a slow line, those after one
        # that goes on would else still go to the entry before.
        Binding(
            "enter",
            "next",
            "Next entry; on the last line send",
            show=False,
            priority=True,
            id="seat.next",
        ),
        Binding("tab", "app.focus_next", "Next pane", show=False, priority=True, id="app.next"),
        # So that one can read on while one writes.
        Binding("pageup", "scroll(-1)", "Read up", priority=True, id="seat.up"),
        Binding("pagedown", "scroll(1)", "Read down", priority=True, id="seat.down"),
        Binding("f5", "start", "Start or go on", show=False, id="seat.start"),
        Binding("escape", "rise", "Leave the seat", id="seat.rise"),
    ]

    def __init__(self, path: Path, agent: str, here: Here) -> None:
        """Raises BadSave if the save cannot be read."""
        super().__init__()
        self.watched = SaveView(path, here)
        self.sitting = Sitting(self.watched, agent)
        self._agent = agent
        self._shown: object = None
        self._wrong: list[str | int | None] | None = None  # what stood in the form then
        self._ticking = self._sending = self._rising = False

    def compose(self) -> ComposeResult:
        """The status, what is told, the form, and its last line with what is wrong."""
        yield Static(id="status")
        yield TextPane(empty="Nothing yet.", id="told", follows=True)
        yield VerticalScroll(id="form", can_focus=False)
        with Horizontal(id="last"):
            yield Send(id="send")
            yield Static(id="wrong")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """The clock."""
        self.query_one("#last").display = False
        self.query_one("#told", TextPane).focus()
        # In a task of its own: the screen could not close while it waits for its own form.
        self.run_worker(self._look())

    def on_unmount(self) -> None:
        """Lets go of the seat and of the save."""
        self.sitting.close()
        self.watched.close()

    # --- What is shown

    async def _look(self) -> None:
        while not self._rising:
            await self._tick()
            await asyncio.sleep(LOOK_SECONDS)

    async def _tick(self) -> None:
        """Hears what is asked and shows it, at most once at a time."""
        if self._ticking or self._rising:
            return
        self._ticking = True
        try:
            await self.sitting.listen()
            if self.sitting.seated:
                self.watched.here.seats.add(self._agent)
            await self._show()
            self.paint()  # last, so that it never tells of a form that is not there yet
        except SeatLost as lost:
            self.say(str(lost), bad=True)
            self.action_rise()
        except ParlourError as trouble:  # a prompt of another package's game, say
            self.say(str(trouble), bad=True)
        except NoMatches:  # the screen is taken down meanwhile
            if self.query("#status"):
                raise
        finally:
            self._ticking = False

    def paint(self, changed: bool = True) -> None:
        """Shows how things stand now."""
        self.query_one("#status", Static).update(self._status(), layout=False)
        if self._wrong is not None and self._wrong != self._filled():
            self._complain("")  # it is being put right

    async def _show(self) -> None:
        sitting = self.sitting
        question, over = sitting.question, sitting.is_over
        table = sitting.table
        events = len(table.view(sitting.seat).events) if table is not None else 0
        state = self.watched.state if question is None and not over else ""
        match = None if sitting.focus is None else sitting.focus.match.number
        key = (question and question.place, over, match)
        if (key, events, state) == self._shown:
            return
        another = not isinstance(self._shown, tuple) or self._shown[0] != key
        self._shown = (key, events, state)
        told = self.query_one("#told", TextPane)
        told.entitle(Text("What you are told" if question else "What you know"))
        told.show(_told(question) if question else self._meanwhile(), anew=True)
        if another:
            await self._lay_out(question, over)

    async def _lay_out(self, question: Question | None, over: bool) -> None:
        """The form of another question, or none."""
        form = self.query_one("#form", VerticalScroll)
        await form.remove_children()
        self._complain("")
        rows = []
        if question is not None:
            entries = question.form.entries
            usual = [entry.usual for entry in entries]
            filled = self.watched.here.drafts.pop(question.place, usual)
            rows = [Row(*row) for row in zip(entries, range(len(entries)), filled, strict=True)]
            await form.mount(*rows)
        form.display = bool(rows)
        send = self.query_one("#send", Send)
        send.update(Text("[ Send ]" if question is not None else "[ Go on ]"))
        self.query_one("#last").display = question is not None or over
        self.call_after_refresh(self.query_one("#told", TextPane).follow)  # it has another height
        if self.is_current:
            self.set_focus(rows[0].widget if rows else send if over else self.query_one("#told"))

    def _meanwhile(self) -> list[Text]:
        """What the seat knows while it is not asked; all of a match that is over."""
        sitting, state = self.sitting, self.watched.state
        lines = []
        table = sitting.table
        if table is not None and sitting.focus is not None:
            known = table.events if sitting.is_over else table.view(sitting.seat).events
            game = table.game
            events = transcript(game, known)
            lines = [Text(clean(f"{event.round:>2} {sentence(game, event)}")) for event in events]
            if sitting.is_over:
                who, frozen = describe.players(sitting.focus), sitting.focus.match.frozen or ""
                ending = describe.ending_lines(table) or [Text(describe.one_line(frozen))]
                return [*lines, Text(""), *ending, Text(""), *who]
        words = {
            "running": "You are not asked now: others have their turn.",
            "quiesced": "The tournament is paused: F5 lets it go on.",
            "not running": "Nothing runs this tournament: F5 starts it.",
            "finished": "The tournament is finished: Esc leaves the seat, l then shows who won.",
        }
        return [*lines, Text(""), Text(words.get(state, f"The tournament is {state}."), "bold")]

    def _status(self) -> Text:
        """Who one is, what is asked, and the clock, in one line."""
        sitting = self.sitting
        text = Text(no_wrap=True, overflow="ellipsis")
        if self.watched.state in {"quiesced", "not running"}:
            text.append(f"{describe.STATES[self.watched.state][1].split(',')[0]}, F5 goes on  ")
        text.append(f"{describe.one_line(self._agent)}", "bold")
        if sitting.focus is not None:
            match = sitting.focus.match
            text.append(f" is {player(sitting.seat)}  match {match.number}, {match.game}")
        question = sitting.question
        if question is not None:
            text.append(f"  round {question.ask.round}: {question.ask.kind}", "bold")
        if sitting.left is not None:
            text.append(f"  {describe.clock(sitting.left)} left", "bold yellow")
        return text

    def _complain(self, words: str) -> None:
        shown = f"✗ {describe.one_line(words)}" if words else ""
        self.query_one("#wrong", Static).update(Text(shown, "bold red"))
        self._wrong = self._filled() if words else None

    def _filled(self) -> list[str | int | None]:
        """What stands in the form."""
        return [row.content for row in self.query(Row)]

    # --- What the keys do

    def action_next(self) -> None:
        """Goes to the next entry, or on from the last line."""
        if isinstance(self.focused, Send):
            self.on_go()
        else:
            self.focus_next()

    def on_go(self) -> None:
        """On the last line: sends the answer, or goes on after the end of a match."""
        if self.sitting.question is None:
            self.sitting.go_on()
            self.run_worker(self._tick(), exit_on_error=False)
        else:
            self.action_send()

    def action_send(self) -> None:
        """Sends the answer; what is wrong with it stands beside it at once."""
        if not self._sending:
            self._sending = True
            self.run_worker(self._send(), exit_on_error=False)

    async def _send(self) -> None:
        try:
            await self._sent()
        except NoMatches:  # as above
            if self.query("#status"):
                raise
        finally:
            self._sending = False

    async def _sent(self) -> None:
        question, rows = self.sitting.question, list(self.query(Row))
        for row in rows:
            await row.settles()
        if question is None or question is not self.sitting.question:
            return
        value = question.form.value([row.content for row in rows])
        if isinstance(value, Missing):
            self._complain(value.message)
            self.set_focus(next(row.widget for row in rows if row.entry is value.entry))
            return
        wrong = await self.sitting.say(value)
        self._complain(wrong or "")
        if wrong is not None and rows and self.is_current:
            self.set_focus(rows[0].widget)
        if wrong is None:
            await self._tick()

    def action_scroll(self, pages: int) -> None:
        """Reads up or down in what is told."""
        told = self.query_one("#told", TextPane)
        (told.action_page_up if pages < 0 else told.action_page_down)()

    def action_start(self) -> None:
        """Lets the tournament go on, or starts its runner."""
        self.go_on()

    def action_rise(self) -> None:
        """Leaves the seat, which then waits; what stands in the form is there on coming back."""

        async def rise() -> None:
            while self._ticking or not self.is_current:  # a form is laid out, or help is open
                await asyncio.sleep(LOOK_SECONDS / 10)
            question, filled = self.sitting.question, self._filled()
            if question is not None and len(filled) == len(question.form.entries):
                self.watched.here.drafts[question.place] = filled
            self.sitting.close()
            self.dismiss()

        if not self._rising:
            self._rising = True
            self.run_worker(rise())


def _told(question: Question) -> list[Text]:
    """Exactly what a model would be told: who it is, the rules, and the question."""
    prompt = question.prompt
    lines = [Text(line) for line in clean(prompt.system).splitlines()]
    return [*lines, Text(""), *(Text(line) for line in clean(prompt.question).splitlines())]

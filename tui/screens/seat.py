"""The seat screen: all that a person's seat knows, its question, and a form for the answer."""

import asyncio
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.css.query import NoMatches
from textual.widgets import Static

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import clean
from parlour.games.engine.moves import player
from parlour.games.engine.transcript import sentence, transcript
from parlour.tui.models.form import Content, Missing
from parlour.tui.models.save_view import LocalState, SaveView
from parlour.tui.models.seat import Question, SeatClient, SeatLost
from parlour.tui.screens.steering import RunnerScreen
from parlour.tui.text import one_line
from parlour.tui.views import match as describe
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.form_fields import FieldRow, SendButton
from parlour.tui.widgets.panes import TextPane

POLL_SECONDS = 0.25
"""Seconds between two checks for a question."""


class SeatScreen(RunnerScreen):
    """The seat of a person. It shows nothing else of a match before that is over."""

    TITLE = "Seat"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Send", priority=True, id="seat.send"),
        # Priority over the fields. Keys may arrive in a burst, as over a slow connection: those
        # after Enter would otherwise still go to the field before.
        Binding(
            "enter",
            "next",
            "Next field; on [ Send ] send",
            show=False,
            priority=True,
            id="seat.next",
        ),
        Binding("tab", "app.focus_next", "Next pane", show=False, priority=True, id="app.next"),
        # Priority, so that the prompt can be scrolled while a field has the focus.
        Binding("pageup", "scroll(-1)", "Scroll up", priority=True, id="seat.up"),
        Binding("pagedown", "scroll(1)", "Scroll down", priority=True, id="seat.down"),
        Binding("f5", "start", "Start or resume", show=False, id="seat.start"),
        Binding("escape", "rise", "Leave the seat", id="seat.rise"),
    ]

    def __init__(self, path: Path, agent: str, local: LocalState) -> None:
        """Raises BadSave if the save cannot be read."""
        super().__init__()
        self.watched = SaveView(path, local)
        self.client = SeatClient(self.watched, agent)
        self._agent = agent
        self._shown: object = None
        self._unsent: Question | None = None  # whose form is laid out
        self._rejected: list[Content] | None = None  # the form's content when it was refused
        self._ticking = self._sending = self._rising = False

    def compose(self) -> ComposeResult:
        """Yields the status, the prompt, the form, and its last line with the error."""
        yield Static(id="status")
        yield TextPane(empty="Nothing yet.", id="prompt", follows=True)
        yield VerticalScroll(id="form", can_focus=False)
        with Horizontal(id="last"):
            yield SendButton(id="send")
            yield Static(id="error")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Starts polling."""
        self.query_one("#last").display = False
        self.query_one("#prompt", TextPane).focus()
        # In a separate task: the screen could not close while it waits for its own form.
        self.run_worker(self._poll())

    def on_unmount(self) -> None:
        """Leaves the seat and closes the save."""
        self.client.close()
        self.watched.close()

    async def _poll(self) -> None:
        while not self._rising:
            await self._tick()
            await asyncio.sleep(POLL_SECONDS)

    async def _tick(self) -> None:
        """Fetches the question and shows it, unless the last update is still going on."""
        if self._ticking or self._rising:
            return
        self._ticking = True
        try:
            await self.client.listen()
            if self.client.seated:
                self.watched.local.seats.add(self._agent)
            await self._show()
            self.paint()  # last: the status may name a question whose form must exist
        except SeatLost as lost:
            self.say(str(lost), bad=True)
            self.action_rise()
        except ParlourError as error:  # such as in a prompt of a game of another package
            self.say(str(error), bad=True)
        except NoMatches:  # the screen was closed meanwhile
            if self.query("#status"):
                raise
        finally:
            self._ticking = False

    def paint(self, changed: bool = True) -> None:
        """Shows the current status."""
        self.query_one("#status", Static).update(self._status(), layout=False)
        if self._rejected is not None and self._rejected != self._filled():
            self._show_error("")  # the user is correcting it

    async def _show(self) -> None:
        client = self.client
        question, over = client.question, client.is_over
        table = client.table
        events = len(table.view(client.seat).events) if table is not None else 0
        state = self.watched.state if question is None and not over else ""
        match = None if client.focus is None else client.focus.match.number
        key = (question and question.match_ref, over, match)
        if (key, events, state) == self._shown:
            return
        is_new = not isinstance(self._shown, tuple) or self._shown[0] != key
        self._shown = (key, events, state)
        pane = self.query_one("#prompt", TextPane)
        pane.set_title(Text("What you are told" if question else "What you know"))
        pane.show(_prompt_lines(question) if question else self._meanwhile(), reset=True)
        if is_new:
            await self._lay_out(question, over)

    async def _lay_out(self, question: Question | None, over: bool) -> None:
        """Replaces the form by that of a question, or removes it."""
        form = self.query_one("#form", VerticalScroll)
        self._keep_draft()
        await form.remove_children()
        self._show_error("")
        rows = []
        if question is not None:
            fields = question.form.fields
            defaults = [field.default for field in fields]
            content = self.watched.local.drafts.pop(question.match_ref, defaults)
            rows = [FieldRow(*row) for row in zip(fields, range(len(fields)), content, strict=True)]
            await form.mount(*rows)
        self._unsent = question
        form.display = bool(rows)
        send = self.query_one("#send", SendButton)
        send.update(Text("[ Send ]" if question is not None else "[ Continue ]"))
        self.query_one("#last").display = question is not None or over
        # After the layout, since the height of the prompt has changed.
        self.call_after_refresh(self.query_one("#prompt", TextPane).follow)
        idle = send if over else self.query_one("#prompt")
        if self.is_current:
            self.set_focus(rows[0].widget if rows else idle)

    def _meanwhile(self) -> list[Text]:
        """The lines between questions: what the seat knows, or all of a match that is over."""
        client, state = self.client, self.watched.state
        lines = []
        table = client.table
        if table is not None and client.focus is not None:
            visible = table.events if client.is_over else table.view(client.seat).events
            events = transcript(table.game, visible)
            lines = [
                Text(clean(f"{event.round:>2} {sentence(table.game, event)}")) for event in events
            ]
            if client.is_over:
                players, frozen = describe.players(client.focus), client.focus.match.frozen or ""
                ending = describe.ending_lines(table) or [Text(one_line(frozen))]
                return [*lines, Text(""), *ending, Text(""), *players]
        messages = {
            "running": "No question for you now: others have their turn.",
            "quiesced": "The tournament is paused. F5 resumes it.",
            "not running": "The tournament is not running. F5 starts it.",
            "finished": "The tournament is finished. Esc leaves, then l shows the leaderboard.",
        }
        message = messages.get(state, f"The tournament is {state}.")
        return [*lines, Text(""), Text(message, "bold")]

    def _status(self) -> Text:
        """The agent, its match and question, and the clock, in one line."""
        client = self.client
        text = Text(no_wrap=True, overflow="ellipsis")
        if self.watched.state in {"quiesced", "not running"}:
            verb = "resumes" if self.watched.state == "quiesced" else "starts it"
            text.append(f"{describe.STATES[self.watched.state][1].split(',')[0]}, F5 {verb}  ")
        text.append(f"{one_line(self._agent)}", "bold")
        if client.focus is not None:
            match = client.focus.match
            text.append(f" is {player(client.seat)}  match {match.number}, {match.game}")
        question = client.question
        if question is not None:
            text.append(f"  round {question.ask.round}: {question.ask.kind}", "bold")
        if client.left is not None:
            text.append(f"  {describe.clock(client.left)} left", "bold yellow")
        return text

    def _show_error(self, text: str) -> None:
        """Shows an error in the answer, or clears it."""
        shown = f"✗ {one_line(text)}" if text else ""
        self.query_one("#error", Static).update(Text(shown, "bold red"))
        self._rejected = self._filled() if text else None

    def _keep_draft(self) -> None:
        """Keeps the content of an unsent form, for when its question is asked again."""
        question, contents = self._unsent, self._filled()
        if question is not None and len(contents) == len(question.form.fields):
            self.watched.local.drafts[question.match_ref] = contents

    def _filled(self) -> list[Content]:
        """The content of the form."""
        return [row.content for row in self.query(FieldRow)]

    # --- Actions of the keys

    def action_next(self) -> None:
        """Goes to the next field, or sends from the last line."""
        if isinstance(self.focused, SendButton):
            self.on_send_pressed()
        else:
            self.focus_next()

    def on_send_pressed(self) -> None:
        """Sends the answer, or goes on after the end of a match."""
        if self.client.question is None:
            self.client.go_on()
            self.run_worker(self._tick(), exit_on_error=False)
        else:
            self.action_send()

    def action_send(self) -> None:
        """Sends the answer; an error is shown beside the button."""
        if not self._sending:
            self._sending = True
            self.run_worker(self._send(), exit_on_error=False)

    async def _send(self) -> None:
        try:
            await self._submit()
        except NoMatches:  # the screen was closed meanwhile
            if self.query("#status"):
                raise
        finally:
            self._sending = False

    async def _submit(self) -> None:
        question, rows = self.client.question, list(self.query(FieldRow))
        for row in rows:
            await row.wait_for_keys()
        if question is None or question is not self.client.question:
            return
        value = question.form.value([row.content for row in rows])
        if isinstance(value, Missing):
            self._show_error(value.message)
            self.set_focus(next(row.widget for row in rows if row.field is value.field))
            return
        error = await self.client.answer(value)
        self._show_error(error or "")
        if error is not None and rows and self.is_current:
            self.set_focus(rows[0].widget)
        if error is None:
            self._unsent = None
            await self._tick()

    def action_scroll(self, pages: int) -> None:
        """Scrolls the prompt by a page."""
        pane = self.query_one("#prompt", TextPane)
        (pane.action_page_up if pages < 0 else pane.action_page_down)()

    def action_start(self) -> None:
        """Resumes the tournament, or starts its runner."""
        self.go_on()

    def action_rise(self) -> None:
        """Leaves the seat, which then waits; the content of the form is kept for coming back."""

        async def rise() -> None:
            """Keeps the draft, frees the seat and closes the screen."""
            while self._ticking or not self.is_current:  # a form is being laid out, or help is open
                await asyncio.sleep(POLL_SECONDS / 10)
            self._keep_draft()
            self.client.close()
            self.dismiss()

        if not self._rising:
            self._rising = True
            self.run_worker(rise())


def _prompt_lines(question: Question) -> list[Text]:
    """The prompt that a model would get: its role, the rules and the question."""
    prompt = question.prompt
    lines = [Text(line) for line in clean(prompt.system).splitlines()]
    return [*lines, Text(""), *(Text(line) for line in clean(prompt.question).splitlines())]

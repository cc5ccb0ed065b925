"""The seat screen: the talk that a person's seat was told, its question, and a form to answer."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.css.query import NoMatches
from textual.widgets import Static

from parlour.games.common.errors import ParlourError
from parlour.tui.look.look import wrapped
from parlour.tui.models.form import Filling
from parlour.tui.models.save_view import LocalState, SaveView
from parlour.tui.models.seat import Question, SeatClient, SeatLost
from parlour.tui.screens.filling import FillingScreen
from parlour.tui.screens.steering import RunnerScreen
from parlour.tui.views import seat_form as views
from parlour.tui.views.talk import talk_lines
from parlour.tui.widgets.drawn import DrawnPane
from parlour.tui.widgets.fields_pane import SeatTalk
from parlour.tui.widgets.footer import KeyFooter

POLL_SECONDS = 0.25
"""Seconds between two checks for a question."""
LEAVE = "Leave the seat"
"""The button after the last match: nothing more will be asked."""


class SeatScreen(RunnerScreen, FillingScreen):
    """The seat of a person. It shows nothing else of a match before that is over."""

    TITLE = "Seat"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (views.WIDE, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "app.focus_next", "To the form", show=False, id="seat.to_form"),
        Binding("f3", "rules", "Rules", id="seat.rules"),
        # Priority, so that the talk can be scrolled while a field has the focus.
        Binding("pageup", "scroll(-1)", "Scroll up", show=False, priority=True, id="seat.up"),
        Binding("pagedown", "scroll(1)", "Scroll down", show=False, priority=True, id="seat.down"),
        Binding("f5", "start", "Start or resume", show=False, id="seat.start"),
        Binding("escape", "rise", "Leave the seat", id="seat.rise"),
    ]

    def __init__(self, path: Path, agent: str, local: LocalState) -> None:
        """Raises BadSave if the save cannot be read."""
        super().__init__()
        self.watched = SaveView(path, local)
        self.client = SeatClient(self.watched, agent)
        self._shown: object = None
        self._unsent: Question | None = None  # whose form is laid out
        self._reads_rules = False  # in place of the talk, where there is no room for both
        self._ticking = self._sending = self._rising = False

    def compose(self) -> ComposeResult:
        """Yields the header, the talk over the question with its form, the rules, the footer."""
        yield Static(id="status")
        with Horizontal(id="body"):
            with Vertical(id="table"):
                yield SeatTalk(self._draw_talk, id="talk")
                yield self.new_turn()
            yield DrawnPane(self._draw_rules, id="rules")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Starts polling."""
        self.query_one(SeatTalk).focus()
        # In a separate task: the screen could not close while it waits for its own form.
        self.run_worker(self._poll())

    def on_unmount(self) -> None:
        """Leaves the seat and closes the save."""
        self.client.close()
        self.watched.close()

    def on_resize(self) -> None:
        """Draws the header for the new width; narrow screens have another key."""
        self.paint()
        self.call_after_refresh(self.refresh_bindings)

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
                self.watched.local.seats.add(self.client.agent)
            self._show()
            self.paint()  # last: the header may name a question whose form must exist
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

    def paint(self) -> None:
        """Shows the current state in the header and the footer."""
        look = self.look
        lines = views.header(self.client, look, self.size.width)
        self.query_one("#status", Static).update(Text("\n").join(lines), layout=False)
        state = views.seat_state(self.client, look)
        self.query_one(KeyFooter).lead = look.pill(state.sign, state.word, state.colour)
        note = state.words if self.client.question is not None else ""
        self.turn.set_note(Text(note))

    # --- The panes

    def _show(self) -> None:
        client = self.client
        question, over, table = client.question, client.is_over, client.table
        events = len(table.view(client.seat).events) if table is not None else 0
        state = self.watched.state if question is None and not over else ""
        key = (question and question.match_ref, over)
        if (key, events, state) == self._shown:
            return
        is_new = not isinstance(self._shown, tuple) or self._shown[0] != key
        self._shown = (key, events, state)
        if is_new:
            self._reads_rules = False
            self._new_form(question, over)
        self._show_question()
        self._show_talk(reset=is_new)

    def _show_talk(self, *, reset: bool) -> None:
        look, talk = self.look, self.query_one(SeatTalk)
        heard = "" if self.client.is_over else "as you heard it"
        talk.set_title(
            look.title("", "Rules") if self._reads_rules else look.title("", "Talk", heard)
        )
        hints = [("f3", "talk" if self._reads_rules else "rules")] if self._has_rules_key else []
        talk.set_hint(look.keys([*hints, ("pgup pgdn", "scroll")]))
        talk.show(reset=reset)
        rules = self.query_one("#rules", DrawnPane)
        rules.set_title(look.title("", "Rules"))
        rules.show(reset=reset)

    def _draw_talk(self, width: int, height: int) -> Sequence[Text]:
        focus = self.client.focus
        if self._reads_rules or focus is None:
            return self._draw_rules(width, height)
        seat = None if self.client.is_over else self.client.seat
        return talk_lines(views.seat_scene(focus, self.look, seat), width, height)

    def _draw_rules(self, width: int, height: int) -> Sequence[Text]:
        return views.rules_lines(self.client.prompt, self.look, width)

    def _show_question(self) -> None:
        """Shows the question, the end of the match, or whose turn it is."""
        client, look = self.client, self.look
        question, focus = client.question, client.focus
        if focus is not None and question is not None:
            scene = views.seat_scene(focus, look, client.seat)
            title = look.title("", "Your turn", views.phase(question, focus))
            self.show_turn(title, partial(views.question_lines, question, scene), asked=True)
        elif focus is not None and client.is_over:
            scene = views.seat_scene(focus, look, None)
            title = look.title("", "The end", views.end_words(focus))
            agents = self.watched.save.tournament.agents
            is_blind = self.watched.save.tournament.people[client.agent].blind

            def lines(width: int) -> list[Text]:
                """The results, and who was who."""
                ended = views.end_lines(scene, client.seat, width)
                return ended if is_blind else [*ended, *views.reveal_lines(focus, agents, width)]

            self.show_turn(title, lines, asked=False)
        else:
            words = views.seat_state(client, look).words
            lines = partial(wrapped, Text(words, look.palette.soft))
            self.show_turn(look.title("", "Not your turn"), lines, asked=False)

    def _new_form(self, question: Question | None, over: bool) -> None:
        """Replaces the form by that of a question, or removes it."""
        self._keep_draft()
        if question is None:
            self.lay_out(Filling(button=self._way_on if over else ""))
        else:
            contents = self.watched.local.drafts.pop(question.match_ref, None)
            self.lay_out(Filling(question.form, contents, "Send"))
        self._unsent = question
        self.set_class(self.client.prompt is not None, "-playing")
        self.refresh_bindings()
        if self.is_current:
            self.set_focus(self.turn if self.turn.can_focus else self.query_one(SeatTalk))

    def _keep_draft(self) -> None:
        """Keeps the content of an unsent form, for when its question is asked again."""
        if self._unsent is not None:
            self.watched.local.drafts[self._unsent.match_ref] = self.filling.contents

    # --- Actions of the keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """An answer has a key while one is asked for, the rules where they are not in sight."""
        if action == "send":
            return self.client.question is not None
        return action != "rules" or self._has_rules_key

    def why_not(self, action: str) -> str:
        """The reason why there is nothing to send, or no key for the rules."""
        if self.check_action(action, ()):
            return ""
        if action == "send":
            over = f"The match is over: Enter presses [ {self._way_on} ]."
            return over if self.client.is_over else "It is not your turn: there is no question."
        come = self.client.prompt is None
        return "The rules come with the first question." if come else "The rules are in sight."

    @property
    def _has_rules_key(self) -> bool:
        return self.client.prompt is not None and not self.has_class("-wide")

    @property
    def _way_on(self) -> str:
        """The words of the button after the end of a match."""
        return LEAVE if self.watched.progress.done else "Continue"

    def on_fields_pane_pressed(self) -> None:
        """Sends the answer, or goes on after the end of a match; after the last one, leaves."""
        if self.client.question is not None:
            self.action_send()
        elif self.watched.progress.done:
            self.action_rise()
        else:
            self.client.go_on()
            self.run_worker(self._tick(), exit_on_error=False)

    def action_send(self) -> None:
        """Sends the answer."""
        question, value = self.client.question, self.filled_in()
        if question is not None and value is not None and not self._sending:
            self._sending = True
            self.run_worker(self._send(question, value), exit_on_error=False)

    async def _send(self, question: Question, value: dict[str, Any]) -> None:
        try:
            error = await self.client.answer(value)
            if error is None:
                self._unsent = None
                await self._tick()
            elif question is self._unsent and self.is_mounted:
                self.refuse(question.to_blame(value), error)
        finally:
            self._sending = False

    def action_rules(self) -> None:
        """Shows the rules in place of the talk, or the talk again."""
        self._reads_rules = not self._reads_rules
        self._show_talk(reset=True)
        if self._reads_rules:
            self.query_one(SeatTalk).go_to(0)

    def action_scroll(self, pages: int) -> None:
        """Scrolls the talk by a page."""
        pane = self.query_one(SeatTalk)
        (pane.action_page_up if pages < 0 else pane.action_page_down)()

    def action_start(self) -> None:
        """Resumes the tournament, or starts its runner."""
        self.go_on()

    def action_rise(self) -> None:
        """Leaves the seat, which then waits; the content of the form is kept for coming back."""

        async def rise() -> None:
            """Keeps the draft, frees the seat and closes the screen."""
            while self._ticking or not self.is_active:  # it listens, or help is open
                await asyncio.sleep(POLL_SECONDS / 10)
            self._keep_draft()
            self.client.close()
            self.dismiss()

        if not self._rising:
            self._rising = True
            self.run_worker(rise())

"""The form that adds agents to a save: which ones, against whom, and what they would play."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import one_line
from parlour.games.engine.transcript import counted
from parlour.tournament.control.changes import grow_save
from parlour.tournament.plan.additions import Addition, grown_by
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save
from parlour.tui.models.form import Field, FormRows
from parlour.tui.models.new_tournament import Draft, adding_fields, addition_of, against_fields
from parlour.tui.models.offered import OfferedAgent, offered_agents
from parlour.tui.models.plan_forecast import UNCOUNTED, PlanForecast, adding_forecast
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.screens.planning import FORECAST, PlanningScreen, own_file
from parlour.tui.views.fields import FieldLook
from parlour.tui.views.header import header_lines
from parlour.tui.views.new_tournament import adding_rows, against_rows
from parlour.tui.widgets.drawn import Drawing
from parlour.tui.widgets.fields_pane import FieldsPane
from parlour.tui.widgets.footer import KeyFooter


class AddScreen(PlanningScreen):
    """Agents that are chosen for a save, with the forecast of what they would play."""

    TITLE = "Add agents"
    PANES = {"agents": "Agents", "against": "Against", FORECAST: "Forecast"}
    DOES, NOT_YET = "add", "Nothing can be added yet"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "pane(1)", "Next pane", id="add.next"),
        Binding("shift+tab", "pane(-1)", "Previous pane", show=False, id="add.previous"),
        Binding("1", "jump('agents')", "Go to Agents", show=False, id="add.agents"),
        Binding("2", "jump('against')", "Go to Against", show=False, id="add.against"),
        Binding("ctrl+r", "add", "Add them", id="add.add"),
        Binding("escape", "back", "Back", id="add.back"),
        # Not in the footer, which has room for six keys.
        Binding("q", "app.leave", "Leave", show=False, id="app.leave"),
    ]

    def __init__(self, path: Path) -> None:
        """Raises BadSave if the save cannot be read."""
        super().__init__(Draft())
        with Save(path) as save:
            self._save_name = save.name
            self._names = tuple(agent.name for agent in save.tournament.agents)
        self.path = path
        self.offer(())

    def offer(self, own: tuple[OfferedAgent, ...]) -> None:
        """Offers agents of the user's file too, but for those that the save has."""
        offered = offered_agents(own)
        self.offered = {name: offered[name] for name in offered if name not in self._names}
        self.show_draft()

    def compose(self) -> ComposeResult:
        """Yields the agents, the anchors and the forecast."""
        yield Drawing(self._heading, id="heading")
        with Horizontal(id="body"):
            yield self.fields_pane("agents")
            with Vertical(id="right"):
                against = self.fields_pane("against")
                against.styles.height = len(self._names) + 3
                yield against
                yield self.forecast_pane()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Begins at the first agent."""
        super().on_mount()
        first = next(iter(self.offered), "")
        self.query_one("#agents", FieldsPane).go_to(("agent", first))

    # --- The form

    def fields(self, pane: str) -> list[Field]:
        """The fields of a pane as they are now."""
        if pane == "against":
            return against_fields(self.draft, self._names)
        return adding_fields(self.draft, self.offered, self.chosen("agents", self.offered))

    def rows(self, pane: str, look: FieldLook) -> FormRows:
        """The lines of a pane."""
        if pane == "against":
            return against_rows(self.draft, self._names, look)
        name = self.chosen(pane, self.offered)
        return adding_rows(self.draft, self.offered, name, look, own_file())

    def forecast(self, draft: Draft, is_stopped: Callable[[], bool]) -> PlanForecast:
        """The forecast of the matches that would be added."""
        return adding_forecast(self.path, lambda: self._addition(draft), is_stopped)

    def _addition(self, draft: Draft) -> Addition:
        return addition_of(draft, self.offered, self._names)

    # --- Drawing

    def _heading(self, width: int, height: int) -> list[Text]:
        palette = self.look.palette
        place = Text().append("add agents to ", f"bold {palette.text}")
        place.append(one_line(self._save_name), f"bold {palette.accent}")
        note = Text("is being played" if holder(self.path) else "", palette.soft)
        return header_lines(self.look, "Parlour", place, note, width)

    # --- Keys

    def action_add(self) -> None:
        """Adds what the form says, once its forecast is in sight and the user has agreed to it."""
        self.do_when_planned()

    def do_it(self) -> None:
        """Asks for consent where it is needed; adds what was shown with its forecast."""
        is_seen = self.plan is not None and UNCOUNTED not in self.plan.problems
        try:
            addition = self._addition(self.draft)
        except ParlourError as error:
            self.say(str(error), bad=True)
            return

        def added() -> Tournament:
            with Save(self.path) as save:
                return grown_by(save.tournament, addition).added

        def go_on(_agreed: Tournament) -> None:
            if is_seen:
                # Not a worker: leaving the program waits for those, and an answer takes minutes.
                Thread(target=self._add, args=(addition,), daemon=True).start()
            else:
                self.app.call_from_thread(self.compute)
                words = "Agreed. See what they would play, then ^r adds them."
                self.app.call_from_thread(self.say, words)

        self.once_agreed(added, go_on)

    def _add(self, addition: Addition) -> None:
        app = self.app
        if holder(self.path) is not None:
            app.call_from_thread(self.say, "Waiting for the answers in flight …")
        try:
            growth = grow_save(self.path, addition)
        except ParlourError as error:
            app.call_from_thread(self.say, str(error), bad=True)
            return
        names = ", ".join(agent.name for agent in growth.grown.added.agents)
        new = counted(len(growth.matches), "match")
        if growth.next_round:
            new = "a round of matches of all agents"
        words = f"Added {names}: {new}."
        app.call_from_thread(self._added, words)

    def _added(self, words: str) -> None:
        """Closes the form and says on the screen below what was added."""
        if holder(self.path) is None:
            words += " Space on the live screen plays them."
        if self.app.screen is self:
            self.close()
        if isinstance(self.app.screen, ParlourScreen):
            self.app.screen.say(words)

"""The form that adds agents to a save: which ones, against whom, and what they would play."""

from pathlib import Path
from threading import Thread
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.worker import get_current_worker

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import one_line
from parlour.games.engine.transcript import counted
from parlour.tournament.control.grow_save import grow_save
from parlour.tournament.plan.additions import Addition, grown_by
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save
from parlour.tui.models.adding import (
    AGAINST,
    FILE,
    UNCOUNTED,
    Adding,
    adding_fields,
    adding_forecast,
    addition_of,
    against_fields,
)
from parlour.tui.models.new_fields import Field
from parlour.tui.models.offered import OfferedAgent, agents_file, offered_agents
from parlour.tui.models.plan_forecast import PlanForecast, Stopped
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.screens.consenting import ConsentingScreen, OfferingScreen
from parlour.tui.screens.new import TYPING_SECONDS, new_value
from parlour.tui.views.fields import Rows
from parlour.tui.views.header import heading
from parlour.tui.views.new_tournament import adding_rows, against_rows
from parlour.tui.views.plan_forecast import forecast_lines
from parlour.tui.widgets.drawn import Drawing, DrawnPane
from parlour.tui.widgets.fields_pane import Change, FieldsPane
from parlour.tui.widgets.footer import KeyFooter

PANES = ("agents", "against")


def add_agents(screen: ParlourScreen, path: Path) -> None:
    """Opens the form for a save over a screen, or says there why the save cannot be read."""
    try:
        screen.app.push_screen(AddScreen(path))
    except ParlourError as error:
        screen.say(str(error), bad=True)


class AddScreen(OfferingScreen, ConsentingScreen):
    """Agents that are chosen for a save, with the forecast of what they would play."""

    TITLE = "Add agents"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    CSS = """
    AddScreen #heading { height: 2; }
    AddScreen #body, AddScreen #agents, AddScreen #forecast { height: 1fr; }
    AddScreen #agents { width: 1fr; }
    AddScreen #right { width: 38; height: 1fr; }
    AddScreen #against { height: auto; max-height: 40%; }
    AddScreen.-wide #right { width: 60; }
    """
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
        super().__init__()
        with Save(path) as save:
            self._save_name = save.name
            self._names = tuple(agent.name for agent in save.tournament.agents)
        self.path = path
        self.adding = Adding()
        self.plan: PlanForecast | None = PlanForecast()
        self._offered = self._others(())
        self._first = next((f"agent {name}" for name in self._offered), FILE)
        self._typing: Timer | None = None
        self._adds_when_planned = False

    def _others(self, own: tuple[OfferedAgent, ...]) -> dict[str, OfferedAgent]:
        """The agents on offer that the save has not."""
        offered = offered_agents(own)
        return {name: agent for name, agent in offered.items() if name not in self._names}

    def compose(self) -> ComposeResult:
        """Yields the agents, the anchors and the forecast."""
        yield Drawing(self._heading, id="heading")
        with Horizontal(id="body"):
            yield FieldsPane(
                self._agent_rows, self._agent_fields, self.change, at=self._first, id="agents"
            )
            with Vertical(id="right"):
                yield FieldsPane(
                    self._against_rows,
                    self._against_fields,
                    self.change,
                    at=f"{AGAINST}{self._names[0]}",
                    id="against",
                )
                yield DrawnPane(self._forecast_lines, id="forecast")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Shows the form, and reads the user's agents and their keys."""
        look = self.look
        self.query_one("#agents", FieldsPane).set_title(look.title("1", "Agents"))
        against = self.query_one("#against", FieldsPane)
        against.set_title(look.title("2", "Against"))
        against.styles.height = len(self._names) + 3
        forecast = self.query_one("#forecast", DrawnPane)
        forecast.set_title(look.title("", "Forecast"))
        forecast.set_hint(Text("as you type"))
        self.action_jump("agents")
        self.read_agents()
        self._compute()

    # --- The form

    def change(self, field: str, change: Change, text: str) -> None:
        """Changes a field of the form."""
        known = {each.id: each for each in [*self._agent_fields(), *self._against_fields()]}
        if field not in known:
            return
        self.adding = self.adding.changed(field, new_value(known[field], change, text))
        self.plan, self._adds_when_planned = None, False
        self._show()
        self.refresh_bindings()
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(TYPING_SECONDS, self._compute)

    def _chosen(self) -> str:
        """The agent that the cursor is on, or whose details it is in."""
        _kind, _, rest = self.query_one("#agents", FieldsPane).at.partition(" ")
        return next((name for name in self._offered if f"{rest} ".startswith(f"{name} ")), "")

    def _agent_fields(self) -> list[Field]:
        return adding_fields(self.adding, self._offered, self._chosen())

    def _against_fields(self) -> list[Field]:
        return against_fields(self.adding, self._names)

    def _addition(self) -> Addition:
        return addition_of(self.adding, self._offered, self._names)

    def offer(self, own: tuple[OfferedAgent, ...]) -> None:
        """Offers agents of the user's file too, but for those that the save has."""
        self._offered = self._others(own)
        self._show()

    @work(thread=True, exclusive=True, group="forecast", exit_on_error=False)
    def _compute(self) -> None:
        """Computes the forecast; a later change of the form stops it."""
        worker, adding = get_current_worker(), self.adding
        try:
            plan = adding_forecast(self.path, self._addition, lambda: worker.is_cancelled)
        except Stopped:
            return
        if not worker.is_cancelled:
            self.app.call_from_thread(self._planned, plan, adding)

    def _planned(self, plan: PlanForecast, adding: Adding) -> None:
        if adding is not self.adding or not self.is_attached:
            return
        self.plan = plan
        self._show()
        self.refresh_bindings()
        if self._adds_when_planned:
            self._adds_when_planned = False
            self.action_add()

    # --- Drawing

    def _show(self) -> None:
        if self.is_attached:
            for pane in self.query(FieldsPane):
                pane.show()
            self.query_one("#forecast", DrawnPane).show()
            self.query_one("#heading").refresh()

    def _heading(self, width: int, height: int) -> list[Text]:
        palette = self.look.palette
        place = Text().append("add agents to ", f"bold {palette.text}")
        place.append(one_line(self._save_name), f"bold {palette.accent}")
        note = Text("is being played" if holder(self.path) else "", palette.soft)
        return heading(self.look, place, note, width)

    def _agent_rows(self, at: str | None, width: int) -> Rows:
        file = one_line(str(agents_file()).replace(str(Path.home()), "~", 1))
        return adding_rows(self.adding, self._offered, self.look, at, self._chosen(), width, file)

    def _against_rows(self, at: str | None, width: int) -> Rows:
        return against_rows(self.adding, self._names, self.look, at, width)

    def _forecast_lines(self, width: int, height: int) -> list[Text]:
        return forecast_lines(self.plan, self.look, width, height)

    # --- Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """False for adding what has a problem that forbids it."""
        return action != "add" or self.plan is None or self.plan.can_play

    def why_not(self, action: str) -> str:
        """The problem that forbids adding."""
        if self.plan is None or self.check_action(action, ()):
            return ""
        problem = next(each.text for each in self.plan.problems if each.forbids)
        return f"Nothing can be added yet: {problem}"

    def action_jump(self, name: str) -> None:
        """Goes to a pane."""
        self.query_one(f"#{name}").focus()

    def action_pane(self, by: int) -> None:
        """Goes to the next pane of fields."""
        here = self.focused.id if self.focused else None
        place = PANES.index(here) if here in PANES else 0
        self.action_jump(PANES[(place + by) % len(PANES)])

    def action_add(self) -> None:
        """Adds what the form says, once its forecast is in sight and the user has agreed to it."""
        if self.plan is None:
            self._adds_when_planned = True
        elif not self.plan.can_play:
            self.say(self.why_not("add"))
        else:
            self._grow(is_seen=UNCOUNTED not in self.plan.problems)

    def _grow(self, *, is_seen: bool) -> None:
        """Asks for consent where it is needed; adds what was shown with its forecast."""
        try:
            addition = self._addition()
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
                self.app.call_from_thread(self._compute)
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

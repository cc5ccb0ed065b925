"""The base of the forms with a forecast: fields in panes, and what they would play as one types."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.timer import Timer
from textual.worker import get_current_worker

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import one_line
from parlour.tui.models.form import Cursor, Field, FormRows
from parlour.tui.models.new_tournament import Draft, changed
from parlour.tui.models.offered import OfferedAgent, agents_file, offered_agents, own_agents
from parlour.tui.models.plan_forecast import PlanForecast, Stopped
from parlour.tui.screens.consenting import ConsentingScreen
from parlour.tui.views.fields import FieldLook
from parlour.tui.views.plan_forecast import forecast_lines
from parlour.tui.widgets.drawn import Drawing, DrawnPane
from parlour.tui.widgets.fields_pane import FieldsPane
from parlour.tui.widgets.panes import Pane

TYPING_SECONDS = 0.15
"""Seconds without a change after which the forecast is computed."""
FORECAST = "forecast"


class PlanningScreen(ConsentingScreen):
    """A form whose ``draft`` is changed field by field, with its forecast in a pane.

    ``plan`` is the newest forecast. The action ``DOES`` has no key while a problem forbids it,
    and waits for the forecast of what was typed last.
    """

    PANES: ClassVar[dict[str, str]]
    """The titles of the panes by their names; those of fields come first."""
    DOES: ClassVar[str]
    NOT_YET: ClassVar[str]
    """The words before the problem that forbids the action."""

    def __init__(self, draft: Draft) -> None:
        super().__init__()
        self.draft = draft
        self.offered: dict[str, OfferedAgent] = offered_agents()
        self.plan: PlanForecast | None = None
        self._planned: Draft | None = None  # the draft of which it is the forecast
        self._does_when_planned = False
        self._typing: Timer | None = None

    # --- What a form says of itself

    def fields(self, pane: str) -> list[Field]:
        """The fields of a pane as they are now."""
        raise NotImplementedError

    def rows(self, pane: str, look: FieldLook) -> FormRows:
        """The lines of a pane."""
        raise NotImplementedError

    def forecast(self, draft: Draft, is_stopped: Callable[[], bool]) -> PlanForecast:
        """The forecast of a draft, in a thread. Raises Stopped."""
        raise NotImplementedError

    def do_it(self) -> None:
        """Does what the form is for: its forecast is there."""
        raise NotImplementedError

    def offer(self, own: tuple[OfferedAgent, ...]) -> None:
        """Offers agents of the user's file too."""
        raise NotImplementedError

    # --- The draft and its forecast

    def on_mount(self) -> None:
        """Shows the form, and reads the user's agents and their keys."""
        for place, (name, title) in enumerate(self.PANES.items(), start=1):
            key = "" if name == FORECAST else str(place)
            self.query_one(f"#{name}", Pane).set_title(self.look.title(key, title))
        self.query_one(f"#{FORECAST}", DrawnPane).set_hint(Text("as you type"))
        self.action_jump(next(iter(self.PANES)))
        self.read_agents()
        self.compute()

    def change(self, field: Field) -> None:
        """Takes a field with its new content."""
        self.draft = changed(self.draft, field.path, field.value)
        self._does_when_planned = False
        self.show_draft()
        self.refresh_bindings()
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(TYPING_SECONDS, self.compute)

    def chosen(self, pane: str, names: Collection[str]) -> str:
        """The name of a game or agent that the cursor is on, or in whose details it is."""
        for each in self.query(FieldsPane):
            if each.id == pane and len(each.at) > 1 and each.at[1] in names:
                return str(each.at[1])
        return ""

    @work(thread=True, exclusive=True, group="agents", exit_on_error=False)
    def read_agents(self) -> None:
        """Reads the user's agents, and looks for their keys, which may take seconds."""
        try:
            own = tuple(own_agents())
        except ParlourError as error:
            self.app.call_from_thread(self.say, str(error), bad=True)
            return
        if own:
            self.app.call_from_thread(self.offer, own)

    @work(thread=True, exclusive=True, group="forecast", exit_on_error=False)
    def compute(self) -> None:
        """Computes the forecast; a later change of the form stops it."""
        worker, draft = get_current_worker(), self.draft
        try:
            plan = self.forecast(draft, lambda: worker.is_cancelled)
        except Stopped:
            return
        if not worker.is_cancelled:
            self.app.call_from_thread(self._take, plan, draft)

    def _take(self, plan: PlanForecast, draft: Draft) -> None:
        """Shows the forecast of a draft, and does what was asked for meanwhile."""
        self.plan, self._planned = plan, draft
        self.show_draft()
        self.refresh_bindings()
        if self._does_when_planned and draft is self.draft:
            self.do_when_planned()

    def do_when_planned(self) -> None:
        """Does what the form is for, as soon as its forecast has no problem."""
        self._does_when_planned = self._planned is not self.draft
        if self._does_when_planned:
            return
        if self._problem:
            self.say(self.why_not(self.DOES))
        else:
            self.do_it()

    @property
    def _problem(self) -> str:
        """The problem that forbids the action, "" if none is known: the forecast may be older."""
        if self.plan is None or self._planned is not self.draft:
            return ""
        return next((each.text for each in self.plan.problems if each.forbids), "")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """False for the action of the form while a problem forbids it."""
        return action != self.DOES or not self._problem

    def why_not(self, action: str) -> str:
        """The problem that forbids the action."""
        return "" if self.check_action(action, ()) else f"{self.NOT_YET}: {self._problem}"

    # --- Drawing and panes

    def show_draft(self) -> None:
        """Shows the draft and its forecast again."""
        if not self.is_attached:
            return
        for pane in self.query(FieldsPane):
            pane.show()
        self.query_one(f"#{FORECAST}", DrawnPane).show()
        for drawing in self.query(Drawing):
            drawing.refresh()

    def fields_pane(self, name: str, hint: str = "") -> FieldsPane:
        """A pane of fields."""

        def draw(at: Cursor | None, width: int) -> FormRows:
            return self.rows(name, FieldLook(self.look, width, at))

        return FieldsPane(draw, lambda: self.fields(name), self.change, id=name, hint=hint)

    def forecast_pane(self) -> DrawnPane:
        """The pane of the forecast."""

        def draw(width: int, height: int) -> list[Text]:
            return forecast_lines(self.plan, self.look, width, height)

        return DrawnPane(draw, id=FORECAST)

    def action_jump(self, name: str) -> None:
        """Goes to a pane."""
        self.query_one(f"#{name}").focus()

    def stations(self) -> list[str]:
        """The panes that Tab goes to."""
        return [name for name in self.PANES if name != FORECAST]

    def action_pane(self, by: int) -> None:
        """Goes to the next pane."""
        names, here = self.stations(), self.focused.id if self.focused else None
        place = names.index(here) if here in names else 0
        self.action_jump(names[(place + by) % len(names)])


def own_file() -> str:
    """The path of the user's agents in few letters."""
    return one_line(str(agents_file()).replace(str(Path.home()), "~", 1))

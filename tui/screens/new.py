"""The form for a new tournament: games, agents and schedule beside a forecast as one types."""

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.worker import get_current_worker

from parlour.games.common.text import one_line
from parlour.tui.models.new_fields import (
    Field,
    agent_fields,
    game_fields,
    schedule_fields,
)
from parlour.tui.models.new_tournament import (
    changed,
    listed_games,
    number,
)
from parlour.tui.models.offered import OfferedAgent, agents_file
from parlour.tui.models.plan_forecast import Stopped, forecast
from parlour.tui.screens.draft import DraftScreen
from parlour.tui.views.fields import Rows
from parlour.tui.views.header import heading
from parlour.tui.views.new_tournament import agent_rows, game_rows, schedule_rows
from parlour.tui.views.plan_forecast import forecast_lines
from parlour.tui.widgets.drawn import Drawing, DrawnPane
from parlour.tui.widgets.fields_pane import Change, FieldsPane
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.panes import Pane

TYPING_SECONDS = 0.15
"""Seconds without a change after which the forecast is computed."""
BROAD = 100
"""Columns from which the heading says what the form was filled in from."""
TITLES = {"games": "Games", "agents": "Agents", "schedule": "Schedule", "forecast": "Forecast"}


class NewScreen(DraftScreen):
    """A tournament that is put together, saved as a file and played."""

    TITLE = "New tournament"
    HORIZONTAL_BREAKPOINTS = [(0, "-small"), (60, "-narrow"), (130, "-wide")]
    CSS = """
    NewScreen #heading { height: 2; }
    NewScreen #tabs { height: 1; }
    NewScreen.-wide #tabs { display: none; }
    NewScreen #body, NewScreen FieldsPane, NewScreen #right, NewScreen #forecast { height: 1fr; }
    NewScreen FieldsPane { width: 1fr; display: none; }
    NewScreen.games #games, NewScreen.agents #agents { display: block; }
    NewScreen.schedule #schedule { display: block; }
    NewScreen #forecast { width: 38; }
    NewScreen.-narrow.schedule #right { layout: horizontal; width: 1fr; }
    NewScreen.-small #forecast { display: none; }
    NewScreen.-small.forecast #forecast { display: block; width: 1fr; }
    NewScreen.-wide FieldsPane { display: block; }
    NewScreen.-wide #games { width: 46; }
    NewScreen.-wide #right { width: 56; }
    NewScreen.-wide #right FieldsPane { width: 56; height: 19; }
    NewScreen.-wide #forecast { width: 56; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "pane(1)", "Next pane", id="new.next"),
        Binding("shift+tab", "pane(-1)", "Previous pane", show=False, id="new.previous"),
        Binding("ctrl+s", "save", "Save", id="new.save"),
        Binding("ctrl+r", "play", "Save and play", id="new.play"),
        Binding("a", "all", "Tick all or none", show=False, id="new.all"),
        Binding("p", "fill", "Fill in from a preset", show=False, id="new.preset"),
        *(
            Binding(str(place), f"jump('{name}')", f"Go to {title}", show=False, id=f"new.{name}")
            for place, (name, title) in enumerate(TITLES.items(), start=1)
        ),
        Binding("escape", "back", "Back", id="new.back"),
        # Not in the footer, which has room for six keys.
        Binding("q", "app.leave", "Leave", show=False, id="app.leave"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._pane = "games"
        self._typing: Timer | None = None

    def compose(self) -> ComposeResult:
        """Yields the three panes of fields and the forecast."""
        first_game, first_agent = listed_games()[0].name, next(iter(self.offered))
        schedule = FieldsPane(
            self._schedule_rows, self._schedule_fields, self.change, at="text name", id="schedule"
        )
        yield Drawing(self._heading, id="heading")
        yield Drawing(self._tabs, id="tabs")
        with Horizontal(id="body"):
            yield FieldsPane(
                self._game_rows,
                self._game_fields,
                self.change,
                at=f"game {first_game}",
                id="games",
                hint="↵ variant",
            )
            yield FieldsPane(
                self._agent_rows,
                self._agent_fields,
                self.change,
                at=f"agent {first_agent}",
                id="agents",
            )
            with Vertical(id="right"):
                yield schedule
                yield DrawnPane(self._forecast_lines, id="forecast")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Shows the form, and reads the user's agents and their keys."""
        look = self.look
        for place, (name, title) in enumerate(TITLES.items(), start=1):
            key = "" if name == "forecast" else str(place)
            self.query_one(f"#{name}", Pane).set_title(look.title(key, title))
        self.query_one("#forecast", DrawnPane).set_hint(Text("as you type"))
        self.action_jump("games")
        self.read_agents()
        self._compute()

    # --- The draft

    def change(self, field: str, change: Change, text: str) -> None:
        """Changes a field of the form."""
        known = {each.id: each for each in self._all_fields()}
        if field not in known:
            return
        self.draft = changed(self.draft, field, new_value(known[field], change, text))
        self.plays_when_planned = False
        self.show_draft()
        self.refresh_bindings()
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(TYPING_SECONDS, self._compute)

    def _all_fields(self) -> list[Field]:
        return [*self._game_fields(), *self._agent_fields(), *self._schedule_fields()]

    def _chosen(self, pane: str) -> str:
        """The game or agent that the cursor of a pane is on, or whose details it is in."""
        _kind, _, rest = self.query_one(f"#{pane}", FieldsPane).at.partition(" ")
        names = self.offered if pane == "agents" else [game.name for game in listed_games()]
        return next((name for name in names if f"{rest} ".startswith(f"{name} ")), "")

    def _game_fields(self) -> list[Field]:
        return game_fields(self.draft, self._chosen("games"))

    def _agent_fields(self) -> list[Field]:
        return agent_fields(self.draft, self.offered, self._chosen("agents"))

    def _schedule_fields(self) -> list[Field]:
        return schedule_fields(self.draft, self.offered)

    def offer(self, own: tuple[OfferedAgent, ...]) -> None:
        """Offers agents of the user's file too."""
        super().offer(own)
        self.show_draft()
        self._compute()

    @work(thread=True, exclusive=True, group="forecast", exit_on_error=False)
    def _compute(self) -> None:
        """Computes the forecast; a later change of the form stops it."""
        worker, draft = get_current_worker(), self.draft
        try:
            plan = forecast(draft, self.offered, lambda: worker.is_cancelled)
        except Stopped:
            return
        if not worker.is_cancelled:
            self.app.call_from_thread(self.planned, plan, draft)

    def filled(self) -> None:
        """Shows the form after it was filled in again, from its first game on."""
        self.query_one("#games", FieldsPane).go_to(f"game {listed_games()[0].name}")
        self.query_one("#agents", FieldsPane).go_to(f"agent {next(iter(self.offered))}")
        self.show_draft()
        self._compute()

    # --- Drawing

    def show_draft(self) -> None:
        """Shows the draft and its forecast again."""
        if not self.is_attached:
            return
        for pane in self.query(FieldsPane):
            pane.show()
        self.query_one("#forecast", DrawnPane).show()
        for name in ("#heading", "#tabs"):
            self.query_one(name).refresh()

    def _heading(self, width: int, height: int) -> list[Text]:
        palette = self.look.palette
        place = Text().append("new tournament   ", f"bold {palette.text}")
        name = Text(f" {one_line(self.draft.name)} ", f"{palette.text} on {palette.raised}")
        place.append_text(name).append(".toml", palette.faint)
        note = Text(no_wrap=True)
        if width >= BROAD:
            note.append(f"from {self.draft.origin or 'scratch'}   ", palette.soft)
        note.append("p", f"bold {palette.accent}").append(" preset   ", palette.soft)
        note.append("saved" if self.is_saved else "not saved", palette.soft)
        return heading(self.look, place, note, width)

    def _tabs(self, width: int, height: int) -> list[Text]:
        palette = self.look.palette
        line = Text(" ")
        for place, (name, title) in enumerate(TITLES.items(), start=1):
            here = name == self._pane
            key = f"bold {palette.on_chip} on {palette.accent}" if here else palette.faint
            words = f"bold {palette.text} on {palette.raised}" if here else palette.soft
            line.append(f" {place} ", key).append(f" {title} ", words)
        return [line]

    def _game_rows(self, at: str | None, width: int) -> Rows:
        name = self._chosen("games")
        return game_rows(self.draft, self.plan, self.look, at, name, width)

    def _agent_rows(self, at: str | None, width: int) -> Rows:
        file = one_line(str(agents_file()).replace(str(Path.home()), "~", 1))
        name = self._chosen("agents")
        return agent_rows(self.draft, self.offered, self.plan, self.look, at, name, width, file)

    def _schedule_rows(self, at: str | None, width: int) -> Rows:
        return schedule_rows(self.draft, self.offered, self.look, at, width)

    def _forecast_lines(self, width: int, height: int) -> list[Text]:
        return forecast_lines(self.plan, self.look, width, height)

    # --- Keys

    def action_jump(self, name: str) -> None:
        """Goes to a pane; where there is room for one, it takes the place of the others."""
        self._pane = name
        for other in TITLES:
            self.set_class(other == name, other)
        self.query_one("#tabs").refresh()
        self.query_one(f"#{name}").focus()

    def action_pane(self, by: int) -> None:
        """Goes to the next pane of fields."""
        names = [name for name in TITLES if name != "forecast" or self.has_class("-small")]
        here = self.focused.id if self.focused else None
        place = names.index(here) if here in names else 0
        self.action_jump(names[(place + by) % len(names)])

    def action_all(self) -> None:
        """Ticks all games, or all agents of the section of the cursor; none if all are ticked."""
        if self._pane == "games":
            names = frozenset(game.name for game in listed_games())
            self.draft = replace(self.draft, games=_all_or_none(self.draft.games, names))
        elif self._pane == "agents":
            section = self.offered[self._chosen("agents")].section
            members = [agent for agent in self.offered.values() if agent.section == section]
            names = frozenset(agent.name for agent in members)
            self.draft = replace(self.draft, agents=_all_or_none(self.draft.agents, names))
        else:
            self.say("Games and agents are ticked: 1 and 2 go there.")
        self.show_draft()
        self._compute()


def _all_or_none(ticked: frozenset[str], names: frozenset[str]) -> frozenset[str]:
    """The ticks with all these names, or without them if all were ticked."""
    return ticked - names if ticked >= names else ticked | names


def new_value(field: Field, change: Change, text: str) -> object:
    """The value of a field after a change."""
    if change == "text":
        return text
    if field.kind == "tick":
        return not field.value
    by = 1 if change == "next" else -1
    if field.kind == "choice":
        options = list(field.options)
        place = options.index(field.value) if field.value in options else -1
        return options[(place + by) % len(options)] if options else field.value
    value = number(field.value)
    if isinstance(value, int):
        return str(max(0, value + by))
    return field.value if field.value else str(max(0, by))

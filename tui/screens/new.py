"""The form for a new tournament: games, agents and schedule beside a forecast as one types."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import one_line
from parlour.games.engine.registry import games
from parlour.games.engine.transcript import counted
from parlour.tournament.plan.expansion import preset_names
from parlour.tournament.plan.loader import preset_content, read_tournament
from parlour.tui.models.form import Field, FormRows
from parlour.tui.models.new_tournament import (
    Draft,
    agent_fields,
    first_draft,
    game_fields,
    listed_games,
    preset_draft,
    schedule_fields,
    to_toml,
    tournament_file,
    with_preset_agents,
)
from parlour.tui.models.offered import OfferedAgent, offered_agents
from parlour.tui.models.plan_forecast import PlanForecast, forecast, run_options
from parlour.tui.screens.messages import OpenSave
from parlour.tui.screens.planning import FORECAST, PlanningScreen, own_file
from parlour.tui.screens.starting import StartingScreen
from parlour.tui.views.fields import FieldLook
from parlour.tui.views.header import header_lines, tabs_line
from parlour.tui.views.new_tournament import agent_rows, game_rows, schedule_rows
from parlour.tui.widgets.drawn import Drawing
from parlour.tui.widgets.fields_pane import FieldsPane
from parlour.tui.widgets.footer import KeyFooter

BROAD = 100
"""Columns from which the heading says what the form was filled in from."""
TITLES = {"games": "Games", "agents": "Agents", "schedule": "Schedule", FORECAST: "Forecast"}


class NewScreen(PlanningScreen, StartingScreen):
    """A tournament that is put together, saved as a file and played."""

    TITLE = "New tournament"
    PANES = TITLES
    DOES, NOT_YET = "play", "It cannot be played yet"
    HORIZONTAL_BREAKPOINTS = [(0, "-small"), (60, "-narrow"), (130, "-wide")]
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
        self._first = first_draft()
        super().__init__(self._first)
        self._own: tuple[OfferedAgent, ...] = ()
        self._written = ""
        self._pane = "games"

    def compose(self) -> ComposeResult:
        """Yields the three panes of fields and the forecast."""
        yield Drawing(self._heading, id="heading")
        yield Drawing(self._tabs, id="tabs")
        with Horizontal(id="body"):
            yield self.fields_pane("games", "↵ variant")
            yield self.fields_pane("agents")
            with Vertical(id="right"):
                yield self.fields_pane("schedule")
                yield self.forecast_pane()
        yield KeyFooter()

    # --- The draft

    def fields(self, pane: str) -> list[Field]:
        """The fields of a pane as they are now."""
        if pane == "games":
            return game_fields(self.draft, self._game())
        if pane == "agents":
            return agent_fields(self.draft, self.offered, self._agent())
        return schedule_fields(self.draft, self.offered)

    def rows(self, pane: str, look: FieldLook) -> FormRows:
        """The lines of a pane."""
        draft, plan = self.draft, self.plan
        if pane == "games":
            return game_rows(draft, plan, self._game(), look)
        if pane == "agents":
            return agent_rows(draft, self.offered, plan, self._agent(), look, own_file())
        return schedule_rows(draft, self.offered, look)

    def _game(self) -> str:
        return self.chosen("games", games())

    def _agent(self) -> str:
        return self.chosen("agents", self.offered)

    def offer(self, own: tuple[OfferedAgent, ...]) -> None:
        """Offers agents of the user's file too."""
        self._own = own
        self.offered = with_preset_agents(offered_agents(own), self.draft.origin)
        self._planned = None  # the forecast is no longer that of the form
        self.show_draft()
        self.compute()

    def forecast(self, draft: Draft, is_stopped: Callable[[], bool]) -> PlanForecast:
        """The forecast of the tournament."""
        return forecast(draft, self.offered, is_stopped)

    # --- Drawing

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
        return header_lines(self.look, "Parlour", place, note, width)

    def _tabs(self, width: int, height: int) -> list[Text]:
        titles = list(self.PANES.values())
        return [tabs_line(self.look, titles, list(self.PANES).index(self._pane), width)]

    # --- Keys

    def action_jump(self, name: str) -> None:
        """Goes to a pane; where there is room for one, it takes the place of the others."""
        self._pane = name
        for other in self.PANES:
            self.set_class(other == name, other)
        self.query_one("#tabs").refresh()
        self.query_one(f"#{name}").focus()

    def stations(self) -> list[str]:
        """The panes that Tab goes to."""
        return [*super().stations(), *([FORECAST] if self.has_class("-small") else [])]

    def action_all(self) -> None:
        """Ticks all games, or all agents of the section of the cursor; none if all are ticked."""
        if self._pane == "games":
            names = frozenset(game.name for game in listed_games())
            self.draft = replace(self.draft, games=_all_or_none(self.draft.games, names))
        elif self._pane == "agents":
            section = self.offered[self._agent()].section
            members = [agent for agent in self.offered.values() if agent.section == section]
            names = frozenset(agent.name for agent in members)
            self.draft = replace(self.draft, agents=_all_or_none(self.draft.agents, names))
        else:
            self.say("Games and agents are ticked: 1 and 2 go there.")
        self.show_draft()
        self.compute()

    # --- The file, and its start

    def action_fill(self) -> None:
        """Asks for a preset to fill the form in from."""
        lost = "" if self._nothing_to_lose else "; what it says now is lost"
        answers = {_preset_words(name): partial(self._fill, name) for name in preset_names()}
        self.ask(f"Fill the form in from a preset{lost}", answers)

    def _fill(self, name: str) -> None:
        self.draft = self._first = preset_draft(name)
        for pane in ("games", "agents"):
            self.query_one(f"#{pane}", FieldsPane).go_to(())
        self.offer(self._own)

    @property
    def _file(self) -> Path:
        return Path(f"{self.draft.name}.toml")

    def _text(self) -> str:
        """The text of the file. Raises BadInput for run options out of range."""
        options = run_options(self.draft)
        names = ("concurrency", "pace", "until")
        shown = {name: getattr(options, name) for name in names}
        given = {name: value for name, value in shown.items() if value is not None}
        return to_toml(tournament_file(self.draft, self.offered), given)

    @property
    def is_saved(self) -> bool:
        """True if the file says what the draft says."""
        try:
            return self._stored_text() == self._text()
        except ParlourError:
            return False

    @property
    def _nothing_to_lose(self) -> bool:
        return self.draft == self._first or self.is_saved

    def _stored_text(self) -> str | None:
        """The text of the file, None if there is none that can be read."""
        try:
            return self._file.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return None

    def action_save(self) -> None:
        """Writes the tournament file; asks before it replaces another one."""
        self._write(play=False)

    def action_play(self) -> None:
        """Writes the tournament file and plays it, as soon as its forecast has no problem."""
        self.do_when_planned()

    def do_it(self) -> None:
        """Writes the tournament file and plays it."""
        self._write(play=True)

    def _write(self, *, play: bool) -> None:
        try:
            text = self._text()
        except ParlourError as error:
            self.say(str(error), bad=True)
            return
        if not self.draft.name or "/" in self.draft.name or "\0" in self.draft.name:
            self.say("The file needs a name without slashes: write one under Schedule.", bad=True)
            return
        if self._file.exists() and self._stored_text() not in {text, self._written}:
            keep, replace_it = "keep it; choose another name", "replace it"
            store = partial(self._store, text, play=play)
            title = f"{one_line(str(self._file))} is there already"
            self.ask(title, {keep: lambda: None, replace_it: store})
        else:
            self._store(text, play=play)

    def _store(self, text: str, *, play: bool) -> None:
        file = self._file
        self.write(file, text)
        self._written = text
        self.show_draft()
        if play and self.is_saved:
            options = run_options(self.draft)
            # The user has put it together here, so it is no stranger's file.
            self.begin(lambda: replace(read_tournament(file), source=None), options)

    def started(self, path: Path) -> None:
        """Closes the form, so that Escape leads from the tournament to the saves."""
        self.close()
        self.app.post_message(OpenSave(path))

    def action_back(self) -> None:
        """Goes back to the saves; asks first if something would be lost."""
        if self._nothing_to_lose:
            self.close()
            return
        answers = {
            "go on with the form": lambda: None,
            "leave it; what it says is lost": self.close,
        }
        self.ask("The form is not saved", answers)


def _all_or_none(ticked: frozenset[str], names: frozenset[str]) -> frozenset[str]:
    """The ticks with all these names, or without them if all were ticked."""
    return ticked - names if ticked >= names else ticked | names


def _preset_words(name: str) -> str:
    """A preset in a line: its name, and how many games and agents it has."""
    content = preset_content(name)
    games = len({block["name"] for block in content["games"]})
    agents = counted(len(content["agents"]), "agent")
    return f"{name:<15} {counted(games, 'game')}, {agents}"

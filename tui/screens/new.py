"""The form for a new tournament: games, agents and schedule beside a forecast as one types."""

from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical

from parlour.games.common.text import one_line
from parlour.tui.models.new_fields import (
    Field,
    agent_fields,
    game_fields,
    schedule_fields,
)
from parlour.tui.models.new_tournament import (
    listed_games,
)
from parlour.tui.screens.draft import DraftScreen
from parlour.tui.screens.planning import FORECAST, own_file
from parlour.tui.views.fields import Rows
from parlour.tui.views.header import header_lines
from parlour.tui.views.new_tournament import agent_rows, game_rows, schedule_rows
from parlour.tui.widgets.drawn import Drawing
from parlour.tui.widgets.fields_pane import FieldsPane
from parlour.tui.widgets.footer import KeyFooter

BROAD = 100
"""Columns from which the heading says what the form was filled in from."""
TITLES = {"games": "Games", "agents": "Agents", "schedule": "Schedule", FORECAST: "Forecast"}


class NewScreen(DraftScreen):
    """A tournament that is put together, saved as a file and played."""

    TITLE = "New tournament"
    PANES = TITLES
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

    def compose(self) -> ComposeResult:
        """Yields the three panes of fields and the forecast."""
        yield Drawing(self._heading, id="heading")
        yield Drawing(self._tabs, id="tabs")
        with Horizontal(id="body"):
            yield self.fields_pane("games", self._game_rows, self._first_of("games"), "↵ variant")
            yield self.fields_pane("agents", self._agent_rows, self._first_of("agents"))
            with Vertical(id="right"):
                yield self.fields_pane("schedule", self._schedule_rows, "text name")
                yield self.forecast_pane()
        yield KeyFooter()

    def _first_of(self, pane: str) -> str:
        return (
            f"game {listed_games()[0].name}"
            if pane == "games"
            else f"agent {next(iter(self.offered))}"
        )

    # --- The draft

    def fields(self, pane: str) -> list[Field]:
        """The fields of a pane as they are now."""
        if pane == "games":
            return game_fields(self.draft, self._game())
        if pane == "agents":
            return agent_fields(self.draft, self.offered, self._agent())
        return schedule_fields(self.draft, self.offered)

    def _game(self) -> str:
        return self.chosen("games", (game.name for game in listed_games()))

    def _agent(self) -> str:
        return self.chosen("agents", self.offered)

    def filled(self) -> None:
        """Shows the form after it was filled in again, from its first game on."""
        for name in ("games", "agents"):
            self.query_one(f"#{name}", FieldsPane).go_to(self._first_of(name))

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
        palette = self.look.palette
        line = Text(" ")
        for place, (name, title) in enumerate(self.PANES.items(), start=1):
            here = name == self._pane
            key = f"bold {palette.on_chip} on {palette.accent}" if here else palette.faint
            words = f"bold {palette.text} on {palette.raised}" if here else palette.soft
            line.append(f" {place} ", key).append(f" {title} ", words)
        return [line]

    def _game_rows(self, at: str | None, width: int) -> Rows:
        return game_rows(self.draft, self.plan, self.look, at, self._game(), width)

    def _agent_rows(self, at: str | None, width: int) -> Rows:
        draft, look, name = self.draft, self.look, self._agent()
        return agent_rows(draft, self.offered, self.plan, look, at, name, width, own_file())

    def _schedule_rows(self, at: str | None, width: int) -> Rows:
        return schedule_rows(self.draft, self.offered, self.look, at, width)

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


def _all_or_none(ticked: frozenset[str], names: frozenset[str]) -> frozenset[str]:
    """The ticks with all these names, or without them if all were ticked."""
    return ticked - names if ticked >= names else ticked | names

"""The thoughts screen: beliefs and notes of the players of a match, which no player ever sees."""

from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widgets import Static

from parlour.games.engine.moves import player
from parlour.tournament.reports.thoughts import Thought, thoughts
from parlour.tui.models.save_view import LocalState, view_of_match
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.text import BOLD, DIM, WARN, cut, one_line
from parlour.tui.views import beliefs
from parlour.tui.views import match as describe
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.panes import TextPane

POLL_SECONDS = 0.5
"""Seconds between two checks for new thoughts."""


class ThoughtsScreen(ParlourScreen):
    """The beliefs of one player as heat maps, and its thoughts in words."""

    TITLE = "Thoughts"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "turn(1)", "Next player", id="thoughts.next"),
        Binding("p", "turn(-1)", "Previous player", id="thoughts.previous"),
        Binding("right,l", "shift(1)", "Later analyses", show=False, id="thoughts.later"),
        Binding("left,h", "shift(-1)", "Earlier analyses", show=False, id="thoughts.earlier"),
        Binding("escape,b", "back", "Back", id="thoughts.back"),
    ]

    def __init__(self, path: Path, number: int, local: LocalState | None = None) -> None:
        """Raises BadSave if the match cannot be read."""
        super().__init__()
        self._watched, self._focus = view_of_match(path, number, local)
        self._thoughts: list[Thought] = []
        self._read()
        # Starts with a player that noted beliefs, else with one that noted anything.
        noted = sorted(self._thoughts, key=lambda thought: thought.beliefs is None)
        self._seat = noted[0].seat if noted else 0
        self._first = 0

    def compose(self) -> ComposeResult:
        """Yields the heat maps, and the words below or beside them."""
        yield Static(id="status")
        with Container(id="body"):
            yield TextPane(empty="", id="beliefs")
            yield TextPane(empty=beliefs.NOTHING, id="words", follows=True)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Shows the thoughts so far, then new ones as they arrive."""
        self.query_one("#beliefs").border_title = "Beliefs"
        self.query_one("#words").border_title = "In words"
        self.query_one("#beliefs").focus()
        self._paint(reset=True)
        self.set_interval(POLL_SECONDS, self._poll)

    def on_unmount(self) -> None:
        """Closes the save."""
        self._watched.close()

    def on_resize(self) -> None:
        """Lays the columns out for the new width."""
        self.call_after_refresh(self._paint)

    def _poll(self) -> None:
        if self._watched.poll():
            self._read()
            self._paint()
        elif self._watched.trouble:
            self.query_one("#status", Static).update(Text(one_line(self._watched.trouble), WARN))

    def _read(self) -> None:
        self._thoughts = thoughts(self._focus.answers, len(self._focus.match.agents))

    def _paint(self, *, reset: bool = False) -> None:
        agents, seat = self._focus.match.agents, self._seat
        title = Text.assemble(
            ("Thoughts  ", BOLD),
            (f"{player(seat)} {cut(agents[seat], 30)}", "bold underline"),
            f"  {seat + 1}/{len(agents)}",
            (f"   {describe.heading(self._focus)}", DIM),
        )
        self.query_one("#status", Static).update(title)
        pane = self.query_one("#beliefs", TextPane)
        width = pane.scrollable_content_region.width
        first = self._first
        pane.border_subtitle = self._hidden(first, width)
        pane.show([*beliefs.heat(self._thoughts, agents, seat, first, width)], reset=reset)
        self.query_one("#words", TextPane).show([*beliefs.words(self._thoughts, seat)], reset=reset)

    def _hidden(self, first: int, width: int) -> str:
        columns = beliefs.maps(self._thoughts, self._focus.match.agents, self._seat)[0]
        return columns.hidden(first, width) if len(columns.titles) > 1 else ""

    def action_turn(self, by: int) -> None:
        """Goes to the next or previous player of the match."""
        self._seat = (self._seat + by) % len(self._focus.match.agents)
        self._first = 0
        self._paint(reset=True)

    def action_shift(self, by: int) -> None:
        """Scrolls the heat maps to later or earlier analyses."""
        width = self.query_one("#beliefs", TextPane).scrollable_content_region.width
        columns = beliefs.maps(self._thoughts, self._focus.match.agents, self._seat)[0]
        if len(columns.titles) > 1:
            self._first = columns.shifted(self._first, by, width)
            self._paint()

"""The agent screen: capabilities, results by game and role, and results against each opponent."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from parlour.tui.look.cast import Cast
from parlour.tui.look.look import fit
from parlour.tui.models.sorting import UNSORTED
from parlour.tui.models.standings import Standings, read_entrants
from parlour.tui.screens.standings_base import Exported, StandingsScreen
from parlour.tui.text import following
from parlour.tui.views.agent_page import (
    PageState,
    met_lines,
    page_radar,
    places_lines,
    sortable_met,
    sortable_places,
    subject,
    value_lines,
)
from parlour.tui.views.header import tabs_line
from parlour.tui.widgets.drawn import ChartPane, DrawnLines, DrawnPane
from parlour.tui.widgets.footer import KeyFooter

if TYPE_CHECKING:
    from parlour.ratings.reports.agent import Page
    from parlour.ratings.reports.leaderboard import Leaderboard

TABS = ("Capabilities", "Games", "Head to head")
PANES = (("radar", "values"), ("places",), ("met",))
"""The panes of each tab, where there is no room for all."""
ALL_FROM = (110, 30)
"""Columns and lines of the screen from which on all panes are in sight."""


class AgentScreen(StandingsScreen):
    """The results of one agent: radar chart, values, games and roles, and head to head."""

    TITLE = "Agent"
    FIRST = "#values"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "n", "turn(1)", "Next agent", tooltip="The next one on the leaderboard", id="who.next"
        ),
        Binding(
            "p",
            "turn(-1)",
            "Previous agent",
            tooltip="The previous one on the leaderboard",
            show=False,
            id="who.previous",
        ),
        Binding("c", "compare", "Compare", tooltip="With the next agent", id="who.compare"),
        Binding("1", "tab(0)", "Capabilities", show=False, id="who.capabilities"),
        Binding("2", "tab(1)", "Games and roles", show=False, id="who.games"),
        Binding("3", "tab(2)", "Results against each other", show=False, id="who.met"),
        Binding("s", "sort", "Sort by the next column", show=False, id="who.sort"),
        Binding("S", "reverse", "Reverse the order", show=False, id="who.reverse"),
        Binding("e", "export", "Export", tooltip="Export to a file", id="who.export"),
        Binding("escape,b", "back", "Back", tooltip="Go back", id="who.back"),
    ]

    def __init__(
        self, path: Path, standings: Standings, agent: str, against: str | None = None
    ) -> None:
        """``standings`` belong to the leaderboard screen below, which keeps them up to date.

        Raises BadSave if the save cannot be read.
        """
        super().__init__(path, standings)
        self._agent, self._against = agent, None if against == agent else against
        self._entrants = read_entrants(path)
        self._numbers = {name: number for number, name in enumerate(self._entrants.agents, start=1)}
        self._page: Page | None = None
        self._tab = 0
        self._orders = {"places": UNSORTED, "met": UNSORTED}

    def compose(self) -> ComposeResult:
        """Yields the header, chart and values above, tables below."""
        yield DrawnLines(id="header", height=2)
        with Container(id="body"):
            yield ChartPane(id="radar")
            yield DrawnPane(id="values")
            yield DrawnPane(id="met")
            yield DrawnPane(id="places")
        yield KeyFooter()

    @property
    def _whole(self) -> bool:
        """True where all panes are in sight at once."""
        width, height = self.size
        return width >= ALL_FROM[0] and height >= ALL_FROM[1]

    def _fill(self) -> None:
        from parlour.ratings.reports.agent import page

        self._board = board = self._standings.board
        if board is not None:
            self._page = page(board, self._agent)
        self.paint()

    def _state(self, board: "Leaderboard", shown: "Page") -> PageState:
        from parlour.ratings.reports.agent import page

        against = None if self._against is None else page(board, self._against)
        cast = Cast(self._entrants.agents, self.look.palette)
        numbered = not self._whole
        return PageState(shown, cast, self.look, against, numbered, **self._orders)

    def paint(self) -> None:
        """Shows the page with its panes, or those of a tab."""
        board, shown, width = self._board, self._page, self.size.width
        if board is None or shown is None or not width or not self.is_attached:
            return
        from parlour.ratings.reports.agent import overall_rank

        state = self._state(board, shown)
        palette = state.look.palette
        kind = self._standings.kind.replace("-", " ")
        note = Text(self._entrants.kinds.get(self._agent, ""), palette.faint)
        rule = fit(Text("─" * width, palette.rule), width)
        tabs = rule if self._whole else tabs_line(state.look, TABS, self._tab, width)
        rank = f"{overall_rank(board, self._agent)}{kind}"
        self._paint_header(subject(state, rank), note, [tabs])
        body = self.query_one("#body")
        body.set_class(self._whole, "whole")
        for index, names in enumerate(PANES):
            for name in names:
                self.query_one(f"#{name}").display = self._whole or index == self._tab
        self.call_after_refresh(self._show_panes, state)

    def _show_panes(self, state: PageState) -> None:
        if not self.is_attached:
            return
        title = state.look.title
        soft = state.look.palette.soft
        panes = {
            "radar": (title("", "Capabilities"), page_radar),
            "values": (
                title("", "Values").append(" 0–100, 95 % intervals, counts", soft),
                value_lines,
            ),
            "met": (title("", "Head to head").append(" share of matches won", soft), met_lines),
            "places": (title("", "Games and roles"), places_lines),
        }
        for name, (words, lines) in panes.items():
            pane = self.query_one(f"#{name}", DrawnPane)
            pane.set_title(words)
            if pane.display:
                # Bound now: the loop goes on to the next function.
                pane.show(lambda width, height, draw=lines: draw(state, width, height))  # type: ignore[misc]

    # --- Keys

    def action_turn(self, by: int) -> None:
        """Goes to the next or previous agent of the leaderboard."""
        agents = self._agents()
        if len(agents) < 2:
            self.say("There is no other agent on the leaderboard.")
        else:
            self._agent = following(agents, self._agent, by)
            self._against = None if self._against == self._agent else self._against
            self._fill()

    def action_compare(self) -> None:
        """Draws the next agent over this one; after the last, none."""
        others = [agent for agent in self._agents() if agent != self._agent]
        if not others:
            self.say("There is no other agent to compare with.")
        self._against = following([None, *others], self._against)
        self.paint()

    def _agents(self) -> list[str]:
        if self._board is None:
            return []
        return [standing.agent for standing in self._board.by("overall")]

    def action_tab(self, tab: int) -> None:
        """Shows a tab, or goes to its pane where all are in sight."""
        self._tab = tab
        self.paint()
        self.query_one(f"#{PANES[tab][-1]}").focus()

    def action_sort(self) -> None:
        """Orders the table with the focus by its next column: head to head, else the games."""
        if self._board is None or self._page is None:
            self.say("The standings are still being computed.")
        elif (table := self._ordered()) is not None:
            state = self._state(self._board, self._page)
            columns = sortable_met(state) if table == "met" else sortable_places(state)
            self._orders[table] = self._orders[table].following(columns)
            self.paint()

    def action_reverse(self) -> None:
        """Orders the table with the focus from the other end."""
        if (table := self._ordered()) is not None:
            self._orders[table] = self._orders[table].reversed()
            self.paint()

    def _ordered(self) -> str | None:
        """The table to order: the one with the focus, or alone in sight; else says where one is."""
        met, places = self.query_one("#met"), self.query_one("#places")
        if not (met.display or places.display):
            self.say("Tables are ordered: 2 and 3 go there.")
            return None
        return "met" if met.has_focus or not places.display else "places"

    def exported(self) -> Exported:
        """The page."""
        from parlour.ratings.reports.agent import agent_report

        part = f"agent-{self._numbers.get(self._agent, 0)}{self._standings.kind}"
        return Exported("page", part, lambda: self._page, agent_report)

"""The wall: all matches in play side by side."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from parlour.tui.look.look import fit
from parlour.tui.models.save_view import SaveView, Tables
from parlour.tui.models.standings import Standings
from parlour.tui.screens.steering import WatchingScreen
from parlour.tui.views.live_places import (
    ELSEWHERE,
    MATCH,
    PANES,
    TABS_BELOW,
    LivePane,
    is_too_small,
    pane_tabs,
)
from parlour.tui.views.states import centred, too_small
from parlour.tui.views.wall import Raster, Wall, raster, two_lines, wall_lines
from parlour.tui.widgets.drawn import DrawnLines, DrawnPane
from parlour.tui.widgets.footer import KeyFooter

NOTHING = ("No match is in play.", "space starts or goes on, esc goes back")
OVER = ("All matches are over.", "l shows the leaderboard, esc goes back")


class WallScreen(WatchingScreen):
    """A tile for each match in play, by pages where there are more matches than tiles."""

    TITLE = "Wall"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "zoom", "Zoom", id="wall.zoom", priority=True),
        Binding("s", "order", "Order", id="wall.order"),
        Binding("left,h", "move(-1, 0)", "Tile left", show=False, id="wall.left"),
        Binding("right", "move(1, 0)", "Tile right", show=False, id="wall.right"),
        Binding("up,k", "move(0, -1)", "Tile up", show=False, id="wall.up", priority=True),
        Binding("down,j", "move(0, 1)", "Tile down", show=False, id="wall.down", priority=True),
        Binding(
            "pageup", "turn(-1)", "Previous page", show=False, id="wall.page_up", priority=True
        ),
        Binding("pagedown", "turn(1)", "Next page", show=False, id="wall.page_down", priority=True),
        *(
            Binding(
                str(pane.key),
                f"jump({pane.key})",
                f"Back to {pane.tab}",
                show=False,
                id=f"wall.jump{pane.key}",
            )
            for pane in PANES
            if pane is not ELSEWHERE
        ),
        Binding("escape,g", "back", "Back", id="wall.back"),
        # As on the live screen, but the footer has room for six keys.
        Binding("n", "step('turn')", "Step a turn", show=False, id="live.turn"),
        Binding("l,L", "leaderboard", "Leaderboard", show=False, id="live.leaderboard"),
    ]

    def __init__(
        self, watched: SaveView, standings: Standings, back: Callable[[LivePane | None], None]
    ) -> None:
        """``back`` shows the chosen match on the live screen, in a pane if one is given."""
        super().__init__(watched, standings)
        self._back = back
        self._tables = Tables(watched)
        self._by_number = False
        self._order: list[int] = []
        self._sort()

    def compose(self) -> ComposeResult:
        """Yields the header, the tabs of a narrow terminal, the tiles, and the keys."""
        yield DrawnLines(id="header")
        yield DrawnLines(id="tabs")
        yield DrawnPane(self._draw, id="wall")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Draws the tiles and starts the clock."""
        self.query_one("#wall").focus()
        self.query_one("#tabs").display = False
        self.start()

    def on_resize(self) -> None:
        """Draws for the new size."""
        tabs = self.query_one("#tabs", DrawnLines)
        tabs.display = self.size.width < TABS_BELOW
        tabs.show([pane_tabs(self.look, ELSEWHERE)])

    # --- The order of the tiles

    def _sort(self) -> None:
        """Sorts all matches in play; between two calls none changes its place."""
        playing = self.watched.at_table()
        if not self._by_number:
            playing.sort(key=lambda number: -self.watched.moved.get(number, 0))
        self._order = playing

    def _raster(self) -> Raster:
        size = self.query_one("#wall").size
        tiles = raster(size.width, size.height)
        return tiles if len(self._order) <= tiles.tiles else raster(size.width, size.height - 1)

    def _place(self) -> int:
        number = self.watched.number
        return self._order.index(number) if number in self._order else 0

    def _page(self) -> list[int]:
        """The matches of the page on which the chosen one is; all by number if they fit."""
        tiles = self._raster().tiles
        if len(self._order) <= tiles:
            self._order.sort()
            return self._order
        first = self._place() // tiles * tiles
        return self._order[first : first + tiles]

    # --- Painting

    def paint_due(self, now: float) -> None:
        """Shows header and tiles if they are due."""
        if self.cadence.due("header", now):
            self.paint_header(now)
        if self.cadence.due("others", now):
            # Takes matches that ended out, and puts new ones at the end.
            playing = self.watched.at_table()
            known = [number for number in self._order if number in playing]
            self._order = known + [number for number in playing if number not in known]
            self.query_one("#wall", DrawnPane).show()

    def paint_standings(self) -> None:
        """Shows the standings in their tile, if there is one."""
        self.query_one("#wall", DrawnPane).show()

    def _draw(self, width: int, height: int) -> Sequence[Text]:
        terminal = self.app.size
        if is_too_small(terminal):
            return too_small(self.look, terminal, width, height)
        page, tiles = self._page(), self._raster()
        if not self._order and not (tiles.columns and self.watched.ended):
            sentences = OVER if self.watched.progress.done else NOTHING
            return centred(self.look, sentences, width, height)
        foci = self._tables.up_to_date(page)
        pages = -(-len(self._order) // tiles.tiles)
        room = height - (pages > 1)
        chosen = self.watched.number or 0
        lines: list[Text] = []
        if tiles.columns:
            wall = Wall(self.watched, self.standings, self.cast(), self.look)
            drawn = wall.tiles(foci, tiles.tiles)
            columns = tiles.columns
            rows = min(tiles.rows, -(-len(drawn) // columns))
            lines += wall_lines(self.look, drawn, columns, rows, width, room, chosen)
        else:
            cast = self.cast()
            for match in foci:
                here = match.match.number == chosen
                lines += two_lines(self.watched, cast, self.look, match, width, chosen=here)
            lines += [Text()] * (room - len(lines))
        if pages > 1:
            number = self._place() // tiles.tiles + 1
            words = f"page {number} of {pages}"
            lines.append(fit(Text(words, self.look.palette.soft), width, align="center"))
        return lines

    # --- Keys

    def show_match(self, number: int) -> None:
        """Chooses the tile of a match."""
        if not self.can_look_at(number):
            return
        self.query_one("#wall", DrawnPane).show()

    def action_move(self, right: int, down: int) -> None:
        """Goes to the tile beside, above or below, on to the next page at the edge."""
        by = right + down * max(1, self._raster().columns)
        self._go_to(self._place() + by, "tile")

    def action_turn(self, by: int) -> None:
        """Goes to the next or previous page."""
        tiles = self._raster().tiles
        self._go_to((self._place() // tiles + by) * tiles, "page")

    def _go_to(self, place: int, what: str) -> None:
        """Goes to the tile at a place, or says that there is none."""
        if 0 <= place < len(self._order):
            self.show_match(self._order[place])
        else:
            self.say(f"There is no further {what}." if self._order else NOTHING[0])

    def action_order(self) -> None:
        """Sorts by number, or by what moved last."""
        self._by_number = not self._by_number
        self._sort()
        self.query_one("#wall", DrawnPane).show()
        self.say("Ordered by number." if self._by_number else "Ordered by what moved last.")

    def action_zoom(self) -> None:
        """Opens the chosen match on the live screen."""
        self._zoom(MATCH)

    def action_jump(self, number: int) -> None:
        """Goes back to the pane of the live screen with a key."""
        self._zoom(PANES[number - 1])

    def _zoom(self, pane: LivePane) -> None:
        if self._order and self._place() == 0:
            self.watched.look_at(self._order[0])
        self.close()
        self._back(pane)

    def action_back(self) -> None:
        """Goes back to the live screen as it was."""
        self.close()
        self._back(None)

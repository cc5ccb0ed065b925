"""The games and roles of an agent as a table, with strengths on one scale."""

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from rich.text import Text

from parlour.games.common.forms import TEXT, percent
from parlour.ratings.reports.cells import COUNTS, RANK, counts
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look, common_scale, fit
from parlour.tui.models.sorting import UNSORTED, Sorting
from parlour.tui.models.tiles import family, game_place, game_title, role_words
from parlour.tui.views.board_table import PICTURE, BoardColumn, BoardTable
from parlour.tui.views.standings_table import (
    WON,
    matches_column,
    measured,
    strength_column,
    strength_of,
    trueskill_columns,
)

if TYPE_CHECKING:
    from parlour.ratings.reports.agent import Page
    from parlour.ratings.reports.leaderboard import Standing


@dataclass(frozen=True, slots=True)
class PageState:
    """The page of an agent as drawn, with that of a second agent over it if there is one.

    ``numbered``: the values bear the numbers of the spokes.
    """

    page: "Page"
    cast: Cast
    look: Look
    against: "Page | None" = None
    numbered: bool = False
    places: Sorting = UNSORTED
    met: Sorting = UNSORTED

    @property
    def pages(self) -> "list[Page]":
        """The page, then the one over it."""
        return [self.page] if self.against is None else [self.page, self.against]


def places_table(state: PageState, width: int) -> "BoardTable[Standing]":
    """The games and roles of the agent, with strengths on one scale."""
    look, palette, page = state.look, state.look.palette, state.page
    colour, scale = (
        state.cast[page.agent].colour,
        common_scale([strength_of(each) for each in page.standings]),
    )
    flat = state.places.column is not None

    def ink(standing: "Standing") -> str:
        return palette.soft if standing.role else palette.text

    def shade(standing: "Standing") -> str:
        return palette.dimmed(colour, 0.25) if standing.role else colour

    def forest(standing: "Standing", wide: int) -> Text:
        """The interval of the strength on the common scale."""
        interval = strength_of(standing)
        if interval is None:
            return fit(Text("not ranked", f"italic {palette.faint}"), wide, align="center")
        return look.forest(interval, wide, scale, shade(standing))

    def won(standing: "Standing", wide: int) -> Text:
        return _won(state, standing, broad=width >= 76)

    def faults(standing: "Standing", wide: int) -> Text:
        cell = standing.measures.get("fault_rate")
        return Text(counts(cell), palette.bad if cell and cell.value else palette.faint)

    columns: list[BoardColumn[Standing]] = [
        BoardColumn("", lambda each: _place(look, each, flat=True), TEXT, "place",
                    min(24, max(12, width // 3)),
                    lambda each, wide: Text(_place(look, each, flat=flat), ink(each))),
        BoardColumn("", lambda each: None, PICTURE, "forest", 12, forest, grows=30,
                    head=lambda wide: look.axis(wide, scale)),
        strength_column(look, ink, palette.faint, 11),
        BoardColumn("won", measured("win_rate"), WON, "won", 14 if width >= 76 else 5, won,
                    least=44),
        matches_column("n", 5, 54),
        BoardColumn("faults", measured("fault_rate"), COUNTS, "faults", 8, faults, least=84),
        BoardColumn("rank", lambda each: each.strength, RANK, "rank", 5, ink="soft", least=90),
        *trueskill_columns(6, "soft"),
    ]  # fmt: skip
    return BoardTable(look, columns, _places(page), width, state.places, narrow=0)


def _places(page: "Page") -> "list[Standing]":
    """All games, then each game, with its roles where it has several."""
    games = [each.game for each in page.standings if each.role is not None]
    shown = [each for each in page.standings if each.role is None or games.count(each.game) > 1]
    return sorted(shown, key=_place_order)


def _place_order(standing: "Standing") -> tuple[bool, tuple[int, str], str]:
    game = standing.game
    return game is not None, game_place(game or ""), standing.role or ""


def places_lines(state: PageState, width: int, height: int) -> list[Text]:
    """The lines of games and roles below their headings."""
    table = places_table(state, width)
    rows = chain.from_iterable(map(table.row, range(len(table.rows))))
    return [*table.headings, *rows]


def _place(look: Look, standing: "Standing", *, flat: bool) -> str:
    if standing.game is None:
        return "All games"
    suit = look.signs.suits.get(family(standing.game), "")
    title = f"{suit} {game_title(standing.game)}".strip()
    if standing.role is None:
        return title
    role = role_words(standing.role)
    return f"{title} {role}" if flat else f"  └ {role}"


def _won(state: PageState, standing: "Standing", *, broad: bool) -> Text:
    palette, cell = state.look.palette, standing.measures.get("win_rate")
    line = Text(no_wrap=True).append(percent(cell.value if cell else None), palette.text)
    if broad and cell is not None and cell.low is not None and cell.high is not None:
        line.append(f" {100 * cell.low:.0f}–{100 * cell.high:.0f}", palette.faint)
    return line


def sortable_places(state: PageState) -> list[str]:
    """The keys of the columns that can order games and roles."""
    return places_table(state, 120).sortable

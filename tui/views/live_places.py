"""The panes of the live screen, their places by its size and its layout, and their tabs."""

from collections.abc import Mapping
from dataclasses import dataclass

from rich.text import Text
from textual.geometry import Region, Size

from parlour.tui.look.look import Look

LEAST_WIDTH, LEAST_HEIGHT = 60, 16
"""The smallest terminal in which panes are drawn."""
TABS_BELOW, BROAD, BROADEST = 110, 140, 190
"""Columns below which panes are tabs, from which standings stand at the right, and elsewhere."""
WITH_STANDINGS, WITH_ELSEWHERE = 26, 51
"""Rows of the body from which standings are beside the board, and elsewhere below the talk: a
terminal of 30 and of 55 rows."""
STACKED_FROM = 36
"""Rows of the terminal from which a third of it is enough for a pane."""
ROOM = {"columns": f"{TABS_BELOW} columns", "stacked": f"{STACKED_FROM} rows"}
"""The room that a layout needs, in words."""
SIDE_OF_TAB = 34
WHY_FROM = 44
"""Columns of the talk from which reasons are shown by themselves."""


@dataclass(frozen=True, slots=True)
class LivePane:
    """A pane of the live screen: its key, the id of its widget, its title, and its name in words.

    ``tab`` is its tab on a narrow terminal.
    """

    key: int
    id: str
    title: str
    words: str
    tab: str


PANES = MATCHES, MATCH, BOARD, STANDINGS, ELSEWHERE = (
    LivePane(1, "matches", "Matches", "the matches", "Matches"),
    LivePane(2, "talk", "Match", "the talk", "Match"),
    LivePane(3, "board", "Board", "the board", "Board"),
    LivePane(4, "standings", "Standings", "the standings", "Standings"),
    LivePane(5, "elsewhere", "Elsewhere", "the other matches", "Wall"),
)
"""The panes in the order of their keys. A new one needs a widget and a place besides."""


@dataclass(frozen=True, slots=True)
class PaneBasis:
    """Everything besides the size that decides the places.

    ``layout`` is one that has room. ``chosen`` is the pane that was gone to last: the tab
    where there are tabs. ``agents`` and ``others`` are the lines of standings and of elsewhere.
    """

    layout: str
    chosen: LivePane
    agents: int
    others: int


def is_too_small(terminal: Size) -> bool:
    """True for a terminal in which no pane is drawn."""
    return terminal.width < LEAST_WIDTH or terminal.height < LEAST_HEIGHT


def has_room(layout: str, terminal: Size) -> bool:
    """True if a layout can be read on a terminal of this size."""
    if layout == "columns":
        return terminal.width >= TABS_BELOW
    return layout != "stacked" or terminal.height >= STACKED_FROM


def has_tabs(width: int, layout: str) -> bool:
    """True if the panes are tabs at this width."""
    return width < TABS_BELOW and layout in ("auto", "wide talk")


def live_places(size: Size, arrangement: PaneBasis) -> Mapping[str, Region]:
    """The place of each pane that is in sight."""
    width, height = size
    if width < 1 or height < 1:
        return {}
    layout = arrangement.layout
    if layout == "stacked":
        return _stacked(width, height)
    if layout == "columns":
        thirds = _cuts(width, 2, 3, 2)
        return _columns(width, height, thirds, arrangement)
    if has_tabs(width, layout):
        return _tab(width, height, arrangement)
    left = 44 if width >= BROAD else 38
    if width < BROAD:
        right = 44 if width >= 130 else 38
    else:
        right = 54
    if width >= BROADEST and height >= WITH_ELSEWHERE:
        left, right = 48, 70
    if layout == "wide talk":
        return {
            "matches": Region(0, 0, left, height),
            "talk": Region(left, 0, width - left, height),
        }
    return _columns(width, height, (left, width - right), arrangement)


def _stacked(width: int, height: int) -> dict[str, Region]:
    first, second = _cuts(height, 1, 2, 1)
    return {
        "matches": Region(0, 0, width, first),
        "talk": Region(0, first, width, second - first),
        "board": Region(0, second, width, height - second),
    }


def _tab(width: int, height: int, arrangement: PaneBasis) -> dict[str, Region]:
    chosen = STANDINGS if arrangement.chosen is ELSEWHERE else arrangement.chosen
    if chosen is not MATCH or arrangement.layout == "wide talk":
        return {chosen.id: Region(0, 0, width, height)}
    side = SIDE_OF_TAB
    return {
        "talk": Region(0, 0, width - side, height),
        "board": Region(width - side, 0, side, height),
    }


def _columns(
    width: int, height: int, cuts: tuple[int, ...], arrangement: PaneBasis
) -> dict[str, Region]:
    """Three columns that end at ``cuts``; standings below the matches or the board."""
    first, second = cuts
    matches = Region(0, 0, first, height)
    talk = Region(first, 0, second - first, height)
    board = Region(second, 0, width - second, height)
    places = {"matches": matches, "talk": talk, "board": board}
    low = min(arrangement.agents + 3, height // 2)
    if height < WITH_STANDINGS:
        if arrangement.chosen is STANDINGS:
            del places["board"]
            places["standings"] = board
        return places
    if width < BROAD and arrangement.layout == "auto":
        places["matches"], places["standings"] = matches.split_horizontal(height - low)
    else:
        places["board"], places["standings"] = board.split_horizontal(height - low)
    if width >= BROADEST and height >= WITH_ELSEWHERE and arrangement.others:
        lines = min(2 * arrangement.others + 2, height // 2)
        places["talk"], places["elsewhere"] = talk.split_horizontal(height - lines)
    return places


def _cuts(whole: int, *shares: int) -> tuple[int, ...]:
    """The ends of all parts but the last, in shares of a whole."""
    total = sum(shares)
    cuts, sum_so_far = [], 0
    for share in shares[:-1]:
        sum_so_far += share
        cuts.append(whole * sum_so_far // total)
    return tuple(cuts)


def pane_tabs(look: Look, chosen: LivePane) -> Text:
    """The panes as tabs with their keys; the chosen one on a ground of its own."""
    palette = look.palette
    line = Text(" ", no_wrap=True)
    for pane in PANES:
        ground = f" on {palette.raised}" if pane is chosen else ""
        key = palette.accent if pane is chosen else palette.faint
        style = f"bold {palette.text}" if pane is chosen else palette.soft
        line.append(f" {pane.key}", key + ground).append(f" {pane.tab} ", style + ground).append(
            "  "
        )
    return line

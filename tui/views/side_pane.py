"""The side pane: the board of a match, or its moves, and its players."""

from rich.text import Text

from parlour.games.engine.board import Board, Feed, Matrix
from parlour.tui.models.save_view import Focus
from parlour.tui.text import DIM
from parlour.tui.views import beliefs, gossip, rounds
from parlour.tui.views import match as describe


def names(focus: Focus | None) -> tuple[str, str]:
    """The titles of the two tabs."""
    if focus is None or focus.table is None:
        return "Votes", "Players"
    shown = rounds.boards(focus)
    return (shown[0].title if shown else "Moves", "Players")


def texts(focus: Focus, tab: int, wanted: str = "") -> list[Text]:
    """Lines of a tab; ``wanted`` filters gossip."""
    if focus.table is None and tab == 0:
        return [Text("No votes yet.", DIM)]
    shown = rounds.boards(focus)
    feed = next((board for board in shown if isinstance(board, Feed)), None)
    matrix = _of_standing(shown)
    if tab == 0 and feed is not None:
        return gossip.feed_lines(feed, wanted)
    if tab == 0:
        return rounds.pictures(focus, shown) if shown else describe.moves(focus)
    if feed is not None and matrix is not None:
        return gossip.standing(focus, matrix)
    return describe.players(focus, beliefs.suspicions(focus))


def _of_standing(shown: tuple[Board, ...]) -> Matrix | None:
    """The matrix whose holdings stand with the players of a game that has a feed."""
    return next((board for board in shown if isinstance(board, Matrix)), None)

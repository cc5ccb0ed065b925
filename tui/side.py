"""The side pane: ballot, gossip or rounds of a match, and its players."""

from rich.text import Text

from tui import describe, gossip, matrix
from tui.state import Focus


def names(focus: Focus | None) -> tuple[str, str]:
    """The titles of the two tabs."""
    kind = matrix.kind_of(focus)
    if kind is not None:
        return matrix.TITLES[kind], "Players"
    return ("Gossip" if gossip.has_gossip(focus) else "Votes", "Players")


def texts(focus: Focus, tab: int, wanted: str = "") -> list[Text]:
    """What a tab shows; ``wanted`` filters gossip."""
    kind = matrix.kind_of(focus)
    if tab == 0 and kind is not None:
        return matrix.rounds(focus, kind)
    if tab == 0:
        return gossip.feed(focus, wanted) if gossip.has_gossip(focus) else describe.ballot(focus)
    return gossip.standing(focus) if gossip.has_gossip(focus) else describe.players(focus)

"""The side pane: the ballot or the gossip of a match, and its players."""

from rich.text import Text

from tui import describe, gossip
from tui.state import Focus


def names(focus: Focus | None) -> tuple[str, str]:
    """The titles of the two tabs."""
    return ("Gossip" if gossip.has_gossip(focus) else "Votes", "Players")


def texts(focus: Focus, tab: int, wanted: str = "") -> list[Text]:
    """What a tab shows; ``wanted`` filters gossip."""
    if tab == 0:
        return gossip.feed(focus, wanted) if gossip.has_gossip(focus) else describe.ballot(focus)
    return gossip.standing(focus) if gossip.has_gossip(focus) else describe.players(focus)

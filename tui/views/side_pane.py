"""The side pane: ballot, gossip, rounds or moves of a match, and its players."""

from rich.text import Text

from parlour.tui.models.save_view import Focus
from parlour.tui.views import beliefs, gossip
from parlour.tui.views import match as describe
from parlour.tui.views import rounds as matrix


def names(focus: Focus | None) -> tuple[str, str]:
    """The titles of the two tabs."""
    kind = matrix.kind_of(focus)
    if kind is not None:
        return matrix.TITLES[kind], "Players"
    if gossip.has_gossip(focus):
        return "Gossip", "Players"
    return ("Votes" if describe.has_votes(focus) else "Moves", "Players")


def texts(focus: Focus, tab: int, wanted: str = "") -> list[Text]:
    """What a tab shows; ``wanted`` filters gossip."""
    kind = matrix.kind_of(focus)
    if tab == 0 and kind is not None:
        return matrix.rounds(focus, kind)
    if tab == 0 and gossip.has_gossip(focus):
        return gossip.feed(focus, wanted)
    if tab == 0:
        return describe.ballot(focus) if describe.has_votes(focus) else describe.moves(focus)
    if gossip.has_gossip(focus):
        return gossip.standing(focus)
    return describe.players(focus, beliefs.suspicions(focus))

"""The two tabs of the side pane: ballot, gossip, rounds or moves, and the players."""

from rich.text import Text

from parlour.tui.models.save_view import Focus
from parlour.tui.views import beliefs, gossip, rounds
from parlour.tui.views import match as describe


def names(focus: Focus | None) -> tuple[str, str]:
    """The titles of the two tabs."""
    kind = rounds.kind_of(focus)
    if kind is not None:
        return rounds.TITLES[kind], "Players"
    if gossip.has_gossip(focus):
        return "Gossip", "Players"
    return ("Votes" if describe.has_votes(focus) else "Moves", "Players")


def texts(focus: Focus, tab: int, gossip_filter: str = "") -> list[Text]:
    """The lines of a tab; ``gossip_filter`` filters gossip."""
    kind = rounds.kind_of(focus)
    if tab == 0 and kind is not None:
        return rounds.rounds(focus, kind)
    if tab == 0 and gossip.has_gossip(focus):
        return gossip.feed(focus, gossip_filter)
    if tab == 0:
        return describe.ballot(focus) if describe.has_votes(focus) else describe.moves(focus)
    if gossip.has_gossip(focus):
        return gossip.standing(focus)
    return describe.players(focus, beliefs.suspicions(focus))

"""Line-ups: the agent of each seat in games whose matches the schedule does not pair."""

from collections.abc import Iterator

from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.tournament.plan.model import GameEntry


def lineups(
    lineup: list[str] | str | None, entry: GameEntry, names: list[str], place: str
) -> Iterator[tuple[str, ...] | None]:
    """Yields the line-ups of a ``[[games]]`` block; None means that the schedule seats the agents.

    "alone": each agent in all seats. "in_turn": each agent in the first seat once, followed by
    the others in their order.
    """
    if lineup is None or isinstance(lineup, list):
        yield checked_lineup(lineup, entry, names, place)
        return
    for first in range(len(names)):
        order = names[first:] + names[:first] if lineup == "in_turn" else [names[first]]
        yield tuple(order[seat % len(order)] for seat in range(entry.agent_seats))


def checked_lineup(
    lineup: list[str] | None, entry: GameEntry, names: list[str], place: str
) -> tuple[str, ...] | None:
    """Returns the agent of each seat. BadInput if the line-up does not fit the game or agents."""
    if lineup is None:
        return None
    seats = entry.agent_seats
    if len(lineup) != seats:
        fix = f"{entry.game.name} has {seats} seats for agents: name one for each"
        raise BadInput(f"{place}.lineup", f"names {len(lineup)} agents", fix)
    for name in lineup:
        if name not in names:
            raise BadInput(f"{place}.lineup", f"unknown agent {name!r}", suggestion(name, names))
    return tuple(lineup)

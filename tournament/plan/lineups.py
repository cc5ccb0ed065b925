"""Line-ups: who sits where in a game whose matches the schedule does not pair."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion

if TYPE_CHECKING:
    from parlour.tournament.plan.loader import GameEntry


def lineups(
    written: list[str] | str | None, entry: "GameEntry", names: list[str], place: str
) -> Iterator[tuple[str, ...] | None]:
    """The line-ups that a block of a tournament file asks for; None: the schedule seats the agents.

    "alone": each agent in all seats. "in_turn": each agent in the first seat once, with the
    others after it in their order.
    """
    if written is None or isinstance(written, list):
        yield lineup_of(written, entry, names, place)
        return
    for first in range(len(names)):
        own = names[first:] + names[:first] if written == "in_turn" else [names[first]]
        yield tuple(own[seat % len(own)] for seat in range(_seats(entry)))


def lineup_of(
    lineup: list[str] | None, entry: "GameEntry", names: list[str], place: str
) -> tuple[str, ...] | None:
    """A line-up that names the agent of each seat. BadInput if it does not fit game or agents."""
    if lineup is None:
        return None
    seats = _seats(entry)
    if len(lineup) != seats:
        fix = f"{entry.game.name} has {seats} seats for agents: name one for each"
        raise BadInput(f"{place}.lineup", f"names {len(lineup)} agents", fix)
    for name in lineup:
        if name not in names:
            raise BadInput(f"{place}.lineup", f"unknown agent {name!r}", suggestion(name, names))
    return tuple(lineup)


def _seats(entry: "GameEntry") -> int:
    """The seats that agents fill."""
    setting = entry.setting(0)
    return entry.game.seats(setting) - entry.game.seating.built_in(setting)

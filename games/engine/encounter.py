"""Meetings of two players, in one form for all games."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from parlour.games.engine.moves import Record, Seat


class PairAction(NamedTuple):
    """Action of one player of a pair toward the other.

    ``kind`` is that of the ask that decided it, ``done`` the action or the amount. ``share`` is
    the amount as a share of what could be given; None where the action is no amount, or where
    there was nothing to give. ``helped``: it cooperated, or gave at least half; None where there
    was nothing to give.
    """

    by: Seat
    to: Seat
    kind: str
    done: str | float
    helped: bool | None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Encounter:
    """One meeting: the pair (who acts first, or alone, stands first), its actions and rewards.

    ``rewards`` has one number for each of the pair. ``reports`` are what seats published of
    their own actions, ``messages`` what they published of the other (tone and message, or
    signal); both are empty where the record does not hold them.
    """

    pair: tuple[Seat, Seat]
    actions: tuple[PairAction, ...]
    rewards: tuple[float, float]
    reports: Mapping[Seat, str | float | None] = field(default_factory=dict)
    messages: Mapping[Seat, Record] = field(default_factory=dict)

    def action_of(self, seat: Seat) -> PairAction | None:
        """The action of this seat; None if it had none."""
        return next((action for action in self.actions if action.by == seat), None)

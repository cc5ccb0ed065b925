"""Events of a match, the view of one seat, and meetings of two players."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from parlour.games.engine.moves import FaultKind, Record, Seat

GENERATION = "generation"
"""The kind of a told event that begins all views again: new players take the seats."""


class Event(NamedTuple):
    """One event of a match: something told, or a seat's answer.

    ``to`` names the seats whose view it enters (None: everyone's). ``by`` is the seat that
    answered, None for what the game told; ``ask`` is the number of the ask it answers.
    (A named tuple, since millions are made and a frozen dataclass costs three times as much.)
    """

    kind: str
    round: int
    record: Record
    to: tuple[Seat, ...] | None
    by: Seat | None = None
    ask: int | None = None
    fault: FaultKind | None = None


class View(NamedTuple):
    """The view of one seat: the events told to it, and its own answers except to probes."""

    game: str
    seat: Seat
    seats: tuple[Seat, ...]
    events: tuple[Event, ...]

    @property
    def rules(self) -> Record:
        """The record of the rules as all were told them; empty if they were not."""
        for event in self.events:  # the first one, and asked at every answer
            if event.kind == "rules":
                return event.record
        return {}

    @property
    def language(self) -> str | None:
        """The language that all were told to speak; None: English, which goes without saying."""
        return self.rules.get("language")

    def copied(self) -> "View":
        """The same with records of its own, for code that might change them."""
        events = [event._replace(record=plain_copy(event.record)) for event in self.events]
        return self._replace(events=tuple(events))

    def told(self, kind: str) -> list[Event]:
        """The events of one kind that the game told this seat, oldest first."""
        return [event for event in self.events if event.by is None and event.kind == kind]


def plain_copy(value: Any) -> Any:
    """A copy of JSON values, all the way down."""
    if isinstance(value, dict):
        return {key: plain_copy(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(plain_copy, value))
    return value


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

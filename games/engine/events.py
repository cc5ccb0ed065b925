"""Events of a match, and the view of one seat."""

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
        return next((event.record for event in self.events if event.kind == "rules"), {})

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

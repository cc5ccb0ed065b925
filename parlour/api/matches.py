"""Matches in Python: their players, events and outcomes.

Players are named as in the games: "Player 1" is the first seat. Where a player is asked for, the
number does as well, from 1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from parlour.games.common.errors import BadInput
from parlour.games.engine.events import Event
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Record, Seat, player
from parlour.games.engine.table import Table
from parlour.games.engine.transcript import lines_of, sentence

Player = int | str
"""A player: 1, or "Player 1"."""


@dataclass(frozen=True, slots=True)
class MatchEvent:
    """One event of a match.

    ``player`` answered it (None: the game told it), ``to`` were told (None: all players).
    ``record`` is as stored: a seat in it counts from 0. ``text`` is the same as one line.
    """

    kind: str
    round: int
    player: str | None
    to: tuple[str, ...] | None
    record: Record
    fault: str | None
    text: str


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """The ending of a match, with role, side and payoff by player."""

    ending: str
    roles: dict[str, str]
    sides: dict[str, str]
    payoffs: dict[str, float]
    winners: tuple[str, ...]


class Match:
    """A match: its players, agents, events and outcome."""

    def __init__(self, table: Table, agents: Iterable[str] = ()) -> None:
        self.table = table
        self.game = table.game.name
        self.players = tuple(player(seat) for seat in table.seats)
        self.agents = dict(zip(self.players, agents, strict=False))
        """The agent of each player; empty for a match that is played by hand."""

    def __repr__(self) -> str:
        state = "is not over" if self.outcome is None else f"ended: {self.outcome.ending}"
        return f"<{self.game}, {len(self.players)} players, {len(self.events)} events, {state}>"

    def __str__(self) -> str:
        return "\n".join(lines_of(self.table, self.agents.values()))

    @property
    def events(self) -> tuple[MatchEvent, ...]:
        """Everything that happened so far, private answers included."""
        return tuple(_public(self.table.game, event) for event in self.table.events)

    def view(self, seat: Player) -> tuple[MatchEvent, ...]:
        """The events that one player knows: those it was told, and its answers except to probes."""
        return tuple(
            _public(self.table.game, event) for event in self.table.view(self.seat_of(seat)).events
        )

    @property
    def outcome(self) -> MatchOutcome | None:
        """The outcome; None while the match is not over."""
        outcome = self.table.outcome
        if outcome is None:
            return None
        return MatchOutcome(
            outcome.ending,
            dict(zip(self.players, outcome.roles, strict=True)),
            dict(zip(self.players, outcome.sides, strict=True)),
            dict(zip(self.players, outcome.payoffs, strict=True)),
            tuple(player(seat) for seat in outcome.winners),
        )

    def seat_of(self, who: Player) -> Seat:
        """The seat of a player, which counts from 0. BadInput if there is no such player."""
        return seat_among(self.players, who)


def seat_among(players: Sequence[str], who: Player) -> Seat:
    """The seat of one of these players, which counts from 0. BadInput if there is no such one."""
    name = player(who - 1) if isinstance(who, int) else who
    if name not in players:
        raise BadInput("player", f"there is no {name}", f"the match has {', '.join(players)}")
    return Seat(players.index(name))


def _public(game: Game, event: Event) -> MatchEvent:
    return MatchEvent(
        event.kind,
        event.round,
        None if event.by is None else player(event.by),
        None if event.to is None else tuple(player(seat) for seat in event.to),
        event.record,
        None if event.fault is None else str(event.fault),
        sentence(game, event),
    )

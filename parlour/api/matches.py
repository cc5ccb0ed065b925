"""Matches in Python: stored ones, and ones that are played by hand.

Players are named as in the games: "Player 1" is the first seat. Where a player is asked for, the
number does as well, from 1.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from parlour.games.common.errors import BadInput
from parlour.games.engine.events import Event
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Record, Seat, player
from parlour.games.engine.prompts import render
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import IllegalAnswer, NotAsked, Table
from parlour.games.engine.transcript import lines_of, sentence
from parlour.tournament.plan.model import GameEntry
from parlour.tournament.plan.validation import checked

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


@dataclass(frozen=True, slots=True)
class Pending:
    """The open question: its kind, and the players who still have to answer.

    ``schema`` is the JSON schema of the answer, by player.
    """

    kind: str
    round: int
    players: tuple[str, ...]
    schema: dict[str, dict[str, Any]]


class Match:
    """A match: its players, agents, events and outcome."""

    def __init__(self, table: Table, agents: Iterable[str] = ()) -> None:
        self._table = table
        self.game = table.game.name
        self.players = tuple(player(seat) for seat in table.seats)
        self.agents = dict(zip(self.players, agents, strict=False))
        """The agent of each player; empty for a match that is played by hand."""

    def __repr__(self) -> str:
        state = "is not over" if self.outcome is None else f"ended: {self.outcome.ending}"
        return f"<{self.game}, {len(self.players)} players, {len(self.events)} events, {state}>"

    def __str__(self) -> str:
        return "\n".join(lines_of(self._table, self.agents.values()))

    @property
    def events(self) -> tuple[MatchEvent, ...]:
        """Everything that happened so far, private answers included."""
        return tuple(_public(self._table.game, event) for event in self._table.events)

    def view(self, seat: Player) -> tuple[MatchEvent, ...]:
        """The events that one player knows: those it was told, and its answers except to probes."""
        return tuple(
            _public(self._table.game, event) for event in self._table.view(self._seat(seat)).events
        )

    @property
    def outcome(self) -> MatchOutcome | None:
        """The outcome; None while the match is not over."""
        outcome = self._table.outcome
        if outcome is None:
            return None
        return MatchOutcome(
            outcome.ending,
            dict(zip(self.players, outcome.roles, strict=True)),
            dict(zip(self.players, outcome.sides, strict=True)),
            dict(zip(self.players, outcome.payoffs, strict=True)),
            tuple(player(seat) for seat in outcome.winners),
        )

    def _seat(self, who: Player) -> Seat:
        """The seat of a player, which counts from 0. BadInput if there is no such player."""
        name = player(who - 1) if isinstance(who, int) else who
        if name not in self.players:
            fix = f"the match has {', '.join(self.players)}"
            raise BadInput("player", f"there is no {name}", fix)
        return Seat(self.players.index(name))


class HandTable(Match):
    """A match that is played by hand: it shows what is asked and takes the answers."""

    @property
    def pending(self) -> Pending | None:
        """The question on the table; None once the match is over."""
        ask = self._table.pending
        if ask is None:
            return None
        schemas = {player(seat): ask.schema(seat) for seat in self._table.waiting}
        return Pending(ask.kind, ask.round, tuple(schemas), schemas)

    def prompt(self, seat: Player) -> str:
        """The prompt that a language model in that seat would get: rules, view and question."""
        who = self._seat(seat)
        if who not in self._table.waiting:
            raise BadInput(player(who), "is not asked now", self._waits_for())
        assert self._table.pending is not None
        view, kind = self._table.view(who), self._table.pending.kind
        prompt = render(self._table.game, view, kind)
        return f"{prompt.system}\n\n{prompt.question}"

    def answer(self, answers: Mapping[Player, object]) -> None:
        """Takes answers by player, as plain data; the match continues when all have answered.

        BadInput for an answer that is refused, or that was not asked for; nothing changes then.
        """
        if not isinstance(answers, Mapping):
            problem = f"is a {type(answers).__name__}, not a dict"
            raise BadInput("answer", problem, 'give {"Player 1": ...}')
        by_seat = {self._seat(who): value for who, value in answers.items()}
        try:
            self._table.answer(by_seat)
        except NotAsked:
            wrong = next(seat for seat in by_seat if seat not in self._table.waiting)
            raise BadInput(player(wrong), "is not asked now", self._waits_for()) from None
        except IllegalAnswer as refusal:
            place, _, problem = str(refusal).partition(": ")  # "Player 3, vote: ..."
            fix = "`pending.schema` has the form of the answer"
            raise BadInput(place.partition(",")[0], problem, fix) from None

    def _waits_for(self) -> str:
        waiting = " and ".join(player(seat) for seat in self._table.waiting)
        return f"the match waits for {waiting}" if waiting else "the match is over"


def table(
    game: str, setting: int | Mapping[str, Any] = 0, seed: int = 0, **variant: object
) -> HandTable:
    """A match of a game to play by hand.

    ``setting`` is the number of a shipped setting, from 0, or its fields. ``variant`` are the keys
    that a tournament file may set for the game. BadInput for an unknown game, key or setting.
    """
    rules, place = find_game(game, "table"), f"table({game!r})"
    keys = checked(rules.variant, variant, place)
    full_setting = _setting(rules, setting, keys, f"{place}, setting")
    return HandTable(Table(rules, full_setting, rules.seats(full_setting), seed))


def _setting(game: Game, setting: int | Mapping[str, Any], variant: Any, place: str) -> Any:
    if isinstance(setting, Mapping):
        return game.make_setting(checked(game.record, setting, place), variant)
    records = game.settings_file.select_records(game.shipped(), variant)
    settings = GameEntry(game, variant, records).settings()
    if not 0 <= setting < len(settings):
        fix = f"{game.name} has settings 0 to {len(settings) - 1}"
        raise BadInput(place, f"there is no setting {setting}", fix)
    return settings[setting]


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

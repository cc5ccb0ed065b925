"""Layer of a mechanism over a game of rounds: what happens before and after each round.

The rules of the game are played as they are, on their plain setting. The layer passes on what they
tell and ask, and between their rounds lets the mechanism tell and ask. What players pay and get by
it is added to their payoffs at the end, discounted as the game discounts the same round.
"""

from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from parlour.games.engine.counting import Count, Measure
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import AskTexts, Game, Rounds, Sentence
from parlour.games.engine.moves import Answer, Ask, Outcome, Record, Rules, Seat, Tell, player
from parlour.games.engine.record import MatchRecord
from parlour.games.families.gossip_games import discounted

Steps = Generator[Tell | Ask[Any], Any, None]
"""The tells and asks of a mechanism at one point of a match."""
Playing = Generator[Tell, Any, dict[Seat, Answer]]


@dataclass(frozen=True, slots=True)
class Round:
    """A round that is over: who met, who of those that acted cooperated, and what was told of it.

    ``told`` are the records of the events that tell what came of it.
    """

    number: int
    players: tuple[Seat, ...]
    cooperated: Mapping[Seat, bool]
    told: Sequence[Record]


class Mechanism:
    """A mechanism in one match; a subclass declares what it adds to every game of rounds.

    ``keys`` are its numbers in the tournament file, each with its default: points in stakes of the
    game, whole numbers as they are.
    ``kinds`` explain its events. ``phrases`` put each in words, without the player's name and
    reason. ``phases``, ``pending`` and ``asks`` are as in ``Texts``, for its asks.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    keys: ClassVar[Mapping[str, float]] = {}
    kinds: ClassVar[Mapping[str, str]]
    phrases: ClassVar[Mapping[str, Sentence]]
    phases: ClassVar[Mapping[str, str]] = {}
    pending: ClassVar[Mapping[str, str]] = {}
    asks: ClassVar[Mapping[str, AskTexts]] = {}
    measures: ClassVar[tuple[Measure, ...]] = ()

    def __init__(self, game: Game, rounds: Rounds, setting: Any, seats: Sequence[Seat]) -> None:
        self.rounds, self.setting, self.seats = rounds, setting, tuple(seats)
        self.rules: Record = {}
        """The game's rules as they were told."""
        self.asked = self.seats[: len(seats) - game.seating.built_in(setting)]
        """The seats that the rules do not play themselves."""
        self.changes: dict[Seat, float] = defaultdict(float)
        """Points that each seat got by the mechanism in the round that is played."""
        self.counted: list[list[Any]] = []

    @classmethod
    def fits(cls, rounds: Rounds) -> bool:
        """True if the mechanism means something over a game of such rounds."""
        return True

    def before(self, round: int, players: tuple[Seat, ...]) -> Steps:
        """The steps before these players meet."""
        yield from ()

    def plays(self, _ask: Ask[Any]) -> Playing:
        """The answers that the mechanism gives in the place of seats, and what it tells of them."""
        yield from ()
        return {}

    def after(self, round: Round) -> Steps:
        """The steps after a round."""
        yield from ()

    def negotiators(self, players: tuple[Seat, ...], *, done: bool) -> tuple[Seat, ...]:
        """The seats that negotiate before these players meet.

        A pair does so each time that it meets. Where all play each round they do so once: nobody
        is left when that is ``done``.
        """
        if done and self.rounds.pair is None:
            return ()
        return tuple(seat for seat in players if seat in self.asked)

    def settle(self, kind: str, round: Round) -> Steps:
        """Tells those who met what the round has brought or cost them, if it has."""
        if changes := self.changed(round.players):
            yield Tell(kind, {"changes": changes}, round.players, round.number)

    def count(self, ask: str, round: int, seat: Seat, counter: str, times: bool) -> None:
        """Counts something once for a seat, unless its answer to the ask is a fallback.

        The ask "" stands for all of this seat in the round.
        """
        self.counted.append([ask, round, seat, counter, int(times)])

    def pay(self, payer: Seat, payees: Sequence[Seat], amount: float) -> None:
        """Moves points from one seat to others, in equal parts; to nobody, they are lost."""
        self.changes[payer] -= amount
        for payee in payees:
            self.changes[payee] += amount / len(payees)

    def changed(self, players: Sequence[Seat]) -> list[list[float]]:
        """Seat and points of those players whom the round has brought or cost points."""
        return [[seat, self.changes[seat]] for seat in players if self.changes[seat]]


def in_points(record: Record) -> str:
    """The points of an event that it brought or cost each player, in words."""
    return ", ".join(f"{player(Seat(seat))} {points:+.6g}" for seat, points in record["changes"])


def play(
    game: Game, mechanism: type[Mechanism], setting: Any, seats: Sequence[Seat], dice: Dice
) -> Rules:
    """The rules of a game with a mechanism laid over them."""
    rounds = game.hints.rounds
    assert rounds is not None
    plain = {name: getattr(setting, name) for name in game.setting.model_fields}
    inner = game.rules(game.setting.model_construct(**plain), seats, dice)
    over = mechanism(game, rounds, setting, seats)
    ledger: dict[Seat, list[tuple[int, float]]] = {seat: [] for seat in seats}
    number, players = 0, tuple(seats)
    results: list[Record] = []

    def ended() -> Steps:
        """The mechanism's part after the round; its points enter the ledger."""
        if results:
            cooperated = rounds.cooperated(over.rules, results)
            yield from over.after(Round(number, players, cooperated, results))
            for seat in players:
                ledger[seat].append((number, over.changes.pop(seat, 0.0)))

    answers: dict[Seat, Answer] | None = None
    while True:
        try:
            move = inner.send(answers)
        except StopIteration as stop:
            yield from ended()
            return _settled(stop.value, ledger, over)
        answers = None
        if move.round > number:
            yield from ended()
            number, results = move.round, []
            if rounds.pair is not None and isinstance(move, Tell):
                players = rounds.pair(move.record)
                yield Tell("meeting", {"players": list(players)}, players, number)
            yield from over.before(number, players)
        if isinstance(move, Tell):
            yield move
            if move.kind in rounds.results:
                results.append(move.record)
            elif move.kind == "rules":
                over.rules = move.record
                yield Tell("mechanism", _announced(over))
        else:
            given = yield from over.plays(move)
            left = tuple(seat for seat in move.seats if seat not in given)
            if left:
                given |= yield move._replace(seats=left)
            answers = {seat: given[seat] for seat in move.seats}


def _announced(over: Mechanism) -> Record:
    """The mechanism as all are told of it."""
    keys = {key: getattr(over.setting, key) for key in over.keys}
    met, highest = over.rounds.pair is not None, over.rounds.highest_wins
    return {"name": over.name, "in_pairs": met, "highest_wins": highest, **keys}


def _settled(
    outcome: Outcome, ledger: Mapping[Seat, Sequence[tuple[int, float]]], over: Mechanism
) -> Outcome:
    """The outcome with the mechanism's points in the payoffs, and the winners by these."""
    setting = over.setting
    worth = getattr(setting, "discount", 1.0), getattr(setting, "discount_by", "step")
    changes = [discounted(of_seat, *worth) for of_seat in ledger.values()]
    payoffs = tuple(map(sum, zip(outcome.payoffs, changes, strict=True)))
    # Sums of floats that are meant to be equal end level.
    ranks = [round(payoff, 9) for payoff in payoffs]
    winners = outcome.winners
    if over.rounds.highest_wins:
        winners = tuple(seat for seat in ledger if ranks[seat] == max(ranks))
    facts = {"name": over.name, "changes": changes, "counted": over.counted}
    return replace(
        outcome, payoffs=payoffs, winners=winners, facts={**outcome.facts, "mechanism": facts}
    )


def count_mechanism(record: MatchRecord) -> Iterator[Count]:
    """Yields what the mechanism of a match counted, but for fallbacks."""
    faulty = {(a.kind, a.round, a.seat) for a in record.answers if a.fault is not None}
    faulty |= {("", round, seat) for _, round, seat in faulty}
    facts = record.outcome.facts
    for ask, round, seat, counter, times in facts["mechanism"]["counted"]:
        if seat in record.counted and (ask, round, seat) not in faulty:
            role = facts.get("setting", record.outcome.roles[seat])
            yield record.agents[seat], role, counter, times, 1

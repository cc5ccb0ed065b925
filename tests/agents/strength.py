"""Strength of the scripted players of a game: 200 matches against each of some opponents.

A challenger meets one opponent that fills the seats it leaves, through the shipped settings; all
seeds are fixed. A word game is played from both sides alternately, a game of single seats with
the challenger in each seat in turn. Probes are off: they change no clue and no vote. Intervals
take each match for a trial of its own.
"""

from collections.abc import Sequence
from functools import cache
from itertools import product
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from parlour.agents.registry import strategies
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Fault
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import Table
from parlour.games.families.clues.clue_bank import shipped_bank
from parlour.games.families.usage import by_usage
from parlour.ratings.statistics.intervals import wilson

MATCHES = 200


class Measured(NamedTuple):
    """A metric over n matches, with the ends of its 95 % interval."""

    n: int
    value: float
    low: float
    high: float

    def shown(self, places: int) -> str:
        """Value and interval as the documentation gives them; a dash where nothing is behind."""
        if self.n == 0:
            return "–"
        value, low, high = (f"{each:.{places}f}" for each in self[1:])
        return f"{value} [{low}, {high}]"


class Played(NamedTuple):
    """A finished match and the seats that the challenger held in it."""

    match: Table
    seats: tuple[int, ...]


@cache
def challenges(name: str, challenger: str, opponent: str) -> tuple[Played, ...]:
    """The matches of one strategy against another that fills the seats it leaves."""
    game = find_game(name, "strength")
    records = game.shipped()
    variant = game.variant.model_validate({"probes": "off"} if game.probes else {})
    # Where there are more settings than turns, every so many of them: all tiers of impostor.
    step = max(1, len(records) * _ways(game) // MATCHES)
    played = []
    for number in range(MATCHES):
        turn = number // _ways(game)
        record = records[turn * step % len(records)]
        setting = game.make_setting(record, variant, turn)
        match = Table(game, setting, game.seats(setting), number)
        seats = _seats(game, match, number % _ways(game))
        _play(match, [challenger if seat in seats else opponent for seat in match.seats])
        played.append(Played(match, seats))
    return tuple(played)


def _ways(game: Game) -> int:
    """In how many ways the challenger can be seated."""
    return 3 if game.seating.pairing == "each_seat" else 2


def _seats(game: Game, match: Table, way: int) -> tuple[int, ...]:
    if game.seating.pairing == "each_seat":
        return (way,)
    sides = game.sides(match.setting)
    return tuple(s for s, side in enumerate(sides) if (side == game.scoring.special) == (way == 0))


def _play(match: Table, names: Sequence[str]) -> None:
    while (ask := match.pending) is not None:
        given = {}
        for seat in match.waiting:
            player = strategies()[names[seat]](shipped_bank())
            dice = Dice(match.seed, "agent", match.ask_number, seat)
            given[seat] = ask.judge(seat, player.decide(ask, match.view(seat), dice))
            assert not isinstance(given[seat], Fault), given[seat]
        match.answer(given)


def credit_share(played: Sequence[Played]) -> Measured:
    """The mean share of the two credits that the challenger could win in a match of chameleon."""
    return _mean([_own(each) / 2 for each in played])


def win_rate(played: Sequence[Played]) -> Measured:
    """The share of matches that the challenger wins, those with a shared highest score too."""
    return _rate([each.seats[0] in each.match.outcome.winners for each in played])


def agreement_rate(played: Sequence[Played]) -> Measured:
    """The share of matches that end in agreement."""
    return _rate([each.match.outcome.ending == "agreed" for each in played])


def above_fair(played: Sequence[Played]) -> Measured:
    """Mean share paid by the challenger above its share by use, over the agreements."""
    agreed = [each for each in played if each.match.outcome.ending == "agreed"]
    return _mean([100 - _own(each) - _fair(each)[each.seats[0]] for each in agreed])


def _fair(played: Played) -> Sequence[int]:
    """The shares by use."""
    return by_usage([airline.model_dump() for airline in played.match.setting.airlines])


def own_cost(played: Sequence[Played]) -> Measured:
    """The percent of the fee that the challenger pays, over the agreements."""
    agreed = [each for each in played if each.match.outcome.ending == "agreed"]
    return _mean([100 - _own(each) for each in agreed])


def score(played: Sequence[Played]) -> Measured:
    """The challenger's mean score."""
    return _mean([_own(each) for each in played])


def _own(each: Played) -> float:
    return fmean(each.match.outcome.payoffs[seat] for seat in each.seats)


def _mean(values: Sequence[float]) -> Measured:
    if not values:
        return Measured(0, 0.0, 0.0, 0.0)
    half = 1.96 * stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0
    return Measured(len(values), fmean(values), fmean(values) - half, fmean(values) + half)


def _rate(hits: Sequence[bool]) -> Measured:
    interval = wilson(sum(hits), len(hits))
    return Measured(len(hits), sum(hits) / len(hits), interval.low, interval.high)


WORDS = ("random", "literal", "cautious", "bayesian")
NEGOTIATORS = ("stubborn", "random", "yielding", "fair", "haggler")
HELPERS = (
    *("cooperate", "random", "image_scoring", "tit_for_tat", "grim", "equilibrium", "greedy"),
)
OPPONENTS = {
    "chameleon": WORDS,
    "cost_sharing": ("fair", "haggler", "yielding"),
    "impostor": WORDS,
    "prisoners_dilemma": ("random", "tit_for_tat"),
    "public_good": ("random", "tit_for_tat"),
}
"""Whom the strategies of each game are measured against."""


def strength_table(game: str) -> list[list[str]]:
    """The rows of the table in a game's page, as measured."""
    if game in {"chameleon", "impostor"}:
        metric = credit_share if game == "chameleon" else win_rate

        def row(name: str) -> list[str]:
            return [
                f"`{name}`",
                *(metric(challenges(game, name, other)).shown(3) for other in WORDS),
            ]

        return [row(name) for name in WORDS]
    if game == "cost_sharing":
        return [_bargain(name, other) for other, name in product(OPPONENTS[game], NEGOTIATORS)]
    return [
        [f"`{name}`", *_winning(game, name, "random"), *_winning(game, name, "tit_for_tat")]
        for name in HELPERS
    ]


def _winning(game: str, name: str, other: str) -> list[str]:
    played = challenges(game, name, other)
    return [win_rate(played).shown(3), score(played).shown(1)]


def _bargain(name: str, other: str) -> list[str]:
    played = challenges("cost_sharing", name, other)
    cost, above = own_cost(played), above_fair(played)
    rate = agreement_rate(played).shown(3)
    return [f"`{name}`", f"`{other}`", rate, str(cost.n), cost.shown(1), above.shown(1)]

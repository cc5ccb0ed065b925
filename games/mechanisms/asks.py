"""Asks of mechanisms: a player or nobody, an amount."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import WithJsonSchema

from parlour.games.common.text import Text
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import (
    PLAYER_SCHEMA,
    Answer,
    Ask,
    Fault,
    NamedSeat,
    Record,
    Seat,
    illegal,
    named,
    player,
)
from parlour.games.families.amounts import Amount, hundredths, units

NOBODY = {"type": "null"}


class Named(Answer):
    """A player, None for nobody, and the private reasoning."""

    reasoning: Text = ""
    player: Annotated[NamedSeat | None, WithJsonSchema({"anyOf": [PLAYER_SCHEMA, NOBODY]})]


class Offer(Answer):
    """An amount of points, and the private reasoning."""

    reasoning: Text = ""
    amount: Amount


def name_player(
    kind: str, asked: tuple[Seat, ...], players: Sequence[Seat], round: int, own: bool = False
) -> Ask[Named]:
    """Asks each for one of the players or nobody; ``own``: a player may name itself."""

    def options(seat: Seat) -> list[Seat]:
        return [each for each in players if own or each != seat]

    def check(seat: Seat, answer: Named) -> Fault | None:
        if answer.player is None or answer.player in options(seat):
            return None
        names = ", ".join(map(player, options(seat)))
        return illegal(f"{player(answer.player)} is no choice: name {names}, or nobody (null)")

    def draw(seat: Seat, dice: Dice) -> Named:
        return Named(player=dice.choice((None, *options(seat))))

    def bounds(seat: Seat) -> Mapping[str, Record]:
        return {"player": {"anyOf": [named(options(seat)), NOBODY]}}

    return Ask(kind, asked, Named, lambda *_: Named(player=None), draw, check, round, bounds=bounds)


def name_amount(kind: str, asked: tuple[Seat, ...], most: float, round: int) -> Ask[Offer]:
    """Asks each for an amount from 0 to ``most``."""

    def check(_seat: Seat, answer: Offer) -> Fault | None:
        if answer.amount > most:
            return illegal(f"{answer.amount:.15g} is too much: at most {most:.15g}")
        return None

    def draw(_seat: Seat, dice: Dice) -> Offer:
        return Offer(amount=units(hundredths(most) * dice.below(5) // 4))

    def bounds(_seat: Seat) -> Mapping[str, Record]:
        return {"amount": {"maximum": most}}

    return Ask(kind, asked, Offer, lambda *_: Offer(amount=0.0), draw, check, round, bounds=bounds)

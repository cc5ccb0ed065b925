"""Scripted players of cost sharing: what they hold to be fair, and when they give in."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar

from parlour.agents.scripted.strategy import Strategy
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Ask, Seat
from parlour.games.engine.table import View

Shares = tuple[int, ...]
"""Percent of the fee by seat."""


def by_usage(airlines: Sequence[Mapping[str, Any]]) -> Shares:
    """The split by use: the mean of each airline's part of flights, passengers, hours flown.

    In whole percent that sum to 100; what rounding leaves goes to the largest remainders, among
    equal ones to the lowest seat. In fractions, since float sums changed between Python versions.
    """
    return _by_usage(
        tuple((each["flights"], each["passengers"], each["hours"]) for each in airlines)
    )


@cache
def _by_usage(usage: tuple[tuple[int, int, float], ...]) -> Shares:
    figures = [
        [Fraction(flights) for flights, _, _ in usage],
        [Fraction(passengers) for _, passengers, _ in usage],
        [flights * Fraction(hours) for flights, _, hours in usage],
    ]
    known = [column for column in figures if sum(column) > 0]
    parts = [
        sum((100 * column[seat] / sum(column) for column in known), Fraction()) / len(known)
        for seat in range(len(usage))
    ]
    whole = [int(part) for part in parts]
    by_rest = sorted(range(len(parts)), key=lambda seat: (whole[seat] - parts[seat], seat))
    for seat in by_rest[: 100 - sum(whole)]:
        whole[seat] += 1
    return tuple(whole)


def shifted(shares: Shares, seat: Seat, less: int) -> Shares:
    """The split with so much less for one seat, which the others take over in turn."""
    moved = list(shares)
    others = [other for other in range(len(shares)) if other != seat]
    for step in range(min(less, shares[seat])):
        moved[seat] -= 1
        moved[others[step % len(others)]] += 1
    return tuple(moved)


def distance(one: Shares, other: Shares) -> int:
    """How many percent two splits differ by, all seats together."""
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


class Negotiator(Strategy):
    """Proposes by a rule of its own; votes for whichever proposal of the round it likes best."""

    games: ClassVar[frozenset[str] | None] = frozenset({"cost_sharing"})

    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        """A split, or whose split of this round to vote for; the lowest seat among equals."""
        fair = by_usage(view.told("airlines")[0].record["airlines"])
        last = view.told("rules")[0].record["rounds"] <= ask.round
        if ask.kind == "propose":
            return {"shares": self.proposal(fair, view.seat, last)}
        table = {
            event.record["proposer"]: tuple(event.record["shares"])
            for event in view.told("proposed")
            if event.round == ask.round
        }
        liked = min(table, key=lambda by: (*self.cost(table[by], fair, view.seat, by, last), by))
        return ask.answer(proposer=liked)

    def proposal(self, fair: Shares, seat: Seat, last: bool) -> Shares:
        """The split that it proposes, given the fair one; ``last``: in the last round."""
        return fair

    def cost(
        self, shares: Shares, fair: Shares, seat: Seat, proposer: Seat, last: bool
    ) -> tuple[int, ...]:
        """What it has against a split: the least is voted for."""
        return (distance(shares, fair), shares[seat])


class FairNegotiator(Negotiator):
    """Proposes the split by use, and votes for whatever comes nearest to it."""


class Haggler(Negotiator):
    """Asks for a little less than its fair share, and is content with fair in the last round.

    Until then it votes for what costs it least among the splits that are nearly fair to all.
    """

    def proposal(self, fair: Shares, seat: Seat, last: bool) -> Shares:
        """Four percent below its fair share; the fair split in the last round."""
        return fair if last else shifted(fair, seat, 4)

    def cost(
        self, shares: Shares, fair: Shares, seat: Seat, proposer: Seat, last: bool
    ) -> tuple[int, ...]:
        """Its own share where the split is nearly fair; in the last round how unfair it is."""
        away = distance(shares, fair)
        return (away, shares[seat]) if last else (int(away > 8), shares[seat], away)


class YieldingNegotiator(Negotiator):
    """Offers to pay a little more than its fair share, and lets hard bargainers have their way.

    Among the splits that are not far from fair it votes for the one whose proposer asks for the
    most.
    """

    def proposal(self, fair: Shares, seat: Seat, last: bool) -> Shares:
        """Two percent more than its fair share, one less for each of the others."""
        others = [other for other in range(len(fair)) if other != seat and fair[other] > 0]
        return tuple(
            share + len(others) if other == seat else share - (other in others)
            for other, share in enumerate(fair)
        )

    def cost(
        self, shares: Shares, fair: Shares, seat: Seat, proposer: Seat, last: bool
    ) -> tuple[int, ...]:
        """How much of its fair share the proposer would pay, where the split is not far off."""
        return (int(distance(shares, fair) > 12), shares[proposer] - fair[proposer])


class StubbornNegotiator(Negotiator):
    """Asks for half of its fair share to the end, and votes for what costs it least."""

    def proposal(self, fair: Shares, seat: Seat, last: bool) -> Shares:
        """Half of its fair share."""
        return shifted(fair, seat, fair[seat] // 2)

    def cost(
        self, shares: Shares, fair: Shares, seat: Seat, proposer: Seat, last: bool
    ) -> tuple[int, ...]:
        """Its own share."""
        return (shares[seat],)

"""Scripted players of cost sharing: four ways to bargain about the split by use."""

from typing import Any, ClassVar

from parlour.agents.scripted import mechanisms
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask, Seat
from parlour.games.families.usage import Shares, by_usage


def shifted(shares: Shares, seat: Seat, less: int) -> Shares:
    """Returns the split with ``less`` percent less for a seat, which the others take in turn."""
    moved = list(shares)
    others = [other for other in range(len(shares)) if other != seat]
    for step in range(min(less, shares[seat])):
        moved[seat] -= 1
        moved[others[step % len(others)]] += 1
    return tuple(moved)


def distance(one: Shares, other: Shares) -> int:
    """Sum over all seats of the difference between two splits, in percent."""
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


SortKey = tuple[int, ...]
HAGGLED = 4
"""The percent that a haggler asks to pay less than its fair share."""


class Negotiator(mechanisms.MechanismPlayer):
    """Base of negotiators: proposes a split, and votes for the proposal with the lowest cost.

    Where to stand alone with a split costs more than is haggled for, or has been punished, every
    round is played as the last.
    """

    games: ClassVar[frozenset[str] | None] = frozenset({"cost_sharing"})

    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        """A split, or the proposer to vote for in this round; ties go to the lowest seat."""
        if ask.kind in mechanisms.OF_MECHANISMS:
            return self.under_a_mechanism(ask, view)
        fair = by_usage(view.told("airlines")[0].record["airlines"])
        last = (
            view.rules["rounds"] <= ask.round
            or mechanisms.at_stake(view) > HAGGLED
            or mechanisms.was_punished(view)
        )
        if ask.kind == "propose":
            return {"shares": self.proposal(fair, view.seat, last)}
        table = {
            event.record["proposer"]: tuple(event.record["shares"])
            for event in view.told("proposed")
            if event.round == ask.round
        }
        best = min(table, key=lambda by: (*self.cost(table[by], fair, view.seat, by, last), by))
        return ask.answer(proposer=best)

    def proposal(self, fair: Shares, seat: Seat, last: bool) -> Shares:
        """The proposed split, given the fair one; ``last`` is true in the last round."""
        return fair

    def cost(self, shares: Shares, fair: Shares, seat: Seat, by: Seat, last: bool) -> SortKey:
        """The key of the proposal ``by`` a player: the lowest gets the vote."""
        return (distance(shares, fair), shares[seat])


class FairNegotiator(Negotiator):
    """Proposes the split by use and votes for the nearest proposal."""

    fines = True


class Haggler(Negotiator):
    """Asks for slightly less than its fair share, and accepts the fair one in the last round.

    Until then it votes for its lowest share among the splits that are nearly fair.
    """

    def proposal(self, fair: Shares, seat: Seat, last: bool) -> Shares:
        """Four percent below its fair share; the fair split in the last round."""
        return fair if last else shifted(fair, seat, HAGGLED)

    def cost(self, shares: Shares, fair: Shares, seat: Seat, by: Seat, last: bool) -> SortKey:
        """Its own share among nearly fair splits; in the last round the distance from fair."""
        away = distance(shares, fair)
        return (away, shares[seat]) if last else (int(away > 2 * HAGGLED), shares[seat], away)


class YieldingNegotiator(Negotiator):
    """Offers to pay slightly more than its fair share and gives in to hard bargainers.

    Among the splits that are not far from fair it votes for the proposer who claims the most.
    """

    def proposal(self, fair: Shares, seat: Seat, last: bool) -> Shares:
        """One percent less for each other airline, which it takes over itself."""
        others = [other for other in range(len(fair)) if other != seat and fair[other] > 0]
        return tuple(
            share + len(others) if other == seat else share - (other in others)
            for other, share in enumerate(fair)
        )

    def cost(self, shares: Shares, fair: Shares, seat: Seat, by: Seat, last: bool) -> SortKey:
        """The proposer's share against its fair one, among splits that are not far from fair."""
        return (int(distance(shares, fair) > 12), shares[by] - fair[by])


class StubbornNegotiator(Negotiator):
    """Asks for half of its fair share in every round and votes for its lowest share."""

    agrees = False

    def proposal(self, fair: Shares, seat: Seat, last: bool) -> Shares:
        """Half of its fair share."""
        return shifted(fair, seat, fair[seat] // 2)

    def cost(self, shares: Shares, fair: Shares, seat: Seat, by: Seat, last: bool) -> SortKey:
        """Its own share."""
        return (shares[seat],)

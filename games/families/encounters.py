"""Reading the record of an encounter: who met whom, what each did to the other and was told of.

The games of indirect reciprocity name the two of a pair each in their own way; whoever measures
or shows an encounter, or judges a player by one, reads it through these functions.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from parlour.games.engine.moves import Record, Seat


class Action(NamedTuple):
    """What one of a pair did to the other.

    ``kind`` is that of the ask that decided it, ``done`` what the answer came to: an action or
    an amount. ``share`` is the amount as a share of what could be given; None where the deed is
    no amount, or where there was nothing to give. ``helped``: it cooperated, or gave at least
    half; None where there was nothing to give.
    """

    by: Seat
    to: Seat
    kind: str
    done: str | float
    helped: bool | None
    share: float | None = None


def pair(met: Record) -> tuple[Seat, Seat]:
    """The two who met; who acts first, or alone, stands first."""
    if "donor" in met:
        return met["donor"], met["recipient"]
    if "investor" in met:
        return met["investor"], met["responder"]
    first, second = met["players"]
    return first, second


def rewards(met: Record) -> Sequence[float]:
    """What each of the pair gained or lost by it."""
    if "donor" in met:
        return met["donor_reward"], met["recipient_reward"]
    both: Sequence[float] = met["rewards"]
    return both


def deeds(met: Record) -> tuple[Action, ...]:
    """What was done: by the donor, by both at once, or by the investor and then the responder."""
    one, other = pair(met)
    if "donor" in met:
        return (Action(one, other, "donate", met["action"], met["action"] == "cooperate"),)
    if "investor" in met:
        return (
            _payment(one, other, "invest", met["investment"], met["investor_resources"]),
            _payment(other, one, "return", met["returned"], met["received"]),
        )
    mine, theirs = met["actions"]
    return (
        Action(one, other, "choose", mine, mine == "cooperate"),
        Action(other, one, "choose", theirs, theirs == "cooperate"),
    )


def _payment(by: Seat, to: Seat, kind: str, amount: float, at_most: float) -> Action:
    if not at_most:
        return Action(by, to, kind, amount, None)
    # Twice an amount of money is exact, so half a sum is never taken for less.
    return Action(by, to, kind, amount, 2 * amount >= at_most, amount / at_most)


def deed_of(met: Record, seat: Seat) -> Action | None:
    """What this seat did in an encounter; None if it only looked on."""
    return next((deed for deed in deeds(met) if deed.by == seat), None)


def report_by(met: Record, seat: Seat) -> Any:
    """What a seat reported of its own deed, from an outcome's facts; None: nothing."""
    if "donor" in met:
        return met["report"]
    return met["reports"][pair(met).index(seat)]


def told_by(met: Record, seat: Seat) -> Record:
    """Tone and message, or signal, that a seat gave of the other, from an outcome's facts."""
    if "donor" in met:
        return met
    told: Record = met["told"][pair(met).index(seat)]
    return told

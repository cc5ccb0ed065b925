"""Reading the record of an investment and its return."""

from parlour.games.engine.encounter import Action, Encounter
from parlour.games.engine.moves import Record, Seat


def pair(turn: Record) -> tuple[Seat, Seat]:
    """The two players that meet, from the event that opens their encounter."""
    return turn["investor"], turn["responder"]


def encounter(met: Record) -> Encounter:
    """Reads what everybody or the pair was told, or what the outcome's facts hold.

    Before the responder decides there is the investor's payment alone, and no reward.
    """
    investor, responder = met["investor"], met["responder"]
    resources = met["investor_resources"]
    payments = [_payment(investor, responder, "invest", met["investment"], resources)]
    if "returned" in met:
        returned, received = met["returned"], met["received"]
        payments.append(_payment(responder, investor, "return", returned, received))
    first, second = met.get("rewards", (0.0, 0.0))
    reports = met.get("reports", (None, None))
    messages = met.get("told", ({}, {}))
    return Encounter(
        (investor, responder),
        tuple(payments),
        (first, second),
        reports={investor: reports[0], responder: reports[1]},
        messages={investor: messages[0], responder: messages[1]},
    )


def _payment(by: Seat, to: Seat, kind: str, amount: float, at_most: float) -> Action:
    if not at_most:
        return Action(by, to, kind, amount, None)
    # Doubling an amount is exact, so exactly half is never taken for less.
    return Action(by, to, kind, amount, 2 * amount >= at_most, amount / at_most)

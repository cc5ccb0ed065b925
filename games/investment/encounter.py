"""Reading the record of an investment and its return."""

from parlour.games.engine.encounter import Action, Encounter
from parlour.games.engine.moves import Record, Seat


def encounter(met: Record) -> Encounter:
    """Reads what everybody or the pair was told, or what the outcome's facts hold."""
    investor, responder = met["investor"], met["responder"]
    reports = met.get("reports", (None, None))
    messages = met.get("told", ({}, {}))
    return Encounter(
        (investor, responder),
        (
            _payment(investor, responder, "invest", met["investment"], met["investor_resources"]),
            _payment(responder, investor, "return", met["returned"], met["received"]),
        ),
        tuple(met["rewards"]),
        reports={investor: reports[0], responder: reports[1]},
        messages={investor: messages[0], responder: messages[1]},
    )


def _payment(by: Seat, to: Seat, kind: str, amount: float, at_most: float) -> Action:
    if not at_most:
        return Action(by, to, kind, amount, None)
    # Twice an amount of money is exact, so half a sum is never taken for less.
    return Action(by, to, kind, amount, 2 * amount >= at_most, amount / at_most)

"""Reading the record of a donation."""

from parlour.games.engine.encounter import Action, Encounter
from parlour.games.engine.moves import Record, Seat


def pair(turn: Record) -> tuple[Seat, Seat]:
    """The two players that meet, from the event that opens their encounter."""
    return turn["donor"], turn["recipient"]


def encounter(met: Record) -> Encounter:
    """Reads what everybody or the pair was told, or what the outcome's facts hold."""
    donor, recipient = met["donor"], met["recipient"]
    return Encounter(
        (donor, recipient),
        (Action(donor, recipient, "donate", met["action"], met["action"] == "cooperate"),),
        (met["donor_reward"], met["recipient_reward"]),
        reports={donor: met.get("report")},
        messages={recipient: met},
    )

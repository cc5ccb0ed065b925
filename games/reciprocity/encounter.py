"""Reading the record of two players who chose at once."""

from parlour.games.engine.encounter import Action, Encounter
from parlour.games.engine.moves import Record, Seat


def pair(turn: Record) -> tuple[Seat, Seat]:
    """The two players that meet, from the event that opens their encounter."""
    one, other = turn["players"]
    return one, other


def encounter(met: Record) -> Encounter:
    """Reads what everybody or the pair was told, or what the outcome's facts hold."""
    one, other = met["players"]
    first, second = met["actions"]
    one_reward, other_reward = met["rewards"]
    reports = met.get("reports", (None, None))
    messages = met.get("told", ({}, {}))
    return Encounter(
        (one, other),
        (
            Action(one, other, "choose", first, first == "cooperate"),
            Action(other, one, "choose", second, second == "cooperate"),
        ),
        (one_reward, other_reward),
        reports={one: reports[0], other: reports[1]},
        messages={one: messages[0], other: messages[1]},
    )

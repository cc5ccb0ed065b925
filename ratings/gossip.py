"""What is counted in the games of indirect reciprocity: help, reputation, returns, tones, truth.

Source: the gossip paper (ALIGN), section 5 and appendix E.
"""

from collections.abc import Iterator, Sequence

from games.gossip import NEGATIVE, POSITIVE, TONES
from games.record import MatchRecord

Count = tuple[str, str, str, float, float]
"""Agent, slice, counter, k, n. A slice stands in the role column of the tidy rows."""

HELPED, REFUSED, GREEDY = "on cooperation", "on defection", "on a greedy seat"
TO_PLAYERS, TO_GREEDY = "toward players", "toward greedy seats"


def gini(returns: Sequence[float]) -> float | None:
    """The Gini coefficient of returns: 0 if all are equal, None if their sum is not positive.

    Where some returns are negative it may pass 1 and is given as it is.
    """
    if len(set(returns)) <= 1:
        return 0.0
    total = sum(returns)
    if total <= 0:
        return None
    spread = sum(abs(a - b) for a in returns for b in returns)
    return spread / (2 * len(returns) * total)


def of_encounters(record: MatchRecord) -> Iterator[Count]:
    """Everything that one match of encounters adds.

    A decision or message that stands for a fault leaves numerator and denominator. Greedy seats
    are not counted themselves.
    """
    greedy = {s for s, role in enumerate(record.outcome.roles) if role == "greedy"}
    faulty = {(a.kind, a.round) for a in record.answers if a.fault is not None}
    image = dict.fromkeys(record.counted, 0)
    rewards = dict.fromkeys(record.counted, (0.0, 0))
    for step, met in enumerate(record.outcome.facts["encounters"], start=1):
        donor, recipient = met["donor"], met["recipient"]
        helped = met["action"] == "cooperate"
        for seat, key in ((donor, "donor_reward"), (recipient, "recipient_reward")):
            if seat in rewards:
                so_far, times = rewards[seat]
                rewards[seat] = (so_far + met[key], times + 1)
        if donor in image and ("donate", step) not in faulty:
            image[donor] += 1 if helped else -1
            place = TO_GREEDY if recipient in greedy else TO_PLAYERS
            yield record.agents[donor], place, "cooperated", helped, 1
        if met["report"] is not None and donor in image and ("report", step) not in faulty:
            yield record.agents[donor], "player", "honest", met["report"] == met["action"], 1
        if recipient in image and ("gossip", step) not in faulty:
            place = GREEDY if donor in greedy else HELPED if helped else REFUSED
            yield from _told(record, record.agents[recipient], place, met, helped)
    players = [seat for seat in range(len(record.agents)) if seat not in greedy]
    inequality = gini([record.outcome.payoffs[seat] for seat in players])
    for seat in record.counted:
        agent = record.agents[seat]
        total, times = rewards[seat]
        yield agent, "player", "image_score", image[seat], 1
        yield agent, "player", "reward", total, times
        yield agent, "player", "return", record.outcome.payoffs[seat], 1
    if inequality is not None:
        for agent in sorted({record.agents[seat] for seat in record.counted}):
            yield agent, "player", "gini", inequality, 1


def _told(
    record: MatchRecord, agent: str, place: str, met: dict[str, object], helped: bool
) -> Iterator[Count]:
    """The tone of a message, and whether it is true of what the donor did."""
    tone, signal = met.get("tone"), met.get("signal")
    if tone is not None:
        for each in TONES:
            yield agent, place, f"tone_{each}", tone == each, 1
        if tone in POSITIVE | NEGATIVE:
            yield agent, place, "truthful", (tone in POSITIVE) == helped, 1
    elif signal is not None and "gossip=binary_convention" in record.condition:
        yield agent, place, "truthful", (signal == 1) == helped, 1

"""What is counted in cost sharing, the prisoner's dilemma and public good, and how it adds up.

Source: the MAGIC paper, section 3.2 and appendix A.2. Where its sum of two ratios for Rationality
could pass 1, decisions are pooled instead, as its own tables seem to.
"""

from collections.abc import Iterator, Sequence
from math import pi, sin

import numpy as np

from parlour.games.engine.record import Answered, MatchRecord
from parlour.ratings.counting.gossip import Count
from parlour.ratings.statistics.intervals import Floats

CAPABILITIES = (
    "judgment",
    "reasoning",
    "deception",
    "self_awareness",
    "cooperation",
    "coordination",
    "rationality",
)
"""The seven capabilities, in the order of the paper's table 1."""

FOOLED_WEIGHT = 0.25
"""What a caught chameleon's wrong word guess adds to raw Deception."""
DECEPTION_SPAN = 1 + FOOLED_WEIGHT
"""The most that raw Deception can reach: 1 for every success and the whole second term."""
CHAMELEON_WEIGHT = 0.6
"""The weight of own roles named right in chameleon, beside those in undercover."""


def deception_raw(deceived: Floats, fooled: Floats) -> Floats:
    """Successes as the special role, plus the wrong guesses of caught chameleons (nan: none)."""
    raw: Floats = deceived + FOOLED_WEIGHT * np.nan_to_num(fooled)
    return raw


def self_awareness(chameleon: Floats, undercover: Floats) -> Floats:
    """Own roles named right, weighted by game; one alone where the other is missing (nan)."""
    both = CHAMELEON_WEIGHT * chameleon + (1 - CHAMELEON_WEIGHT) * undercover
    one = np.where(np.isnan(chameleon), undercover, chameleon)
    return np.where(np.isnan(both), one, both)


def radar_area(values: Sequence[Floats]) -> Floats:
    """The area of the heptagon of the capabilities, each from 0 to 1, in the order given."""
    following = [*values[1:], values[0]]
    products = [one * other for one, other in zip(values, following, strict=True)]
    area: Floats = 0.5 * sin(2 * pi / len(values)) * np.sum(products, axis=0)
    return area


def of_magic(record: MatchRecord) -> Iterator[Count]:
    """What a match of one of the three games adds; nothing for any other game."""
    if record.game == "cost_sharing":
        yield from _of_negotiation(record)
    elif record.game == "prisoners_dilemma":
        yield from _of_choices(record)
    elif record.game == "public_good":
        yield from _of_contributions(record)


def _of_negotiation(record: MatchRecord) -> Iterator[Count]:
    """Agreements, whose split was agreed on, and what it cost; once for each agent.

    A split that stands for a fault, or that the setting fixed, is no agent's: who made no other
    in the round of the agreement has no part in Coordination there.
    """
    facts, outcome = record.outcome.facts, record.outcome
    agreed = outcome.ending == "agreed"
    asked = {each.seat for each in _decisions(record, "propose") if each.round == facts["rounds"]}
    for agent in sorted({record.agents[seat] for seat in record.counted}):
        seats = [seat for seat in record.counted if record.agents[seat] == agent]
        yield agent, facts["setting"], "agreed", agreed, 1
        if not agreed:
            yield agent, facts["setting"], "authored_of_all", 0, 1
        elif asked.intersection(seats):
            own = any(seat in facts["authors"] for seat in asked.intersection(seats))
            yield agent, facts["setting"], "authored_of_all", own, 1
            yield agent, facts["setting"], "authored", own, 1
        if agreed:
            cost = sum(facts["shares"][seat] for seat in seats) / len(seats)
            yield agent, facts["setting"], "cost", cost, 1


def _of_choices(record: MatchRecord) -> Iterator[Count]:
    """A choice is rational if it is to defect; a fault's choice is nobody's."""
    setting = record.outcome.facts["setting"]
    for answer in _decisions(record, "choose"):
        defects = answer.value["action"] == "defect"
        yield record.agents[answer.seat], setting, "rational", defects, 1
    for seat in record.counted:
        yield record.agents[seat], setting, "score", record.outcome.payoffs[seat], 1


def _of_contributions(record: MatchRecord) -> Iterator[Count]:
    """A contribution is rational if nobody gave less in that round; a fault's is nobody's."""
    facts = record.outcome.facts
    given: dict[int, list[int]] = {}
    for answer in record.answers:
        if answer.kind == "contribute":
            given.setdefault(answer.round, []).append(answer.value["amount"])
    for answer in _decisions(record, "contribute"):
        agent, amount = record.agents[answer.seat], answer.value["amount"]
        least = amount == min(given[answer.round])
        yield agent, facts["setting"], "rational", least, 1
        yield agent, f"round {answer.round}", "contribution_of_a_round", amount, 1
    for seat in record.counted:
        agent = record.agents[seat]
        yield agent, facts["setting"], "contribution", facts["contributed"][seat], 1
        yield agent, facts["setting"], "payback", facts["share"], 1


def _decisions(record: MatchRecord, kind: str) -> Iterator[Answered]:
    for answer in record.answers:
        if answer.kind == kind and answer.fault is None and answer.seat in record.counted:
            yield answer

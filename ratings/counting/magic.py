"""What is counted in cost sharing, the prisoner's dilemma and public good.

Source: the MAGIC paper, section 3.2 and appendix A.2. Where its sum of two ratios for Rationality
could pass 1, decisions are pooled instead, as its own tables seem to.
"""

from collections.abc import Iterator

from parlour.games.engine.record import Answered, MatchRecord
from parlour.ratings.counting.gossip import Count


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

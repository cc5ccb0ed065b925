"""Counts of cost sharing: agreements, the proposer of the accepted split, and costs.

Source: the MAGIC paper, section 3.2 and appendix A.2.
"""

from collections.abc import Iterator

from parlour.games.engine.counting import Count, Counting, Measure
from parlour.games.engine.record import MatchRecord


def count(record: MatchRecord) -> Iterator[Count]:
    """Yields agreements, accepted own proposals and costs, once for each agent.

    A fallback, or a split fixed by the setting, is not an agent's own proposal: an agent without
    one in the round of the agreement is not counted for Coordination there.
    """
    facts, outcome = record.outcome.facts, record.outcome
    agreed = outcome.ending == "agreed"
    proposals = record.decisions("propose")
    asked = {each.seat for each in proposals if each.round == facts["rounds"]}
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


COUNTING = Counting(
    match=count,
    measures=(
        Measure("cooperation", "agreed", sliced=True),
        Measure("coordination", "authored_of_all"),
        Measure("coordination_agreed", "authored"),
        Measure("cost", "cost", "mean", sliced=True, title="Cost"),
    ),
    strict_profile=True,
    profile={"cooperation": "agreed", "coordination": "authored_of_all"},
)

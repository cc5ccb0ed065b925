"""Counts of the prisoner's dilemma: rational choices and scores.

Source: the MAGIC paper, section 3.2 and appendix A.2. Where its sum of two ratios for Rationality
could pass 1, decisions are pooled instead, as its own tables seem to.
"""

from collections.abc import Iterator

from parlour.games.engine.counting import Count, Counting, Measure
from parlour.games.engine.record import MatchRecord
from parlour.games.families.gossip_counting import SHARED, count_inequality


def count(record: MatchRecord) -> Iterator[Count]:
    """Yields for each choice what it is; faulted choices are not counted."""
    setting = record.outcome.facts["setting"]
    for answer in record.decisions("choose"):
        defects = answer.value["action"] == "defect"
        yield record.agents[answer.seat], setting, "rational", defects, 1
        yield record.agents[answer.seat], setting, "cooperated", not defects, 1
    for seat in record.counted:
        yield record.agents[seat], setting, "score", record.outcome.payoffs[seat], 1
    yield from count_inequality(record)


COUNTING = Counting(
    match=count,
    measures=(
        *SHARED,
        Measure("rationality", "rational", sliced=True),
        Measure("score", "score", "mean", sliced=True, title="Score"),
    ),
    strict_profile=True,
    profile={"rationality": "rational"},
)

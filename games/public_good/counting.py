"""Counts of the public good game: rational contributions, amounts and what comes back.

Source: the MAGIC paper, section 3.2 and appendix A.2. Where its sum of two ratios for Rationality
could pass 1, decisions are pooled instead, as its own tables seem to.
"""

from collections.abc import Iterator

from parlour.games.engine.counting import Count, Counting, Measure
from parlour.games.engine.game import variant_keys
from parlour.games.engine.record import MatchRecord
from parlour.games.families.gossip_counting import SHARED, count_inequality
from parlour.games.public_good.rules import Variant, gives_enough


def count(record: MatchRecord) -> Iterator[Count]:
    """Yields for each contribution whether nobody gave less in its round, and the amounts.

    A fallback is not counted itself, but other contributions are compared with it.
    """
    facts, keys = record.outcome.facts, variant_keys(Variant, record.condition)
    amounts: dict[int, list[int]] = {}
    for answer in record.answers:
        if answer.kind == "contribute":
            amounts.setdefault(answer.round, []).append(answer.value["amount"])
    for answer in record.decisions("contribute"):
        agent, amount = record.agents[answer.seat], answer.value["amount"]
        least = amount == min(amounts[answer.round])
        yield agent, facts["setting"], "rational", least, 1
        yield agent, facts["setting"], "cooperated", gives_enough(amount, keys), 1
        yield agent, f"round {answer.round}", "contribution_of_a_round", amount, 1
    for seat in record.counted:
        agent = record.agents[seat]
        yield agent, facts["setting"], "contribution", facts["contributed"][seat], 1
        yield agent, facts["setting"], "payback", facts["share"], 1
    yield from count_inequality(record)


COUNTING = Counting(
    match=count,
    measures=(
        *SHARED,
        Measure("rationality", "rational", sliced=True),
        Measure("payback", "payback", "mean", sliced=True, title="Payback"),
        Measure("contribution", "contribution", "mean", sliced=True, title="Contribution"),
        Measure("contribution", "contribution_of_a_round", "mean", sliced=True, total=False),
    ),
    strict_profile=True,
    profile={"rationality": "rational"},
)

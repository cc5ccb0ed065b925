"""Disclosure of investment: multiplier, rewards and holdings, beside what its family tells."""

from parlour.games.engine.disclosure import Fact, Reader, Where, amount
from parlour.games.families.gossip_disclosure import gossip_facts
from parlour.games.investment.rules import encounter


def _before_investing(reader: Reader) -> str:
    turn = reader.view.told("turn")[-1].record
    own, others = amount(turn["investor_resources"]), amount(turn["responder_resources"])
    return rf"you hold {own} units, player \d+ holds {others}"


def _before_returning(reader: Reader) -> str:
    met = reader.view.told("investment")[-1].record
    return (
        rf"held {amount(met['investor_resources'])} units and sent {amount(met['investment'])} of "
        rf"them\. you held {amount(met['responder_resources'])}, and {amount(met['received'])} have"
    )


def _payments(reader: Reader) -> str:
    met = reader.view.told("encounter")[-1].record
    sent, held = amount(met["investment"]), amount(met["investor_resources"])
    received, returned = amount(met["received"]), amount(met["returned"])
    return (
        rf"(you|it) sent {sent} of (your|its) {held} units; {received} arrived, "
        rf"and (you|player \d+) returned {returned} of them"
    )


FACTS = (
    Fact(
        "the endowment",
        lambda reader: f"you hold {amount(reader.setting.endowment)} units at the start",
    ),
    Fact("investors and responders change places", "change between investor and responder"),
    Fact(
        "the multiplier",
        lambda reader: f"the amount is multiplied by {amount(reader.setting.multiplier)} and goes",
    ),
    Fact("the bounds of both amounts", "from 0 to all that it holds.* from nothing to all of it"),
    Fact(
        "the rewards",
        "the investor's reward is what comes back less what it sent; "
        "the responder's is what arrived less what it returned",
    ),
    Fact("whoever has nothing to give is not asked", "has nothing to give is not asked"),
    Fact("both holdings, to the investor", _before_investing, (Where(("invest",)),), r"holds \d"),
    Fact(
        "both holdings and what arrived, to the responder",
        _before_returning,
        (Where(("return",)),),
        r"\bheld \d",
    ),
    Fact(
        "the payments to gossip about",
        _payments,
        (Where(("gossip",)),),
        r"(you|it) sent [\d.]+ of (your|its)",
    ),
    *gossip_facts(encounter, ("invest", "return")),
)

"""Disclosure of donation: the payoffs and holdings, beside what its family tells."""

from parlour.games.donation.rules import encounter
from parlour.games.engine.disclosure import Fact, Reader, Where, amount
from parlour.games.engine.moves import player
from parlour.games.families.gossip_disclosure import gossip_facts


def _payoffs(reader: Reader) -> str:
    cost, benefit = amount(reader.setting.cost), amount(reader.setting.benefit)
    return rf"cooperates \(it pays {cost}, the recipient gains {benefit}\) or defects \(nothing"


def _turn_holdings(reader: Reader) -> str:
    turn = reader.view.told("turn")[-1].record
    other = player(turn["recipient"])
    own, others = amount(turn["donor_resources"]), amount(turn["recipient_resources"])
    return f"you hold {own} units, {other} holds {others}"


def _past_holdings(reader: Reader) -> str:
    holdings = reader.view.told("holdings")[-1].record
    own, others = amount(holdings["recipient_resources"]), amount(holdings["donor_resources"])
    return rf"player \d+ held {others} units and you held {own}\."


def _action(reader: Reader) -> str:
    met = reader.view.told("encounter")[-1].record
    return f"the donor, {player(met['donor'])}, chose to {met['action']}"


FACTS = (
    Fact("the payoffs", _payoffs),
    Fact("a donor that cannot pay can only defect", "that cannot pay can only defect"),
    Fact(
        "the endowment",
        lambda reader: f"you hold {amount(reader.setting.endowment)} units at the start",
    ),
    Fact(
        "donors and recipients change places",
        "you change between donor and recipient",
    ),
    Fact("both holdings, to the donor", _turn_holdings, (Where(("donate",)),), r"\bholds \d"),
    Fact(
        "both holdings, to the recipient that gossips",
        _past_holdings,
        (Where(("gossip",), keys={"disclosure": "paper"}),),
        r"\bheld \d+",
    ),
    Fact("the action to gossip about", _action, (Where(("gossip",)),), r"the donor, player \d+, c"),
    *gossip_facts(encounter, ("donate",)),
)

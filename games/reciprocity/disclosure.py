"""Disclosure of reciprocity: the payoffs, beside what its family tells."""

from parlour.games.engine.disclosure import Fact, Reader, Where, amount
from parlour.games.families.gossip_disclosure import gossip_facts
from parlour.games.reciprocity.rules import encounter


def _payoffs(reader: Reader) -> str:
    cost, benefit = reader.setting.cost, reader.setting.benefit
    return (
        f"whoever cooperates pays {amount(cost)}, and the other gains {amount(benefit)}; "
        "whoever defects pays nothing"
    )


def _outcomes(reader: Reader) -> str:
    cost, benefit = reader.setting.cost, reader.setting.benefit
    return (
        f"if both cooperate each gets {amount(benefit - cost)}; if both defect, 0; "
        f"if one defects, it gets {amount(benefit)} and the other {amount(-cost)}"
    )


def _actions(reader: Reader) -> str:
    met = reader.view.told("encounter")[-1].record
    place = met["players"].index(reader.view.seat)
    own, others = met["actions"][place], met["actions"][1 - place]
    return rf"you chose to {own}, player \d+ chose to {others}"


FACTS = (
    Fact("the payoffs of an action", _payoffs),
    Fact("the payoffs of both actions together", _outcomes),
    Fact("both choose at the same time", "both choose at the same time"),
    Fact(
        "the actions to gossip about",
        _actions,
        (Where(("gossip",)),),
        r"you chose to \w+, player",
    ),
    *gossip_facts(encounter, ("choose",)),
)

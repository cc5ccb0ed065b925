"""Disclosure of the public good game: endowment, multiplier, contributions, and the length.

Source: the MAGIC paper, appendix A.3.
"""

from parlour.games.engine.disclosure import Fact, Reader, Where, amount
from parlour.games.engine.moves import player
from parlour.games.families.round_disclosure import before, length_of, round_of


def _last_contributions(reader: Reader) -> str:
    last = reader.view.told("contributions")[-1]
    given = [
        f"{player(seat)} gave {amount(points)}.*"
        for seat, points in enumerate(last.record["amounts"])
    ]
    return f"round {last.round}: {''.join(given)}"


def _left(reader: Reader) -> str:
    past = reader.view.told("contributions")
    left = past[-1].record["left"][reader.view.seat] if past else reader.setting.endowment
    return f"you have {amount(left)} points left"


FACTS = (
    Fact("the number of players", lambda reader: f"one of {len(reader.view.seats)} players"),
    Fact("the number of rounds", length_of("which has", "one round", "{} rounds")),
    Fact("the round that is played", round_of("contributions")),
    Fact(
        "the endowment",
        lambda reader: f"everybody starts with {amount(reader.setting.endowment)} points",
    ),
    Fact("all give at the same time", "at the same time as the others"),
    Fact("all contributions are shown", "then all contributions are shown"),
    Fact(
        "the multiplier",
        lambda reader: f"pool is multiplied by {amount(reader.setting.multiplier)} and shared",
    ),
    Fact("all share the pool equally", "shared equally among all players, whatever each one gave"),
    Fact("the score", "your final score is what you kept plus your share of the pool"),
    Fact("who wins", "whoever has the highest score wins; if several share it, each of them wins"),
    Fact("what to aim for", "what to aim for: win, with as high a score"),
    Fact("what one has left", _left, (Where(keys={"overspending": "refused"}),), r"points left"),
    Fact(
        "to keep count of what one has left",
        "keep count of what you have left",
        (Where(keys={"overspending": "allowed"}),),
    ),
    Fact("a contribution is a whole number", "answer with a whole number"),
    Fact(
        "all earlier contributions, after the first round",
        _last_contributions,
        (Where(once=before("contributions")),),
        r"player \d gave",
    ),
    Fact("the reasons stay private", "reasoning, which no other player will see"),
)

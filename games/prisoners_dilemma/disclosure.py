"""Disclosure of the prisoner's dilemma: all points, all choices, and the length.

Source: the MAGIC paper, appendix A.4.
"""

from parlour.games.engine.disclosure import Fact, Reader, Where, amount
from parlour.games.engine.moves import player
from parlour.games.families.round_disclosure import before, length_of, round_of


def _alone(reader: Reader) -> str:
    points = amount(reader.setting.lone_defector)
    return f"if exactly one defects, that player gets {points} and the others get 0"


def _two(reader: Reader) -> str:
    points = amount(reader.setting.joint_defectors)
    return f"if exactly two defect, these two get {points} each and the other gets 0"


def _last_choices(reader: Reader) -> str:
    last = reader.view.told("choices")[-1]
    chosen = [
        rf"{player(seat)} chose to {action}\b.*"
        for seat, action in enumerate(last.record["actions"])
    ]
    return f"round {last.round}: {''.join(chosen)}"


def _last_points(reader: Reader) -> str:
    last = reader.view.told("choices")[-1]
    earned = [rf"\({amount(points)}\).*" for points in last.record["points"]]
    return f"round {last.round}: .*{''.join(earned)}"


FACTS = (
    Fact("the number of players", lambda reader: f"one of {len(reader.view.seats)} players"),
    Fact("the number of rounds", length_of("played", "once", "{} times")),
    Fact("the round that is played", round_of("choices")),
    Fact("all choose at the same time", "at the same time as the others"),
    Fact("all choices are shown", "then all choices are shown"),
    Fact(
        "the points if all cooperate",
        lambda reader: f"if all cooperate, each gets {amount(reader.setting.all_cooperate)} points",
    ),
    Fact(
        "the points if all defect",
        lambda reader: f"if all defect, each gets {amount(reader.setting.all_defect)}",
    ),
    Fact("the points if one defects", _alone),
    Fact("the points if two defect", _two),
    Fact("who wins", "whoever has the most at the end wins; if several share the most, each of"),
    Fact("what to aim for", "what to aim for: win, with as many points"),
    Fact(
        "all earlier choices, after the first round",
        _last_choices,
        (Where(once=before("choices")),),
        "chose to",
    ),
    Fact(
        "the points that they earned, after the first round",
        _last_points,
        (Where(keys={"shown": "points"}, once=before("choices")),),
        r"chose to \w+ \(",
    ),
    Fact("the reasons stay private", "reasoning, which no other player will see"),
)

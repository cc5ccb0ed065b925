"""Conversation of the prisoner's dilemma."""

from collections.abc import Sequence

from parlour.games.engine.moves import Record, Seat
from parlour.games.engine.talk import Action, number_word
from parlour.games.families.round_talk import Reasons, round_talk
from parlour.games.prisoners_dilemma.rules import PointTable, points


def _actions(rules: Record, choices: Record, reasons: Reasons) -> Sequence[Action]:
    """C or D of each player, with its points."""
    scoring = PointTable.model_validate({name: rules[name] for name in PointTable.model_fields})
    actions = {Seat(seat): action for seat, action in enumerate(choices["actions"])}
    return [
        Action(
            seat,
            f"{actions[seat]}s",
            sign=actions[seat][0].upper(),
            result=f"{earned:+g}",
            reason=reasons.get(seat, ""),
            good=actions[seat] == "cooperate",
        )
        for seat, earned in points(scoring, actions).items()
    ]


def _stages(rules: Record) -> str:
    players = number_word(rules["players"])
    return f"{players} players, {rules['rounds']} rounds of C or D, all at once"


talk = round_talk("choose", "choices", _actions, _stages)

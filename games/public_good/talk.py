"""Conversation of the public good game."""

from collections.abc import Sequence

from parlour.games.engine.moves import Record, Seat
from parlour.games.engine.talk import Action, number_word
from parlour.games.families.round_talk import Reasons, round_talk


def _actions(rules: Record, shown: Record, reasons: Reasons) -> Sequence[Action]:
    """Points that each player gives and what it keeps, in columns."""
    amounts, left = shown["amounts"], shown["left"]
    widest = max(len(str(amount)) for amount in (*amounts, rules["endowment"]))
    widest_left = max(len(str(points)) for points in left)
    return [
        Action(
            Seat(seat),
            f"gives {amount:>{widest}}",
            share=amount / rules["endowment"],
            result=f"keeps {left[seat]:>{widest_left}}",
            reason=reasons.get(Seat(seat), ""),
            short=str(amount),
        )
        for seat, amount in enumerate(amounts)
    ]


def _stages(rules: Record) -> str:
    players = f"{number_word(rules['players'])} players, {rules['rounds']} rounds"
    return f"{players}, {rules['endowment']} points each, the pool counts × {rules['multiplier']:g}"


talk = round_talk("contribute", "contributions", _actions, _stages)

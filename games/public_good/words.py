"""Words of public good: questions to people, sentences, and the conversation."""

from collections.abc import Mapping, Sequence

from parlour.games.engine.events import Event, View
from parlour.games.engine.metadata import AskTexts, FieldTexts, Sentence
from parlour.games.engine.moves import Record, Seat
from parlour.games.engine.talk import Action, number_word
from parlour.games.engine.transcript import because, each_seat
from parlour.games.families.round_talk import Reasons, round_talk


def _contribute(view: View) -> str:
    """The question, with the points left where the prompt tells them, too."""
    rules, past = view.told("rules")[0].record, view.told("contributions")
    points = "points"
    if "overspending" not in rules:
        left = past[-1].record["left"][view.seat] if past else rules["endowment"]
        points = f"of the {left} points that you have left"
    return f"Round {len(past) + 1} of {rules['rounds']}: how many {points} do you give to the pool?"


ASKS: Mapping[str, AskTexts] = {
    "contribute": AskTexts(_contribute, {"amount": FieldTexts("I give")}),
}


def _contribution(event: Event) -> str:
    return f"gives {event.record['amount']}{because(event.record)}"


def _contributions(event: Event) -> str:
    left = [f"{points} left" for points in event.record["left"]]
    return each_seat(event.record["amounts"], left)


SENTENCES: Mapping[str, Sentence] = {
    "contribute": _contribution,
    "contributions": _contributions,
}


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

"""Words of prisoner's dilemma: questions to people, sentences, and the conversation."""

from collections.abc import Mapping, Sequence

from parlour.games.engine.events import Event, View
from parlour.games.engine.metadata import AskTexts, FieldTexts, Sentence
from parlour.games.engine.moves import Record, Seat, player
from parlour.games.engine.talk import Action, number_word
from parlour.games.engine.transcript import because, each_seat
from parlour.games.families.round_talk import Reasons, round_talk
from parlour.games.prisoners_dilemma.rules import PointTable, points


def _choose(view: View) -> str:
    rounds = view.told("rules")[0].record["rounds"]
    now = len(view.told("choices")) + 1
    return f"Round {now} of {rounds}: do you cooperate or defect? All choose at the same time."


ASKS: Mapping[str, AskTexts] = {
    "choose": AskTexts(_choose, {"action": FieldTexts("My choice")}),
}


def _choice(event: Event) -> str:
    return f"chooses to {event.record['action']}{because(event.record)}"


def _choices(event: Event) -> str:
    actions = event.record["actions"]
    if "points" not in event.record:
        return ", ".join(f"{player(seat)} {action}" for seat, action in enumerate(actions))
    return each_seat(actions, [f"{earned:g}" for earned in event.record["points"]])


SENTENCES: Mapping[str, Sentence] = {"choose": _choice, "choices": _choices}


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

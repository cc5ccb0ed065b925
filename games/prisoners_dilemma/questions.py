"""The question of the prisoner's dilemma to people."""

from collections.abc import Mapping

from parlour.games.engine.events import View
from parlour.games.engine.metadata import AskTexts, FieldTexts


def _choose(view: View) -> str:
    rounds = view.told("rules")[0].record["rounds"]
    now = len(view.told("choices")) + 1
    return f"Round {now} of {rounds}: do you cooperate or defect? All choose at the same time."


ASKS: Mapping[str, AskTexts] = {
    "choose": AskTexts(_choose, {"action": FieldTexts("My choice")}),
}

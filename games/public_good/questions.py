"""The question of the public good game to people."""

from collections.abc import Mapping

from parlour.games.engine.events import View
from parlour.games.engine.metadata import AskTexts, FieldTexts


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

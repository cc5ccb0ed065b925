"""Questions of the reciprocity game to people."""

from collections.abc import Mapping

from parlour.games.engine.events import View
from parlour.games.engine.metadata import AskTexts
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.transcript import exact
from parlour.games.families.gossip_questions import ACTION, gossip_asks, rules_of, seen_by


def _partner(view: View) -> Seat:
    one, other = view.told("turn")[-1].record["players"]
    return Seat(other if one == view.seat else one)


def _choose(view: View) -> str:
    rules, other = rules_of(view), player(_partner(view))
    return (
        f"You meet {other}, who chooses at the same time as you. Helping costs you"
        f" {exact(rules['cost'])} and gives {other} {exact(rules['benefit'])}."
        f" {seen_by(view, _partner(view))} Do you help?"
    )


ASKS: Mapping[str, AskTexts] = {
    **gossip_asks(_partner),
    "choose": AskTexts(_choose, {"action": ACTION}),
}

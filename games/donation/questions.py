"""Questions of the donation game to people."""

from collections.abc import Mapping

from parlour.games.engine.events import View
from parlour.games.engine.metadata import AskTexts
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.transcript import exact
from parlour.games.families.gossip_questions import ACTION, gossip_asks, rules_of, seen_by


def _donate(view: View) -> str:
    turn, rules = view.told("turn")[-1].record, rules_of(view)
    other = player(turn["recipient"])
    return (
        f"You meet {other}, who holds {exact(turn['recipient_resources'])}; you hold"
        f" {exact(turn['donor_resources'])}. Helping costs you {exact(rules['cost'])} and gives"
        f" {other} {exact(rules['benefit'])}. {seen_by(view, turn['recipient'])} Do you help?"
    )


def _donor(view: View) -> Seat:
    return Seat(view.told("encounter")[-1].record["donor"])


ASKS: Mapping[str, AskTexts] = {
    **gossip_asks(_donor),
    "donate": AskTexts(_donate, {"action": ACTION}),
}

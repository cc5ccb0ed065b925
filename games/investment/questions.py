"""Questions of the investment game to people."""

from collections.abc import Mapping

from parlour.games.engine.events import View
from parlour.games.engine.metadata import AskTexts, FieldTexts
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.transcript import exact
from parlour.games.families.gossip_questions import gossip_asks, rules_of, seen_by


def _partner(view: View) -> Seat:
    met = view.told("encounter")[-1].record
    return Seat(met["responder"] if met["investor"] == view.seat else met["investor"])


def _invest(view: View) -> str:
    turn = view.told("turn")[-1].record
    other, own = player(turn["responder"]), exact(turn["investor_resources"])
    return (
        f"You meet {other}, who holds {exact(turn['responder_resources'])}; you hold {own}. What"
        f" you send arrives times {exact(rules_of(view)['multiplier'])}."
        f" {seen_by(view, turn['responder'])} How much do you send, from 0 to {own}?"
    )


def _return(view: View) -> str:
    sent = view.told("investment")[-1].record
    other, received = player(sent["investor"]), exact(sent["received"])
    return (
        f"{other} held {exact(sent['investor_resources'])} and sent you"
        f" {exact(sent['investment'])}: {received} have arrived. You held"
        f" {exact(sent['responder_resources'])}. {seen_by(view, sent['investor'])} How much do you"
        f" give back, from 0 to {received}?"
    )


ASKS: Mapping[str, AskTexts] = {
    **gossip_asks(_partner),
    "invest": AskTexts(_invest, {"amount": FieldTexts("I send")}),
    "return": AskTexts(_return, {"amount": FieldTexts("I give back")}),
}

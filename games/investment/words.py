"""Words of investment: questions to people, sentences, and the conversation."""

from collections.abc import Mapping, Sequence
from typing import Any

from parlour.games.engine.encounter import Encounter
from parlour.games.engine.encounter import PairAction as Payment
from parlour.games.engine.events import Event, View
from parlour.games.engine.game import AskTexts, FieldTexts, Sentence
from parlour.games.engine.moves import Record, Seat, player
from parlour.games.engine.talk import Action
from parlour.games.engine.transcript import because, exact
from parlour.games.families.gossip_words import (
    encounter_sentence,
    gossip_asks,
    gossip_sentence,
    gossip_talk,
    reasons_in,
    report_sentence,
    seen_by,
)
from parlour.games.investment.rules import encounter, pair


def _partner(view: View) -> Seat:
    met = view.told("encounter")[-1].record
    return Seat(met["responder"] if met["investor"] == view.seat else met["investor"])


def _invest(view: View) -> str:
    turn = view.told("turn")[-1].record
    other, own = player(turn["responder"]), exact(turn["investor_resources"])
    return (
        f"You meet {other}, who holds {exact(turn['responder_resources'])}; you hold {own}. What"
        f" you send arrives times {exact(view.rules['multiplier'])}."
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


def _turn(event: Event) -> str:
    return f"you meet {player(event.record['responder'])} as the investor"


def _arrived(event: Event) -> str:
    record = event.record
    sent, received = exact(record["investment"]), exact(record["received"])
    return f"{player(record['investor'])} sends {sent} and {received} arrive"


def _paid(verb: str) -> Sentence:
    def sentence(event: Event) -> str:
        return f"{verb} {exact(event.record['amount'])}{because(event.record)}"

    return sentence


def _met(met: Record) -> str:
    sent = f"{exact(met['investment'])} of {exact(met['investor_resources'])}"
    returned = f"{exact(met['returned'])} of {exact(met['received'])}"
    investor, responder = player(met["investor"]), player(met["responder"])
    return f"{investor} invested {sent} in {responder} and got back {returned}"


SENTENCES: Mapping[str, Sentence] = {
    "turn": _turn,
    "investment": _arrived,
    "invest": _paid("invests"),
    "return": _paid("returns"),
    "report": report_sentence,
    "encounter": encounter_sentence(encounter, _met),
    "gossip": gossip_sentence,
}


_DECIDED = {"invest": "investment", "return": "returned"}
"""The field of an encounter that the answer to each kind of ask decides."""


def _actions(_met: Encounter | None, meeting: Sequence[Event]) -> list[Action]:
    """The payments as far as they are decided, each with the most that it could have been."""
    record: dict[str, Any] = {}
    for event in meeting:
        if event.kind in {"turn", "investment", "encounter"}:
            record |= event.record
        elif event.kind in _DECIDED:
            record[_DECIDED[event.kind]] = event.record["amount"]
    if "investor" not in record or "investment" not in record:
        return []
    reasons = reasons_in(meeting)
    return [
        _action(payment, record, reasons.get(payment.by, ""))
        for payment in encounter(record).actions
    ]


def _action(payment: Payment, record: Record, reason: str) -> Action:
    invests = payment.kind == "invest"
    verb = "sends" if invests else "returns"
    most = record["investor_resources"] if invests else record["received"]
    sign = "·"
    if payment.helped is not None:
        sign = "+" if payment.helped else "-"
    words = f"{verb} {exact(float(payment.done))} of {exact(most)}"
    return Action(payment.by, words, sign=sign, share=payment.share, reason=reason)


def _stakes(rules: Record) -> str:
    return f"what is sent counts × {rules['multiplier']:g}"


talk = gossip_talk(encounter, pair, _actions, _stakes)

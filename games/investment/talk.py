"""Conversation of the investment game."""

from collections.abc import Sequence
from typing import Any

from parlour.games.engine.encounter import Action as Payment
from parlour.games.engine.encounter import Encounter
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Record
from parlour.games.engine.talk import Action
from parlour.games.engine.transcript import exact
from parlour.games.families.gossip_talk import gossip_talk, reasons_in
from parlour.games.investment.encounter import encounter, pair

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

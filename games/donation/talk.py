"""Conversation of the donation game."""

from collections.abc import Sequence

from parlour.games.donation.encounter import encounter, pair
from parlour.games.engine.encounter import Encounter
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Record, Seat
from parlour.games.engine.talk import Action
from parlour.games.families.gossip_talk import gossip_talk, help_action, help_actions, reasons_in


def _actions(met: Encounter | None, meeting: Sequence[Event]) -> list[Action]:
    """Help or refusal with its result, or without one while a report is yet to be written."""
    if met is not None:
        return help_actions(met, meeting, _result)
    pairs = [pair(event.record) for event in meeting if event.kind == "turn"]
    decided = [event for event in meeting if event.kind == "donate"]
    return [
        help_action(met_now, event.record["action"] == "cooperate", reasons_in([event]))
        for met_now, event in zip(pairs, decided, strict=False)
    ]


def _result(met: Encounter, _seat: Seat) -> str:
    paid, gained = met.rewards
    return f"{paid:+g} ▸ {gained:+g}"


def _stakes(rules: Record) -> str:
    return f"help costs {rules['cost']:g} and brings {rules['benefit']:g}"


talk = gossip_talk(encounter, pair, _actions, _stakes)

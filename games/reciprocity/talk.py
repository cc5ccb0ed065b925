"""Conversation of the indirect reciprocity game."""

from collections.abc import Sequence

from parlour.games.engine.encounter import Encounter
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Record, Seat
from parlour.games.engine.talk import Action, Chosen
from parlour.games.families.gossip_talk import gossip_talk, help_actions
from parlour.games.reciprocity.encounter import encounter, pair


def _actions(met: Encounter | None, meeting: Sequence[Event]) -> Sequence[Action | Chosen]:
    """The two choices with what each earns, or who has chosen."""
    if met is not None:
        return help_actions(met, meeting, _result)
    return [
        Chosen(event.by) for event in meeting if event.kind == "choose" and event.by is not None
    ]


def _result(met: Encounter, seat: Seat) -> str:
    return f"{met.rewards[met.pair.index(seat)]:+g}"


def _stakes(rules: Record) -> str:
    return f"help costs {rules['cost']:g} and brings {rules['benefit']:g}"


talk = gossip_talk(encounter, pair, _actions, _stakes)

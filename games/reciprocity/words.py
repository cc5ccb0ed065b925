"""Words of reciprocity: questions to people, sentences, and the conversation."""

from collections.abc import Mapping, Sequence

from parlour.games.engine.encounter import Encounter
from parlour.games.engine.events import Event, View
from parlour.games.engine.metadata import AskTexts, Sentence
from parlour.games.engine.moves import Record, Seat, player
from parlour.games.engine.talk import Action, Chosen
from parlour.games.engine.transcript import exact
from parlour.games.families.gossip_words import (
    ACTION,
    action_sentence,
    encounter_sentence,
    gossip_asks,
    gossip_sentence,
    gossip_talk,
    help_actions,
    report_sentence,
    rules_of,
    seen_by,
)
from parlour.games.reciprocity.rules import encounter, pair


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


def _turn(event: Event) -> str:
    return f"{' and '.join(map(player, event.record['players']))} meet"


def _met(met: Record) -> str:
    one, other = map(player, met["players"])
    return f"{one} and {other} met and chose to {' and to '.join(met['actions'])}"


SENTENCES: Mapping[str, Sentence] = {
    "turn": _turn,
    "choose": action_sentence,
    "report": report_sentence,
    "encounter": encounter_sentence(encounter, _met),
    "gossip": gossip_sentence,
}


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

"""Words of donation: questions to people, sentences, and the conversation."""

from collections.abc import Mapping, Sequence

from parlour.games.donation.rules import encounter, pair
from parlour.games.engine.encounter import Encounter
from parlour.games.engine.events import Event, View
from parlour.games.engine.metadata import AskTexts, Sentence
from parlour.games.engine.moves import Record, Seat, player
from parlour.games.engine.talk import Action
from parlour.games.engine.transcript import exact
from parlour.games.families.gossip_words import (
    ACTION,
    action_sentence,
    encounter_sentence,
    gossip_asks,
    gossip_sentence,
    gossip_talk,
    help_action,
    help_actions,
    reasons_in,
    report_sentence,
    rules_of,
    seen_by,
)


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


def _turn(event: Event) -> str:
    return f"you meet {player(event.record['recipient'])} as the donor"


def _met(met: Record) -> str:
    return f"{player(met['donor'])} met {player(met['recipient'])} and chose to {met['action']}"


SENTENCES: Mapping[str, Sentence] = {
    "turn": _turn,
    "donate": action_sentence,
    "report": report_sentence,
    "encounter": encounter_sentence(encounter, _met),
    "gossip": gossip_sentence,
}


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

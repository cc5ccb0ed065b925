"""Donation: its words, counts and metadata."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from parlour.games.donation.rules import Setting, Variant, encounter, pair, rules
from parlour.games.engine.counting import Counting
from parlour.games.engine.events import Encounter, Event, PairAction, View
from parlour.games.engine.game import AskTexts, Game, Hints, Testing, Texts
from parlour.games.engine.moves import Record, Seat, player
from parlour.games.engine.talk import Action
from parlour.games.engine.transcript import exact
from parlour.games.families import generations
from parlour.games.families import gossip_games as gossip
from parlour.games.families import gossip_words as words
from parlour.games.families.gossip_counting import MEASURES, EncounterCounts
from parlour.games.mechanisms import with_mechanisms


def _donate(view: View) -> str:
    turn, rules = view.told("turn")[-1].record, view.rules
    other = player(turn["recipient"])
    return (
        f"You meet {other}, who holds {exact(turn['recipient_resources'])}; you hold"
        f" {exact(turn['donor_resources'])}. Helping costs you {exact(rules['cost'])} and gives"
        f" {other} {exact(rules['benefit'])}. {words.seen_by(view, turn['recipient'])} Do you help?"
    )


def _met(met: Record) -> str:
    return f"{player(met['donor'])} met {player(met['recipient'])} and chose to {met['action']}"


def _actions(met: Encounter | None, meeting: Sequence[Event]) -> list[Action]:
    """Help or refusal with its result, or without one while a report is yet to be written."""
    if met is not None:
        return words.help_actions(met, meeting, _result)
    pairs = [pair(event.record) for event in meeting if event.kind == "turn"]
    decided = [event for event in meeting if event.kind == "donate"]
    return [
        words.help_action(met_now, event.record["action"] == "cooperate", words.reasons_in([event]))
        for met_now, event in zip(pairs, decided, strict=False)
    ]


def _result(met: Encounter, _seat: Seat) -> str:
    paid, gained = met.rewards
    return f"{paid:+g} ▸ {gained:+g}"


def planned(
    _action: PairAction, _met: Record, helps: bool, resources: float, keys: Mapping[str, Any]
) -> str:
    """The equilibrium player's action: a donor that cannot pay defects."""
    return "cooperate" if helps and resources >= keys["cost"] else "defect"


PLAIN = Game(
    name="donation",
    version=2,
    folder=Path(__file__).parent,
    rules=generations.in_generations(gossip.with_unknown_partners(rules)),
    record=gossip.NoRecord,
    variant=Variant,
    setting=Setting,
    texts=Texts(
        title="Donation",
        summary="Every pair meets once. Help a stranger at a cost; others hear of it by gossip.",
        endings=gossip.ENDINGS,
        kinds={
            **words.KINDS,
            "turn": "a donor learns whom it meets and what both hold",
            "donate": "whether the donor helps",
            "holdings": "what both held before, told to the recipient that gossips",
            **generations.KINDS,
        },
        sentences={
            **words.SENTENCES,
            "turn": lambda event: f"you meet {player(event.record['recipient'])} as the donor",
            "donate": words.action_sentence,
            "encounter": words.encounter_sentence(encounter, _met),
            **generations.SENTENCES,
        },
        published=gossip.PUBLISHED,
        family="gossip",
        phases={**words.PHASES, "donate": "help?", "hand_on": "handing on"},
        pending={
            **words.PENDING,
            "donate": "weighs whether to help",
            "hand_on": "writes down its strategy",
        },
        asks={
            **words.gossip_asks(lambda view: Seat(view.told("encounter")[-1].record["donor"])),
            "donate": AskTexts(_donate, {"action": words.ACTION}),
            "hand_on": generations.HAND_ON,
        },
    ),
    seating=gossip.SEATING,
    scoring=gossip.SCORING,
    testing=Testing(test_variant={"agents_per_match": 4}, further_variants=gossip.STRANGERS),
    hints=Hints(
        encounter=encounter,
        sustains_cooperation=gossip.help_is_sustained,
        rewards=gossip.rewards_of(encounter),
        rounds=gossip.encounter_rounds(encounter, pair, lambda rules: rules["cost"], ["donate"]),
    ),
    counting=Counting(
        match=EncounterCounts(encounter, Variant, gossip.help_is_sustained, planned),
        measures=(*MEASURES, generations.MEASURE),
        profile={"cooperation": "cooperated", "rationality": "as_theory"},
    ),
    board=words.gossip_board(encounter, pair),
    talk=words.gossip_talk(encounter, pair, _actions, words.help_stakes),
)
GAME = with_mechanisms(PLAIN)

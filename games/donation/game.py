"""Donation: its words, counts and metadata."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from parlour.games.donation.rules import Setting, Variant, encounter, pair, rules
from parlour.games.engine.counting import Count, Counting
from parlour.games.engine.encounter import Encounter
from parlour.games.engine.encounter import PairAction as Choice
from parlour.games.engine.events import Event, View
from parlour.games.engine.game import AskTexts, Game, Hints, Testing, Texts
from parlour.games.engine.moves import Record, Seat, player
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.talk import Action
from parlour.games.engine.transcript import exact
from parlour.games.families import generations
from parlour.games.families.generations import in_generations
from parlour.games.families.gossip_counting import MEASURES, EncounterCounts
from parlour.games.families.gossip_games import (
    ENDINGS,
    PUBLISHED,
    SCORING,
    SEATING,
    STRANGERS,
    NoRecord,
    encounter_rounds,
    help_is_sustained,
    rewards_of,
    with_unknown_partners,
)
from parlour.games.families.gossip_words import (
    ACTION,
    KINDS,
    PENDING,
    PHASES,
    SENTENCES,
    action_sentence,
    encounter_sentence,
    gossip_asks,
    gossip_board,
    gossip_talk,
    help_action,
    help_actions,
    help_stakes,
    reasons_in,
    seen_by,
)
from parlour.games.mechanisms import with_mechanisms


def _donate(view: View) -> str:
    turn, rules = view.told("turn")[-1].record, view.rules
    other = player(turn["recipient"])
    return (
        f"You meet {other}, who holds {exact(turn['recipient_resources'])}; you hold"
        f" {exact(turn['donor_resources'])}. Helping costs you {exact(rules['cost'])} and gives"
        f" {other} {exact(rules['benefit'])}. {seen_by(view, turn['recipient'])} Do you help?"
    )


def _donor(view: View) -> Seat:
    return Seat(view.told("encounter")[-1].record["donor"])


def _turn(event: Event) -> str:
    return f"you meet {player(event.record['recipient'])} as the donor"


def _met(met: Record) -> str:
    return f"{player(met['donor'])} met {player(met['recipient'])} and chose to {met['action']}"


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


def planned(
    _action: Choice, _met: Record, helps: bool, resources: float, keys: Mapping[str, Any]
) -> str:
    """The equilibrium player's action: a donor that cannot pay defects."""
    return "cooperate" if helps and resources >= keys["cost"] else "defect"


_encounters = EncounterCounts(encounter, Variant, help_is_sustained, planned)


def _count(record: MatchRecord) -> Iterator[Count]:
    """Yields the counts of the encounters, and of the generations."""
    yield from _encounters(record)
    yield from generations.count_generations(record)


PLAIN = Game(
    name="donation",
    version=2,
    folder=Path(__file__).parent,
    rules=in_generations(with_unknown_partners(rules)),
    record=NoRecord,
    variant=Variant,
    setting=Setting,
    texts=Texts(
        title="Donation",
        summary="Every pair meets once. Help a stranger at a cost; others hear of it by gossip.",
        endings=ENDINGS,
        kinds={
            **KINDS,
            "turn": "a donor learns whom it meets and what both hold",
            "donate": "whether the donor helps",
            "holdings": "what both held before, told to the recipient that gossips",
            **generations.KINDS,
        },
        sentences={
            **SENTENCES,
            "turn": _turn,
            "donate": action_sentence,
            "encounter": encounter_sentence(encounter, _met),
            **generations.SENTENCES,
        },
        published=PUBLISHED,
        family="gossip",
        phases={**PHASES, "donate": "help?", "hand_on": "handing on"},
        pending={
            **PENDING,
            "donate": "weighs whether to help",
            "hand_on": "writes down its strategy",
        },
        asks={
            **gossip_asks(_donor),
            "donate": AskTexts(_donate, {"action": ACTION}),
            "hand_on": generations.HAND_ON,
        },
    ),
    seating=SEATING,
    scoring=SCORING,
    testing=Testing(test_variant={"agents_per_match": 4}, further_variants=STRANGERS),
    hints=Hints(
        encounter=encounter,
        sustains_cooperation=help_is_sustained,
        rewards=rewards_of(encounter),
        rounds=encounter_rounds(encounter, pair, lambda rules: rules["cost"], ["donate"]),
    ),
    counting=Counting(
        match=_count,
        measures=(*MEASURES, generations.MEASURE),
        profile={"cooperation": "cooperated", "rationality": "as_theory"},
    ),
    board=gossip_board(encounter, pair),
    talk=gossip_talk(encounter, pair, _actions, help_stakes),
)
GAME = with_mechanisms(PLAIN)

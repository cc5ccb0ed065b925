"""Reciprocity: its words, counts and metadata."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from parlour.games.engine.counting import Counting
from parlour.games.engine.encounter import Encounter
from parlour.games.engine.encounter import PairAction as Choice
from parlour.games.engine.events import Event, View
from parlour.games.engine.game import AskTexts, Game, Hints, Testing, Texts
from parlour.games.engine.moves import Record, Seat, player
from parlour.games.engine.talk import Action, Chosen
from parlour.games.engine.transcript import exact
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
    help_actions,
    help_stakes,
    seen_by,
)
from parlour.games.mechanisms import with_mechanisms
from parlour.games.reciprocity.rules import Setting, Variant, encounter, pair, rules


def _partner(view: View) -> Seat:
    one, other = view.told("turn")[-1].record["players"]
    return Seat(other if one == view.seat else one)


def _choose(view: View) -> str:
    rules, other = view.rules, player(_partner(view))
    return (
        f"You meet {other}, who chooses at the same time as you. Helping costs you"
        f" {exact(rules['cost'])} and gives {other} {exact(rules['benefit'])}."
        f" {seen_by(view, _partner(view))} Do you help?"
    )


def _turn(event: Event) -> str:
    return f"{' and '.join(map(player, event.record['players']))} meet"


def _met(met: Record) -> str:
    one, other = map(player, met["players"])
    return f"{one} and {other} met and chose to {' and to '.join(met['actions'])}"


def _actions(met: Encounter | None, meeting: Sequence[Event]) -> Sequence[Action | Chosen]:
    """The two choices with what each earns, or who has chosen."""
    if met is not None:
        return help_actions(met, meeting, _result)
    return [
        Chosen(event.by) for event in meeting if event.kind == "choose" and event.by is not None
    ]


def _result(met: Encounter, seat: Seat) -> str:
    return f"{met.rewards[met.pair.index(seat)]:+g}"


def planned(
    _action: Choice, _met: Record, helps: bool, _resources: float, _keys: Mapping[str, Any]
) -> str:
    """The equilibrium player's action."""
    return "cooperate" if helps else "defect"


PLAIN = Game(
    name="reciprocity",
    version=2,
    folder=Path(__file__).parent,
    rules=with_unknown_partners(rules),
    record=NoRecord,
    variant=Variant,
    setting=Setting,
    texts=Texts(
        title="Reciprocity",
        summary="Every pair meets once, both choose at once to help or not, and both gossip.",
        endings=ENDINGS,
        kinds={
            **KINDS,
            "turn": "two players learn that they meet",
            "choose": "whether a player helps the other",
        },
        sentences={
            **SENTENCES,
            "turn": _turn,
            "choose": action_sentence,
            "encounter": encounter_sentence(encounter, _met),
        },
        published=PUBLISHED | {"choose"},
        family="gossip",
        phases={**PHASES, "choose": "choices"},
        pending={**PENDING, "choose": "chooses"},
        asks={**gossip_asks(_partner), "choose": AskTexts(_choose, {"action": ACTION})},
    ),
    seating=SEATING,
    scoring=SCORING,
    testing=Testing(
        test_variant={"agents_per_match": 2},
        facts_variant={"agents_per_match": 4},
        further_variants=STRANGERS,
    ),
    hints=Hints(
        encounter=encounter,
        sustains_cooperation=help_is_sustained,
        rewards=rewards_of(encounter),
        rounds=encounter_rounds(encounter, pair, lambda rules: rules["cost"], ["choose"]),
    ),
    counting=Counting(
        match=EncounterCounts(encounter, Variant, help_is_sustained, planned),
        measures=MEASURES,
        profile={"cooperation": "cooperated", "rationality": "as_theory"},
    ),
    board=gossip_board(encounter, pair),
    talk=gossip_talk(encounter, pair, _actions, help_stakes),
)
GAME = with_mechanisms(PLAIN)

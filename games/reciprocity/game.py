"""Reciprocity: metadata."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from parlour.games.engine.counting import Counting
from parlour.games.engine.encounter import Action
from parlour.games.engine.game import Game, Hints, Testing, Texts
from parlour.games.engine.moves import Record
from parlour.games.families.gossip_board import gossip_board
from parlour.games.families.gossip_counting import MEASURES, EncounterCounts
from parlour.games.families.gossip_games import (
    ENDINGS,
    PUBLISHED,
    SCORING,
    SEATING,
    NoRecord,
    help_is_sustained,
    rewards_of,
)
from parlour.games.families.gossip_words import PENDING, PHASES
from parlour.games.reciprocity.rules import Setting, Variant, encounter, pair, rules
from parlour.games.reciprocity.words import ASKS, SENTENCES, talk


def planned(
    _action: Action, _met: Record, helps: bool, _resources: float, _keys: Mapping[str, Any]
) -> str:
    """The equilibrium player's action."""
    return "cooperate" if helps else "defect"


COUNTING = Counting(
    match=EncounterCounts(encounter, Variant, help_is_sustained, planned),
    measures=MEASURES,
    profile={"cooperation": "cooperated", "rationality": "as_theory"},
)


GAME = Game(
    name="reciprocity",
    version=2,
    folder=Path(__file__).parent,
    rules=rules,
    record=NoRecord,
    variant=Variant,
    setting=Setting,
    texts=Texts(
        title="Reciprocity",
        summary="Every pair meets once, both choose at once to help or not, and both gossip.",
        endings=ENDINGS,
        kinds={
            "rules": "what all players are told of the game",
            "turn": "two players learn that they meet",
            "choose": "whether a player helps the other",
            "report": "what a player publishes of its own action",
            "encounter": "what happened, as those who may see it learn it",
            "gossip": "what a player tells everybody about the other",
        },
        sentences=SENTENCES,
        published=PUBLISHED | {"choose"},
        family="gossip",
        phases={**PHASES, "choose": "choices"},
        pending={**PENDING, "choose": "chooses"},
        asks=ASKS,
    ),
    seating=SEATING,
    scoring=SCORING,
    testing=Testing(test_variant={"agents_per_match": 2}, facts_variant={"agents_per_match": 4}),
    hints=Hints(
        encounter=encounter, sustains_cooperation=help_is_sustained, rewards=rewards_of(encounter)
    ),
    counting=COUNTING,
    board=gossip_board(encounter, pair),
    talk=talk,
)

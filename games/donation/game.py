"""Donation: metadata."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from parlour.games.donation.rules import Setting, Variant, encounter, pair, rules
from parlour.games.donation.words import ASKS, SENTENCES, talk
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


def planned(
    _action: Action, _met: Record, helps: bool, resources: float, keys: Mapping[str, Any]
) -> str:
    """The equilibrium player's action: a donor that cannot pay defects."""
    return "cooperate" if helps and resources >= keys["cost"] else "defect"


COUNTING = Counting(
    match=EncounterCounts(encounter, Variant, help_is_sustained, planned),
    measures=MEASURES,
    profile={"cooperation": "cooperated", "rationality": "as_theory"},
)


GAME = Game(
    name="donation",
    version=2,
    folder=Path(__file__).parent,
    rules=rules,
    record=NoRecord,
    variant=Variant,
    setting=Setting,
    texts=Texts(
        title="Donation",
        summary="Every pair meets once. Help a stranger at a cost; others hear of it by gossip.",
        endings=ENDINGS,
        kinds={
            "rules": "what all players are told of the game",
            "turn": "a donor learns whom it meets and what both hold",
            "donate": "whether the donor helps",
            "report": "what a donor publishes of its own action",
            "encounter": "what happened, as those who may see it learn it",
            "holdings": "what both held before, told to the recipient that gossips",
            "gossip": "what the recipient tells everybody about the donor",
        },
        sentences=SENTENCES,
        published=PUBLISHED,
        family="gossip",
        phases={**PHASES, "donate": "help?"},
        pending={**PENDING, "donate": "weighs whether to help"},
        asks=ASKS,
    ),
    seating=SEATING,
    scoring=SCORING,
    testing=Testing(test_variant={"agents_per_match": 4}),
    hints=Hints(
        encounter=encounter, sustains_cooperation=help_is_sustained, rewards=rewards_of(encounter)
    ),
    counting=COUNTING,
    board=gossip_board(encounter, pair),
    talk=talk,
)

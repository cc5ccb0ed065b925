"""Donation: metadata."""

from pathlib import Path

from parlour.games.donation.counting import COUNTING
from parlour.games.donation.disclosure import FACTS
from parlour.games.donation.encounter import encounter, pair
from parlour.games.donation.questions import ASKS
from parlour.games.donation.rules import Setting, Variant, rules
from parlour.games.donation.sentences import SENTENCES
from parlour.games.donation.talk import talk
from parlour.games.engine.game import Game, Hints, Testing, Texts
from parlour.games.families.gossip_board import gossip_board
from parlour.games.families.gossip_games import (
    ENDINGS,
    PUBLISHED,
    SCORING,
    SEATING,
    NoRecord,
    help_is_sustained,
)
from parlour.games.families.gossip_sentences import PENDING, PHASES

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
    testing=Testing(test_variant={"agents_per_match": 4}, facts=FACTS),
    hints=Hints(encounter=encounter, sustains_cooperation=help_is_sustained),
    counting=COUNTING,
    board=gossip_board(encounter, pair),
    talk=talk,
)

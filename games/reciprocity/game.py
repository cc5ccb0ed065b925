"""Reciprocity: metadata."""

from pathlib import Path

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
from parlour.games.reciprocity.counting import COUNTING
from parlour.games.reciprocity.disclosure import FACTS
from parlour.games.reciprocity.encounter import encounter, pair
from parlour.games.reciprocity.questions import ASKS
from parlour.games.reciprocity.rules import Setting, Variant, rules
from parlour.games.reciprocity.sentences import SENTENCES
from parlour.games.reciprocity.talk import talk

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
    testing=Testing(
        test_variant={"agents_per_match": 2}, facts=FACTS, facts_variant={"agents_per_match": 4}
    ),
    hints=Hints(encounter=encounter, sustains_cooperation=help_is_sustained),
    counting=COUNTING,
    board=gossip_board(encounter, pair),
    talk=talk,
)

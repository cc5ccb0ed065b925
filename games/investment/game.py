"""Investment: metadata."""

from pathlib import Path

from parlour.games.engine.game import Game, Hints, Testing, Texts
from parlour.games.families.gossip_board import gossip_board
from parlour.games.families.gossip_games import (
    ENDINGS,
    PUBLISHED,
    SCORING,
    SEATING,
    NoRecord,
    rewards_of,
)
from parlour.games.families.gossip_words import PENDING, PHASES
from parlour.games.investment.counting import COUNTING, trust_is_sustained
from parlour.games.investment.rules import Setting, Variant, encounter, pair, rules
from parlour.games.investment.words import ASKS, SENTENCES, talk

GAME = Game(
    name="investment",
    version=2,
    folder=Path(__file__).parent,
    rules=rules,
    record=NoRecord,
    variant=Variant,
    setting=Setting,
    texts=Texts(
        title="Investment",
        summary="Every pair meets once; trust the other with what you hold, or keep what you got.",
        endings=ENDINGS,
        kinds={
            "rules": "what all players are told of the game",
            "turn": "an investor learns whom it meets and what both hold",
            "invest": "how much the investor sends",
            "investment": "the responder learns what has arrived",
            "return": "how much of it the responder gives back",
            "report": "what a player publishes of its own payment",
            "encounter": "what happened, as those who may see it learn it",
            "gossip": "what a player tells everybody about the other",
        },
        sentences=SENTENCES,
        published=PUBLISHED,
        family="gossip",
        phases={**PHASES, "invest": "invest", "return": "return"},
        pending={**PENDING, "invest": "decides what to send", "return": "decides what to return"},
        asks=ASKS,
    ),
    seating=SEATING,
    scoring=SCORING,
    testing=Testing(test_variant={"agents_per_match": 2}, facts_variant={"agents_per_match": 4}),
    hints=Hints(
        encounter=encounter, sustains_cooperation=trust_is_sustained, rewards=rewards_of(encounter)
    ),
    counting=COUNTING,
    board=gossip_board(encounter, pair, "Who trusted whom"),
    talk=talk,
)

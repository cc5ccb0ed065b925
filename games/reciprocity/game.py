"""Reciprocity, what the program must know besides the rules."""

from pathlib import Path

from parlour.games.engine.game import Game
from parlour.games.families.gossip_games import ENDINGS, ROLES, NoRecord, sides
from parlour.games.reciprocity.rules import Setting, Variant, rules

GAME = Game(
    name="reciprocity",
    title="Reciprocity",
    version=1,
    summary="Every pair meets once, both choose at once to help or not, and both gossip.",
    rules=rules,
    record=NoRecord,
    variant=Variant,
    setting=Setting,
    built_in=lambda setting: setting.greedy_seats,
    sides=sides,
    roles=ROLES,
    endings=ENDINGS,
    kinds={
        "rules": "what all players are told of the game",
        "turn": "two players learn that they meet",
        "choose": "whether a player helps the other",
        "report": "what a player publishes of its own action",
        "encounter": "what happened, as those who may see it learn it",
        "gossip": "what a player tells everybody about the other",
    },
    secrets=lambda setting: ((),) * setting.agents_per_match,
    words=lambda setting: (),
    pairing="shared",
    rated="payoff",
    # Two agents' mean returns are equal only where they behave alike.
    draw_probability=0.1,
    folder=Path(__file__).parent,
    rehearsed={"agents_per_match": 2},
)

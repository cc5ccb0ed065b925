"""Donation, what the program must know besides the rules."""

from pathlib import Path

from parlour.games.donation.rules import Setting, Variant, rules
from parlour.games.engine.game import Game
from parlour.games.families.gossip_games import ENDINGS, ROLES, NoRecord, sides

GAME = Game(
    name="donation",
    title="Donation",
    version=1,
    summary="Every pair meets once; help a stranger at a cost, and gossip carries your name on.",
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
        "turn": "a donor learns whom it meets and what both hold",
        "donate": "whether the donor helps",
        "report": "what a donor publishes of its own action",
        "encounter": "what happened, as those who may see it learn it",
        "gossip": "what the recipient tells everybody about the donor",
    },
    secrets=lambda setting: ((),) * setting.agents_per_match,
    words=lambda setting: (),
    pairing="shared",
    rated="payoff",
    # Two agents' mean returns are equal only where they behave alike.
    draw_probability=0.1,
    folder=Path(__file__).parent,
    rehearsed={"agents_per_match": 4},
)

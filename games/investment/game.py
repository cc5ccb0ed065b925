"""Investment, what the program must know besides the rules."""

from pathlib import Path

from parlour.games.engine.game import Game
from parlour.games.families.gossip_games import ENDINGS, ROLES, NoRecord, sides
from parlour.games.investment.rules import Setting, Variant, rules

GAME = Game(
    name="investment",
    title="Investment",
    version=1,
    summary="Every pair meets once; trust the other with what you hold, or keep what you got.",
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
        "turn": "an investor learns whom it meets and what both hold",
        "invest": "how much the investor sends",
        "investment": "the responder learns what has arrived",
        "return": "how much of it the responder gives back",
        "report": "what a player publishes of its own payment",
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

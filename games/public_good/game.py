"""The public good game, what the program must know besides the rules."""

from pathlib import Path

from parlour.games.engine.game import Game
from parlour.games.public_good.rules import Multiplier, Setting, Variant, rules

GAME = Game(
    name="public_good",
    title="Public good",
    version=1,
    summary="Three players fill a common pool that is multiplied and shared; givers fall behind.",
    rules=rules,
    record=Multiplier,
    variant=Variant,
    setting=Setting,
    sides=lambda setting: ("seat 0", "seat 1", "seat 2"),
    roles={"contributor": None},
    wins=True,
    endings={"played": "the rounds are over and the pool is shared: the highest score wins"},
    kinds={
        "rules": "the points at the start, the rounds and the multiplier",
        "contribute": "how many points a player gives to the pool",
        "contributions": "what everybody gave in a round, and has left",
    },
    secrets=lambda setting: ((), (), ()),
    words=lambda setting: (),
    pairing="each_seat",
    rated="payoff",
    # Equal scores come about only where players behave alike.
    draw_probability=0.1,
    folder=Path(__file__).parent,
)

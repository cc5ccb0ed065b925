"""The public good game: metadata."""

from pathlib import Path

from parlour.games.engine.game import Analysis, Game, Hints, Scoring, Seating, Texts
from parlour.games.public_good.board import board
from parlour.games.public_good.counting import COUNTING
from parlour.games.public_good.rules import Multiplier, Setting, Variant, rewards, rules
from parlour.games.public_good.words import ASKS, SENTENCES, talk

GAME = Game(
    name="public_good",
    version=2,
    folder=Path(__file__).parent,
    rules=rules,
    record=Multiplier,
    variant=Variant,
    setting=Setting,
    texts=Texts(
        title="Public good",
        summary="Three players fill a pool that is multiplied and shared; givers fall behind.",
        endings={"played": "the rounds are over and the pool is shared: the highest score wins"},
        kinds={
            "rules": "the points at the start, the rounds and the multiplier",
            "contribute": "how many points a player gives to the pool",
            "contributions": "what everybody gave in a round, and has left",
        },
        sentences=SENTENCES,
        published=frozenset({"contribute"}),
        family="dilemma",
        phases={"contribute": "pool"},
        pending={"contribute": "decides what to give"},
        asks=ASKS,
    ),
    seating=Seating(
        sides=lambda setting: ("seat 0", "seat 1", "seat 2"),
        pairing="each_seat",
    ),
    scoring=Scoring(
        roles={"contributor": None},
        rated="payoff",
        wins=True,
        # Equal scores occur only if players behave alike.
        draw_probability=0.1,
    ),
    hints=Hints(
        analysis=Analysis(
            beliefs=False,
            guidance={
                "contribute": (
                    "To win, the total that you give must be the least of all. Yet aim for as many"
                    " points as you can get in the end, and so encourage the others to fill the"
                    " pool."
                ),
            },
        ),
        sustains_cooperation=lambda keys: keys["multiplier"] >= keys["players"],
        rewards=rewards,
    ),
    counting=COUNTING,
    board=board,
    talk=talk,
)

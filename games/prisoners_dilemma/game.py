"""The prisoner's dilemma for three, what the program must know besides the rules."""

from pathlib import Path

from parlour.games.engine.game import Game
from parlour.games.prisoners_dilemma.rules import Scoring, Setting, Variant, rules

GAME = Game(
    name="prisoners_dilemma",
    title="Prisoner's dilemma",
    version=1,
    summary="Three players, five rounds: whoever defects gains from those who cooperate.",
    rules=rules,
    record=Scoring,
    variant=Variant,
    setting=Setting,
    sides=lambda setting: ("seat 0", "seat 1", "seat 2"),
    roles={"prisoner": None},
    wins=True,
    endings={"played": "the rounds are over: the highest total wins"},
    kinds={
        "rules": "the points of a round and how many rounds there are",
        "choose": "whether a player cooperates or defects",
        "choices": "what everybody chose in a round, and what it earned",
    },
    secrets=lambda setting: ((), (), ()),
    words=lambda setting: (),
    pairing="each_seat",
    rated="payoff",
    # Equal totals are common where players behave alike: about a quarter of drawn matches.
    draw_probability=0.25,
    folder=Path(__file__).parent,
)

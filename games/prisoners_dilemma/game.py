"""The prisoner's dilemma for three: metadata."""

from pathlib import Path

from parlour.games.engine.game import Analysis, Game, Hints, Scoring, Seating, Texts
from parlour.games.prisoners_dilemma.board import board
from parlour.games.prisoners_dilemma.counting import COUNTING
from parlour.games.prisoners_dilemma.rules import PointTable, Setting, Variant, rewards, rules
from parlour.games.prisoners_dilemma.words import ASKS, SENTENCES, talk

GAME = Game(
    name="prisoners_dilemma",
    version=2,
    folder=Path(__file__).parent,
    rules=rules,
    record=PointTable,
    variant=Variant,
    setting=Setting,
    texts=Texts(
        title="Prisoner's dilemma",
        summary="Three players, five rounds: whoever defects gains from those who cooperate.",
        endings={"played": "the rounds are over: the highest total wins"},
        kinds={
            "rules": "the points of a round and how many rounds there are",
            "choose": "whether a player cooperates or defects",
            "choices": "what everybody chose in a round, and what it earned if that is shown",
        },
        sentences=SENTENCES,
        published=frozenset({"choose"}),
        family="dilemma",
        phases={"choose": "choices"},
        pending={"choose": "chooses"},
        asks=ASKS,
    ),
    seating=Seating(
        sides=lambda setting: ("seat 0", "seat 1", "seat 2"),
        pairing="each_seat",
    ),
    scoring=Scoring(
        roles={"prisoner": None},
        rated="payoff",
        wins=True,
        # Equal totals are common if players behave alike: about a quarter of random matches.
        draw_probability=0.25,
    ),
    hints=Hints(
        analysis=Analysis(
            beliefs=False,
            guidance={
                "choose": (
                    "Be strategic. Trust is worth building up, and pays most to the one who defects"
                    " before the others mean to. Choose what brings you the most points."
                ),
            },
        ),
        sustains_cooperation=lambda keys: keys["lone_defector"] < keys["all_cooperate"],
        rewards=rewards,
    ),
    counting=COUNTING,
    board=board,
    talk=talk,
)

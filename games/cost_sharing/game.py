"""Cost sharing: metadata."""

from pathlib import Path

from parlour.games.cost_sharing.board import board
from parlour.games.cost_sharing.counting import COUNTING
from parlour.games.cost_sharing.rules import Setting, Triple, Variant, rules
from parlour.games.cost_sharing.words import ASKS, SENTENCES, talk
from parlour.games.engine.game import (
    Analysis,
    Game,
    Hints,
    Scoring,
    Seating,
    SettingsFile,
    Texts,
)
from parlour.games.families.openings import before_counted, with_shipped_openings

GAME = Game(
    name="cost_sharing",
    version=1,
    folder=Path(__file__).parent,
    rules=rules,
    record=Triple,
    variant=Variant,
    setting=Setting,
    texts=Texts(
        title="Cost sharing",
        summary="Three airlines propose and vote until they agree on who pays how much.",
        endings={
            "agreed": "all three voted for the same split: each keeps what its share leaves of 100",
            "failed": "no agreement in the last round: nobody keeps anything",
        },
        kinds={
            "rules": "the fee, the rounds, and how votes are cast",
            "airlines": "how much each airline uses the airport, known to all",
            "propose": "a player's split of the fee",
            "proposed": "a proposal as all hear it",
            "approve": "for whose proposal a player votes",
            "approvals": "all votes of a round, shown together",
            "approved": "one vote, heard before the next is cast",
        },
        sentences=SENTENCES,
        published=frozenset({"propose", "approve"}),
        family="bargain",
        short_endings={"agreed": "agreed", "failed": "no agreement"},
        phases={"propose": "proposals", "approve": "votes"},
        pending={"propose": "draws up a proposal", "approve": "weighs the proposals"},
        asks=ASKS,
    ),
    seating=Seating(
        sides=lambda setting: ("airlines",) * 3,
        pairing="each_seat",
        for_counted=before_counted,
    ),
    settings_file=SettingsFile(select_records=with_shipped_openings(Triple, Path(__file__).parent)),
    scoring=Scoring(
        roles={"airline": None},
        # An agreement is a joint result: nobody beats anybody.
        rated="none",
        wins=True,
        draw_probability=0.1,
    ),
    hints=Hints(
        analysis=Analysis(
            beliefs=False,
            guidance={
                "propose": (
                    "Adjust your proposal to it, so that all the others will agree. If some of them"
                    " hold on to a split that you find fair, take it over: that is agreement too."
                ),
            },
        ),
    ),
    counting=COUNTING,
    board=board,
    talk=talk,
)

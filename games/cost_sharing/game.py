"""Cost sharing, what the program must know besides the rules."""

from pathlib import Path

from parlour.games.cost_sharing.rules import Setting, Triple, Variant, rules
from parlour.games.engine.game import Game

GAME = Game(
    name="cost_sharing",
    title="Cost sharing",
    version=1,
    summary="Three airlines propose and vote until they agree on who pays how much.",
    rules=rules,
    record=Triple,
    variant=Variant,
    setting=Setting,
    sides=lambda setting: ("airlines",) * 3,
    roles={"airline": None},
    wins=True,
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
    secrets=lambda setting: ((), (), ()),
    words=lambda setting: (),
    pairing="each_seat",
    # Agreeing is a joint result: nobody beats anybody.
    rated="none",
    draw_probability=0.1,
    folder=Path(__file__).parent,
)

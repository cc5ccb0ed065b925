"""Board of cost sharing: the proposed splits of each round and who voted for them."""

from collections import defaultdict
from collections.abc import Sequence

from parlour.games.engine.board import StackedBar, StackedBars
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Outcome, Seat


def board(
    _seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
) -> tuple[StackedBars, ...]:
    """One bar a proposal with the seats that voted for it, and at last the split agreed on."""
    voters = _voters(events)
    bars = []
    for event in events:
        if event.kind == "proposed":
            proposer = event.record["proposer"]
            supporters = tuple(voters[event.round, proposer])
            parts = tuple(event.record["shares"])
            bars.append(StackedBar(proposer, event.round, parts, supporters))
    result = ""
    if outcome is not None:
        shares = outcome.facts["shares"]
        result = "No agreement" if shares is None else "Agreed: " + " / ".join(map(str, shares))
    return (StackedBars("Proposals", tuple(bars), result),)


def _voters(events: Sequence[Event]) -> dict[tuple[int, Seat | None], list[Seat]]:
    """The seats that voted for each proposal, by round and proposer."""
    voters: dict[tuple[int, Seat | None], list[Seat]] = defaultdict(list)
    for event in events:
        if event.kind == "approvals":
            for voter, proposer in enumerate(event.record["proposers"]):
                voters[event.round, proposer].append(Seat(voter))
        elif event.kind == "approved":
            voters[event.round, event.record["proposer"]].append(event.record["voter"])
    return voters

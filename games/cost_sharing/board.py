"""Board of cost sharing: the proposed splits of each round and who voted for them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from parlour.games.engine.board import Board, Comparisons, StackedBar, StackedBars
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Outcome, Seat
from parlour.games.families.usage import by_usage

Voters = Mapping[tuple[int, Seat], Sequence[Seat]]
"""The seats that voted for each proposal, by round and proposer."""


def board(
    seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
) -> tuple[Board, ...]:
    """One bar a proposal with the seats that voted for it, and at last the split agreed on.

    Below, the share that each asks for itself now, against its use.
    """
    voters = _voters(events)
    bars = []
    for event in events:
        if event.kind == "proposed":
            proposer = event.record["proposer"]
            supporters = tuple(voters.get((event.round, proposer), ()))
            parts = tuple(event.record["shares"])
            bars.append(StackedBar(proposer, event.round, parts, supporters))
    result = ""
    if outcome is not None:
        shares = outcome.facts["shares"]
        result = "No agreement" if shares is None else "Agreed: " + " / ".join(map(str, shares))
    airlines = next((event for event in events if event.kind == "airlines"), None)
    if airlines is None:
        return (StackedBars("Proposals", tuple(bars), result),)
    usage = by_usage(airlines.record["airlines"])
    asked = {bar.seat: bar.parts[bar.seat] for bar in bars}  # the newest of each
    pairs = tuple((usage[seat], asked.get(seat)) for seat in seats)
    return (
        StackedBars("Proposals", tuple(bars), result, usage, "use"),
        Comparisons("asked of each, against its use", pairs, "uses", "would pay"),
    )


def _voters(events: Sequence[Event]) -> Voters:
    """The votes that were told, and those of the ballot on the table."""
    votes: dict[tuple[int, Seat], Seat | None] = {}
    for event in events:
        if event.kind == "approve" and event.by is not None:
            votes[event.round, event.by] = event.record["proposer"]
        elif event.kind == "approvals":
            for voter, proposer in enumerate(event.record["proposers"]):
                votes[event.round, Seat(voter)] = proposer
        elif event.kind == "approved":
            votes[event.round, event.record["voter"]] = event.record["proposer"]
    voters: dict[tuple[int, Seat], list[Seat]] = defaultdict(list)
    for (round, voter), proposer in sorted(votes.items()):
        if proposer is not None:
            voters[round, proposer].append(voter)
    return voters

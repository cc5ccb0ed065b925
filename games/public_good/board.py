"""Board of the public good game: contributions by round, and the pool."""

from collections.abc import Sequence

from parlour.games.engine.board import Bar, Bars, Board, StackedColumns
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Outcome, Seat


def board(
    seats: Sequence[Seat], events: Sequence[Event], _outcome: Outcome | None
) -> tuple[Board, ...]:
    """Contributions of each round, who gave and kept how much, and what the pool comes to.

    Each player's result is what it would end with if nobody gave more.
    """
    rules = events[0].record if events else {"endowment": 0, "multiplier": 0, "rounds": 0}
    rounds = [event for event in events if event.kind == "contributions"]
    columns = tuple(tuple(event.record["amounts"]) for event in rounds)
    endowment, multiplier = rules["endowment"], rules["multiplier"]
    left = rounds[-1].record["left"] if rounds else [endowment] * len(seats)
    pool = sum(endowment - points for points in left)
    share = pool * multiplier / len(seats)
    bars = tuple(
        Bar("", endowment - left[seat], seat, rest=left[seat], result=left[seat] + share)
        for seat in seats
    )
    note = f"pool {pool:,} × {multiplier:g} = {pool * multiplier:,.10g} · {share:,.1f} back to each"
    return (
        StackedColumns("Pool", columns, rules["rounds"], "given in each round"),
        Bars("who gave, who kept", bars, note, "ends"),
    )

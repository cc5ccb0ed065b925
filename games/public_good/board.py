"""Board of the public good game: contributions by round, and the pool."""

from collections.abc import Sequence

from parlour.games.engine.board import Bar, Bars, Board, Cell, Grid, GridRow
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Outcome, Seat


def board(
    seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
) -> tuple[Board, ...]:
    """Contributions of each round, what is left, the pool, and at the end the final scores."""
    rounds = [event for event in events if event.kind == "contributions"]
    if not rounds:
        return (Grid("Pool", ()),)
    rows = [GridRow(str(event.round), _cells(event.record["amounts"])) for event in rounds]
    left = rounds[-1].record["left"]
    rows.append(GridRow("left", _cells(left), total=True))
    endowment = events[0].record["endowment"]
    pool = sum(endowment - points for points in left)
    note = f"pool {pool}, × {events[0].record['multiplier']:g} at the end"
    given = tuple(Bar("gave", endowment - left[seat], seat) for seat in seats)
    boards: list[Board] = [Grid("Pool", tuple(rows)), Bars("Given to the pool", given, note)]
    if outcome is not None:
        scores = tuple(Cell(f"{payoff:.1f}", payoff) for payoff in outcome.payoffs)
        boards.append(Grid("Final scores", (GridRow("end", scores, total=True),)))
    return tuple(boards)


def _cells(amounts: Sequence[int]) -> tuple[Cell, ...]:
    return tuple(Cell(str(amount), amount) for amount in amounts)

"""Board of the prisoner's dilemma: choices and points by round."""

from collections.abc import Sequence

from parlour.games.engine.board import Cell, Grid, GridRow
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Outcome, Seat


def board(
    seats: Sequence[Seat], events: Sequence[Event], _outcome: Outcome | None
) -> tuple[Grid, ...]:
    """C or D of each player with its points in each round, and the totals."""
    totals = dict.fromkeys(seats, 0.0)
    rows = []
    for event in events:
        if event.kind != "choices":
            continue
        cells = []
        for seat in seats:
            action, points = event.record["actions"][seat], event.record["points"][seat]
            totals[seat] += points
            cells.append(Cell(f"{action[0].upper()} {points:g}", points))
        rows.append(GridRow(str(event.round), tuple(cells)))
    if rows:
        sums = tuple(Cell(f"{total:g}", total) for total in totals.values())
        rows.append(GridRow("sum", sums, total=True))
    return (Grid("Choices", tuple(rows)),)

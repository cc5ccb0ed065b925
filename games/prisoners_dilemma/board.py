"""Board of the prisoner's dilemma: choices and points by round."""

from collections.abc import Sequence

from parlour.games.engine.board import Cell, Grid, GridRow
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Outcome, Seat
from parlour.games.prisoners_dilemma.rules import PointTable, points


def board(
    seats: Sequence[Seat], events: Sequence[Event], _outcome: Outcome | None
) -> tuple[Grid, ...]:
    """C or D of each player with its points in each round, and the totals."""
    totals = dict.fromkeys(seats, 0.0)
    scored = events[0].record if events else {}
    names = PointTable.model_fields
    scoring = PointTable.model_validate({name: scored.get(name, 0) for name in names})
    rows = []
    for event in events:
        if event.kind != "choices":
            continue
        cells = []
        actions = dict(zip(seats, event.record["actions"], strict=True))
        for seat, earned in points(scoring, actions).items():
            totals[seat] += earned
            cells.append(Cell(f"{actions[seat][0].upper()} {earned:g}", earned))
        rows.append(GridRow(str(event.round), tuple(cells)))
    if rows:
        sums = tuple(Cell(f"{total:g}", total) for total in totals.values())
        rows.append(GridRow("sum", sums, total=True))
    return (Grid("Choices", tuple(rows)),)

"""Board of the prisoner's dilemma: choices and points by round, and what a round pays."""

from collections.abc import Sequence
from typing import get_args

from parlour.games.engine.board import Board, Grid, GridCell, GridRow, Lines, Payoff, Payoffs
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Outcome, Seat
from parlour.games.prisoners_dilemma.rules import Action, PointTable, points

COOPERATE, DEFECT = get_args(Action)


def board(
    seats: Sequence[Seat], events: Sequence[Event], _outcome: Outcome | None
) -> tuple[Board, ...]:
    """C or D of each player with its points in each round, the totals, and the points so far."""
    rules = events[0].record if events else {}
    names = PointTable.model_fields
    scoring = PointTable.model_validate({name: rules.get(name, 0) for name in names})
    rounds = rules.get("rounds", 0)
    sums = {seat: [0.0] for seat in seats}
    rows = []
    for event in events:
        if event.kind != "choices":
            continue
        actions = dict(zip(seats, event.record["actions"], strict=True))
        cells = []
        for seat, earned in points(scoring, actions).items():
            sums[seat].append(sums[seat][-1] + earned)
            cells.append(_cell(actions[seat], earned))
        together = sum(action == COOPERATE for action in actions.values())
        note = f"{together}/{len(actions)}"
        rows.append(GridRow(str(event.round), tuple(cells), note=note))
    if rows:
        cells = [GridCell(f"{values[-1]:g}") for values in sums.values()]
        rows.append(GridRow("total", tuple(cells), total=True))
    return (
        Grid("Choices", tuple(rows), rounds, "together"),
        Lines("points so far", tuple(map(tuple, sums.values())), rounds),
        Payoffs("what a round pays", tuple(_payoffs(scoring, seats))),
    )


def _cell(action: Action, earned: float | None = None) -> GridCell:
    note = "" if earned is None else f"{earned:+g}"
    return GridCell(action[0].upper(), note, good=action == COOPERATE)


def _payoffs(scoring: PointTable, seats: Sequence[Seat]) -> list[Payoff]:
    """The points for each number of defectors, who stand last."""
    rows = []
    for defectors in range(len(seats) + 1):
        cooperators = len(seats) - defectors
        chosen = [COOPERATE] * cooperators + [DEFECT] * defectors
        earned = points(scoring, dict(zip(seats, chosen, strict=True)))
        rows.append(Payoff(tuple(map(_cell, chosen)), tuple(earned.values())))
    return rows

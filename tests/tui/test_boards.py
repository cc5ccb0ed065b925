"""Each kind of picture that a game's folder can make, as text; and boards that fail."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from parlour.games.engine.board import (
    Arrow,
    Bar,
    Bars,
    Board,
    Cell,
    Feed,
    FeedItem,
    Grid,
    GridRow,
    Line,
    Lines,
    Matrix,
    MatrixCell,
    Ring,
    StackedBar,
    StackedBars,
)
from parlour.games.engine.moves import Seat
from parlour.games.engine.table import Table
from parlour.games.undercover import GAME
from parlour.tournament.save.rows import StoredMatch
from parlour.tui.models.save_view import Focus
from parlour.tui.views import side_pane as side

ONE, TWO, THREE = Seat(0), Seat(1), Seat(2)


def focus(make: Any) -> Focus:
    """A match of three whose game makes these pictures."""
    game = replace(GAME, board=make)
    table = Table(game, game.make_setting(game.shipped()[0], game.variant()), 3, 1)
    match = StoredMatch(
        *(1, 0, 0, "key", "undercover", "", "Ada vs Rob", ("Ada", "Rob", "Rob"), (0, 1, 2), 1),
        *(None, None),
    )
    return Focus(match, [], 0, table)


def drawn(*boards: Board) -> tuple[str, Sequence[str]]:
    """The title of the pane, and its lines."""
    at = focus(lambda seats, events, outcome: boards)
    return side.names(at)[0], [line.plain for line in side.texts(at, 0)]


NAMES = ["", "Player 1 Ada", "Player 2 Rob", "Player 3 Rob"]


@pytest.mark.parametrize(
    ("board", "lines"),
    [
        (
            Ring("Votes", (Arrow(ONE, TWO), Arrow(TWO, ONE), Arrow(THREE, TWO)), {TWO: "spy"}),
            [
                "Player 1 Ada ──▶ Player 2",
                "Player 2 Rob ──▶ Player 1",
                "Player 3 Rob ──▶ Player 2",
                "",
                "Player 1 █  1",
                "Player 2 ██ 2  ◀ most votes",
                "          ★ spy",
                "Player 3    0",
            ],
        ),
        (Ring("Trades", ()), ["No trades yet."]),
        (
            Grid("Choices", (GridRow("1", (Cell("C 2", 2), Cell("D 4", 4), Cell("-"))),)),
            ["          P1      P2      P3", "   1     C 2     D 4       -", *NAMES],
        ),
        (Grid("Choices", ()), ["No moves yet."]),
        (
            Bars("Stock", (Bar("holds", 4, ONE), Bar("holds", 1, TWO), Bar("bank", 0))),
            [f"P1 holds {'█' * 20} 4", f"P2 holds {'█' * 5} 1", "bank  0"],
        ),
        (
            StackedBars("Splits", (StackedBar(TWO, 1, (50, 50), (ONE,)),), "No deal"),
            ["Round 1", "  P2  50 / 50  ◀ P1", "", "No deal"],
        ),
        (
            Matrix(
                "Help",
                (MatrixCell(ONE, TWO, True, 0.5), MatrixCell(TWO, ONE, False)),
                "holds",
                (1, 2, 3),
                ("", "", ""),
            ),
            ["P1 → P2 + 50 %", "P2 → P1 -"],
        ),
        (Lines("Points", (Line(ONE, (0, 2.5)),)), ["  P1       0     2.5"]),
        (
            Feed("Gossip", (FeedItem(1, ONE, TWO, "mocking", "slow", False),)),
            [" 1 Player 1 → Player 2 mocking slow  ✗ untrue"],
        ),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, list) else "",
)
def test_each_kind_of_picture_is_drawn(board: Board, lines: Sequence[str]) -> None:
    assert drawn(board) == (board.title, lines)


def test_a_game_without_a_board_has_its_moves_listed() -> None:
    assert drawn() == ("Moves", ["No moves yet."])


def test_a_board_that_fails_counts_as_none() -> None:
    def failing(*_: object) -> tuple[Board, ...]:
        raise LookupError("no such event")

    at = focus(failing)
    assert side.names(at) == ("Moves", "Players")
    assert [line.plain for line in side.texts(at, 0)] == ["No moves yet."]

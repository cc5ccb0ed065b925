"""Matches for tests of the board: a scene of a table, of pictures made by hand, and plain lines."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from parlour.games.engine.board import (
    Arrow,
    Bar,
    Bars,
    Board,
    Comparisons,
    Feed,
    FeedItem,
    Grid,
    GridCell,
    GridRow,
    HelpMatrix,
    Lines,
    Payoff,
    Payoffs,
    Ratio,
    Ring,
    Shares,
    StackedBar,
    StackedBars,
    StackedColumns,
)
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Seat
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import Table
from parlour.games.undercover import GAME
from parlour.tournament.save.rows import StoredAnswer, StoredMatch
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.models.save_view import Focus
from parlour.tui.views.boards.boards import board_lines
from parlour.tui.views.scene import Scene, Viewer, scene_of

NAMES = ("Ada", "Rob", "Lin", "Bea", "Max", "Eva", "Otto", "Iris", "Gwen", "Paul", "Nora", "Zoe")

ONE, TWO, THREE = Seat(0), Seat(1), Seat(2)
VOTES = Ring(
    "Ballot",
    (Arrow(ONE, TWO), Arrow(TWO, ONE), Arrow(THREE, TWO)),
    {TWO: "spy"},
    marked=(TWO,),
    counted="vote",
    empty="nobody has voted yet",
)
GRID = Grid(
    "Choices",
    (
        GridRow(
            "1", (GridCell("C", "+2", True), GridCell("D", "+4", False), GridCell("-")), note="1/3"
        ),
        GridRow("total", (GridCell("2"), GridCell("4"), GridCell("0")), total=True),
    ),
    rounds=3,
    notes="both",
)
PAYOFFS = Payoffs(
    "a round pays", (Payoff((GridCell("C", good=True), GridCell("D", good=False)), (0, 4)),)
)
LINES = Lines("points", ((0, 2.5, 5), (0, 0, 0)), rounds=4)
COLUMNS = StackedColumns("Pool", ((20, 0, 20),), 3, "given")
BARS = Bars(
    "gave", (Bar("", 20, ONE, 80, 104), Bar("", 0, TWO, 100, 124)), "pool 20   8 back", "ends"
)
SPLITS = StackedBars(
    "Splits",
    (StackedBar(TWO, 1, (50, 25, 25), (ONE, TWO)), StackedBar(ONE, 2, (0, 100, 0))),
    "No deal",
    (20, 30, 50),
    "use",
)
COMPARED = Comparisons("asked", ((20, 17), (30, 30), (50, None)), "uses", "asks")
MATRIX = HelpMatrix(
    "Help",
    (Arrow(ONE, TWO, True, 0.525), Arrow(TWO, ONE, False)),
    "holds",
    (10, 5, 0),
    ("+", "-", ""),
    meeting=(TWO, THREE),
    ratios=(Ratio("met", 1, 3), Ratio("untrue", 1, 2, bad=True)),
)
FEED = Feed(
    "Gossip",
    (
        FeedItem(1, ONE, TWO, "mocking", "slow", False, "-"),
        FeedItem(2, TWO, ONE, "praising", "fair and generous, as Player 3 said", True, "+"),
        FeedItem(3, THREE, THREE, "", "gave 5", None),
    ),
)
SHARES = Shares("who suspects whom", ((None, 0.9, 0.1), (None, None, None), (0.5, 0.5, None)))
KINDS = (VOTES, GRID, PAYOFFS, LINES, COLUMNS, BARS, SPLITS, COMPARED, MATRIX, FEED, SHARES)


def _drawings() -> dict[str, list[str]]:
    text = Path(__file__).with_name("drawings.txt").read_text(encoding="utf-8")
    parts = [part.splitlines() for part in text.split("=== ")[1:]]
    return {name: lines for name, *lines in parts}


DRAWINGS = _drawings()
"""The lines of pictures by their names."""


def new_table(game: str, setting: int = 0, **keys: object) -> Table:
    """A match of a shipped setting before its first answer."""
    played = find_game(game, "test")
    variant = played.variant.model_validate(keys)
    made = played.make_setting(played.shipped()[setting], variant)
    return Table(played, made, played.seats(made), 3)


def answer_next(table: Table, seed: int = 0) -> None:
    """Answers the pending ask of one seat with a legal sample."""
    assert table.pending is not None
    seat = table.waiting[0]
    dice = Dice(seed, str(table.ask_number), seat)
    table.take({seat: table.pending.sample(seat, dice)})


def scene(
    table: Table,
    look: Look | None = None,
    viewer: Viewer = None,
    notes: Sequence[StoredAnswer] = (),
    agents: Sequence[str] = (),
) -> Scene:
    """The scene of a match in which Ada sits first, then Rob, Lin and so on."""
    seated = tuple(agents or NAMES[: len(table.seats)])
    match = StoredMatch(
        *(1, 0, 0, "key", table.game.name, "", "some match", seated, (), 1), *(None, None)
    )
    focus = Focus(match, list(notes), len(notes), table)
    look = look or Look()
    cast = Cast(sorted({*NAMES, *seated}, key=[*NAMES, *seated].index), look.palette)
    return scene_of(focus, cast, look, viewer=viewer)


def made(*pictures: Board, seats: int = 3, look: Look | None = None) -> Scene:
    """The scene of a match whose game makes these pictures."""
    game = replace(GAME, board=lambda _seats, _events, _outcome: pictures)
    table = Table(game, game.make_setting(game.shipped()[0], game.variant()), 3, 1)
    return scene(table, look, agents=NAMES[:seats])


def plain(shown: Scene, width: int, height: int, **keys: Any) -> list[str]:
    """The lines of a board as text, each checked to be exactly so wide."""
    lines = board_lines(shown, width, height, **keys)
    assert {line.cell_len for line in lines} <= {width}
    return [line.plain.rstrip() for line in lines]

"""Each kind of picture that a game's folder can make, as text; exact widths; boards that fail."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from parlour.games.engine.board import (
    Arrow,
    Bar,
    Bars,
    Board,
    Feed,
    FeedItem,
    Grid,
    GridCell,
    GridRow,
    HelpMatrix,
    Lines,
    Ring,
    Shares,
    StackedBar,
    StackedBars,
    StackedColumns,
)
from parlour.games.engine.moves import Seat
from parlour.tui.look.look import Look
from parlour.tui.look.palette import DAY, FANCY, NIGHT, PLAIN, SIXTEEN
from parlour.tui.views.boards.boards import board_lines, board_title, small_board
from tests.tui.boards import (
    BARS,
    COMPARED,
    DRAWINGS,
    FEED,
    GRID,
    KINDS,
    LINES,
    MATRIX,
    ONE,
    PAYOFFS,
    SHARES,
    SPLITS,
    THREE,
    TWO,
    VOTES,
    made,
    new_table,
    plain,
    scene,
)

PICTURES = {
    "grid": GRID,
    "payoffs": PAYOFFS,
    "bars": BARS,
    "splits": SPLITS,
    "compared": COMPARED,
    "matrix": MATRIX,
    "feed": FEED,
    "shares": SHARES,
}


@pytest.mark.parametrize("name", PICTURES)
def test_each_kind_of_picture_is_drawn(name: str) -> None:
    shown = made(PICTURES[name])
    assert board_title(shown) == PICTURES[name].title
    assert plain(shown, 38, 20) == DRAWINGS[name]


def box_of(lines: Sequence[str], name: str) -> tuple[int, int]:
    """The line and the column of the chip before a name."""
    row = next(index for index, line in enumerate(lines) if name in line)
    return row, lines[row].index(name)


def test_seats_stand_on_the_ring_from_the_top_clockwise_and_stay_there() -> None:
    before = plain(made(replace(VOTES, arrows=(), marked=())), 50, 18)
    assert "nobody has voted yet" in "\n".join(before)
    lines = plain(made(VOTES), 50, 18)
    (top, ada), (right_row, rob), (left_row, lin) = (
        box_of(lines, name) for name in ("Ada", "Rob", "Lin")
    )
    assert top < right_row == left_row
    assert lin < ada < rob
    row, column = box_of(before, "Rob")
    assert row == right_row
    assert abs(column - rob) <= 1  # half a column, since a box with votes is wider
    assert len(lines) == len(before) == 18


def test_a_ring_counts_votes_marks_the_most_and_names_roles_and_who_thinks() -> None:
    text = "\n".join(plain(made(VOTES), 50, 18))
    assert "┗━━ 2 votes ━━┛" in text
    assert "┏━━━ ◆ spy ━━━┓" in text
    assert "── 1 vote ──" in text
    assert "thinks …" not in text
    undecided = plain(made(replace(VOTES, notes={})), 50, 18)
    # Rob, who gives the first clue.
    assert any("━━ thinks … ━━" in line for line in undecided)
    small = "\n".join(plain(made(VOTES), 34, 13))
    assert "┗━━ 2 ━━┛" in small
    assert "Ada" not in small
    assert "┏━━ ◆ ━━┓" in small


def test_arrows_end_in_heads_beside_their_target_in_the_colour_of_who_votes() -> None:
    shown = made(replace(VOTES, arrows=(Arrow(ONE, TWO), Arrow(THREE, TWO))))
    lines = board_lines(shown, 50, 18)
    row, column = box_of([line.plain for line in lines], "Rob")
    assert lines[row - 2].plain.count("▼") == 1
    assert lines[row].plain.count("►") == 1
    for line, head, seat in ((lines[row - 2], "▼", 0), (lines[row], "►", 2)):
        place = line.plain.index(head)
        styles = [str(span.style) for span in line.spans if span.start <= place < span.end]
        assert any(shown.people[seat].colour in style for style in styles)
    assert column


def test_two_that_point_at_each_other_have_an_arrow_each() -> None:
    one = "\n".join(plain(made(replace(VOTES, arrows=(Arrow(ONE, TWO),))), 50, 18))
    both = "\n".join(plain(made(replace(VOTES, arrows=(Arrow(ONE, TWO), Arrow(TWO, ONE)))), 50, 18))
    assert sum(one.count(head) for head in "▲▼◄►") == 1
    assert sum(both.count(head) for head in "▲▼◄►") == 2
    assert count_dots(both) > 1.5 * count_dots(one)


def count_dots(text: str) -> int:
    return sum(bin(ord(sign) - 0x2800).count("1") for sign in text if "⠀" <= sign <= "⣿")


def test_a_refusal_is_dashed() -> None:
    helped = Ring("Help", (Arrow(ONE, TWO, True),), again=True)
    refused = Ring("Help", (Arrow(ONE, TWO, False),), again=True)
    dots = [count_dots("".join(plain(made(ring), 50, 40))) for ring in (helped, refused)]
    assert 0.4 < dots[1] / dots[0] < 0.85


def test_without_dots_charts_are_tables() -> None:
    look = Look(NIGHT, PLAIN)
    assert plain(made(VOTES, look=look), 50, 18) == [
        " A  Ada  # 1                                  by R",
        " R  Rob  ## 2 @ spy                         by A L",
        " L  Lin",
    ]
    assert plain(made(LINES, look=look), 50, 18)[1:] == [
        " A  Ada       0    2.5      5",
        " R  Rob       0      0      0",
    ]
    text = "".join("".join(plain(made(kind, look=look), 60, 30)) for kind in KINDS)
    assert not count_dots(text)


def test_a_share_may_be_a_name_alone() -> None:
    named = Shares("who suspects whom", ((0, 1, 0), (None,) * 3, (0, 0, 0)), named=True)
    lines = plain(made(named), 38, 10)
    assert lines[0].startswith("── who suspects whom ─")
    assert [line.split() for line in lines[2:]] == [
        ["A", "Ada", "·", "▸", "·"],
        ["R", "Rob", "·", "·", "·"],
        ["L", "Lin", "·", "·", "·"],
    ]


@pytest.mark.parametrize(
    ("wanted", "rounds"),
    [
        ("by:1", [1]),
        ("by:ada", [1]),
        ("about:a", [2]),
        ("tone:prais", [2]),
        ("generous by:2", [2]),
        ("by:9", []),
        ("by:", []),
    ],
)
def test_a_filter_takes_numbers_names_tones_and_words(wanted: str, rounds: list[int]) -> None:
    lines = plain(made(FEED), 50, 20, wanted=wanted)
    assert [int(line[:2]) for line in lines[1:] if line[:2].strip().isdigit()] == rounds
    if not rounds:
        assert "no message fits the filter" in lines[1]


def test_a_long_message_takes_two_lines() -> None:
    long = Feed("Gossip", (FeedItem(1, ONE, TWO, "mocking", "never again " * 20, None, "-"),))
    lines = plain(made(long), 38, 20)
    assert len(lines) == 3
    assert lines[2].endswith("…")


@pytest.mark.parametrize("width", [20, 34, 38, 54, 70, 120, 220])
@pytest.mark.parametrize("seats", [1, 2, 3, 7, 12])
def test_every_line_is_exactly_as_wide_as_the_pane(width: int, seats: int) -> None:
    pictures = [*KINDS, *(sized(kind, seats) for kind in KINDS)]
    for palette, signs in ((NIGHT, FANCY), (DAY, PLAIN), (SIXTEEN, FANCY)):
        look = Look(palette, signs)
        for picture in pictures:
            for height in (3, 18, 60):
                shown = made(picture, seats=seats, look=look)
                assert plain(shown, width, height)
                small = small_board(shown, width, height)
                assert {line.cell_len for line in small} <= {width}
                assert len(small) <= height


def sized(picture: Board, seats: int) -> Any:
    """The picture with so many seats in it."""
    everyone = [Seat(seat) for seat in range(seats)]
    match picture:
        case Ring():
            arrows = [Arrow(seat, Seat((seat + 1) % seats)) for seat in everyone]
            return replace(picture, arrows=tuple(arrows))
        case Grid():
            row = GridRow("1", tuple(GridCell("C", "+1", True) for _ in everyone))
            return replace(picture, rows=(row,) * 30, rounds=50)
        case Lines():
            return replace(picture, values=tuple((0, seat, -seat) for seat in everyone))
        case StackedColumns():
            return replace(picture, columns=(tuple(everyone),) * 40)
        case Bars():
            return replace(picture, bars=tuple(Bar("x", seat, seat, 1e9, -1) for seat in everyone))
        case StackedBars():
            return replace(picture, bars=(StackedBar(ONE, 1, tuple(everyone), tuple(everyone)),))
        case HelpMatrix():
            acts = [Arrow(ONE, seat, None, 1) for seat in everyone]
            known = ("+-·" * 9,) * seats
            holdings = tuple(1e7 * seat for seat in everyone)
            return replace(picture, acts=tuple(acts), holdings=holdings, reputation=known)
        case Shares():
            return replace(picture, rows=((1.0,) * seats,) * seats)
    return picture


def test_a_tile_shows_actions_bars_or_the_matrix_and_nothing_of_votes() -> None:
    def tile(board: Board, height: int = 5) -> list[str]:
        return [line.plain.rstrip() for line in small_board(made(board), 34, height)]

    assert tile(VOTES) == tile(SPLITS) == tile(GRID, 2) == []
    assert tile(GRID)[1].split() == ["R", "Rob", "D", "4"]
    assert tile(BARS)[0].startswith(" A  Ada ████▍░")
    assert tile(BARS)[0].endswith(" 20")
    assert tile(MATRIX)[0].split() == ["gave", "to", "A", "R", "L", "holds"]
    assert "+" not in tile(MATRIX)[1]


def test_a_game_without_a_board_has_its_moves_listed() -> None:
    assert board_title(made()) == "Moves"
    assert [line.strip() for line in plain(made(), 50, 18)] == ["No moves yet."]


def test_a_board_that_fails_counts_as_none() -> None:
    def failing(*_: object) -> tuple[Board, ...]:
        raise LookupError("no such event")

    table = new_table("undercover")
    table.game = replace(table.game, board=failing)
    assert board_title(scene(table)) == "Moves"
    assert [line.strip() for line in plain(scene(table), 50, 18)] == ["No moves yet."]


def test_numbers_that_cannot_be_drawn_leave_the_moves() -> None:
    odd = Lines("points", ((0, float("nan")),))
    assert [line.strip() for line in plain(made(odd), 50, 18)] == ["No moves yet."]


def test_what_seats_are_called_in_texts_of_others_is_only_text() -> None:
    hostile = Feed("Go[b]ssip", (FeedItem(1, ONE, TWO, "[red]", "[bold]\x1b[2J\nx", False, "-"),))
    lines = plain(made(hostile), 50, 18)
    assert "[bold][2J x" in lines[1]
    assert board_title(made(hostile)) == "Go[b]ssip"

"""The radar chart: which cells are drawn, and that it fits wherever it is put."""

from collections.abc import Sequence

import pytest
from rich.text import Text

from parlour.tui.look.look import Look
from parlour.tui.look.palette import NIGHT
from parlour.tui.views.radar import FILL, Shape, radar_lines

NAMES = ["one", "two", "three", "four", "five", "six", "seven"]
COLOUR, OTHER = NIGHT.people[0], NIGHT.people[1]
LOOK = Look()


def chart(*shapes: Sequence[float | None], width: int = 60, height: int = 26) -> list[Text]:
    """The chart of one or two shapes, without its legend."""
    colours = (COLOUR, OTHER)
    whole = [Shape("Bea", colours[i], list(values)) for i, values in enumerate(shapes)]
    return radar_lines(LOOK, NAMES, whole, width, height)[:-2]


def drawn(lines: Sequence[Text], style: str) -> str:
    """The signs of a style."""
    signs = ""
    for line in lines:
        for span in line.spans:
            if str(span.style) == style:
                signs += line.plain[span.start : span.end]
    return signs


def dots(text: str) -> int:
    return sum((ord(sign) - 0x2800).bit_count() for sign in text if 0x2800 <= ord(sign) < 0x2900)


def points(lines: Sequence[Text], colour: str = COLOUR) -> int:
    return drawn(lines, f"bold {colour}").count("●")


def test_each_spoke_bears_its_name_and_its_number_where_it_is_narrow() -> None:
    text = "\n".join(line.plain for line in chart([0.5] * 7))
    assert all(name in text for name in NAMES)
    narrow = "".join(line.plain for line in chart([0.5] * 7, width=34, height=20))
    assert sorted(sign for sign in narrow if sign.isdigit()) == list("1234567")
    assert "three" not in narrow


def test_a_larger_value_reaches_further_up() -> None:
    # The top spoke alone: a bar from the middle, with a point at its end.
    tops = []
    for value in (0.25, 0.5, 1.0):
        lines = chart([value, *[None] * 6])
        assert points(lines) == 1
        tops.append(next(row for row, line in enumerate(lines) if "●" in line.plain))
        assert dots(drawn(lines, COLOUR)) > 0
    assert tops == sorted(tops, reverse=True)
    assert len(set(tops)) == 3


def test_the_first_shape_is_filled_in_checked_dots_and_the_second_one_is_not() -> None:
    fill = NIGHT.dimmed(COLOUR, FILL)
    one = chart([1.0] * 7)
    filled = drawn(one, fill)
    assert dots(filled) > 500
    assert dots(filled) / len(filled) < 5.5  # half of eight dots, and where triangles meet more
    both = chart([0.4] * 7, [1.0] * 7)
    assert points(both) == points(both, OTHER) == 7
    assert dots(drawn(both, OTHER)) > 50
    assert dots(drawn(both, NIGHT.dimmed(OTHER, FILL))) == 0


def test_neighbours_are_joined_and_what_is_not_measured_leaves_a_gap() -> None:
    nothing = chart([None] * 7)
    assert points(nothing) == 0
    assert dots(drawn(nothing, COLOUR)) == 0
    whole, gap = chart([1.0] * 7), chart([1.0] * 6 + [None])
    fill = NIGHT.dimmed(COLOUR, FILL)
    # Of seven triangles five are left.
    assert dots(drawn(gap, fill)) / dots(drawn(whole, fill)) == pytest.approx(5 / 7, abs=0.06)
    assert points(gap) == 6


def test_rings_are_behind_the_shapes() -> None:
    web = dots(drawn(chart([None] * 7), NIGHT.grid)) + dots(drawn(chart([None] * 7), NIGHT.rule))
    assert web > 60
    assert dots(drawn(chart([1.0] * 7), NIGHT.grid)) < web / 4


@pytest.mark.parametrize("size", [(1, 1), (8, 3), (12, 5), (26, 12), (48, 20), (120, 20), (40, 60)])
def test_it_has_at_most_the_lines_and_just_the_columns_it_was_given(size: tuple[int, int]) -> None:
    shape = Shape("Bea", COLOUR, [0.3, None, 1.0, 0.0, 0.9, None, 0.5])
    lines = radar_lines(LOOK, NAMES, [shape], *size)
    assert len(lines) <= size[1]
    assert {line.cell_len for line in lines} == {size[0]}


def test_the_legend_names_each_shape() -> None:
    shapes = [Shape("Bea", COLOUR, [1.0] * 7), Shape("[red]mean\x1b[2J", OTHER, [0.5] * 7)]
    legend = radar_lines(LOOK, NAMES, shapes, 60, 26)[-1].plain
    assert "━━ Bea   ━━ [red]mean" in legend
    assert "\x1b" not in legend

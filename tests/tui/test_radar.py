"""The radar chart: which cells are drawn, by hand; and that it fits wherever it is put."""

import pytest

from parlour.tui.widgets.radar import SHAPE, Canvas, radar


def drawn(values: list[float | None], width: int = 26, height: int = 12) -> str:
    """The cells of the shape alone: what stands for the values."""
    shape = ""
    for line in radar(values, width, height):
        styles: dict[int, str] = {}
        for span in line.spans:
            styles |= dict.fromkeys(range(span.start, span.end), str(span.style))
        shape += "".join(c for i, c in enumerate(line.plain) if styles.get(i) == SHAPE)
    return shape


def dots(text: str) -> int:
    return sum((ord(sign) - 0x2800).bit_count() for sign in text)


def test_a_line_sets_the_dots_it_passes() -> None:
    grid = Canvas(2, 1)
    grid.draw((0, 0), (3, 0))  # the top row of two cells: dots 1 and 4 of each
    assert [line.plain for line in grid.lines()] == ["⠉⠉"]
    grid.draw((0, 3), (0, 0))  # and down the left edge: dots 1, 2, 3 and 7
    assert [line.plain for line in grid.lines()] == ["⡏⠉"]


def test_the_shape_hides_the_web_behind_it_and_numbers_hide_both() -> None:
    grid = Canvas(3, 1)
    grid.draw((0, 1), (5, 1), web=1)
    grid.draw((0, 0), (1, 0))
    grid.write((4, 0), "7")
    assert [line.plain for line in grid.lines()] == ["⠉⠒7"]


def test_each_spoke_bears_its_number() -> None:
    text = "".join(line.plain for line in radar([0.5] * 7, 26, 12))
    assert sorted(c for c in text if c.isdigit()) == list("1234567")


def test_a_larger_value_reaches_further() -> None:
    # The top spoke alone: a bar from the middle of 48 dots up, of a radius of 24 - 5 = 19 dots.
    for value in (0.0, 0.5, 1.0):
        assert dots(drawn([value, *[None] * 6])) == round(19 * value) + 1


def test_neighbours_are_joined_and_what_is_not_measured_leaves_a_gap() -> None:
    assert drawn([None] * 7) == ""
    whole, gap = drawn([1.0] * 7), drawn([1.0] * 6 + [None])
    assert 0 < dots(gap) < dots(whole)
    # Of seven sides five are left.
    assert dots(gap) / dots(whole) == pytest.approx(5 / 7, abs=0.1)


@pytest.mark.parametrize("size", [(1, 1), (8, 3), (12, 5), (26, 12), (48, 20), (120, 20), (9, 60)])
def test_it_has_just_the_lines_and_columns_it_was_given(size: tuple[int, int]) -> None:
    lines = radar([0.3, None, 1.0, 0.0, 0.9, None, 0.5], *size)
    if len(lines) == 1:
        assert lines[0].plain == "Too small for the chart."
    else:
        assert len(lines) == size[1]
        assert {line.cell_len for line in lines} == {size[0]}

"""Colours, identity and pieces of lines: contrasts, letters, and exact widths."""

from itertools import combinations

import pytest
from rich.text import Text
from textual.theme import BUILTIN_THEMES
from wcwidth import wcwidth

from parlour.games.engine.game import BUILT_IN
from parlour.tui.look.canvas import Canvas
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look, ShownInterval, fit, spread, whole_words
from parlour.tui.look.palette import DAY, FANCY, NIGHT, PLAIN, SIXTEEN, Palette, Signs, contrast
from parlour.tui.look.themes import palette_of

PALETTES = pytest.mark.parametrize("palette", [NIGHT, DAY], ids=["night", "day"])
WIDTHS = range(1, 221)


@PALETTES
def test_what_is_read_stands_out_from_the_background(palette: Palette) -> None:
    for ink in (palette.text, palette.soft, palette.accent, *palette.people):
        assert contrast(ink, palette.bg) >= 4.5
    assert contrast(palette.faint, palette.bg) >= 4
    for colour in palette.people:
        assert contrast(palette.on_chip, colour) >= 4.5
    for fill in (palette.cooperate, palette.defect):
        assert contrast(palette.on_cell, fill) >= 4.5


@PALETTES
def test_the_number_in_a_heat_cell_can_be_read(palette: Palette) -> None:
    for ramp in (palette.heat, palette.strength):
        assert len(ramp.colours) == len(ramp.inks)
        for ink, colour in zip(ramp.inks, ramp.colours, strict=True):
            assert contrast(ink, colour) >= 3.5


@pytest.mark.parametrize("palette", [NIGHT, DAY, SIXTEEN])
def test_the_first_twelve_people_have_different_colours(palette: Palette) -> None:
    assert len({palette.person(index) for index in range(12)}) == 12
    assert palette.person(12) == palette.person(0)


@pytest.mark.parametrize("theme", list(BUILTIN_THEMES.values()), ids=lambda theme: theme.name)
def test_every_theme_of_textual_gives_a_palette(theme: object) -> None:
    palette = palette_of(theme)  # type: ignore[arg-type]
    if palette.exact:
        assert contrast(palette.text, palette.bg) >= 3


def test_letters_are_initials_and_two_where_two_names_share_one() -> None:
    assert _letters("Bea", "Clara") == ["B", "C"]
    assert _letters("Gwen", "gpt-5-mini") == ["Gw", "Gm"]
    assert _letters("ab", "ab", "ab", "ab") == ["Ab", "A2", "A3", "A4"]
    assert (
        _letters("1", "12", "\x1b[31m") == ["12", "13", "[3"] or len(set(_letters("1", "12"))) == 2
    )


def _letters(*agents: str) -> list[str]:
    cast = Cast([f"{agent}{' ' * index}" for index, agent in enumerate(agents)], NIGHT)
    return [cast[agent].letters for agent in cast.agents]


def test_seats_carry_their_number_where_an_agent_has_several() -> None:
    cast = Cast(["Clara", "Gwen"], NIGHT)
    seats = cast.seats(["Clara", "Clara", "Gwen", "Clara"])
    assert [who.letters for who in seats] == ["C1", "C2", "G3", "C4"]
    assert [who.name for who in seats] == ["Clara·1", "Clara·2", "Gwen", "Clara·4"]
    assert len({who.colour for who in seats}) == 2


def test_one_agent_in_all_seats_goes_by_seat() -> None:
    seats = Cast(["Rowan"], NIGHT).seats(["Rowan", "Rowan", BUILT_IN])
    assert [who.letters for who in seats] == ["1", "2", "#"]
    assert seats[0].colour != seats[1].colour
    assert seats[2].name == "the rules"


@pytest.mark.parametrize("signs", [FANCY, PLAIN], ids=["fancy", "plain"])
def test_every_sign_is_one_column_wide(signs: Signs) -> None:
    texts = [value for value in _values(signs) if isinstance(value, str)]
    assert all(wcwidth(sign) == 1 for sign in "".join(texts))
    assert PLAIN.columns.isascii()
    assert PLAIN.eighths.isascii()


def _values(signs: Signs) -> list[object]:
    return [*(getattr(signs, name) for name in signs.__slots__), *signs.suits.values()]


@pytest.mark.parametrize("signs", [FANCY, PLAIN], ids=["fancy", "plain"])
def test_every_piece_has_its_width(signs: Signs) -> None:
    look = Look(NIGHT, signs)
    long = Text("a title of some length 日本")
    for width in WIDTHS:
        pieces = [
            look.rule(width, long, "right"),
            look.progress(0.37, width, playing=0.2),
            look.bar(0.37, width, NIGHT.accent),
            look.sparkline([1, 2, 3], width),
            look.forest(ShownInterval(0.2, -0.4, 0.9), width, (-1, 1), NIGHT.accent),
            look.forest(None, width, (-1, 1), NIGHT.accent),
            look.heat(0.7, width),
            fit(long, width),
            fit(long, width, align="right"),
            spread(long, Text("right"), width),
        ]
        assert [piece.cell_len for piece in pieces] == [width] * len(pieces), width


def test_progress_is_full_only_when_all_is_done() -> None:
    look = Look()
    assert "─" in look.progress(0.96, 20).plain
    assert look.progress(1.0, 20).plain == "━" * 20


def test_a_line_of_a_canvas_has_no_holes() -> None:
    for end in combinations((0, 13, 39), 2):
        canvas = Canvas(20, 10)
        canvas.line((0, 0), end, "red")
        cells = {(column // 2, row // 4) for column, row in _straight(*end)}
        drawn = [line.plain for line in canvas.lines()]
        assert all(drawn[row][column] != " " for column, row in cells)


def _straight(x: int, y: int) -> list[tuple[int, int]]:
    steps = max(x, y, 1)
    return [(int(x * step / steps + 0.5), int(y * step / steps + 0.5)) for step in range(steps + 1)]


def test_text_on_a_canvas_keeps_the_width_of_its_lines() -> None:
    canvas = Canvas(12, 3)
    canvas.fill([(0, 0), (23, 0), (23, 11), (0, 11)], "blue")
    canvas.write(9, 1, "日本語 text")
    canvas.write(-2, 0, "left")
    assert [line.cell_len for line in canvas.lines()] == [12, 12, 12]


def test_a_shortened_title_ends_with_a_whole_word() -> None:
    title = Text("2 ♦ Dilemma · match 102 as the audience sees it")
    assert whole_words(title, 47).plain == title.plain
    assert whole_words(title, 40).plain == "2 ♦ Dilemma · match 102 as the audience"
    assert whole_words(title, 13).plain == "2 ♦ Dilemma"
    assert whole_words(Text("Strengthening"), 6).plain == "Stren…"
    for width in WIDTHS:
        assert whole_words(title, width).cell_len <= width

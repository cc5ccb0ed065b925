"""The numbers that the site counts itself, against hand counts."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest

from parlour.games.engine.board import Board
from parlour.games.engine.registry import find_game
from parlour.ratings.skill.race import Swing
from parlour.site.boards import board_figures
from parlour.site.charts import AxisScale, ShareSlice, scale_of, stack_cell
from parlour.site.counts import MOST_POINTS, ChosenMatch, Closest, CooperationRounds, chosen
from parlour.site.figures import Entry
from parlour.site.frame import READABLE, theme_tokens
from parlour.site.wording import sentence_case
from parlour.tui.look.cast import Cast
from parlour.tui.look.palette import DAY, NIGHT, Palette, contrast
from tests.parlour.pages import Page
from tests.ratings.records import dilemma, numbered, undercover, vote
from tests.tui.boards import BARS, COLUMNS, COMPARED, GRID, LINES, MATRIX, SHARES, SPLITS, VOTES


def test_cooperation_is_counted_by_agent_and_round_without_fallbacks() -> None:
    rounds = CooperationRounds()
    records = numbered(dilemma("abc", ["CDC", "DDC"], (1, 2, 3)) for _ in range(2))
    first, *others = records[0].answers
    records[0] = replace(records[0], answers=(replace(first, fault="refusal"), *others))
    for record in records:
        rounds.add(record)
    (game,) = rounds.games()
    expected = {
        "a": [(1, 1, 1), (2, 0, 2)],
        "b": [(1, 0, 2), (2, 0, 2)],
        "c": [(1, 2, 2), (2, 2, 2)],
    }
    assert rounds.agents(game) == list(expected)
    for agent, shares in expected.items():
        course = rounds.course(game, agent)
        assert [(first, k, n) for first, _, k, n, _ in course] == shares


def test_a_long_match_is_cut_into_parts_of_equal_length() -> None:
    rounds = CooperationRounds()
    rounds.add(dilemma("abc", ["CCC"] * 5 + ["DDD"] * 25, (1, 2, 3)))
    course = rounds.course("prisoners_dilemma", "a")
    assert len(course) <= MOST_POINTS
    assert [(first, last) for first, last, *_ in course][:2] == [(1, 3), (4, 6)]
    assert sum(n for _, _, _, n, _ in course) == 30
    assert [k for _, _, k, _, _ in course[:3]] == [3, 2, 0]


def test_the_closest_match_has_the_smallest_lead_that_is_no_tie() -> None:
    closest = Closest()
    records = numbered(
        [
            undercover("xyz", answers=[vote(0, 1), vote(1, 0), vote(2, 2)]),  # tied
            undercover("xyz", answers=[vote(0, 1), vote(1, 1), vote(2, 1)]),  # nobody else
            undercover("xyz", answers=[vote(0, 1), vote(1, 0), vote(2, 1)]),
            dilemma("abc", ["CCC"], (9, 9, 1)),  # shared
            dilemma("abc", ["CCC"], (9, 5, 1)),
            dilemma("abc", ["CCC"], (9, 8, 1)),
        ]
    )
    for record in records:
        closest.add(record, find_game(record.game, "test"))
    best_two = "The best two agents have 9.00 and 8.00 on average"
    assert closest.by_game() == {
        "prisoners_dilemma": (pytest.approx(1 / 9), 6, best_two),
        "undercover": (pytest.approx(1 / 3), 3, "2 votes against 1 in a ballot of 3"),
    }
    swing = Swing(5, "prisoners_dilemma", "a", 25.0, 20.0, 1.5)
    choices = chosen([(records[0], 1.0), (records[1], 2.0)], closest, swing)
    assert reasons(choices) == {2: ["surprising"], 5: ["swing"], 6: ["closest"]}
    # One match may be told for several reasons.
    choices = chosen([(records[5], 2.0)], closest, replace(swing, match=6))
    assert reasons(choices) == {6: ["surprising", "swing", "closest"], 3: ["example"]}


def reasons(choices: Sequence[ChosenMatch]) -> dict[int, list[str]]:
    """The reasons of each match."""
    whys: dict[int, list[str]] = {}
    for choice in choices:
        whys[choice.match] = [why for why, _ in choice.reasons]
    return whys


@pytest.mark.parametrize(
    ("board", "rows"),
    [
        (GRID, ["Ada|C +2|2", "Rob|D +4|4", "Lin|-|0", "both|1/3|"]),
        (BARS, ["Ada|[20, 80]|20|80|104", "Rob|[0, 100]|0|100|124"]),
        (COLUMNS, ["1|[Ada 20, Rob 0, Lin 20]|20|0|20|40"]),
        (
            SPLITS,
            [
                "|use|[Ada 20, Rob 30, Lin 50]|20|30|50|",
                "1|Rob|[Ada 50, Rob 25, Lin 25]|50|25|25|A R",
                "2|Ada|[Ada 0, Rob 100, Lin 0]|0|100|0|nobody",
            ],
        ),
        (COMPARED, ["Ada|20|17|−3.0", "Rob|30|30|0.0", "Lin|50|–|–"]),
        (MATRIX, ["Ada|·|52 %||10|+", "Rob|−|·||5|−", "Lin|||·|0|"]),
        (SHARES, ["Ada|·|90 %|10 %", "Rob|·|·|·", "Lin|50 %|50 %|·"]),
        (VOTES, ["Ada|Rob|", "Rob|Ada|", "Lin|Rob|"]),
        (LINES, ["0|0|0", "1|2.5|0", "2|5|0"]),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, list) else "",
)
def test_a_board_is_a_table_of_its_numbers(board: Board, rows: Sequence[str]) -> None:
    people = Cast(("Ada", "Rob", "Lin"), DAY).seats(("Ada", "Rob", "Lin"))
    (figure,) = board_figures([board], people, "match-1")
    assert figure.title == sentence_case(board.title)
    assert ["|".join(map(cell_words, row)) for row in figure.table.rows] == rows


def cell_words(cell: Entry) -> str:
    """The words of a cell: a name, a text with its note, or those of a bar."""
    if isinstance(cell, str):
        return cell
    if cell.picture is not None:
        return f"[{Page(cell.picture).root.children[0].attributes['aria-label']}]"
    name = cell.person.name if cell.person else ""
    return " ".join(filter(None, (name, cell.text, cell.small)))


def test_a_part_of_a_bar_is_labelled_where_its_label_fits() -> None:
    slices = [ShareSlice("part", 0.1, "few", "10"), ShareSlice("part", 0.9, "most", "90")]
    bar = Page(stack_cell(slices, "a split")).root
    assert [each.attributes["width"] for each in bar.all("rect")] == ["10%", "90%"]
    assert [each.text for each in bar.all("text")] == ["90"]


@pytest.mark.parametrize(
    ("scale", "ticks"),
    [
        (AxisScale(0, 1), [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (AxisScale(-0.8, 0.9), [-0.5, 0, 0.5]),
        (AxisScale(0, 492), [0, 100, 200, 300, 400]),
    ],
)
def test_ticks_are_round_numbers(scale: AxisScale, ticks: list[float]) -> None:
    assert scale.ticks() == pytest.approx(ticks)


def test_a_scale_holds_zero_and_every_value() -> None:
    for values in ([], [None], [0.0], [3.0, None, 5.0], [-2.0]):
        scale = scale_of(values)
        for value in (0.0, *filter(None, values)):
            assert scale.low <= value <= scale.high
        assert scale.low < scale.high


@pytest.mark.parametrize("palette", [DAY, NIGHT])
def test_every_ink_can_be_read_on_its_ground(palette: Palette) -> None:
    tokens = theme_tokens(palette)
    grounds = [name for name in tokens if f"{name}-ink" in tokens]
    assert len(grounds) == 13
    pairs = [(tokens[f"{name}-ink"], tokens[name]) for name in grounds]
    pairs += [(tokens[f"p{number}"], tokens["bg"]) for number in range(12)]
    pairs += [(tokens["on-chip"], tokens[f"p{number}"]) for number in range(12)]
    words = product(("text", "soft", "accent"), ("bg", "panel"))
    pairs += [(tokens[name], tokens[ground]) for name, ground in words]
    for ink, ground in pairs:
        assert contrast(ink, ground) >= READABLE, (ink, ground)

"""The filter of the match list: which matches fit, and in which order they stand."""

import pytest

from parlour.games.engine.registry import games
from parlour.tournament.save.queries import MatchLine
from parlour.tui.models.match_filter import fitting
from parlour.tui.models.match_tree import Heading, MatchRow, MatchTree, Shown, TreeRow

PLAYED = [games()["impostor"], games()["undercover"]]


def line(number: int, entry: int, ending: str | None, frozen: str | None = None) -> MatchLine:
    return MatchLine(number, entry, f"Gwen vs Otto {number % 2}", 0, ending, frozen)


LINES = [
    line(1, 0, "convicted"),
    line(2, 0, "escaped"),
    line(3, 1, "impostor_like"),  # an ending with the title of another game
    line(4, 1, None),
    line(5, 0, None, "the agent is gone"),
    line(6, 0, None),
]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("impostor", [1, 2, 5, 6]),
        ("r", [1, 2, 3, 4, 5, 6]),
        ("un", [3, 4]),
        ("caught", [1]),  # "impostor caught" in the list
        ("convicted", []),  # nowhere on the screen
        ("frozen", [5]),
        ("gwen vs otto 0", [2, 4, 6]),
        ("3", [3]),
        ("zzz", []),
    ],
)
def test_a_filter_names_games_or_else_what_a_row_says(text: str, numbers: list[int]) -> None:
    assert [row + 1 for row in fitting(LINES, PLAYED, text)] == numbers


def test_a_filter_keeps_the_order_of_the_list() -> None:
    tree = MatchTree(LINES, [("impostor", ""), ("undercover", "")])

    def rows(wanted: list[int] | None) -> list[TreeRow]:
        tree.update(Shown([6], 1, 40, [3, 1], wanted))
        return [row for row in tree.rows if isinstance(row, MatchRow | Heading)]

    def matches(wanted: list[int] | None) -> list[int]:
        return [row.number for row in rows(wanted) if isinstance(row, MatchRow)]

    assert matches(None) == [6, 5, 2, 1]
    assert matches([0, 1, 4, 5]) == [6, 5, 2, 1]
    assert tree.first == 6
    assert matches([2, 3]) == [3, 4]
    assert tree.first == 3

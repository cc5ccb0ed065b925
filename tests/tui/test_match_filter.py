"""The filter of the match list: which matches fit, and in which order they stand."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from parlour.tournament.save.reader import Save
from parlour.tui.models.match_tree import (
    GroupHeading,
    MatchLines,
    MatchRow,
    MatchTree,
    TreeBasis,
    fitting,
)
from tests.tournaments import new_save, tamper

GAMES = """
name = "two games"
seed = 1
[[games]]
name = "impostor"
limit = 1
matches = 2
[[games]]
name = "undercover"
limit = 1
[[agents]]
name = "Gwen"
strategy = "random"
[[agents]]
name = "Otto"
strategy = "random"
"""
OUTCOME = '{{"ending": "{}", "payoffs": [], "roles": [], "sides": []}}'
IMPOSTOR = range(1, 5)
UNDERCOVER = range(5, 7)


@pytest.fixture
def save(tmp_path: Path) -> Path:
    save = new_save(tmp_path, GAMES)
    with Save(save) as reader:
        assert [match.game for match in reader.matches()] == [
            *["impostor"] * len(IMPOSTOR),
            *["undercover"] * len(UNDERCOVER),
        ]
    # The last one is an ending with the title of another game.
    for number, ending in ((1, "convicted"), (2, "escaped"), (5, "impostor_like")):
        sql = "UPDATE matches SET outcome = ? WHERE number = ?"
        tamper(save, sql, OUTCOME.format(ending), number)
    tamper(save, "UPDATE matches SET frozen = 'the agent is gone' WHERE number = 3")
    return save


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("impostor", IMPOSTOR),
        ("r", [*IMPOSTOR, *UNDERCOVER]),
        ("un", UNDERCOVER),
        ("caught", [1]),  # "impostor caught" in the list
        ("convicted", []),  # nowhere on the screen
        ("frozen", [3]),
        ("zzz", []),
    ],
)
def test_a_filter_names_games_or_else_what_a_row_says(
    save: Path, text: str, numbers: Sequence[int]
) -> None:
    with Save(save) as reader:
        assert list(fitting(reader, MatchLines(reader), text)) == list(numbers)


def test_a_filter_keeps_the_order_of_the_list(save: Path) -> None:
    with Save(save) as reader:
        lines = MatchLines(reader)
        entries = [(entry.game.name, entry.condition) for entry in reader.tournament.games]
    tree = MatchTree(lines, entries)

    def matches(wanted: list[int] | None) -> list[int]:
        tree.update(TreeBasis((4,), 1, 40, wanted))
        assert any(isinstance(row, GroupHeading) for row in tree.rows)
        return [row.number for row in tree.rows if isinstance(row, MatchRow)]

    assert matches(None) == [4, 3, 2, 1]
    assert matches([1, 2, 3, 4]) == [4, 3, 2, 1]
    assert tree.first == 4
    assert matches([5, 6]) == [5, 6]
    assert tree.first == 5

"""The list of matches as a tree, and its filter: which matches fit, and in which order."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from parlour.tournament.save.reader import Save
from parlour.tui.models import match_tree
from parlour.tui.models.match_tree import (
    GroupHeading,
    InPlayHeading,
    MatchLines,
    MatchRow,
    MatchTree,
    Rest,
    TreeBasis,
    fitting,
)
from tests.tournaments import new_save, scripted, tamper

SEVERAL = """
name = "several"
[[games]]
name = "undercover"
limit = 2
[[games]]
name = "prisoners_dilemma"
""" + scripted(Ada="random", Bea="random", Cy="random")
OVER = """{"ending": "done", "payoffs": [], "roles": [], "sides": []}"""


@pytest.fixture
def save(tmp_path: Path) -> Path:
    return new_save(tmp_path, SEVERAL)


def opened(save: Path) -> tuple[MatchLines, MatchTree, list[tuple[str, str]]]:
    with Save(save) as reader:
        lines = MatchLines(reader)
        entries = [(e.game.name, e.condition) for e in reader.tournament.games]
    return lines, MatchTree(lines, entries), entries


def numbers(tree: MatchTree, *, at_table: bool = False) -> list[int]:
    rows = [row for row in tree.rows if isinstance(row, MatchRow)]
    return [row.number for row in rows if row.at_table == at_table]


def expected(lines: MatchLines, shown: TreeBasis, group: Sequence[int], most: int) -> list[int]:
    """The rows of an open group: the newest ended ones, then the focus if it waits."""
    ended = [number for number in reversed(group) if lines.is_over(number)]
    if shown.focus in ended:
        most = max(most, ended.index(shown.focus) + 1)
    waiting = shown.focus in group and not lines.is_over(shown.focus or 0)
    pinned = [shown.focus] if waiting and shown.focus not in shown.playing else []
    return ended[:most] + [number for number in pinned if number is not None]


@pytest.mark.parametrize("many", [5, 400])
@pytest.mark.parametrize("seed", range(5))
def test_a_tree_that_is_kept_has_the_rows_of_one_that_is_built_anew(
    save: Path, monkeypatch: pytest.MonkeyPatch, many: int, seed: int
) -> None:
    monkeypatch.setattr(match_tree, "MANY_MATCHES", many)
    dice = random.Random(seed)
    lines, tree, entries = opened(save)
    left = list(range(1, len(lines) + 1))
    dice.shuffle(left)
    for _ in range(60):
        for _ in range(dice.choice([0, 0, 1])):
            if left:
                lines.end(left.pop(), frozen=False)
        playing = sorted(left[-2:])
        shown = TreeBasis(playing, dice.randint(1, len(lines)), 12)
        tree.update(shown)
        anew = MatchTree(lines, entries)
        anew._reach = dict(tree._reach)  # the rows that were in sight before stay
        anew.update(shown)
        assert tree.rows == anew.rows
        assert [tree.row_of(n) for n in numbers(tree)] == [anew.row_of(n) for n in numbers(anew)]
        assert shown.focus in {*numbers(tree), *numbers(tree, at_table=True)}


def test_an_open_group_lists_the_newest_finished_matches_and_counts_the_rest(save: Path) -> None:
    lines, tree, _entries = opened(save)
    first = [n for n in range(1, len(lines) + 1) if lines[n].entry == 0]
    for number in first[:8]:
        lines.end(number, frozen=False)
    shown = TreeBasis((first[8],), first[1], 3)
    tree.update(shown)
    assert numbers(tree, at_table=True) == [first[8]]
    assert tree.rows[0] == InPlayHeading(1)
    assert numbers(tree) == expected(lines, shown, first, 3)
    heading, *_ = (row for row in tree.rows if isinstance(row, GroupHeading))
    assert (heading.over, heading.total, heading.is_open) == (8, len(first), True)
    rest = next(row for row in tree.rows if isinstance(row, Rest))
    assert (rest.earlier, rest.to_come) == (1, len(first) - 9)

    tree.toggle(rest)
    tree.update(shown)
    assert numbers(tree) == [*reversed(first[:8]), *first[9:]]


def test_moving_among_rows_in_sight_builds_nothing(save: Path) -> None:
    lines, tree, _entries = opened(save)
    for number in range(1, 9):
        lines.end(number, frozen=False)
    tree.update(TreeBasis((), 4, 20))
    rows = tree.rows
    tree.update(TreeBasis((), 6, 20))
    assert tree.rows is rows
    lines.end(9, frozen=False)
    tree.update(TreeBasis((), 6, 20))
    assert tree.rows is not rows
    assert 9 in numbers(tree)


def test_a_filter_lists_all_that_fit_below_their_games(save: Path) -> None:
    lines, tree, _entries = opened(save)
    with Save(save) as reader:
        wanted = list(fitting(reader, lines, "ada vs cy"))
    every = range(1, len(lines) + 1)
    assert wanted == [n for n in every if "Ada vs Cy" in lines[n].experiment]
    tree.update(TreeBasis((), 1, 12, wanted))
    assert numbers(tree) == wanted
    entries = [lines[number].entry for number in wanted]
    totals = [row.total for row in tree.rows if isinstance(row, GroupHeading)]
    assert totals == [entries.count(0), entries.count(1)]


@pytest.mark.parametrize("text", ["2", "12", "1 ada", "done", "cy", "cy done", "2 b", "é"])
def test_a_filter_finds_what_a_plain_search_finds(save: Path, text: str) -> None:
    tamper(save, "UPDATE matches SET outcome = ? WHERE number % 3 = 0", OVER)
    with Save(save) as reader:
        lines = MatchLines(reader)
        words = {
            n: f"{n} {lines[n].experiment} {'done' if n % 3 == 0 else ''}"
            for n in range(1, len(lines) + 1)
        }
        wanted = list(fitting(reader, lines, text))
        assert wanted == [n for n in words if text in words[n].casefold()]


def test_lines_count_what_the_save_counts(save: Path) -> None:
    tamper(save, "UPDATE matches SET outcome = ? WHERE number IN (2, 3)", OVER)
    tamper(save, "UPDATE matches SET frozen = 'it differs' WHERE number = 5")
    with Save(save) as reader:
        lines = MatchLines(reader)
        assert lines.count == reader.match_count()
    assert (lines.over, sum(lines.totals), sum(lines.ended)) == (3, len(lines), 3)
    assert (lines.first_left(), lines.last_over(2), lines.last_over(9)) == (1, [3, 5], [2, 3, 5])


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
""" + scripted(Gwen="random", Otto="random")
OUTCOME = '{{"ending": "{}", "payoffs": [], "roles": [], "sides": []}}'
IMPOSTOR = range(1, 5)
UNDERCOVER = range(5, 7)


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A save of two games with some endings."""
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
    mixed: Path, text: str, numbers: Sequence[int]
) -> None:
    with Save(mixed) as reader:
        assert list(fitting(reader, MatchLines(reader), text)) == list(numbers)


def test_a_filter_keeps_the_order_of_the_list(mixed: Path) -> None:
    with Save(mixed) as reader:
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

"""The panes of a fork: exact widths, where they begin, what is marked, and hostile words."""

import pytest
from rich.text import Text

from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import play, sampled
from parlour.tui.look.look import Look
from parlour.tui.look.palette import NIGHT, PLAIN
from parlour.tui.views.fork import SAME, fork_lines
from tests.tui.test_talk import EVERY, NAMES, WIDTHS, answer, new_table, scene

EDGE = Look().signs.edge


def clued(*clues: str) -> Table:
    """A match of Undercover with these clues, in the order of the asks."""
    table = new_table("undercover")
    for clue in clues:
        while table.pending is not None and table.pending.kind != "clue":
            table.answer({seat: sampled(table, seat) for seat in table.waiting})
        answer(table, table.waiting[0], text=clue)
    return table


def plain(lines: list[Text]) -> list[str]:
    return [line.plain.rstrip() for line in lines]


def marked(lines: list[Text]) -> list[str]:
    """The lines with the sign of a difference."""
    return [line.plain[1:].strip() for line in lines if line.plain.startswith(EDGE)]


def test_a_fork_begins_with_the_round_in_which_it_parts_and_marks_what_differs() -> None:
    clues = ["first", "second", "third", "fourth", "fifth"]
    went, fork = clued(*clues), clued(*clues[:4], "another")
    lines = fork_lines(scene(fork), scene(went), 60, 40)
    assert SAME in lines[0].plain
    assert "round 2" in lines[1].plain
    assert marked(lines) == ["another"]
    assert not any("first" in line.plain for line in lines)
    other = fork_lines(scene(went), scene(fork), 60, 40)
    assert marked(other) == ["fifth"]


def test_a_seat_that_another_agent_plays_differs_in_what_it_does_alone() -> None:
    went, fork = clued("first", "second"), clued("first", "second")
    lines = fork_lines(scene(fork, ["Zoe", *NAMES[1:3]]), scene(went, NAMES[:3]), 60, 40)
    assert not marked(lines)
    assert any("Nothing differs." in line for line in plain(lines))


def test_a_match_that_is_behind_the_other_says_so_and_whom_it_waits_for() -> None:
    went, fork = clued("first", "second"), clued("first")
    text = plain(fork_lines(scene(fork), scene(went), 60, 40))
    assert any("No further yet." in line for line in text)
    assert any("looks for a clue" in line for line in text)
    assert marked(fork_lines(scene(went), scene(fork), 60, 40))


@EVERY
@pytest.mark.parametrize("look", [Look(), Look(NIGHT, PLAIN)], ids=["signs", "plain"])
def test_every_line_is_as_wide_as_its_pane(name: str, look: Look) -> None:
    table, other = new_table(name), new_table(name, seed=2)
    play(table)
    for width in WIDTHS:
        lines = fork_lines(scene(table, look=look), scene(other), width, 30)
        assert {line.cell_len for line in lines} == {width}


def test_a_match_that_has_not_begun_or_is_hidden_draws_something() -> None:
    nothing = fork_lines(scene(None), scene(None), 40, 10)
    assert {line.cell_len for line in nothing} == {40}
    hidden = scene(None)
    hidden.focus.barred = True
    text = plain(fork_lines(hidden, scene(None), 80, 10))
    assert any("A person plays in this fork" in line for line in text)

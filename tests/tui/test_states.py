"""The states of panes that have nothing to draw yet: sentences in the middle, exact widths."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from rich.text import Text
from textual.geometry import Size

from parlour.ratings.reports.ranking import leaderboard
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.models.save_view import BARRED
from parlour.tui.models.standings import Standings
from parlour.tui.views.standings import NOBODY, standings_lines
from parlour.tui.views.states import SILENT, match_state, too_small

WIDTHS = (20, 34, 54, 80, 220)


class Part:
    """An object with some fields, in place of a whole save."""

    def __init__(self, **fields: object) -> None:
        self.__dict__.update(fields)


def in_the_middle(lines: Sequence[Text], width: int) -> str:
    """The words of a pane, each line of which has its width."""
    assert all(line.cell_len == width for line in lines)
    return " ".join(" ".join(line.plain for line in lines).split())


@pytest.mark.parametrize("width", WIDTHS)
def test_a_talk_without_words_says_so_and_names_the_keys_while_there_is_more_to_play(
    width: int,
) -> None:
    scene = cast(Any, Part(focus=Part(barred=False), look=Look()))
    for done, words in ((False, SILENT), (True, SILENT[:1])):
        watched = cast(Any, Part(progress=Part(done=done)))
        lines = match_state(watched, scene, [], width, 12)
        assert in_the_middle(lines, width) == " ".join(words)
    assert match_state(watched, scene, [Text("said")], width, 12) == [Text("said")]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_match_of_people_is_barred_even_where_something_was_said(width: int) -> None:
    scene = cast(Any, Part(focus=Part(barred=True), look=Look()))
    lines = match_state(cast(Any, Part()), scene, [Text("a secret")], width, 12)
    assert in_the_middle(lines, width) == " ".join(BARRED.split())


@pytest.mark.parametrize("width", WIDTHS)
def test_standings_are_grey_rows_while_computed_a_sentence_without_matches_or_the_trouble(
    width: int,
) -> None:
    look = Look()
    standings, people = Standings(Path("none.db")), (Cast([], look.palette), look)
    computing = standings_lines(standings, *people, width, 12)
    assert all(line.cell_len == width for line in computing)
    assert [line.plain.split()[0] for line in computing[1:]] == [str(row) for row in range(1, 9)]
    assert computing[0].plain.strip() == "Computing …"
    standings.board = leaderboard([])
    assert in_the_middle(standings_lines(standings, *people, width, 12), width) == NOBODY
    standings.trouble = "the save cannot be read"
    words = in_the_middle(standings_lines(standings, *people, width, 12), width)
    assert words == "✗ the save cannot be read"


@pytest.mark.parametrize("width", [12, 30, 48])
def test_a_terminal_that_is_too_small_says_what_is_needed_and_what_is_there(width: int) -> None:
    words = in_the_middle(too_small(Look(), Size(48, 12), width, 11), width)
    assert words == "60 × 16 at least this terminal has 48 × 12"

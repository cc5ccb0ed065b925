"""A match seen through the eyes of everybody, of the audience and of each seat."""

import pytest

from parlour.games.engine.registry import games
from parlour.tui.views.scene import AUDIENCE, Viewer, next_viewer, viewer_name
from tests.tui.boards import answer_next, new_table, scene


@pytest.mark.parametrize("name", sorted(games()))
def test_a_seat_sees_exactly_what_it_was_told(name: str) -> None:
    table = new_table(name)
    while table.pending is not None:
        for seat in table.seats:
            assert list(scene(table, viewer=seat).events) == list(table.view(seat).events)
            assert not scene(table, viewer=seat).waiting
        public = {id(event) for event in scene(table, viewer=AUDIENCE).events}
        assert all((id(event) in public) == (event.to is None) for event in table.events)
        answer_next(table)
    assert scene(table).outcome is table.outcome
    assert scene(table, viewer=AUDIENCE).outcome is table.outcome
    assert scene(table, viewer=0).outcome is None


def test_the_round_of_viewers_ends_where_it_began() -> None:
    viewers: list[Viewer] = [None]
    for _ in range(5):
        viewers.append(next_viewer(viewers[-1], 3))
    assert viewers == [None, AUDIENCE, 0, 1, 2, None]


def test_the_title_names_the_viewer() -> None:
    table = new_table("undercover")
    assert viewer_name(scene(table)) == ""
    assert viewer_name(scene(table, viewer=AUDIENCE)) == "as the audience sees it"
    assert viewer_name(scene(table, viewer=1)) == "as Rob sees it"


def test_players_are_shown_by_name_and_words_of_players_can_stay_as_written() -> None:
    shown = scene(new_table("undercover"))
    assert shown.words("Player 2 trusts Player 9").plain == "Rob trusts Player 9"
    quoted = shown.words("I trust Player 3", quoted=True)
    assert quoted.plain == "I trust Lin"
    assert any("underline" in str(span.style) for span in quoted.spans)

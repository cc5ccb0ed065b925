"""A match seen through the eyes of everybody, of the audience and of each seat."""

import pytest

from parlour.games.engine.dice import Dice
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.tournament.save.rows import StoredMatch
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.look.palette import NIGHT
from parlour.tui.models.focus import Focus
from parlour.tui.views.scene import (
    AUDIENCE,
    Scene,
    Viewer,
    next_viewer,
    scene_of,
    viewer_name,
)

NAMES = ("Bea", "Clara", "Eva", "Gwen", "Iris", "Linus", "Otto", "Rowan", "Zoe")


def table_of(name: str) -> Table:
    """A match of a game before its first answer."""
    game = games()[name]
    setting = game.make_setting(game.shipped()[0], game.variant())
    return Table(game, setting, game.seats(setting), 3)


def scene(table: Table, viewer: Viewer = None) -> Scene:
    agents = NAMES[: len(table.seats)]
    match = StoredMatch(
        *(1, 0, 0, "key", table.game.name, "", "some match", agents, (), 1), *(None, None)
    )
    focus = Focus(match, [], 0, table)
    return scene_of(focus, Cast(NAMES, NIGHT), Look(), waiting=table.waiting, viewer=viewer)


def answer_sample(table: Table) -> None:
    """Answers the pending ask of one seat with a legal sample."""
    assert table.pending is not None
    seat = table.waiting[0]
    table.take({seat: table.pending.sample(seat, Dice(5, table.ask_number, seat))})


@pytest.mark.parametrize("name", sorted(games()))
def test_a_seat_sees_exactly_what_it_was_told(name: str) -> None:
    table = table_of(name)
    while table.pending is not None:
        for seat in table.seats:
            assert list(scene(table, seat).events) == list(table.view(seat).events)
            assert not scene(table, seat).waiting
        public = {id(event) for event in scene(table, AUDIENCE).events}
        assert all((id(event) in public) == (event.to is None) for event in table.events)
        answer_sample(table)
    assert scene(table).outcome is table.outcome
    assert scene(table, AUDIENCE).outcome is table.outcome
    assert scene(table, 0).outcome is None


def test_the_round_of_viewers_ends_where_it_began() -> None:
    viewers: list[Viewer] = [None]
    for _ in range(5):
        viewers.append(next_viewer(viewers[-1], 3))
    assert viewers == [None, AUDIENCE, 0, 1, 2, None]


def test_the_title_names_the_viewer() -> None:
    table = table_of("undercover")
    assert viewer_name(scene(table)) == ""
    assert viewer_name(scene(table, AUDIENCE)) == "as the audience sees it"
    assert viewer_name(scene(table, 1)) == "as Clara sees it"


def test_players_are_shown_by_name_and_words_of_players_can_stay_as_written() -> None:
    shown = scene(table_of("undercover"))
    assert shown.words("Player 2 trusts Player 9").plain == "Clara trusts Player 9"
    quoted = shown.words("I trust Player 3", quoted=True)
    assert quoted.plain == "I trust Eva"
    assert any("underline" in str(span.style) for span in quoted.spans)

"""One match through the eyes of everybody, the audience and each seat, on the screens."""

from pathlib import Path

from parlour.tui.screens.replay import ReplayScreen
from parlour.tui.views.scene import AUDIENCE
from tests.tui.playing import Driven, driven, pane_text, play, saved

SAVE = Path("saves/small.db")


def title(pilot: Driven, pane: str) -> str:
    return str(pilot.app.screen.query_one(pane).border_title)


def secret_words(pilot: Driven) -> set[str]:
    """The words of all seats of the match on screen, of which each seat knows its own."""
    screen = pilot.at(ReplayScreen)
    table = screen._focus.table
    assert table is not None
    return {str(event.record["word"]) for event in table.events if "word" in event.record}


async def test_one_key_goes_round_everything_the_audience_and_each_seat() -> None:
    async with driven(await saved(SAVE), size=(160, 48)) as pilot:
        pilot.live.show_match(1)
        await pilot.press("r")
        words = secret_words(pilot)
        assert len(words) == 2
        screen = pilot.app.screen
        everything = pane_text(screen, "#talk")
        assert all(word in everything for word in words)
        people = screen.watched.focus.match.agents  # type: ignore[attr-defined]
        await pilot.press("a")
        assert "as the audience sees it" in title(pilot, "#talk")
        for seat in range(len(people)):
            await pilot.press("a")
            assert f"as {people[seat]}" in title(pilot, "#talk")
            assert "◆" not in pane_text(screen, "#board")  # a seat is not told the roles
            assert "★" not in pane_text(screen, "#talk")  # nor who won
            assert any(word in pane_text(screen, "#talk") for word in words)
            assert "Ballot, the own vote alone" in title(pilot, "#board")
            assert "1 vote" not in pane_text(screen, "#board")  # nobody's votes are counted
            assert "helped" not in pane_text(screen, "#board")
            assert "votes of others hidden" in pane_text(screen, "#talk")
        await pilot.press("a")
        assert "sees it" not in title(pilot, "#talk")
        assert pane_text(screen, "#talk") == everything
        assert "Everything is shown" in pilot.toasts[-1]


async def test_a_seats_view_ends_with_its_match_and_the_audiences_stays() -> None:
    async with driven(await saved(SAVE), size=(160, 48)) as pilot:
        pilot.live.show_match(1)
        await pilot.press("a")
        pilot.live.show_match(2)
        assert pilot.live._viewer == AUDIENCE
        await pilot.press("a")
        assert pilot.live._viewer == 0
        pilot.live.show_match(3)
        assert pilot.live._viewer is None
        assert "sees it" not in title(pilot, "#talk")


async def test_the_bell_rings_once_when_the_watched_match_ends_if_it_is_wanted() -> None:
    rung: list[bool] = []
    notified: list[str] = []
    for wanted in (False, True):
        path = SAVE.with_name(f"bell-{wanted}.db")
        async with driven(await saved(path, answers=3), size=(120, 40)) as pilot:
            pilot.live.settings.bell = wanted
            pilot.app.bell = lambda wanted=wanted: rung.append(wanted)  # type: ignore[method-assign, misc]
            pilot.app.send_notification = notified.append  # type: ignore[attr-defined]
            pilot.live.settings.notify, pilot.app.app_focus = wanted, False
            number = pilot.live.watched.focus.match.number  # type: ignore[union-attr]
            pilot.live._following = False
            assert not pilot.live.is_over()
            await play(path)
            await pilot.until(pilot.live.is_over)
            await pilot.pause(0.6)
            assert pilot.live.watched.focus.match.number == number  # type: ignore[union-attr]
    assert rung == [True]
    assert notified == ["bell-True: finished"]

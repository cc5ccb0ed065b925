"""Every game there is on every screen: list, transcript, side panes, replay, leaderboard."""

from pathlib import Path

import pytest

from parlour.games.engine.registry import games
from parlour.tui.screens.leaderboard import LeaderboardScreen
from parlour.tui.screens.replay import ReplayScreen
from parlour.tui.views.boards.boards import board_title
from parlour.tui.views.scene import scene_of
from tests.tui.playing import driven, pane_text, saved

SAVE = Path("saves/one.db")


def tournament(name: str) -> str:
    """One setting of a game, Ada and Rob in turn in its seats."""
    game = games()[name]
    variant = game.variant.model_validate(game.testing.test_variant)
    setting = game.make_setting(
        game.settings_file.select_records(game.shipped(), variant)[0], variant
    )
    lineup = [("Ada", "Rob")[seat % 2] for seat in range(game.seats(setting))]
    keys = "".join(f"{key} = {value!r}\n" for key, value in game.testing.test_variant.items())
    agents = "".join(f'[[agents]]\nname = "{n}"\nstrategy = "random"\n' for n in ("Ada", "Rob"))
    block = f'[[games]]\nname = "{name}"\nlimit = 1\nlineup = {lineup}\n{keys}'
    return f'name = "one"\nseed = 2\n{block}{agents}'


@pytest.mark.slow
@pytest.mark.parametrize("name", games())
async def test_a_game_is_on_every_screen(name: str) -> None:
    game = games()[name]
    async with driven(await saved(SAVE, text=tournament(name)), size=(200, 60)) as pilot:
        screen = pilot.live
        table = screen.watched.focus.table
        assert table is not None
        assert table.outcome is not None
        title = game.texts.title
        await pilot.sees(f"{title} · match 1")
        ending = table.outcome.ending
        words = game.texts.short_endings.get(ending, "")
        assert words[:18] in pane_text(screen, "#matches")
        talk = pane_text(screen, "#talk")
        scene = scene_of(screen.watched.focus, screen.cast(), screen.look)
        assert all(who.letters in talk for who in scene.people)
        assert board_title(scene) in pilot.shown
        assert pane_text(screen, "#board").strip()
        await pilot.press("r", "home", at=ReplayScreen, sees=f"ask 0 of {table.ask_number + 1}")
        assert pane_text(pilot.app.screen, "#talk") != talk
        await pilot.press("escape", "l", "3")  # by role
        assert isinstance(pilot.app.screen, LeaderboardScreen)
        roles = [role.replace("_", "-") for role in table.outcome.roles]
        await pilot.until(lambda: all(role in pilot.shown for role in roles))

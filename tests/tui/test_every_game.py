"""Every game there is on every screen: list, transcript, side panes, replay, leaderboard."""

from pathlib import Path

import pytest

from parlour.games.engine.registry import games
from parlour.tui.screens.leaderboard import LeaderboardScreen
from parlour.tui.screens.replay import ReplayScreen
from parlour.tui.views.boards.boards import board_lines, board_title
from parlour.tui.widgets.drawn import DrawnPane
from tests.tui.playing import driven, live, looped, pane_text, saved, shown, until

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
@looped
async def test_a_game_is_on_every_screen(name: str) -> None:
    game = games()[name]
    async with driven(await saved(SAVE, text=tournament(name)), size=(200, 60)) as pilot:
        screen = live(pilot)
        table = screen.watched.focus.table
        assert table is not None
        assert table.outcome is not None
        await until(pilot, lambda: f"{game.texts.title} · match 1" in shown(pilot))
        ending = table.outcome.ending
        rows = [line.split() for line in pane_text(screen, "#matches").splitlines()]
        (row,) = (" ".join(row) for row in rows if row[:2] == ["▎", "1"])
        assert game.texts.short_endings.get(ending, "") in row
        assert "★" in row or "▲" in row or not any(table.outcome.payoffs)
        talk = " ".join(pane_text(screen, "#talk").split())
        assert "▌" in talk  # the banner of the end
        scene = screen.scene()
        assert scene is not None
        assert board_title(scene) in shown(pilot)
        width = screen.query_one("#board", DrawnPane).scrollable_content_region.width
        first = board_lines(scene, width, 40)[0].plain.split()
        assert pane_text(screen, "#board").splitlines()[0].split() == first
        await pilot.press("r", "home")
        assert isinstance(pilot.app.screen, ReplayScreen)
        assert f"ask 0 of {table.ask_number + 1}" in shown(pilot)
        assert "▌" not in pane_text(pilot.app.screen, "#talk")
        await pilot.press("escape", "l", "3")  # by role
        assert isinstance(pilot.app.screen, LeaderboardScreen)
        await until(pilot, lambda: all(role in shown(pilot) for role in table.outcome.roles))

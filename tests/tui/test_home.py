"""The home screen: the saves there are, their state, and new tournaments."""

import asyncio
import os
import sqlite3
from pathlib import Path

import pytest

from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save
from parlour.tui.screens.home import HomeScreen
from parlour.tui.screens.leaderboard import LeaderboardScreen
from parlour.tui.screens.live import LiveScreen
from parlour.tui.screens.messages import OpenSave
from parlour.tui.widgets.dialogs import Choice, LinePrompt
from parlour.tui.widgets.panes import ListPane
from tests.tui.playing import (
    SMALL,
    detached,
    driven,
    end,
    focused,
    live,
    looped,
    new_save,
    pane_text,
    running,
    saved,
    shown,
    toasts,
    until,
)

SAVES = Path("saves")


async def three_saves() -> None:
    """An unfinished, a finished and a foreign file, the first the newest."""
    for age, (name, answers) in enumerate((("begun", 50), ("done", None))):
        path = await saved(SAVES / f"{name}.db", answers)
        os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    (SAVES / "foreign.db").write_text("not a save")
    os.utime(SAVES / "foreign.db", (1_600_000_000, 1_600_000_000))


@looped
async def test_saves_are_listed_newest_first_with_state_and_progress() -> None:
    await three_saves()
    async with driven(None) as pilot:
        rows = pane_text(pilot.app.screen, "#saves").splitlines()
        # 50 answers of 21 a match, one match after the other: 2 are over.
        assert rows[0].split() == ["begun.db", "○", "unfinished", "2/12", "matches", "small"]
        assert rows[1].split() == ["done.db", "✓", "finished", "12/12", "matches", "small"]
        assert rows[2] == "saves/foreign.db: is not a save of Parlour; name another file"


@looped
async def test_saves_of_the_working_folder_come_after_those_in_the_folder_of_saves() -> None:
    await three_saves()
    await saved(Path("evening.db"), 0)
    foreign = sqlite3.connect("other.db")
    with foreign:
        foreign.execute("CREATE TABLE people (name)")
    foreign.close()
    Path("notes.db").write_text("no database")
    async with driven(None) as pilot:
        rows = pane_text(pilot.app.screen, "#saves").splitlines()
        # Databases of other programs are left out there: the folder may be of any project.
        assert [row.split()[0] for row in rows[:2]] == ["begun.db", "done.db"]
        assert rows[3].split() == ["./evening.db", "○", "unfinished", "0/12", "matches", "small"]
        assert len(rows) == 4
        await pilot.press("end", "enter")
        assert live(pilot).watched.path == Path("evening.db")


@looped
async def test_looking_at_a_save_does_not_make_it_the_newest() -> None:
    await three_saves()
    async with driven(None) as pilot:
        await pilot.press("j", "enter", "escape", "r")
        rows = pane_text(pilot.app.screen, "#saves").splitlines()
        assert [row.split()[0] for row in rows[:2]] == ["begun.db", "done.db"]


@looped
async def test_a_running_save_says_so() -> None:
    save = await saved(SAVES / "a.db", 0)
    async with running(save, pace=1), driven(None) as pilot:
        assert "▶ running" in shown(pilot)


@looped
async def test_a_paused_save_says_so() -> None:
    save = await saved(SAVES / "a.db", 0)
    async with running(save, paused=True), driven(None) as pilot:
        await until(pilot, lambda: "‖ paused" in shown(pilot))


@looped
async def test_with_no_save_the_screen_names_the_key_that_makes_one() -> None:
    async with driven(None) as pilot:
        assert "No saves here yet: n starts a tournament." in shown(pilot)
        await pilot.press("enter", "l", "down")  # nothing is under the cursor
        assert isinstance(pilot.app.screen, HomeScreen)


@looped
async def test_r_reads_the_folder_again() -> None:
    async with driven(None) as pilot:
        await saved(SAVES / "late.db", 0)
        assert "late.db" not in shown(pilot)
        await pilot.press("r")
        await until(pilot, lambda: "late.db" in shown(pilot), seconds=1.5)  # by itself after 3


@looped
async def test_enter_opens_the_save_under_the_cursor_and_l_its_leaderboard() -> None:
    await three_saves()
    async with driven(None) as pilot:
        await pilot.press("j", "enter")
        assert live(pilot).watched.path == SAVES / "done.db"
        await pilot.press("escape", "k", "enter")
        assert live(pilot).watched.path == SAVES / "begun.db"
        await pilot.press("escape", "down", "l")
        assert isinstance(pilot.app.screen, LeaderboardScreen)
        assert pilot.app.screen._path == SAVES / "done.db"
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, HomeScreen)


@looped
async def test_a_file_that_is_no_save_is_refused_in_one_line_and_nothing_else_happens() -> None:
    await three_saves()
    async with driven(None) as pilot:
        await pilot.press("end", "enter")
        assert isinstance(pilot.app.screen, HomeScreen)
        assert toasts(pilot) == ["saves/foreign.db: is not a save of Parlour; name another file"]
        await pilot.press("l")
        await until(pilot, lambda: "is not a save of Parlour" in shown(pilot))


@looped
async def test_one_escape_too_many_leaves_nothing() -> None:
    async with driven(await saved(Path("saves/small.db"), 30)) as pilot:
        await pilot.press("escape", "escape", "escape")
        assert isinstance(pilot.app.screen, HomeScreen)
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, LiveScreen)


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
def test_leaving_from_home_is_immediate_and_leaves_runners_alone(key: str) -> None:
    async def scenario() -> None:
        save = await saved(SAVES / "a.db", 0)
        async with running(save, pace=20) as runner, driven(None) as pilot:
            await pilot.press(key)
            assert pilot.app._exit
            assert runner.state == "running"

    asyncio.run(scenario())


@pytest.mark.slow
@looped
async def test_n_starts_the_demo_paced_so_that_there_is_something_to_watch() -> None:
    save = SAVES / "demo.db"
    try:
        async with driven(None) as pilot:
            await pilot.press("n")
            assert isinstance(pilot.app.screen, Choice)
            assert "1  the preset demo" in shown(pilot)
            await pilot.press("1")
            await until(pilot, lambda: isinstance(pilot.app.screen, LiveScreen))
            await until(pilot, lambda: "▶ running" in shown(pilot))
            assert live(pilot).watched.live.pace == 4.0
            assert live(pilot).watched.path == save
            assert holder(save) is not None
    finally:
        end(save)


@pytest.mark.slow
@looped
async def test_n_plays_a_tournament_file_of_ones_own() -> None:
    Path("mine.toml").write_text(SMALL.replace('"small"', '"My games"'), encoding="utf-8")
    save = SAVES / "my-games.db"
    try:
        async with driven(None) as pilot:
            await pilot.press("n", "end", "enter")
            assert isinstance(pilot.app.screen, LinePrompt)
            await pilot.press(*"mine.toml", "enter")
            await until(pilot, lambda: isinstance(pilot.app.screen, LiveScreen))
            # Scripted players at full speed: it is over in no time.
            await until(pilot, lambda: "✓ finished  12/12" in shown(pilot))
        with Save(save) as opened:
            assert opened.name == "My games"
    finally:
        end(save)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("nowhere.toml", "nowhere.toml: cannot be read (No such file or directory)"),
        ("broken.toml", "broken.toml: agents: is missing"),
    ],
)
def test_a_tournament_file_that_cannot_be_used_is_said_in_one_line(typed: str, said: str) -> None:
    async def scenario() -> None:
        Path("broken.toml").write_text(SMALL[: SMALL.index("[[agents]]")], encoding="utf-8")
        async with driven(None) as pilot:
            await pilot.press("n", "end", "enter", *typed, "enter")
            await until(pilot, lambda: bool(toasts(pilot)))
            assert toasts(pilot)[0].startswith(said)
            assert isinstance(pilot.app.screen, HomeScreen)
            assert not list(Path().glob("saves/*"))

    asyncio.run(scenario())


@looped
async def test_an_empty_or_abandoned_file_name_starts_nothing() -> None:
    async with driven(None) as pilot:
        await pilot.press("n", "end", "enter", "enter")
        await pilot.press("n", "end", "enter", *"x.toml", "escape")
        await pilot.press("n", "escape")
        assert isinstance(pilot.app.screen, HomeScreen)
        assert focused(pilot) == "saves"
        assert toasts(pilot) == []
        assert not SAVES.exists()


@looped
async def test_the_list_stays_where_the_cursor_is_while_saves_come_and_go() -> None:
    await three_saves()
    async with driven(None) as pilot:
        await pilot.press("end")
        (SAVES / "foreign.db").unlink()
        await pilot.press("r")
        assert pilot.app.screen.query_one("#saves", ListPane).cursor == 1


@pytest.mark.slow
@looped
async def test_a_runner_of_another_terminal_is_attached_to() -> None:
    save = await saved(SAVES / "a.db", 0)
    with detached(save, pace=10):
        async with driven(None) as pilot:
            assert "▶ running" in shown(pilot)
            await pilot.press("enter")
            await until(
                pilot,
                lambda: (
                    live(pilot).watched.live is not None and live(pilot).watched.live.answers > 0
                ),
            )


@looped
async def test_the_app_remembers_the_save_that_was_watched_last(tmp_path: Path) -> None:
    first, second = new_save(tmp_path / "a.db"), new_save(tmp_path / "b.db")
    async with driven(first) as pilot:
        assert pilot.app.last_watched == first
        pilot.app.post_message(OpenSave(second))
        await until(pilot, lambda: pilot.app.last_watched == second)

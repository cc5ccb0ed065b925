"""The home screen: the saves there are, their state, and new tournaments."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from parlour.tournament.control.launch import log_file
from parlour.tournament.save.lock import holder, runner_file
from parlour.tui.screens.home import HomeScreen
from parlour.tui.screens.leaderboard import LeaderboardScreen
from parlour.tui.screens.live import LiveScreen
from parlour.tui.widgets.dialogs import ChoiceDialog, LinePrompt, TextInput
from parlour.tui.widgets.panes import ListPane
from tests.tournaments import in_save, tamper
from tests.tui.playing import SMALL, Driven, driven, end, new_save, pane_text, running, saved

SAVES = Path("saves")


def rows_of(pilot: Driven) -> list[list[str]]:
    """The first line of every save in the list, in words."""
    lines = pane_text(pilot.app.screen, "#saves").splitlines()
    return [line.removeprefix("▎").split() for line in lines[::3]]


def names_of(pilot: Driven) -> list[str]:
    """The names of the saves in the list."""
    return [row[0] for row in rows_of(pilot)]


async def read(pilot: Driven) -> None:
    """All saves have been read, and are shown so."""
    screen = pilot.at(HomeScreen)
    await pilot.until(lambda: all(row.state != "unread" for row in screen._rows))


async def three_saves() -> None:
    """An unfinished, a finished and a foreign file, the first the newest."""
    for age, (name, answers) in enumerate((("begun", 50), ("done", None))):
        path = await saved(SAVES / f"{name}.db", answers)
        os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    (SAVES / "foreign.db").write_text("not a save")
    os.utime(SAVES / "foreign.db", (1_600_000_000, 1_600_000_000))


async def test_saves_are_listed_newest_first_with_state_and_progress() -> None:
    await three_saves()
    async with driven(None) as pilot:
        await read(pilot)
        lines = pane_text(pilot.app.screen, "#saves").splitlines()
        # 50 answers of 21 a match, one match after the other: 2 are over.
        assert lines[0].split()[:4] == ["▎", "begun.db", "○", "unfinished"]
        assert lines[0].split()[5:] == ["2", "of", "12", "2023-11-14"]
        assert lines[1].split() == ["▎", "♠♥♦♣", "1", "game", "·", "3", "agents", "leads", "Ada"]
        assert lines[2] == ""
        assert lines[3].split()[:3] == ["done.db", "✓", "finished"]
        assert lines[4].split() == ["♠♥♦♣", "1", "game", "·", "3", "agents", "leads", "Ada"]
        assert lines[6].split() == ["foreign.db", "✗", "failed"]
        assert (
            lines[7].strip().startswith("saves/foreign.db: is not a save of Parlour, or is damag")
        )


async def test_saves_of_the_working_folder_come_after_those_in_the_folder_of_saves() -> None:
    await three_saves()
    await saved(Path("evening.db"), 0)
    tamper(Path("other.db"), "CREATE TABLE people (name)")
    Path("notes.db").write_text("no database")
    async with driven(None) as pilot:
        await read(pilot)
        # Databases of other programs are left out there: the folder may be of any project.
        assert names_of(pilot) == ["begun.db", "done.db", "foreign.db", "./evening.db"]
        assert "4 saves in saves/ and this folder" in pilot.shown
        assert rows_of(pilot)[3][1:3] == ["○", "unfinished"]
        await pilot.press("end", "enter")
        assert pilot.live.watched.path == Path("evening.db")


async def test_looking_at_a_save_does_not_make_it_the_newest() -> None:
    await three_saves()
    async with driven(None) as pilot:
        await pilot.press("j", "enter", "escape", "r")
        await read(pilot)
        assert names_of(pilot)[:2] == ["begun.db", "done.db"]


@pytest.mark.parametrize(("paused", "words"), [(False, "► running"), (True, "‖ paused")])
async def test_a_save_with_a_runner_says_so(paused: bool, words: str) -> None:
    save = await saved(SAVES / "a.db", 0)
    async with running(save, pace=1, paused=paused), driven(None) as pilot:
        await pilot.sees(words)


@pytest.mark.parametrize(
    ("reason", "words", "note"),
    [
        ("budget", "‖ paused", "budget reached"),
        ("killed", "○ stopped", "its process was killed"),
        ("failures", "✗ failed", "the provider refuses the key"),  # in the words of its log
    ],
)
async def test_a_run_that_ended_before_its_time_says_why(
    reason: str, words: str, note: str
) -> None:
    save = await saved(SAVES / "a.db", 50)
    runner_file(save).write_text(json.dumps({"stopped_because": reason}), encoding="utf-8")
    log_file(save).write_text("parlour: the provider refuses the key\n", encoding="utf-8")
    async with driven(None) as pilot:
        await pilot.sees(words)
        assert note in pilot.shown


async def test_wide_screens_have_a_preview_of_the_save_under_the_cursor() -> None:
    await three_saves()
    async with driven(None, size=(160, 48)) as pilot:
        await read(pilot)
        await pilot.press("j")
        text = pane_text(pilot.app.screen, "#preview")
        assert "12 of 12 matches" in text
        assert re.search(r"♠ Undercover +━━━━━━ +12/12", text)
        assert re.search(r"1(–\d)? +A  Ada .*●.*\+\d\.\d\d", text)
        assert re.search(r"L  Lin +literal", text)
        assert "seed 7   schedule round robin" in text
        await pilot.press("k")
        assert "2 of 12 matches" in pane_text(pilot.app.screen, "#preview")
        await pilot.press("2")
        assert pilot.focused == "preview"


async def test_a_hundred_saves_are_listed_at_once_and_read_in_the_background() -> None:
    original = await saved(SAVES / "000.db", 0)
    for number in range(1, 100):
        shutil.copy(original, SAVES / f"{number:03}.db")
    async with driven(None) as pilot:
        assert len(rows_of(pilot)) == 100
        catalogue = pilot.app.screen._catalogue
        paths = catalogue.paths()
        await pilot.until(lambda: all(catalogue.known(path).summary for path in paths))
        before = [catalogue.known(path) for path in catalogue.paths()]
        after = [catalogue.read(path) for path in catalogue.paths()]
        # Not read again: only the state may have changed.
        assert all(one.summary is other.summary for one, other in zip(before, after, strict=True))
        await pilot.press("end", sees="000.db")


async def test_a_search_leaves_the_saves_that_fit() -> None:
    await three_saves()
    async with driven(None) as pilot:
        await read(pilot)
        await pilot.press("slash", *"done", "enter")
        assert names_of(pilot) == ["done.db"]
        assert pilot.focused == "saves"
        await pilot.press("enter")
        assert pilot.live.watched.path == SAVES / "done.db"
        await pilot.press("escape", "escape")
        assert len(names_of(pilot)) == 3
        await pilot.press("slash", *"nothing", sees="No save fits the search.")
        await pilot.press("escape")
        assert len(names_of(pilot)) == 3


# --- The first visit


async def test_with_no_save_the_screen_offers_three_ways_to_begin() -> None:
    async with driven(None) as pilot:
        for words in ("Watch the demo", "New tournament", "Presets", "Nothing is in saves/ yet."):
            assert words in pilot.shown
        await pilot.press("l", "slash")  # nothing to rank or to find
        assert isinstance(pilot.app.screen, HomeScreen)
        await pilot.press("down", "down", "down", "enter", at=ChoiceDialog)


async def test_the_first_save_takes_the_place_of_the_cards() -> None:
    async with driven(None) as pilot:
        await saved(SAVES / "late.db", 0)
        assert "late.db" not in pilot.shown
        await pilot.press("r")
        await pilot.until(lambda: "late.db" in pilot.shown, seconds=1.5)  # by itself after 3
        assert pilot.focused == "saves"
        assert "Watch the demo" not in pilot.shown


async def test_enter_opens_the_save_under_the_cursor_and_l_its_leaderboard() -> None:
    await three_saves()
    async with driven(None) as pilot:
        await pilot.press("j", "enter")
        assert pilot.live.watched.path == SAVES / "done.db"
        await pilot.press("escape", "k", "enter")
        assert pilot.live.watched.path == SAVES / "begun.db"
        await pilot.press("escape", "down", "l", at=LeaderboardScreen)
        assert pilot.app.screen._path == SAVES / "done.db"
        await pilot.press("escape", at=HomeScreen)


async def test_a_file_that_is_no_save_is_refused_in_one_line_and_nothing_else_happens() -> None:
    await three_saves()
    async with driven(None) as pilot:
        await pilot.press("end", "enter", at=HomeScreen)
        (toast,) = pilot.toasts
        assert toast.startswith("saves/foreign.db: is not a save of Parlour, or is damaged; name")
        await pilot.press("l", sees="is not a save of Parlour")


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
async def test_leaving_from_home_is_immediate_and_leaves_runners_alone(key: str) -> None:
    save = await saved(SAVES / "a.db", 0)
    async with running(save, pace=20) as runner, driven(None) as pilot:
        await pilot.press(key)
        assert pilot.app._exit
        assert runner.state == "running"


@pytest.mark.slow
async def test_d_plays_the_demo_paced_so_that_there_is_something_to_watch() -> None:
    save = SAVES / "demo.db"
    try:
        async with driven(None) as pilot:
            await pilot.press("d", at=LiveScreen)
            await pilot.until(lambda: pilot.live.watched.live is not None)
            assert pilot.live.watched.state == "running"
            assert pilot.live.watched.live.pace == 4.0
            assert pilot.live.watched.path == save
            assert holder(save) is not None
    finally:
        end(save)


async def test_beside_other_saves_d_asks_first_and_offers_the_demo_that_is_there() -> None:
    await saved(SAVES / "small.db")
    async with driven(None) as pilot:
        await pilot.press("d", sees="1  play it: four scripted players")
        await pilot.press("escape", at=HomeScreen)
    new_save(SAVES / "demo.db", SMALL.replace('"small"', '"demo"'))
    async with driven(None) as pilot:
        await pilot.sees("○ unfinished")
        await pilot.press("d", sees=("1  open demo.db", "2  play it again, as a new save"))
        await pilot.press("1", at=LiveScreen)
        assert pilot.live.watched.path == SAVES / "demo.db"
    assert sorted(path.name for path in SAVES.glob("*.db")) == ["demo.db", "small.db"]


@pytest.mark.slow
async def test_o_plays_a_tournament_file_of_ones_own() -> None:
    Path("mine.toml").write_text(SMALL.replace('"small"', '"My games"'), encoding="utf-8")
    save = SAVES / "my-games.db"
    await saved(SAVES / "older.db")
    try:
        async with driven(None) as pilot:
            await pilot.press("o", at=LinePrompt)
            await pilot.press(*"mine.toml", "enter", at=LiveScreen)
            # Scripted players at full speed: it is over in no time.
            await pilot.until(lambda: pilot.live.watched.state == "finished")
            await pilot.press("escape", at=HomeScreen)
            await pilot.until(lambda: rows_of(pilot)[0][0] == "my-games.db")
            assert pilot.app.screen.query_one("#saves", ListPane).cursor == 0
        assert in_save(save, lambda s: s.name) == "My games"
    finally:
        end(save)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("nowhere.toml", "nowhere.toml: no such file in "),
        ("broken.toml", "broken.toml: agents: is missing"),
    ],
)
async def test_a_tournament_file_that_cannot_be_used_is_said_where_it_was_typed(
    typed: str, said: str
) -> None:
    Path("broken.toml").write_text(SMALL[: SMALL.index("[[agents]]")], encoding="utf-8")
    async with driven(None) as pilot:
        await pilot.press("o", *typed, "enter", sees=said)
        assert pilot.at(LinePrompt).query_one(TextInput).value == typed
        assert not list(Path().glob("saves/*"))


async def test_an_empty_or_abandoned_file_name_starts_nothing() -> None:
    async with driven(None) as pilot:
        await pilot.press("o", "enter")
        await pilot.press("o", *"x.toml", "escape")
        await pilot.press("p", "escape", at=HomeScreen)
        assert pilot.focused == "cards"
        assert pilot.toasts == []
        assert not SAVES.exists()


async def test_the_list_stays_where_the_cursor_is_while_saves_come_and_go() -> None:
    await three_saves()
    async with driven(None) as pilot:
        await pilot.press("end")
        (SAVES / "foreign.db").unlink()
        await pilot.press("r")
        await pilot.until(lambda: len(names_of(pilot)) == 2)
        assert pilot.app.screen.query_one("#saves", ListPane).cursor == 1

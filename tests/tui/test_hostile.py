"""Two hundred hostile texts wherever the screens show a text: they are seen, and do nothing."""

import json
import shutil
import unicodedata
from itertools import product
from math import inf
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual import events
from textual.widgets import Input

from parlour.games.common.text import clean
from parlour.ratings.reports.leaderboard import Leaderboard, Meeting, Standing
from parlour.tournament.control.status import PersonStatus, RunnerStatus
from parlour.tui.app import ParlourApp
from parlour.tui.look.look import Look
from parlour.tui.models.standings import Standings
from parlour.tui.screens.home import HomeScreen
from parlour.tui.screens.leaderboard import LeaderboardScreen
from parlour.tui.screens.messages import AGENT, LEADERBOARD, OpenSave, Show
from parlour.tui.screens.replay import ReplayScreen
from parlour.tui.views.run_header import run_header
from parlour.tui.widgets.dialogs import LinePrompt
from parlour.tui.widgets.panes import ListPane
from tests.hostile import NAMES, PAYLOADS, hostile_save, squeezed, unseen
from tests.tournaments import tamper
from tests.tui.playing import Driven, driven, pane_text, saved

SAVE = Path("saves/hostile.db")

OF_A_SCROLLBAR = {"grab", "scroll_up", "scroll_down"}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hostile save, played once."""
    return hostile_save(tmp_path_factory.mktemp("hostile") / "hostile.db")


@pytest.fixture
def save(played: Path) -> Path:
    """A copy of it."""
    SAVE.parent.mkdir()
    return Path(shutil.copy(played, SAVE))


@pytest.fixture(autouse=True)
def fired(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every action that was run, whoever asked for it."""
    actions: list[object] = []
    run = ParlourApp.run_action

    async def noted(app: ParlourApp, action: object, *more: Any, **named: Any) -> bool:
        actions.append(action)
        return await run(app, action, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(ParlourApp, "run_action", noted)
    return actions


def strange(text: str) -> set[str]:
    """The signs in a text that are not there to be seen."""
    return {c for c in text if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}}


def whole_screen(pilot: Driven) -> str:
    """Text on the screen; each line must fill its width and hold nothing that acts."""
    strips = pilot.app.screen._compositor.render_strips()
    for strip in strips:
        assert strange(strip.text) == set(), strip.text
        assert strip.cell_length == pilot.app.size.width
        for segment in strip:
            meta = segment.style.meta if segment.style is not None else {}
            assert meta.get("@mouse.down", "grab") in OF_A_SCROLLBAR, segment
            assert not meta.keys() - {"@mouse.down", "@mouse.up", "offset"}, segment
            assert segment.style is None or segment.style.link is None, segment
    return "\n".join(strip.text for strip in strips)


async def test_the_payloads_are_many_and_most_are_hostile() -> None:
    assert len(set(PAYLOADS)) == len(set(NAMES)) == 200
    assert sum(bool(strange(text.replace("\n", ""))) for text in PAYLOADS) > 120
    assert sum("[" in text and not strange(text) for text in PAYLOADS) > 20


async def test_clues_votes_gossip_names_and_words_are_shown_to_the_letter(
    save: Path, fired: list[object]
) -> None:
    async with driven(save, size=(160, 48)) as pilot:
        screen = pilot.live
        seen = dict.fromkeys(("talk", "board", "cast"), "")
        for number in range(1, len(screen.watched.lines) + 1):
            screen.show_match(number)
            seen["board"] += pane_text(screen, "#board")
            seen["talk"] += pane_text(screen, "#talk")
            scene = screen.scene()
            assert scene is not None
            seen["cast"] += " ".join(who.name for who in scene.people)
            if number % 4 == 0:
                await pilot.pause()
                whole_screen(pilot)
        assert not any(strange(text.replace("\n", "")) for text in seen.values())
        said = [text for text in PAYLOADS if len(clean(text)) <= 300]
        assert len(said) > 190
        assert unseen(said, seen["talk"]) == []
        assert unseen(NAMES, seen["cast"]) == []
        # A sample: whole_screen has looked for actions in every cell of the screen.
        for y in range(1, 44, 11):
            await pilot.click("#board", offset=(6, y))
            await pilot.click("#talk", offset=(12, y))
        assert fired == []


async def test_the_list_the_standings_and_the_leaderboard_show_names_as_names(save: Path) -> None:
    async with driven(save, size=(200, 60)) as pilot:
        screen = pilot.live
        await pilot.until(lambda: screen.standings.board is not None)
        await pilot.until(lambda: "strength" in pane_text(screen, "#standings"))
        assert not strange(pane_text(screen, "#standings").replace("\n", ""))
        assert len(pane_text(screen, "#standings").splitlines()) == 1 + 200
        assert not strange(pane_text(screen, "#matches").replace("\n", ""))
        whole_screen(pilot)
        await pilot.press("slash", *"[/]", "enter")
        whole_screen(pilot)
        await pilot.press("escape", "l")
        table = pilot.app.screen.query_one("#table", ListPane)
        await pilot.until(lambda: "QX" in pane_text(pilot.app.screen, "#table"))
        # Long names are cut in the table; the page of the agent and every export has the whole.
        heads = [name if cell_len(clean(name)) <= 24 else clean(name)[:9] for name in NAMES]
        assert unseen(heads, pane_text(pilot.app.screen, "#table")) == []
        for view in "2345":
            await pilot.press(view)
            await pilot.pause()
            whole_screen(pilot)
            await pilot.press("right", "down", "s", "S", "v")
            whole_screen(pilot)
        await pilot.press("1", sees="strength")
        for _ in range(0, 200, 50):
            whole_screen(pilot)
            table.action_page(1)
        for number, ending in enumerate(("md", "csv", "tex", "json"), start=1):
            await pilot.press("e", str(number))
            text = SAVE.with_name(f"hostile-leaderboard-overall.{ending}").read_text("utf-8")
            assert not strange(text.replace("\n", ""))
            assert sum(f"QX{number:03}" in text for number in range(200)) > 195  # some are cut


def hostile_board() -> Leaderboard:
    """A leaderboard of two hundred hostile names, each of which met the next ten."""
    places = ((None, None), ("undercover", None), ("undercover", NAMES[0]))
    standings = [
        Standing(game, role, name, 10, None, 25.0, 8.0, 1.0, {})
        for name, (game, role) in product(NAMES, places)
    ]
    steps = product(range(len(NAMES)), range(1, 11))
    pairs = [(NAMES[i], NAMES[i - step]) for i, step in steps]
    in_games = product((None, "undercover"), pairs)
    met = [Meeting(game, *pair, 4, 3, 3, 10) for game, pair in in_games]
    return Leaderboard(tuple(standings), 1000, 0, {}, meetings=tuple(met))


async def test_agents_and_the_matrix_of_all_show_names_as_text(fired: list[object]) -> None:
    standings = Standings(await saved(SAVE))
    standings.board = hostile_board()
    async with driven(SAVE) as pilot:
        app = pilot.app
        assert isinstance(app, ParlourApp)
        for name in NAMES[::40]:
            app.post_message(Show(AGENT, SAVE, standings, name))
            await pilot.pause()
            for pane in ("#radar", "#values", "#places", "#met"):
                assert not strange(pane_text(app.screen, pane).replace("\n", ""))
            whole_screen(pilot)
            app.pop_screen()
        app.post_message(Show(LEADERBOARD, SAVE))
        await pilot.pause()
        assert isinstance(app.screen, LeaderboardScreen)
        standings._next = inf  # it is not computed again
        app.screen._standings = standings
        await pilot.press("m")
        table = app.screen.query_one("#table", ListPane)
        lines = pane_text(app.screen, "#table").splitlines()
        assert sum(bool(line.strip()) for line in lines) == 200
        for _ in range(6):
            whole_screen(pilot)
            table.action_page(2)
            await pilot.press("right")
        fired.clear()
        await pilot.click("#table", offset=(9, 3))
        await pilot.click("#table", offset=(30, 1))
        assert fired == []
        for number, ending in enumerate(("md", "csv", "tex", "json"), start=1):
            await pilot.press("e", str(number))
            text = SAVE.with_name(f"hostile-head-to-head.{ending}").read_text("utf-8")
            assert not strange(text.replace("\n", ""))
        await pilot.press("enter", "e", "1", "e", "2", "e", "3", "e", "4")
        written = sorted(SAVE.parent.glob("hostile-agent-*"))
        # None of these names is in the tournament, where agents have their numbers from.
        assert [file.name for file in written] == [
            f"hostile-agent-0.{ending}" for ending in ("csv", "json", "md", "tex")
        ]
        assert not any(strange(file.read_text("utf-8").replace("\n", "")) for file in written)


async def test_a_replay_and_an_exported_transcript_hold_only_text(save: Path) -> None:
    async with driven(save) as pilot:
        screen = pilot.live
        for number in range(1, 5):
            screen.show_match(number)
            screen.write_transcript()
            text = SAVE.with_name(f"hostile-match-{number}.txt").read_text("utf-8")
            assert not strange(text.replace("\n", ""))
            assert text.count("says") == 3
            screen.action_replay()
            await pilot.pause()
            assert isinstance(pilot.app.screen, ReplayScreen)
            for key in ("left", "home", "end", "escape"):
                whole_screen(pilot)
                await pilot.press(key)


async def test_frozen_matches_endings_and_what_a_runner_says_are_shown_as_words(
    save: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = [text.encode(errors="ignore").decode() for text in PAYLOADS]
    for number in range(1, 71):
        ending = json.dumps(raw[number])
        tamper(
            save,
            "UPDATE matches SET outcome = json_set(outcome, '$.ending', json(?)) WHERE number = ?",
            ending,
            number,
        )
    status = _status(PAYLOADS[0])

    async def answer(_path: Path, _request: object, _seconds: float) -> RunnerStatus:
        return status

    monkeypatch.setattr("parlour.tui.models.save_view.ask_runner_soon", answer)
    async with driven(save, size=(160, 48)) as pilot:
        screen = pilot.live
        matches = pane_text(screen, "#matches")
        assert not strange(matches.replace("\n", ""))
        for number, text in enumerate(PAYLOADS):
            status = _status(text)
            await screen.watched.listen()
            header = run_header(Look(), screen.watched, 0.0, 160)
            assert not any(strange(line.plain) for line in header)
            if number % 20 == 0:
                await screen._tick()
                screen.say(text, bad=True)
                await pilot.pause()
                whole_screen(pilot)
        assert len(pilot.toasts) == 1
    for number in range(1, 71):
        tamper(
            save,
            "UPDATE matches SET frozen = ?, outcome = NULL WHERE number = ?",
            raw[number],
            number,
        )
    async with driven(save, size=(160, 48)) as pilot:
        screen, seen = pilot.live, ""
        for number in range(1, 71):
            screen.show_match(number)
            seen += pane_text(screen, "#talk")
            if number % 20 == 0:
                await pilot.pause()
                whole_screen(pilot)
        assert unseen(raw[1:71], seen) == []


def _status(text: str) -> RunnerStatus:
    """The status of a runner with that text wherever it has one."""
    return RunnerStatus(
        state="running",
        failed=[text],
        parked={1: text},
        limits=[text],
        people={text: PersonStatus()},
        per_second=1.0,
        elapsed=1.0,
        calls=1,
    )


async def test_saves_with_hostile_file_names_and_names_are_listed_opened_and_exported() -> None:
    await saved(SAVE, 30)
    paths = []
    for number, text in enumerate(PAYLOADS):
        name = text.replace("/", "").replace("\0", "").encode(errors="ignore")[:100]
        paths.append(SAVE.with_name(name.decode(errors="ignore") + ".db"))
        if number % 2:
            paths[-1].write_text("not a save")
        else:
            shutil.copy(SAVE, paths[-1])
            tamper(paths[-1], "UPDATE tournament SET name = ?", paths[number].name)
    SAVE.with_name("bytes").write_text("")
    async with driven(None, size=(200, 60)) as pilot:
        home = pilot.at(HomeScreen)
        await pilot.until(lambda: all(row.state != "unread" for row in home._rows))
        text = pane_text(pilot.app.screen, "#saves")
        assert not strange(text.replace("\n", ""))
        assert len(text.splitlines()) == 3 * 201 - 1
        for _ in range(20):
            whole_screen(pilot)
            assert not strange(pane_text(pilot.app.screen, "#preview").replace("\n", ""))
            await pilot.press("pagedown")
        for path in paths[::50]:
            pilot.app.post_message(OpenSave(path))
            await pilot.pause()
            whole_screen(pilot)
            pilot.live.write_transcript()
            await pilot.pause()
            whole_screen(pilot)
            await pilot.press("l")
            await pilot.pause()
            whole_screen(pilot)
            await pilot.press("escape", "escape")
        pilot.app.post_message(OpenSave(paths[1]))
        await pilot.pause()
        assert len(pilot.toasts) == 1
        whole_screen(pilot)


async def test_what_is_pasted_into_a_line_is_shown_as_text() -> None:
    async with driven(await saved(SAVE, 30), size=(120, 40)) as pilot:
        await pilot.press("slash")
        for name in ("filter", "gossip-filter", "line"):
            if name == "line":
                pilot.app.push_screen(LinePrompt("Tournament file", value=PAYLOADS[0]))
                await pilot.pause()
            field = pilot.app.screen.query_one(f"#{name}", Input)
            field.display = True
            field.focus()
            for text in PAYLOADS:
                field.value = text
                assert not strange(field.value)
            for text in PAYLOADS[::25]:
                field.value = ""
                field.post_message(events.Paste(text))
                await pilot.pause()
                assert squeezed(field.value) == squeezed(clean(text.splitlines()[0]))
                whole_screen(pilot)

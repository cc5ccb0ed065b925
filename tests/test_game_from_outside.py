"""One game more, brought by another package: every room takes it as it takes those that ship."""

import csv
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlour.games.engine.game import Game
from parlour.games.engine.registry import games
from parlour.games.testing.conformance import check_game
from parlour.tui.screens.leaderboard import LeaderboardScreen
from parlour.tui.screens.replay import ReplayScreen
from tests.blocks import shell
from tests.docs.test_add import installed
from tests.tournaments import ROOT
from tests.tui.playing import driven, live, looped, pane_text, shown, until

PLAY = "parlour run boxes.toml --save boxes.db\nparlour check boxes.db"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the package of the guide is installed; its tournament lies beside."""
    return installed("docs/add-a-game.md", tmp_path_factory.mktemp("outside"))


@pytest.fixture(scope="module")
def save(site: Path) -> Path:
    """Its tournament, played to the end by the command line."""
    printed = shell(PLAY, site.parent, site)
    assert "30 matches, " in printed.splitlines()[-1]
    assert printed.endswith("OK: every match replays identically\n")
    return site.parent / "boxes.db"


@pytest.fixture
def boxes(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Game]:
    """The game, found in this process as in those that it starts, and gone afterwards."""
    shipped = set(games())
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{site}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    games.cache_clear()
    assert set(games()) == shipped | {"boxes"}
    yield games()["boxes"]
    games.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "boxes"]:
        del sys.modules[name]


@pytest.mark.slow
def test_it_passes_the_conformance_suite(boxes: Game) -> None:
    check_game(boxes)


@pytest.mark.slow
@looped
async def test_it_shows_on_every_screen(boxes: Game, save: Path) -> None:
    async with driven(save, size=(120, 40)) as pilot:
        await until(pilot, lambda: "Match 1: boxes (looks=2): Ann vs Ben" in shown(pilot))
        transcript = pane_text(live(pilot), "#transcript")
        assert "Player 1 Ann hide: box " in transcript
        assert "Table: opened: box " in transcript
        ended = " ".join(transcript.split("Ended: ")[1].split())
        assert any(ended.startswith(f"{end} ({why})") for end, why in boxes.endings.items())
        # It has no votes: the pane says what each player did.
        assert "3 Moves" in shown(pilot)
        moves = pane_text(live(pilot), "#side")
        assert re.search(r"Player 1 Ann\n +0 hide: box \d\nPlayer 2 Ben\n +1 open: box \d", moves)
        await pilot.press("g", "r", "home")
        assert isinstance(pilot.app.screen, ReplayScreen)
        replayed = pane_text(pilot.app.screen, "#transcript")
        assert "rules: boxes 2, looks 2" in replayed
        assert "hide:" not in replayed
        await pilot.press("1")
        assert pane_text(pilot.app.screen, "#side") == "Nothing has been done yet."
        await pilot.press("escape", "l")
        assert isinstance(pilot.app.screen, LeaderboardScreen)
        await until(pilot, lambda: "Ann" in shown(pilot) and "Ben" in shown(pilot))
        assert "30 finished matches" in shown(pilot)
        await pilot.press("3")  # by role
        await until(pilot, lambda: "boxes  seeker" in shown(pilot))


@pytest.mark.slow
def test_it_is_exported(site: Path, save: Path) -> None:
    script = "parlour export boxes.db --out tables --format csv\n"
    script += "parlour leaderboard boxes.db --by role --format json"
    printed = shell(script, site.parent, site)
    board = json.loads(printed[printed.index("{") :])
    assert {standing["role"] for standing in board["standings"]} == {"hider", "seeker"}
    with (site.parent / "tables" / "matches.csv").open(encoding="utf-8") as file:
        matches = list(csv.DictReader(file))
    assert len(matches) == 30
    assert {match["game"] for match in matches} == {"boxes"}
    assert {match["ending"] for match in matches} == {"found", "safe"}
    with (site.parent / "tables" / "answers.csv").open(encoding="utf-8") as file:
        assert {answer["kind"] for answer in csv.DictReader(file)} == {"hide", "open"}

"""One game more, brought by another package: every room takes it as it takes those that ship."""

import csv
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from parlour.games.engine.game import Game
from parlour.games.engine.registry import games
from parlour.games.testing.conformance import check_faults, check_game, check_plays, check_shown
from parlour.tui.screens.leaderboard import LeaderboardScreen
from parlour.tui.screens.replay import ReplayScreen
from tests.blocks import shell
from tests.colliding import KINDS, TOURNAMENT, install_jumble
from tests.docs.test_add import installed
from tests.tournaments import ROOT
from tests.tui.playing import driven, pane_text

PLAY = "parlour run boxes.toml --save boxes.db\nparlour check boxes.db"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the package of the guide is installed; its tournament lies beside."""
    return installed("docs/add-a-game.md", tmp_path_factory.mktemp("outside"))


@pytest.fixture(scope="module")
def save(site: Path) -> Path:
    """Its tournament, played to the end by the command line."""
    printed = shell(PLAY, site.parent, site)
    assert "30 of 30 matches finished, " in printed.splitlines()[-1]
    assert printed.endswith("OK: every match replays identically\n")
    return site.parent / "boxes.db"


@contextmanager
def found(name: str, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Game]:
    """A game that is found in this process as in those that it starts, and gone afterwards."""
    shipped = set(games())
    before = set(sys.modules)
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{site}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    games.cache_clear()
    assert set(games()) == shipped | {name}
    yield games()[name]
    games.cache_clear()
    for module in set(sys.modules) - before:
        if module.partition(".")[0] in {"boxes", "jumble_game"}:
            del sys.modules[module]


@pytest.fixture
def boxes(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Game]:
    """The game of the guide."""
    with found("boxes", site, tmp_path, monkeypatch) as game:
        yield game


@pytest.mark.slow
def test_it_passes_the_conformance_suite(boxes: Game) -> None:
    check_game(boxes)


@pytest.mark.slow
async def test_it_shows_on_every_screen(boxes: Game, save: Path) -> None:
    async with driven(save, size=(120, 40)) as pilot:
        await pilot.sees("Boxes · match 1")
        talk = " ".join(pane_text(pilot.live, "#talk").replace("▌", "").split())
        assert "Ann hides the coin in box " in talk
        assert "there is nothing in box " in talk or "there is the coin in" in talk
        assert "opens box" not in talk  # all are told of it in the next event
        assert any(why in talk for why in boxes.texts.endings.values())
        # Its own board, as its folder makes it.
        assert "3 Boxes" in pilot.shown
        assert re.search(r"A +[-\d]( .*)?\s+B +\d", pane_text(pilot.live, "#board"))
        await pilot.press("r", "home")
        assert isinstance(pilot.app.screen, ReplayScreen)
        replayed = pane_text(pilot.app.screen, "#talk")
        assert "rules: boxes 2, looks 2" in " ".join(replayed.split())
        assert "hides" not in replayed
        await pilot.press("escape", "l")
        assert isinstance(pilot.app.screen, LeaderboardScreen)
        await pilot.until(lambda: "Ann" in pilot.shown and "Ben" in pilot.shown)
        assert "30 finished matches" in pilot.shown
        await pilot.press("3")  # by role
        await pilot.until(lambda: all(role in pilot.shown for role in ("hider", "seeker")))


@pytest.mark.slow
def test_it_is_measured_as_its_folder_says(site: Path, save: Path) -> None:
    rows = json.loads(
        shell("parlour leaderboard boxes.db --view measures --format json", site.parent, site)
    )
    looks = {row["agent"]: row for row in rows if row["measure"] == "looks"}
    assert set(looks) == {"Ann", "Ben"}
    # Each seeks in 15 matches and may open two boxes.
    assert {row["n"] for row in looks.values()} == {15}
    assert all(1 <= row["value"] <= 2 for row in looks.values())
    compared = shell("parlour compare boxes.db Ann Ben --measure looks", site.parent, site)
    assert "looks" in compared


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


@pytest.fixture(scope="module")
def jumbled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Site and save of a game whose kinds collide with those of the games that ship."""
    folder = tmp_path_factory.mktemp("jumble")
    site = install_jumble(folder / "site")
    (folder / "jumble.toml").write_text(TOURNAMENT)
    printed = shell("parlour run jumble.toml --save jumble.db", folder, site)
    assert "Finished: jumble.db" in printed
    return site, folder / "jumble.db"


@pytest.mark.slow
def test_kinds_of_other_games_mean_what_the_own_game_says(jumbled: tuple[Path, Path]) -> None:
    site, save = jumbled
    folder = save.parent
    assert "OK: every match replays identically" in shell("parlour check jumble.db", folder, site)
    replayed = shell("parlour replay jumble.db 1", folder, site)
    for kind in KINDS:
        assert f"] Table: {kind}: note " in replayed
        assert re.search(rf"\] Player 1: {kind}: number \d", replayed)
    status = json.loads(shell("parlour status jumble.db --format json", folder, site))
    assert status["faults"] == 0  # the strategy "random" draws from each ask itself
    shell("parlour export jumble.db --out tables --format csv", folder, site)
    with (folder / "tables" / "answers.csv").open(encoding="utf-8") as file:
        assert {answer["kind"] for answer in csv.DictReader(file)} == set(KINDS)
    measured = {
        r["measure"]
        for r in json.loads(
            shell("parlour leaderboard jumble.db --view measures --format json", folder, site)
        )
    }
    assert measured == {"win_rate", "payoff", "welfare", "fault_rate"}
    assert "Ann" in shell("parlour leaderboard jumble.db", folder, site)


@pytest.mark.slow
async def test_a_game_with_kinds_of_other_games_is_attached_and_replayed_on_the_screen(
    jumbled: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, save = jumbled
    with found("jumble", site, tmp_path, monkeypatch):
        async with driven(save, size=(120, 40)) as pilot:
            await pilot.sees("· match 1")
            talk = " ".join(pane_text(pilot.live, "#talk").split())
            assert 'vote: note "vote", speaker "nobody", suspect (Ben, "x")' in talk
            assert "3 Moves" in pilot.shown
            assert re.search(r"gossip: number \d", pane_text(pilot.live, "#board"))
            await pilot.press("r", "home")
            assert isinstance(pilot.app.screen, ReplayScreen)
            assert "guess: note" in pane_text(pilot.app.screen, "#talk")


@pytest.mark.slow
def test_a_game_with_kinds_of_other_games_passes_the_conformance_suite(
    jumbled: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, _ = jumbled
    with found("jumble", site, tmp_path, monkeypatch) as game:
        for check in (check_shown, check_plays, check_faults):
            check(game, game.variant())

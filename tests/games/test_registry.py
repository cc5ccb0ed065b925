"""The registry: the folders that ship, and real distributions from outside through entry points."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from parlour.games.common.errors import BadInput
from parlour.games.engine.registry import find_game, games
from parlour.games.undercover import GAME
from tests.blocks import ROOT
from tests.colliding import KINDS, TOURNAMENT, install_jumble
from tests.tournaments import called


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs Python with the distributions of a folder installed."""
    return called(
        sys.executable,
        *arguments,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"},
    )


def test_a_game_of_another_distribution_is_listed(tmp_path: Path) -> None:
    done = python(install_jumble(tmp_path), "-m", "parlour", "list", "games")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^ *jumble ", done.stdout, re.MULTILINE)


def test_a_game_whose_order_hangs_on_the_hash_seed_does_not_conform(tmp_path: Path) -> None:
    check = (
        "from parlour.games.engine.registry import games\n"
        "from parlour.games.testing.conformance import check_hash_seeds\n"
        "check_hash_seeds(games()['jumble'])"
    )
    assert python(install_jumble(tmp_path / "fair"), "-c", check).returncode == 0
    done = python(install_jumble(tmp_path / "hashed", kinds=repr({*KINDS})), "-c", check)
    assert done.returncode == 1
    assert "AssertionError: jumble: plays differently under another hash seed" in done.stderr


def test_a_game_under_a_name_that_is_taken_is_left_out(tmp_path: Path) -> None:
    done = python(install_jumble(tmp_path, name="undercover"), "-m", "parlour", "list", "games")
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        "Left out: entry point jumble = jumble_game:GAME: brings a game named 'undercover', which"
        " already exists; uninstall one of the two or rename the game"
    ) in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("jumble_game:NOTHING", "cannot be loaded (AttributeError: "),
        ("no_such_module:GAME", "cannot be loaded (ModuleNotFoundError: "),
        ("jumble_game:rules", "is not a game"),
    ],
)
def test_an_entry_point_without_a_game_is_named_and_breaks_what_needs_it_alone(
    target: str, problem: str, tmp_path: Path
) -> None:
    points = install_jumble(tmp_path) / "jumble_game-1.0.dist-info" / "entry_points.txt"
    points.write_text(f"[parlour.games]\njumble = {target}\n")
    said = f"entry point jumble = {target}: {problem}"
    listed = python(tmp_path, "-m", "parlour", "list", "games")
    assert f"Left out: {said}" in " ".join(listed.stdout.split())
    checked = python(tmp_path, "-m", "parlour", "doctor")
    assert f"FIX   left out: {said}" in checked.stdout
    assert (listed.returncode, checked.returncode) == (0, 1)
    planned = python(tmp_path, "-m", "parlour", "plan", "--preset", "demo")
    assert (planned.returncode, planned.stderr) == (0, "")
    file = tmp_path / "jumble.toml"
    file.write_text(TOURNAMENT)
    done = python(tmp_path, "-m", "parlour", "plan", str(file))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr
    assert done.stderr.endswith("; fix or uninstall that package\n")


def test_every_game_folder_is_a_game_under_its_own_name() -> None:
    folders = {path.parent.name for path in (ROOT / "games").glob("*/rules.py")}
    assert {
        name for name, game in games().items() if game.folder.parent.resolve() == ROOT / "games"
    } == folders
    assert games()["undercover"] is GAME


def test_a_game_is_found_by_name_and_a_misspelling_is_answered_with_the_nearest() -> None:
    assert find_game("undercover", "here") is GAME
    with pytest.raises(BadInput) as refused:
        find_game("undercovr", "games[0].name")
    assert str(refused.value) == (
        "games[0].name: unknown game 'undercovr'; did you mean 'undercover'?"
        f" known: {', '.join(sorted(games()))}"
    )

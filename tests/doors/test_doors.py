"""Doors against the real libraries, each in an environment of its own that is kept in .doors."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

from parlour.games.common import packages
from parlour.games.common.errors import BadInput
from tests.blocks import blocks
from tests.tournaments import ROOT, called

HOME, MADE = ROOT / "tests" / "doors", ROOT / ".doors"
DOORS: dict[str, dict[str, Any]] = tomllib.loads((HOME / "doors.toml").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NEEDED = [each for each in PROJECT["dependencies"] if not each.startswith("litellm")]
"""Packages that Parlour needs besides a door's packages; litellm's bounds fit few of them."""


def run(*words: object, cwd: Path = ROOT) -> str:
    """The output of a command, which must succeed."""
    clean = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    done = called(*words, cwd=cwd, env=clean | {"PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"{words}\n{done.stdout[-20_000:]}\n{done.stderr[-5_000:]}"
    return done.stdout


def environment_of(name: str, door: dict[str, Any]) -> Path:
    """The Python of a door's environment, which is made again if its packages have changed."""
    folder = MADE / name
    python, mark = folder / "bin" / "python", folder / "made-of.json"
    made_of = json.dumps([NEEDED, {key: its for key, its in door.items() if key != "test"}])
    if mark.is_file() and mark.read_text(encoding="utf-8") == made_of:
        return python
    rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "venv", folder)
    install = (python, "-m", "pip", "install", "--quiet")
    run(*install, *NEEDED, "pytest", *door["packages"])
    run(*install, "--no-deps", "--editable", ROOT, *door.get("no_deps", ()))
    mark.write_text(made_of, encoding="utf-8")
    return python


@pytest.mark.soak
@pytest.mark.parametrize("name", DOORS)
def test_a_door_fits_its_library(name: str, tmp_path: Path) -> None:
    python = environment_of(name, DOORS[name])
    alone = ("-c", os.devnull, "--rootdir", ROOT, "--noconftest", "-p", "no:cacheprovider", "-q")
    run(python, "-m", "pytest", *alone, ROOT / DOORS[name]["test"])
    page = DOORS[name]["page"]
    if page.startswith("docs/doors/"):  # other pages are of several, and their tests run them
        run(python, "-c", "\n".join(blocks(page, "python")), cwd=tmp_path)


def test_the_blocks_of_the_page_of_all_doors_run(tmp_path: Path) -> None:
    code = "\n".join(blocks("docs/doors/environment.md", "python"))
    assert "Player 3 is tit_for_tat" in run(sys.executable, "-c", code, cwd=tmp_path)


def test_another_version_of_a_library_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "version", lambda _name: "1.24.3")
    with pytest.raises(BadInput) as refusal:
        packages.require("pettingzoo", "1.27", "a door")
    line = "a door: needs pettingzoo 1.27, and 1.24.3 is installed; install it: "
    assert str(refusal.value) == f"{line}{sys.executable} -m pip install 'pettingzoo==1.27.*'"
    monkeypatch.setattr(packages, "version", lambda _name: "1.27.4")
    packages.require("pettingzoo", "1.27", "a door")
    monkeypatch.undo()
    with pytest.raises(BadInput, match="missing package no-such-door 2; install it: "):
        packages.require("no-such-door", "2", "a door")


@pytest.mark.parametrize("name", DOORS)
def test_a_page_of_a_door_names_its_versions_and_its_test(name: str) -> None:
    door = DOORS[name]
    page = (ROOT / door["page"]).read_text(encoding="utf-8")
    assert (ROOT / door["test"]).is_file()
    for package in [*door["packages"], *door.get("no_deps", ())]:
        assert re.search(rf"{re.escape(package)}(?![\w.])", page), f"{package} is not named"


def test_every_check_of_a_door_is_run() -> None:
    checks = {str(path.relative_to(ROOT)) for path in HOME.glob("check_*.py")}
    assert checks == {door["test"] for door in DOORS.values()}

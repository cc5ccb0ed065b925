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

from tests.tournaments import ROOT

HOME, MADE = ROOT / "tests" / "doors", ROOT / ".doors"
DOORS: dict[str, dict[str, Any]] = tomllib.loads((HOME / "doors.toml").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NEEDED = [each for each in PROJECT["dependencies"] if not each.startswith("litellm")]
"""Packages that Parlour needs besides a door's packages; litellm's bounds fit few of them."""


def run(*words: object) -> str:
    """The output of a command, which must succeed, started in the checkout."""
    clean = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    done = subprocess.run(
        list(map(str, words)),
        cwd=ROOT,
        env=clean | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
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
def test_a_door_fits_its_library(name: str) -> None:
    python = environment_of(name, DOORS[name])
    alone = ("-c", os.devnull, "--rootdir", ROOT, "--noconftest", "-p", "no:cacheprovider", "-q")
    run(python, "-m", "pytest", *alone, ROOT / DOORS[name]["test"])


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

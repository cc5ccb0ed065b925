"""Distributions to install, environments to install them in, and a user's folder to run in."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests.tournaments import ROOT, called

ROOMS = ("games", "agents", "tournament", "ratings", "tui")
FOREIGN = ("games", "agents")
"""Top-level packages that other distributions bring."""
PYTHONS = ("3.11", "3.12", "3.13")

_FOREIGN_PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "foreign-{name}"
version = "1.0"

[tool.hatch.build.targets.wheel]
only-include = ["{name}"]
"""
WHERE = """
import importlib, sys
for room in sys.argv[1:]:
    print(importlib.import_module("parlour." + room).__file__)
"""


def clean_environment() -> dict[str, str]:
    """The environment without what would let this checkout in or change an installer's mind."""
    return {
        key: value
        for key, value in os.environ.items()
        if key not in {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "COLUMNS", "TERM"}
    }


def run(*words: object, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Output of a command, which must succeed."""
    done = called(*words, cwd=cwd, env=clean_environment() | (env or {}), stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build(project: Path, kind: str, into: Path) -> Path:
    """Builds the "wheel" or the "sdist" of a project; returns the file."""
    run(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", into, cwd=project)
    (built,) = into.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return built


def foreign_wheels(folder: Path) -> list[Path]:
    """Distributions of others whose top-level packages have the names of our rooms."""
    wheels = []
    for name in FOREIGN:
        project = folder / f"foreign-{name}"
        (project / name).mkdir(parents=True)
        (project / "pyproject.toml").write_text(_FOREIGN_PROJECT.format(name=name))
        (project / name / "__init__.py").write_text(f'OWNER = "foreign-{name}"\n')
        wheels.append(build(project, "wheel", project / "dist"))
    return wheels


def user_folder(folder: Path) -> Path:
    """A folder of a user with packages of the same names, which must never be imported."""
    for name in ROOMS:
        (folder / name).mkdir(parents=True)
        own = f'raise AssertionError("the {name} of the working folder were imported")\n'
        (folder / name / "__init__.py").write_text(own)
    return folder


def check_installed(parlour: Path, folder: Path) -> None:
    """The installed command plays the demo and ranks it, in a user's folder."""
    folder = user_folder(folder)
    assert "Usage: parlour" in run(parlour, "--help", cwd=folder)
    assert "Finished: " in run(parlour, "run", "--preset", "demo", "--plain", cwd=folder)
    ranked = run(parlour, "leaderboard", "--format", "csv", cwd=folder)
    assert ranked.count("Bea") >= 1
    assert "44 matches" in run(parlour, "check", "saves/demo.db", cwd=folder)


def rooms_in(python: Path, folder: Path) -> list[Path]:
    """The files from which an environment imports the rooms, in a user's folder."""
    printed = run(python, "-c", WHERE, *ROOMS, cwd=folder)
    return [Path(line) for line in printed.splitlines()]


@cache
def interpreter(version: str) -> Path | None:
    """A Python of that version by its name, on the PATH or among those of pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    named = shutil.which(f"python{version}")
    candidates = [Path(named)] if named else []
    candidates += sorted(pyenv.glob(f"{version}.*/bin/python"))
    asks = "import sys; print(*sys.version_info[:2], sep='.')"
    for candidate in candidates:
        done = called(candidate, "-c", asks, cwd=ROOT)
        if done.stdout.strip() == version:
            return candidate
    return None

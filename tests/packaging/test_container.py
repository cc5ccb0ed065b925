"""The Dockerfile, as far as it can be held without Docker."""

import json
import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from tests.packaging.installs import run
from tests.tournaments import ROOT

LINES = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
STEPS = [line.split(" ", 1) for line in LINES if line and not line.startswith("#")]
RUNS = [shlex.split(words) for kind, words in STEPS if kind == "RUN"]


def last(kind: str) -> str:
    """The words of the last step of a kind."""
    return [words for name, words in STEPS if name == kind][-1]


def test_it_runs_parlour_as_a_user_without_rights_with_saves_in_a_volume() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (command,) = json.loads(last("ENTRYPOINT"))
    assert command in scripts["scripts"]
    assert last("USER") != "root"
    assert f"useradd --create-home --uid 1000 {last('USER')}" in "\n".join(LINES)
    assert last("VOLUME") == last("WORKDIR") == "/data"
    assert all(words.startswith("python:3.12-slim") for kind, words in STEPS if kind == "FROM")


def test_it_copies_what_is_there_and_installs_what_is_locked() -> None:
    for kind, words in STEPS:
        if kind == "COPY" and not words.startswith("--from"):
            assert (ROOT / words.split()[0]).exists()
    locks = [words[words.index("-r") + 1] for words in RUNS if "-r" in words]
    assert [Path(lock).name for lock in locks] == ["build.txt", "run.txt"]
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv", "saves"} <= set(ignored)


@pytest.mark.slow
def test_its_build_command_makes_the_wheel(tmp_path: Path) -> None:
    (words,) = (words for words in RUNS if words[:2] == ["pip", "wheel"])
    words[words.index("/wheels")] = str(tmp_path)
    run(sys.executable, "-m", *words, "--quiet", cwd=ROOT)
    (wheel,) = tmp_path.iterdir()
    assert re.fullmatch(r"parlour-[\w.]+-py3-none-any\.whl", wheel.name)

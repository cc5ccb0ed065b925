"""The README: its tournament is played and its commands are run, as a reader would."""

import re
from pathlib import Path

import pytest

from parlour.games.engine.registry import games
from parlour.tournament.plan.expansion import preset_names
from tests.blocks import ROOT, blocks, codes, section, shell, table_rows, text_of, write_files
from tests.models import provider


def test_the_readme_can_be_followed_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert write_files("README.md", tmp_path) == ["bluff.toml"]
    start, *commands = blocks("README.md", "sh")
    # These two build an environment from the locks; whoever runs the tests has just done so.
    assert start == "make run\nmake test\n"
    file = tmp_path / "bluff.toml"
    with provider(tmp_path) as server:
        text = file.read_text().replace("http://localhost:8000/v1", server.base)
        mina = f'model = "gpt-4o-mini"\napi_base = "{server.base}"'
        file.write_text(text.replace('model = "openai/gpt-4o-mini"', mina))
        printed = shell("".join(commands), tmp_path)
    assert "bluff: 40 matches in 2 experiments" in printed  # 2 games × 10 settings × both sides
    assert "A is Mina, B is Lotte." in printed
    assert "ask 0 (clue): Player " in printed
    assert "too few matches" not in printed
    assert "80 matches, " in printed
    assert "OK: every match replays identically" in printed
    assert (tmp_path / "site" / "index.html").is_file()


def test_the_readme_is_short_and_names_every_game() -> None:
    assert len(text_of("README.md").splitlines()) <= 110
    linked = set(re.findall(r"docs/games/(\w+)\.md", section("README.md", "Games")))
    assert linked == set(games())


def test_the_two_commands_of_the_readme_are_targets_of_make() -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for line in blocks("README.md", "sh")[0].splitlines():
        assert line.removeprefix("make ") in targets


def test_the_changelog_begins_with_the_version_to_come() -> None:
    version = re.search(r'^version = "([\d.]+)\.dev\d+"$', text_of("pyproject.toml"), re.MULTILINE)
    assert version is not None
    first = re.findall(r"^## (.+)$", text_of("CHANGELOG.md"), re.MULTILINE)[0]
    assert first == f"[{version[1]}] - unreleased"


def test_the_presets_are_those_that_ship() -> None:
    rows = table_rows(section("docs/command-line.md", "`list`").partition("| Option")[0])
    assert sorted(codes(row[0])[0] for row in rows) == preset_names()

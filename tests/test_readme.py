"""The README: its tournament is played and its commands are run, as a reader would."""

import re
from itertools import chain
from pathlib import Path

from parlour.agents.registry import strategies
from parlour.games.engine.registry import games
from parlour.tournament.plan.expansion import preset_names
from tests.blocks import ROOT, blocks, codes, section, shell, table_rows, text_of, write_files


def test_the_readme_can_be_followed_from_top_to_bottom(tmp_path: Path) -> None:
    assert write_files("README.md", tmp_path) == ["first.toml", "paid.toml"]
    start, *commands = blocks("README.md", "sh")
    # These two build an environment from the locks; whoever runs the tests has just done so.
    assert start == "make run\nmake test\n"
    printed = shell("".join(commands), tmp_path)
    assert "first: 60 matches" in printed  # 2 repetitions × 5 settings × 3 pairs × both sides
    assert "paid: 10 matches" in printed  # 5 settings × 1 pair × both sides
    assert printed.count("Finished: first.db") == 1  # the second run finds nothing to play
    assert "60 matches, 1260 answers. OK: every match replays identically" in printed
    assert (tmp_path / "table.tex").read_text().startswith(r"\begin{tabular}")
    assert (tmp_path / "measures.csv").read_text().startswith("game,condition,agent,")
    assert len((tmp_path / "first-tables" / "seats.jsonl").read_text().splitlines()) == 180


def test_the_readme_names_the_strategies_and_games_that_there_are() -> None:
    rows = table_rows(section("README.md", "Agents"))
    named = chain.from_iterable(codes(row[1]) for row in rows)
    assert sorted(named) == sorted(strategies())
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
    rows = table_rows(section("README.md", "Presets"))
    assert sorted(codes(row[0])[0] for row in rows) == preset_names()

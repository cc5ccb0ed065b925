"""Versions of games: a save is read in any version, and continued in that it was begun with."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from parlour.api.playing import prepare_save
from parlour.games.common.errors import BadInput, BadSave
from parlour.games.engine.game import Game
from parlour.games.engine.registry import games
from parlour.games.undercover.rules import Variant
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.reader import Save
from tests.tournaments import SMALL, finished, in_save, new_save, play, tamper, tournament

Install = Callable[..., Game]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts another version of undercover in the place of the one that ships."""
    shipped = replace(games()["undercover"], version=1)

    def put(**changed: Any) -> Game:
        game = replace(shipped, **changed)
        monkeypatch.setitem(games(), "undercover", game)
        return game

    return put


def spec(path: Path) -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(in_save(path, lambda s: s.tournament_json))
    return stored


def store(path: Path, stored: dict[str, Any]) -> None:
    tamper(path, "UPDATE tournament SET spec = ?", json.dumps(stored))


def test_a_file_with_another_game_is_told_by_its_games(tmp_path: Path) -> None:
    path = new_save(tmp_path)
    more = SMALL.replace("[[games]]", '[[games]]\nname = "chameleon"\n[[games]]', 1)
    with pytest.raises(BadSave) as refused:
        prepare_save(path, tournament(tmp_path, more))
    assert "the save has 1 games, now there are 2" in str(refused.value)


def test_a_new_save_is_of_the_installed_version(tmp_path: Path, install: Install) -> None:
    install(version=2)
    path = finished(tmp_path)
    stored = spec(path)
    assert stored["games"][0]["version"] == 2
    assert stored["seeding"] == "independent"
    with Save(path) as save:
        assert save.tournament.games[0].variant == Variant()
        assert {match.condition for match in save.matches()} == {""}
        assert first_difference(save) is None
    prepare_save(path, tournament(tmp_path))


@pytest.mark.parametrize("version", [1, 3])
def test_check_names_both_versions_where_one_cannot_be_played(
    tmp_path: Path, install: Install, version: int
) -> None:
    install(version=version)
    path = finished(tmp_path)
    install(version=2)
    versions = f"undercover has version {version} there and 2 here"
    assert in_save(path, first_difference) is None, "a version that plays alike replays"
    tamper(path, "UPDATE answers SET digest = '0123456789abcdef' WHERE match = 4")
    difference = in_save(path, first_difference)
    assert difference is not None
    assert difference.startswith("match 4, ask 0")
    assert difference.endswith(f"differs from the replay ({versions})")


def test_a_save_of_a_version_that_cannot_be_played_is_not_continued(
    tmp_path: Path, install: Install
) -> None:
    install(version=3)
    path = new_save(tmp_path)
    install(version=2)
    with pytest.raises(BadSave, match="version 3 there and 2 here; use the release of Parlour"):
        play(path)


def test_keys_of_a_version_that_is_not_known_are_told_by_both_versions(
    tmp_path: Path, install: Install
) -> None:
    install(version=1)
    path = new_save(tmp_path)
    stored = spec(path)
    stored["games"][0] |= {"version": 3}
    stored["games"][0]["variant"]["disclosure"] = "full"
    store(path, stored)
    with pytest.raises(BadInput, match=r"games\[0\]: undercover has version 3 there and 1 here"):
        Save(path)
    # In a version that is known it is damage.
    stored["games"][0]["version"] = 1
    store(path, stored)
    with pytest.raises(BadInput, match="disclosure"):
        Save(path)

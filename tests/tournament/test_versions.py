"""Versions of games: a save replays and continues as the version plays that it was begun with."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from parlour.api.playing import prepare_save
from parlour.games.common.errors import BadInput, BadSave
from parlour.games.engine.game import Game
from parlour.games.engine.registry import games
from parlour.games.undercover.rules import Variant
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import match_count, schedule
from parlour.tournament.save.create import create_save
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import first_difference
from tests.tournaments import SMALL, contents, finished, new_save, play, tournament

Install = Callable[..., Game]


class FirstVariant(Variant):
    """The variant of a first version that asked no probes and had no key for them."""

    probes: Literal["per_round", "faithful", "off"] = "off"


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts another version of undercover in the place of the one that ships."""
    shipped = replace(games()["undercover"], version=1, earlier={})

    def put(**changed: Any) -> Game:
        game = replace(shipped, **changed)
        monkeypatch.setitem(games(), "undercover", game)
        return game

    return put


@pytest.fixture
def older(tmp_path: Path, install: Install) -> Path:
    """A save that the first version has made and not played; then the second is installed."""
    path = older_save(tmp_path, install)
    second(install)
    return path


def older_save(folder: Path, install: Install) -> Path:
    install(version=1, variant=FirstVariant)
    path = folder / "older.db"
    create_save(path, replace(tournament(folder), seeding="by_match"))
    stored = spec(path)
    assert not {"seeding", "version"} & {*stored, *stored["games"][0]}
    del stored["games"][0]["variant"]["probes"]
    store(path, stored)
    return path


def second(install: Install) -> Game:
    """Installs a second version, which asks probes unless the file says otherwise."""
    return install(version=2, earlier={1: {"probes": "off"}})


def spec(path: Path) -> dict[str, Any]:
    with Save(path) as save:
        stored: dict[str, Any] = json.loads(save.tournament_json)
    return stored


def store(path: Path, stored: dict[str, Any]) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE tournament SET spec = ?", (json.dumps(stored),))
    connection.close()


def probes(read: Tournament) -> str:
    keys: dict[str, str] = read.games[0].variant.model_dump()
    return keys["probes"]


def test_a_save_of_an_earlier_version_opens_with_the_keys_of_that_version(older: Path) -> None:
    with Save(older) as save:
        read = save.tournament
        planned = list(schedule(read))
        assert (probes(read), read.games[0].played_version, read.seeding) == ("off", 1, "by_match")
        assert len({match.seed for match in planned}) == len(planned) == match_count(read)
        # As that version named it, in the plan; by the keys of today, wherever it is measured.
        assert {match.condition for match in save.matches()} == {""}
        assert read.games[0].condition_today == "probes=off"
        assert first_difference(save) is None


def test_the_same_file_continues_a_save_of_an_earlier_version(
    older: Path, tmp_path: Path, install: Install
) -> None:
    prepare_save(older, tournament(tmp_path))
    assert play(older).progress.done
    with Save(older) as save:
        assert first_difference(save) is None
        assert {record.condition for record in save.records()} == {"probes=off"}
        assert {answer.kind for answer in save.answers()} == {"clue", "vote"}
    # And it ends with the save that the first version makes of it.
    (tmp_path / "first").mkdir()
    undisturbed = older_save(tmp_path / "first", install)
    assert play(undisturbed).progress.done
    for table in ("matches", "answers"):
        assert contents(older)[table] == contents(undisturbed)[table]


def test_a_played_save_of_an_earlier_version_replays(tmp_path: Path, install: Install) -> None:
    path = older_save(tmp_path, install)
    assert play(path).progress.done
    second(install)
    with Save(path) as save:
        assert first_difference(save) is None
    # The keys alone would not do: what a seat was told is digested with the version.
    install(version=2, earlier={1: {"probes": "per_round"}})
    with Save(path) as save:
        difference = first_difference(save)
    assert difference is not None


def test_a_key_that_the_file_gives_is_not_that_of_an_earlier_version(
    older: Path, tmp_path: Path
) -> None:
    given = SMALL.replace("limit = 2", 'limit = 2\nprobes = "per_round"')
    with pytest.raises(BadSave) as refused:
        prepare_save(older, tournament(tmp_path, given))
    assert 'games[0].variant.probes is "off" in the save and "per_round" now' in str(refused.value)
    prepare_save(older, tournament(tmp_path, given.replace("per_round", "off")))


def test_a_file_with_another_game_is_told_by_its_games(older: Path, tmp_path: Path) -> None:
    more = SMALL.replace("[[games]]", '[[games]]\nname = "chameleon"\n[[games]]', 1)
    with pytest.raises(BadSave) as refused:
        prepare_save(older, tournament(tmp_path, more))
    assert "the save has 1 games, now there are 2" in str(refused.value)


def test_a_new_save_is_of_the_installed_version(tmp_path: Path, install: Install) -> None:
    second(install)
    path = finished(tmp_path)
    stored = spec(path)
    assert stored["games"][0]["version"] == 2
    assert stored["seeding"] == "common"
    with Save(path) as save:
        assert probes(save.tournament) == "per_round"
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
    with Save(path) as save:
        assert first_difference(save) is None, "a version that plays alike replays"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE answers SET digest = '0123456789abcdef' WHERE match = 4")
    connection.close()
    with Save(path) as save:
        difference = first_difference(save)
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

"""Merged saves and growth: copies that grew apart are merged, and merged saves grow on."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from parlour.games.common.errors import BadInput, BadSave
from parlour.tournament.plan.additions import Addition
from parlour.tournament.reports.counted_matches import first_false_count
from parlour.tournament.reports.growth_history import growth_history, has_grown
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.growing.grow import grow
from parlour.tournament.save.growing.stages import stages_of
from parlour.tournament.save.merging.merge import merge_saves
from parlour.tournament.save.merging.split import split_save
from parlour.tournament.save.provenance.remarks import playings
from parlour.tournament.save.reader import Save
from tests.merging import board_of, matches_of
from tests.tournaments import (
    MATCHES,
    finished,
    forge,
    in_save,
    new_save,
    play,
    printed,
    refused,
    written,
)

NEW = 12
"""Matches that a fourth agent adds: with three agents, on two settings, on both sides."""


def added(*names: str, **keys: Any) -> Addition:
    agents = [{"name": name, "strategy": "random"} for name in names]
    return Addition(agents={"agents": agents}, **keys)


def grown_copy(save: Path, name: str, *additions: Addition) -> Path:
    """A copy of a save that grew and was played to its end."""
    path = save.with_name(f"{name}.db")
    shutil.copyfile(save, path)
    for addition in additions:
        assert grow(path, addition).matches
        assert play(path).progress.done
    return path


@pytest.fixture
def save(tmp_path: Path) -> Path:
    return finished(tmp_path)


def merged_at(out: Path, *saves: Path) -> Path:
    merge_saves(out, saves)
    with Save(out) as opened:
        assert (first_difference(opened), first_false_count(opened)) == (None, None)
    return out


def test_copies_that_got_other_agents_merge_with_the_common_matches_once(
    save: Path, tmp_path: Path
) -> None:
    kim, zoe = grown_copy(save, "kim", added("Kim")), grown_copy(save, "zoe", added("Zoe"))
    out = tmp_path / "out.db"
    merged = merge_saves(out, [kim, zoe])
    assert merged.matches.matches == MATCHES + 2 * NEW
    assert (merged.repeated, len(merged.origins)) == (0, 1)
    assert set(merged.agents) == {"Ada", "Rob", "Lin", "Kim", "Zoe"}
    assert matches_of(out) == matches_of(kim) | matches_of(zoe)
    assert len(matches_of(kim).keys() & matches_of(zoe).keys()) == MATCHES
    board = board_of(out)
    assert board_of(merged_at(tmp_path / "backwards.db", zoe, save, kim)) == board
    with Save(out) as opened:
        # Leaderboards take matches apart by their places.
        assert [match.order for match in opened.matches()] == [*range(1, MATCHES + 2 * NEW + 1)]


def test_the_same_agent_added_to_two_copies_has_played_twice(save: Path, tmp_path: Path) -> None:
    one = grown_copy(save, "one", added("Kim"))
    other = grown_copy(save, "other", added("Zoe"), added("Kim"))
    merged = merge_saves(tmp_path / "out.db", [one, other])
    assert merged.matches.matches == MATCHES + NEW + NEW + NEW + 4
    assert merged.repeated == NEW  # Kim's matches with Ada, Rob and Lin


def test_a_growth_before_the_copy_is_common_to_both(save: Path, tmp_path: Path) -> None:
    kim = grown_copy(save, "kim", added("Kim"))
    zoe = grown_copy(kim, "zoe", added("Zoe"))
    more = grown_copy(kim, "more", Addition(repetitions=2))
    merged = merge_saves(tmp_path / "out.db", [zoe, more])
    assert (merged.repeated, merged.matches.matches) == (0, 2 * (MATCHES + NEW) + NEW + 4)
    assert board_of(merged_at(tmp_path / "chain.db", zoe, save, kim)) == board_of(zoe)


def without_ids(path: Path) -> Path:
    """The save as it was before stages had ids."""
    forge(path, "UPDATE stages SET body = json_remove(body, '$.id')")
    return path


def test_stages_without_an_id_are_those_of_the_save(save: Path, tmp_path: Path) -> None:
    kim = without_ids(grown_copy(save, "kim", added("Kim")))
    zoe = without_ids(grown_copy(save, "zoe", added("Zoe")))
    merged_at(tmp_path / "kim-alone.db", kim, save)
    assert {origin.partition(".")[2] for origin, _number in matches_of(kim)} == {""}
    with pytest.raises(BadInput, match=r"agents is not as in match 13 of .* leave one of them out"):
        merge_saves(tmp_path / "out.db", [kim, zoe])
    on = grown_copy(kim, "on", added("Max"))
    other = grown_copy(kim, "other", added("Mia"))
    both = merged_at(tmp_path / "both.db", on, other)
    assert matches_of(both) == matches_of(on) | matches_of(other)


MODEL = {"kind": "llm", "model": "openai/gpt-4o", "api_base": "http://127.0.0.1:1"}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_agent_of_one_copy_alone_keeps_its_budget(
    order: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    saves = [new_save(tmp_path, name="Eve.db"), tmp_path / "Eva.db"]
    shutil.copyfile(*saves)
    for path, name, budget in zip(saves, ("Eve", "Eva"), (4.0, 3.0), strict=True):
        agent = MODEL | {"name": name, "budget": budget}
        assert grow(path, Addition(agents={"agents": [agent]})).matches
    out = tmp_path / "out.db"
    merge_saves(out, [saves[index] for index in order])
    assert in_save(out, Save.control).agent_budgets == {"Eve": 4.0, "Eva": 3.0}


# --- Merged saves that grow


@pytest.fixture
def merged(save: Path, tmp_path: Path) -> Path:
    """A merged save of two copies that grew, with matches that are not at their origins' places."""
    kim, zoe = grown_copy(save, "kim", added("Kim")), grown_copy(save, "zoe", added("Zoe"))
    return merged_at(tmp_path / "merged.db", zoe, kim)


def plan_of(path: Path) -> list[tuple[object, ...]]:
    with Save(path) as opened:
        matches = sorted(opened.matches(), key=lambda match: match.order)
        return [(match.order, match.agents, match.seed, match.outcome) for match in matches]


BLOCK = {"games": [{"name": "undercover", "limit": 1, "probes": "off"}]}


@pytest.mark.parametrize(
    ("additions", "at_once"),
    [
        ((added("Max"), added("Mia")), added("Max", "Mia")),
        ((Addition(games=BLOCK), Addition(repetitions=2)), None),
        ((added("Max", against=["Ada"]), added("Mia")), None),
    ],
)
def test_a_merged_save_grows_after_what_was_merged(
    additions: tuple[Addition, ...], at_once: Addition | None, merged: Path, tmp_path: Path
) -> None:
    before, matches = plan_of(merged), matches_of(merged)
    steps = grown_copy(merged, "steps", *additions)
    assert plan_of(steps)[: len(before)] == before
    assert matches_of(steps).items() >= matches.items()
    with Save(steps) as opened:
        assert (first_difference(opened), first_false_count(opened)) == (None, None)
        kinds = [stored.kind for stored in stages_of(opened)]
        assert (kinds[0], len(kinds)) == ("merged", 1 + len(additions))
        assert opened.stored_leaderboard() is not None
    if at_once is not None:
        assert board_of(grown_copy(merged, "at-once", at_once)) == board_of(steps)


def test_a_merged_save_that_grew_merges_and_splits(merged: Path, tmp_path: Path) -> None:
    other = finished(new_folder(tmp_path, "other"))
    grown = grown_copy(merged, "grown", added("Max"), Addition(repetitions=2))
    part = tmp_path / "part.db"
    shutil.copyfile(grown, part)
    for sql in (
        "DELETE FROM stored_answers WHERE match % 3 = 0",
        "UPDATE stored_matches SET outcome = NULL WHERE number % 3 = 0",
        "DELETE FROM counts",
        "DELETE FROM leaderboards",
    ):
        forge(part, sql)
    shards = split_save(part, 3)
    assert all(play(shard).progress.done for shard in shards)
    out = merged_at(tmp_path / "out.db", *shards, part)
    assert board_of(out) == board_of(grown)
    assert matches_of(out) == matches_of(grown)
    one = merged_at(tmp_path / "one.db", grown, other)
    pair = merged_at(tmp_path / "pair.db", merged, other)
    assert board_of(merged_at(tmp_path / "two.db", pair, *shards, part)) == board_of(one)


def new_folder(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name


def test_a_save_grows_after_matches_of_later_saves(save: Path, tmp_path: Path) -> None:
    # The clock of the machine where it was made is ahead.
    forge(save, "UPDATE tournament SET created = '2999-12-31T23:59:59+00:00'")
    merged = merged_at(tmp_path / "merged.db", save)
    grown = grown_copy(merged, "grown", added("Kim"))
    assert board_of(merged_at(tmp_path / "again.db", grown)) == board_of(grown)
    assert in_save(merged, lambda s: s.created) == "3000-01-01T00:00:00+00:00"
    forge(save, "UPDATE tournament SET created = '9999-12-31T23:59:59+00:00'")
    with pytest.raises(BadSave, match="'9999-12-31T23:59:59\\+00:00' is not a time"):
        merge_saves(tmp_path / "out.db", [save])


def test_a_shard_does_not_grow(tmp_path: Path) -> None:
    save = finished(tmp_path)
    grow(save, added("Kim"))
    shard = split_save(save, 2)[0]
    zoe = written(tmp_path, '[[agents]]\nname = "Zoe"\nstrategy = "random"\n', "zoe.toml")
    line = refused("add", shard, zoe, cwd=tmp_path)
    assert line == (
        f"parlour: {shard}: is a shard, whose plan is fixed;"
        " merge it with the save that it is from, and add to the merged save"
    )


def test_status_says_who_joined_when(save: Path, tmp_path: Path) -> None:
    forge(save, "UPDATE tournament SET created = '2026-01-01T00:00:00+00:00'")
    forge(save, "UPDATE stages SET since = '2026-01-01T00:00:00+00:00'")
    kim, zoe = grown_copy(save, "kim", added("Kim")), grown_copy(save, "zoe", added("Zoe"))
    forge(kim, "UPDATE stages SET since = '2026-02-01T00:00:00+00:00' WHERE number = 2")
    forge(zoe, "UPDATE stages SET since = '2026-03-01T00:00:00+00:00' WHERE number = 2")
    out = merged_at(tmp_path / "out.db", zoe, kim)
    with Save(merged_at(tmp_path / "plain.db", save)) as plain, Save(out) as opened:
        assert not has_grown(growth_history(plain))
        assert has_grown(growth_history(opened))
    again = merged_at(tmp_path / "again.db", save, out)
    assert grow(again, added("Max")).matches
    lines = printed("status", again, cwd=tmp_path).splitlines()
    history = [line.split(None, 2)[2] for line in lines if line.startswith("History")]
    assert history[0].startswith(
        "merged Ada, Rob, Lin (joined 2026-01-01T00:00:00+00:00);"
        " Kim (joined 2026-02-01T00:00:00+00:00); Zoe (joined 2026-03-01T00:00:00+00:00);"
        " undercover (version 2): 36 matches"
    )
    assert history[1].startswith("added Max: 20 matches")
    assert "joined 2026-03-01" in printed("leaderboard", again, cwd=tmp_path)
    stages = json.loads(printed("status", again, "--format", "json", cwd=tmp_path))["history"]
    assert stages[0]["joined"]["Zoe"] == "2026-03-01T00:00:00+00:00"
    assert stages[1]["joined"] == {}


def test_the_versions_that_played_come_along(save: Path, tmp_path: Path) -> None:
    other = finished(new_folder(tmp_path, "other"))
    forge(save, "UPDATE tournament SET program = '0.0.7', created = '2026-01-01T00:00:00+00:00'")
    add = "INSERT INTO programs (since, program, last_answer) VALUES (?, ?, ?)"
    forge(save, add, "2026-01-02T00:00:00+00:00", "0.0.8", 100)
    forge(save, add, "2026-01-03T00:00:00+00:00", "0.0.9", 200)

    def programs(path: Path) -> list[str]:
        with Save(path) as opened:
            return [playing.program for playing in playings(opened)]

    old, this = ["0.0.7", "0.0.8", "0.0.9"], programs(other)
    assert len(this) == 1
    assert programs(merged_at(tmp_path / "alone.db", save)) == old
    assert programs(merged_at(tmp_path / "both.db", save, other, save)) == [*old, *this]
    assert programs(merged_at(tmp_path / "again.db", tmp_path / "both.db", save)) == [*old, *this]
    with Save(tmp_path / "both.db") as opened:
        rows = opened._select("SELECT since, program, last_answer FROM programs ORDER BY number")
    assert rows[:3] == [
        ("2026-01-01T00:00:00+00:00", "0.0.7", 0),
        ("2026-01-02T00:00:00+00:00", "0.0.8", 100),
        ("2026-01-03T00:00:00+00:00", "0.0.9", 200),
    ]

"""A run ends in time though a server is gone, and without its agent the tournament finishes."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import typer

from parlour.cli.options import moment, seconds
from parlour.games.common.errors import BadInput, BadSave
from parlour.tournament.plan.additions import Addition
from parlour.tournament.save.dealt import dealt_file
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.growing.decisions import followed
from parlour.tournament.save.growing.grow import grow
from parlour.tournament.save.growing.retire import retire, retired_matches
from parlour.tournament.save.lock import locked
from parlour.tournament.save.merging.merge import merge_saves
from parlour.tournament.save.merging.split import split_save
from parlour.tournament.save.reader import Save
from tests.crash.running import count
from tests.tournament.test_adaptive import ladder
from tests.tournaments import (
    SMALL,
    in_save,
    new_save,
    parlour,
    play,
    printed,
    printed_json,
    refused,
)

DEAD = """
[[agents]]
name = "Ghost"
kind = "llm"
model = "gone"
api_base = "http://127.0.0.1:9/v1"
retries = 0
"""
"""A model whose server is not there: with three others, 12 of 24 matches are its own."""


@pytest.fixture
def haunted(tmp_path: Path) -> Path:
    return new_save(tmp_path, SMALL + DEAD)


def test_a_run_gives_up_with_a_code_of_its_own_and_finishes_without_the_agent(
    haunted: Path, tmp_path: Path
) -> None:
    ended = parlour("run", haunted, "--plain", "--give-up-after", "2s", cwd=tmp_path)
    assert ended.returncode == 3, ended
    assert "no progress for 2 s" in ended.stderr
    assert "12 matches left to play, continue with: " in ended.stderr
    assert "retire" in ended.stderr
    assert "time" in printed("status", haunted, "--format", "json", cwd=tmp_path)
    assert count(haunted, "matches WHERE outcome IS NOT NULL") == 12
    missing = "Warning: Ghost is not on the leaderboard: 0 of 12 matches are finished"
    assert missing in printed("leaderboard", haunted, cwd=tmp_path)
    body = printed_json("leaderboard", haunted, "--format", "json", cwd=tmp_path)
    assert {"agent": "Ghost", "planned": 12, "finished": 0} in body["progress"]
    said = printed("retire", haunted, "Ghost", cwd=tmp_path)
    assert "Ghost retired, 12 open matches closed" in said
    assert "has no open matches" in refused("retire", haunted, "Ghost", cwd=tmp_path)
    assert "did you mean 'Ghost'" in refused("retire", haunted, "Ghots", cwd=tmp_path)
    board = printed("run", haunted, "--plain", cwd=tmp_path)
    assert "Warning: Ghost retired: 12 matches closed, which were not over" in board
    with Save(haunted) as save:
        assert first_difference(save) is None
        assert save.match_count().done
    assert "Player 1" in printed("replay", haunted, 1, cwd=tmp_path)


def test_a_run_ends_at_its_deadline_and_nothing_is_lost(haunted: Path) -> None:
    ended = play(haunted, deadline=datetime.now(UTC) + timedelta(seconds=1))
    assert ended.stopped_because == "time"
    assert "the deadline" in ended.stats.out_of_time
    assert count(haunted, "answers WHERE fault IS NOT NULL") == 0
    assert play(haunted, give_up_after=2.0).stopped_because == "time"
    assert count(haunted, "matches WHERE outcome IS NOT NULL") == 12


def test_new_matches_of_a_retired_agent_are_closed_and_the_others_played(haunted: Path) -> None:
    assert retire(haunted, "Ghost") == 12
    grow(haunted, Addition(repetitions=2))
    assert in_save(haunted, retired_matches)["Ghost"][1] == 24
    assert play(haunted).progress.done
    with Save(haunted) as save:
        assert first_difference(save) is None
        assert (save.match_count().finished, save.match_count().frozen) == (24, 24)


def test_shards_and_copies_keep_what_is_closed_unless_another_one_has_played_it(
    tmp_path: Path,
) -> None:
    path = new_save(tmp_path)
    shards = split_save(path, 2)
    assert retire(shards[0], "Ada") > 0
    for shard in shards:
        assert play(shard).progress.done
    merge_saves(tmp_path / "whole.db", shards)
    with Save(tmp_path / "whole.db") as save:
        assert first_difference(save) is None
        closed = retired_matches(save)["Ada"][1]
        assert (save.match_count().finished, save.match_count().frozen) == (12 - closed, closed)
    dealt_file(path).unlink()
    play(path)  # all of it, where nobody has retired
    merge_saves(tmp_path / "healed.db", [tmp_path / "whole.db", path])
    with Save(tmp_path / "healed.db") as save:
        assert (save.match_count().finished, save.match_count().frozen) == (12, 0)


def test_an_adaptive_tournament_ends_when_an_agent_retires(tmp_path: Path) -> None:
    path = ladder(tmp_path, 400)
    play(path, deadline=datetime.now(UTC))
    retire(path, "Ada")
    assert play(path).progress.done
    with Save(path) as save:
        assert first_difference(save) is None
        assert (followed(save).stop or "").startswith("Ada retired after ")


def test_a_save_that_is_played_is_not_touched(haunted: Path) -> None:
    with locked(haunted), pytest.raises(BadSave):
        retire(haunted, "Ghost")
    with pytest.raises(BadInput, match="unknown agent"):
        retire(haunted, "Nobody")


def test_times_are_read_as_they_are_said() -> None:
    assert [seconds(text) for text in ("90", "90s", "10m", "1.5h")] == [90, 90, 600, 5400]
    now = datetime.now(UTC)
    assert now < moment("06:00") <= now + timedelta(days=1)
    assert moment("2030-01-31T06:00+00:00") == datetime(2030, 1, 31, 6, tzinfo=UTC)
    for text, read in (("soon", seconds), ("0", seconds), ("25:00", moment), ("tea", moment)):
        with pytest.raises(typer.BadParameter, match="is no time"):
            read(text)

"""Merging of adaptive saves: their matches come as a fixed list; no shard can decide."""

import shutil
from pathlib import Path

import pytest

from parlour.games.common.errors import BadInput
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.merging.merge import merge_saves
from parlour.tournament.save.merging.split import split_save
from parlour.tournament.save.provenance.origins import ADAPTIVE, origin_words
from parlour.tournament.save.reader import Save
from tests.merging import board_of, matches_of
from tests.tournament.test_adaptive import LADDER, ladder
from tests.tournaments import finished, new_save, play, printed, printed_json, refused

PART, WHOLE = 20, 40
"""The most matches of an adaptive save."""


def test_matches_of_adaptive_saves_are_merged_as_a_fixed_list(tmp_path: Path) -> None:
    for name in ("one", "other", "fixed"):
        (tmp_path / name).mkdir()
    one = ladder(tmp_path / "one", WHOLE)
    assert play(one).progress.done
    other = new_save(tmp_path / "other", LADDER.replace("seed = 7", "seed = 8"))
    fixed = finished(tmp_path / "fixed")
    every = matches_of(one) | matches_of(other) | matches_of(fixed)
    out, again = tmp_path / "out.db", tmp_path / "again.db"
    merge_saves(out, [one, other, fixed])
    merge_saves(again, [fixed, merge_of(tmp_path / "half.db", other, one), one, out])
    assert matches_of(out) == matches_of(again) == every
    assert board_of(out) == board_of(again)
    with Save(out) as save:
        assert save.tournament.schedule == "round_robin"
        assert save.tournament.most_matches is None
        assert save.match_count().grows is False
        assert first_difference(save) is None
    assert play(out).progress.done
    with Save(out) as save:
        assert save.match_count().matches == len(every)
        assert first_difference(save) is None


def merge_of(out: Path, *paths: Path) -> Path:
    merge_saves(out, paths)
    return out


def test_a_later_copy_adds_what_was_decided_meanwhile(tmp_path: Path) -> None:
    path, early = ladder(tmp_path, WHOLE), tmp_path / "early.db"
    shutil.copyfile(path, early)
    assert play(path).progress.done
    assert matches_of(merge_of(tmp_path / "out.db", early, path)) == matches_of(path)


def test_a_merged_save_says_where_its_decided_ranks_are(tmp_path: Path) -> None:
    path = ladder(tmp_path, PART)
    play(path)
    said = printed("merge", "out.db", path, cwd=tmp_path)
    assert "Note: not adaptive, no more is decided." in said
    said = printed("leaderboard", "out.db", cwd=tmp_path)
    assert "decided ranks stay in those saves (docs/adaptive.md)" in " ".join(said.split())
    assert "of 3 pairs of agents" not in said
    again = printed_json("merge", "2.db", "out.db", "--format", "json", cwd=tmp_path)
    assert again["adaptive"] is True


def test_shards_of_such_a_save_say_so_too(tmp_path: Path) -> None:
    out = merge_of(tmp_path / "out.db", ladder(tmp_path))
    shards = split_save(out, 2)
    assert all(play(shard).progress.done for shard in shards)
    with Save(merge_of(tmp_path / "again.db", *shards)) as save:
        assert origin_words(save).endswith(ADAPTIVE)
        assert save.match_count().finished == 6


def test_adaptive_matches_are_none_of_a_challenger(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    challenger = 'seed = 7\nschedule = "challenger"\ndefender = "Ada"'
    other = new_save(tmp_path / "other", LADDER.partition("seed")[0] + challenger + GAMES)
    with pytest.raises(BadInput, match=r'schedule: is "\w+", and "\w+" in '):
        merge_saves(tmp_path / "out.db", [ladder(tmp_path), other])


GAMES = LADDER.partition("matches = 60")[2]


def test_an_adaptive_save_is_not_split(tmp_path: Path) -> None:
    path = ladder(tmp_path)
    with pytest.raises(BadInput, match="is adaptive: what is played next depends on all outcomes"):
        split_save(path, 2)
    assert "--ray" in refused("split", path, 2, cwd=tmp_path)
    assert not list(tmp_path.glob("*-of-*"))

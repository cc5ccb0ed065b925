"""Copies: matches of the same agents by seat with the same answers on the same setting."""

from pathlib import Path

from parlour.api.results import board_of
from parlour.games.engine.record import MatchRecord
from parlour.tournament.save.merging.merge import merge_saves
from parlour.tournament.save.merging.split import split_save
from parlour.tournament.save.reader import Save
from tests.tournaments import finished, in_save, new_save, play, printed, printed_json

TOP = 'name = "copies"\nseed = 2\nrepetitions = 5\n'
GAME = '[[games]]\nname = "prisoners_dilemma"\nlimit = 1\n'
FIXED = "".join(
    f'[[agents]]\nname = "{name}"\nstrategy = "{name}"\n'
    for name in ("greedy", "cooperate", "tit_for_tat")
)
CHANCE = FIXED + '[[agents]]\nname = "random"\nstrategy = "random"\n'


def records(path: Path) -> list[MatchRecord]:
    return in_save(path, Save.records)


def test_players_that_always_answer_alike_play_each_match_once(tmp_path: Path) -> None:
    path = finished(tmp_path, TOP + GAME + FIXED)
    # 3 pairs, each agent alone in each of 3 seats against the other: 18 matches, 5 times.
    played = records(path)
    assert len(played) == 90
    assert len({record.observation for record in played}) == 18
    assert {record.observation for record in played} == {record.transcript for record in played}
    for record in played:
        alike = [each for each in played if each.agents == record.agents]
        assert {each.transcript for each in alike} == {record.transcript}
    board = board_of(path)
    assert (board.matches, board.distinct) == (90, 18)
    shown = " ".join(printed("leaderboard", path, cwd=tmp_path).split())
    assert "90 finished matches, 18 distinct." in shown
    assert "72 matches of 90 are copies" in shown
    assert printed_json("leaderboard", path, "--format", "json", cwd=tmp_path)["distinct"] == 18
    printed("site", path, cwd=tmp_path)
    assert "90 finished matches, 18 distinct" in (tmp_path / "site/data/index.html").read_text(
        "utf-8"
    )


def test_a_board_says_nothing_of_few_copies(tmp_path: Path) -> None:
    path = finished(tmp_path, 'name = "x"\n' + GAME + CHANCE)
    board = board_of(path)
    assert (board.matches, board.distinct) == (36, 36)
    assert "distinct" not in printed("leaderboard", path, cwd=tmp_path)


def test_matches_that_share_a_seed_by_design_are_one_observation(tmp_path: Path) -> None:
    path = finished(tmp_path, TOP + 'seeding = "common"\n' + GAME + CHANCE)
    played = records(path)
    assert {record.observation for record in played} == {record.seed for record in played}
    assert len({record.observation for record in played}) == 5
    assert len({record.transcript for record in played}) > 18


def test_splitting_and_merging_keeps_observations(tmp_path: Path) -> None:
    text = TOP + GAME + CHANCE
    whole = {record.number: record.observation for record in records(finished(tmp_path, text))}
    shards = split_save(new_save(tmp_path, text, "shards.db"), 2)
    for shard in shards:
        assert play(shard).progress.done
    merged = tmp_path / "merged.db"
    merge_saves(merged, shards)
    assert sorted(record.observation for record in records(merged)) == sorted(whole.values())
    assert board_of(merged).distinct == board_of(tmp_path / "save.db").distinct

"""Shards: dealt evenly, played apart, and put together they are the tournament played at once."""

import shutil
from collections import ChainMap, Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import pytest

from parlour.cli.output import program
from parlour.cli.run import run
from parlour.cli.status import status
from parlour.games.common.errors import BadInput, BadSave
from parlour.tournament.plan.additions import Addition
from parlour.tournament.plan.schema import Limit
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.growing.create import update_run_options
from parlour.tournament.save.growing.grow import grow
from parlour.tournament.save.lock import locked
from parlour.tournament.save.merging.merge import merge_saves
from parlour.tournament.save.merging.split import split_save
from parlour.tournament.save.outline import outline
from parlour.tournament.save.provenance.origins import origin_words
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions, StoredMatch
from tests.merging import base_save, board_of, cut, matches_of
from tests.models import provider
from tests.tournament.test_budgets import CALL, two
from tests.tournaments import (
    MATCHES,
    SMALL,
    finished,
    forge,
    in_save,
    new_save,
    play,
    printed,
    refused,
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished save, with calls."""
    return base_save(tmp_path_factory.mktemp("whole"), SMALL, "a", "2026-01-01T00:00:00+00:00")


BEGUN = {1: 3, 2: 0, 4: 11, 5: 7, 7: 0, 8: 20, 9: 2, 12: 5}
"""Answers of the matches that are not over."""


def test_shards_put_together_are_the_tournament_played_at_once(whole: Path, tmp_path: Path) -> None:
    save = cut(whole, tmp_path / "save.db", BEGUN)
    forge(save, "DELETE FROM reservations")
    before = matches_of(save)
    shards = split_save(save, 3)
    assert matches_of(save) == before
    for shard in shards:
        with Save(shard) as opened:
            assert first_difference(opened) is None
            assert outline(opened).count.finished == 0
        assert play(shard).progress.done
    out = tmp_path / "out.db"
    merge_saves(out, [save, *shards])
    assert board_of(out) == board_of(whole)
    merged, at_once = matches_of(out), matches_of(whole)
    assert merged.keys() == at_once.keys()
    for identity, match in at_once.items():
        assert merged[identity]["plan"] == match["plan"]
        assert merged[identity]["answers"] == match["answers"]
        assert merged[identity]["calls"] == before[identity]["calls"]
    with Save(out) as opened:
        assert first_difference(opened) is None
        assert origin_words(opened).startswith("merged from parts of one save: small (2026")
    backwards = tmp_path / "backwards.db"
    merge_saves(tmp_path / "part.db", shards[1:])
    merge_saves(backwards, [tmp_path / "part.db", shards[0], save])
    assert matches_of(backwards) == merged


def test_matches_are_dealt_evenly_each_once_with_what_is_stored_of_them(
    whole: Path, tmp_path: Path
) -> None:
    save = cut(whole, tmp_path / "save.db", BEGUN)
    shards = split_save(save, 3)
    assert [shard.name for shard in shards] == [f"save-{n}-of-3.db" for n in (1, 2, 3)]
    contents = matches_of(save)
    dealt = [matches_of(shard) for shard in shards]
    together = dict(ChainMap(*dealt))
    assert len(together) == sum(map(len, dealt)) == len(BEGUN)
    assert {number for _save, number in together} == set(BEGUN)
    for identity, match in together.items():
        its = contents[identity]
        for key in ("plan", "answers", "held"):
            assert match[key] == its[key]
        assert [call[1:] for call in match["calls"]] == [call[1:] for call in its["calls"]]
        assert [call[0] is None for call in match["calls"]] == [
            call[0] is None for call in its["calls"]
        ]
    assert max(map(len, dealt)) - min(map(len, dealt)) <= 1
    with Save(shards[0]) as opened:
        assert [match.number for match in opened.matches()] == [*range(1, len(dealt[0]) + 1)]
        assert origin_words(opened) == "split from small (2026-01-01T00:00:00+00:00)"


def test_each_shard_has_its_share_of_each_experiment(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    shards = split_save(save, 2, tmp_path)
    plans = [in_save(shard, Save.matches) for shard in shards]
    first, second = map(_experiments, plans)
    assert first == second
    assert first.total() == MATCHES // 2


def _experiments(matches: Iterable[StoredMatch]) -> Counter[str]:
    return Counter(match.experiment for match in matches)


def test_money_limits_and_pace_are_divided(whole: Path, tmp_path: Path) -> None:
    save = cut(whole, tmp_path / "save.db", BEGUN)
    limits = (Limit(endpoint="openai", in_flight=7, per_minute=2, tokens_per_minute=None),)
    spent = in_save(save, Save.spent).dollars
    options = RunOptions(8, 9.0, limits, budget=spent + 30.0, agent_budgets={"Ada": 1000.0})
    update_run_options(save, options)
    shards = split_save(save, 3)
    left = []
    for shard in shards:
        with Save(shard) as opened:
            control = opened.control()
            assert control.limits[0].in_flight == 2
            assert control.limits[0].per_minute == 1
            assert control.limits[0].tokens_per_minute is None
            assert (control.concurrency, control.pace) == (8, 3.0)
            assert control.budget is not None
            left.append(control.budget - opened.spent().dollars)
            assert 0 < control.agent_budgets["Ada"] < 1000.0
    assert left == [pytest.approx(10.0)] * 3
    out, shards_alone = tmp_path / "out.db", tmp_path / "shards.db"
    merge_saves(out, [*shards, save])
    merge_saves(shards_alone, shards)
    assert Save(out).control().budget == spent + 30.0
    with Save(shards_alone) as opened:
        budget = opened.control().budget
        assert budget is not None
        assert budget - opened.spent().dollars == pytest.approx(30.0)


def test_a_save_that_is_overspent_gives_its_shards_nothing(whole: Path, tmp_path: Path) -> None:
    save = cut(whole, tmp_path / "save.db", BEGUN)
    forge(save, "UPDATE control SET budget = 0.5")
    for shard in split_save(save, 2):
        with Save(shard) as opened:
            assert opened.control().budget == pytest.approx(opened.spent().dollars)


def test_shards_can_be_split_again(whole: Path, tmp_path: Path) -> None:
    save = cut(whole, tmp_path / "save.db", BEGUN)
    first, second = split_save(save, 2)
    smaller = split_save(second, 2)
    merge_saves(tmp_path / "out.db", [first, second, *smaller])
    merge_saves(tmp_path / "expected.db", [first, second])
    assert matches_of(tmp_path / "out.db") == matches_of(tmp_path / "expected.db")


def test_a_save_that_is_played_is_not_split(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    with locked(save), pytest.raises(BadInput, match=f"stop it first: parlour stop {save}"):
        split_save(save, 2)
    assert not list(tmp_path.glob("*-of-*"))


def test_a_save_without_enough_matches_is_not_split(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="0 unfinished matches, too few for 2 shards; there is not"):
        split_save(finished(tmp_path), 2)
    (tmp_path / "new").mkdir()
    save = new_save(tmp_path / "new")
    with pytest.raises(BadInput, match="has 12 unfinished matches, too few for 13 shards; give 12"):
        split_save(save, 13)
    shutil.copyfile(save, tmp_path / "new" / "save-2-of-2.db")
    with pytest.raises(BadSave, match=r"save-2-of-2.db: already exists"):
        split_save(save, 2)
    assert [path.name for path in (tmp_path / "new").glob("*-of-*.db")] == ["save-2-of-2.db"]


def test_the_commands_split_and_merge(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    said = printed("split", save, 2, cwd=tmp_path)
    assert "save-1-of-2.db, 6 matches" in said
    shards = sorted(tmp_path.glob("*-of-*.db"))
    assert all(play(shard).progress.done for shard in shards)
    said = printed("merge", "out.db", save, *shards, cwd=tmp_path)
    assert said == (
        "Written: out.db, 12 of 12 matches finished, 3 agents, from 3 saves of 1 tournament\n"
    )
    shown = printed("leaderboard", "out.db", cwd=tmp_path)
    assert shown.count("merged from parts of one save: small") == 1
    shown = printed("status", "out.db", cwd=tmp_path)
    assert shown.count("merged from parts of one save: small") == 1
    assert "every match replays identically" in printed("check", "out.db", cwd=tmp_path)
    line = refused("merge", "out.db", save, cwd=tmp_path)
    assert line.startswith("parlour: out.db: already exists; choose another name for the merged")


def test_a_grown_tournament_is_the_same_after_splitting_and_merging(tmp_path: Path) -> None:
    (tmp_path / "at_once").mkdir()
    at_once = finished(tmp_path / "at_once")
    save = new_save(tmp_path, SMALL.partition('[[agents]]\nname = "Lin"')[0])
    (tmp_path / "early").mkdir()
    early = split_save(save, 2, tmp_path / "early")
    assert play(early[0]).progress.done
    newcomer = {"name": "Lin", "strategy": "literal"}
    assert grow(save, Addition(agents={"agents": [newcomer]})).matches
    shards = split_save(save, 2)
    assert all(play(shard).progress.done for shard in shards)
    # A shard from before the growth knows earlier places of its matches.
    merge_saves(tmp_path / "out.db", [early[0], shards[1], save, early[1], shards[0]])
    assert board_of(tmp_path / "out.db") == board_of(at_once)
    with Save(tmp_path / "out.db") as opened, Save(save) as source:
        assert [match.place for match in opened.matches()] == [None] * MATCHES
        assert [match.place for match in source.matches()] != [None] * MATCHES


BUDGET = 0.016
"""Dollars for 48 calls, of which each must have 0.0035 left, since it may cost that much."""


def test_shards_together_spend_no_more_than_the_budget_and_ask_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with provider(tmp_path) as server:
        save = new_save(tmp_path, f"budget = 0.004\n{two(server, 4)}")
        assert not play(save, concurrency=3).progress.done
        update_run_options(save, Save(save).control().with_budget(BUDGET, None))
        shards = split_save(save, 2)
        for shard in shards:
            assert not play(shard, concurrency=3).progress.done
        out = tmp_path / "out.db"
        merge_saves(out, [save, *shards])
        with Save(out) as opened:
            spent = opened.spent()
            assert opened.control().budget == BUDGET
            assert spent.calls == len(server.requests)
            assert spent.dollars == pytest.approx(spent.calls * CALL)
            assert BUDGET / 2 < spent.dollars <= BUDGET
        assert play(out, budget=1.0).progress.done
        with Save(out) as opened:
            assert opened.spent().calls == len(server.requests) == 48
            assert first_difference(opened) is None


def test_a_split_that_was_killed_between_the_names_of_its_shards_is_repeated(
    tmp_path: Path,
) -> None:
    save = new_save(tmp_path)
    shards = split_save(save, 3)
    both = [shards[0].read_bytes(), shards[2].read_bytes()]
    shards[1].unlink()
    assert split_save(save, 3) == shards
    assert [shards[0].read_bytes(), shards[2].read_bytes()] == both
    with Save(shards[1]) as opened:
        assert first_difference(opened) is None
    with pytest.raises(BadSave, match=r"save-1-of-3.db: already exists"):
        split_save(save, 3)
    for its in tmp_path.glob(f"{shards[1].name}*"):
        its.unlink()
    assert play(shards[0]).progress.done
    with pytest.raises(BadSave, match=r"save-1-of-3.db: already exists"):
        split_save(save, 3)


def test_a_save_that_was_dealt_to_shards_is_not_played_and_says_where_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save = new_save(tmp_path)
    shards = split_save(save, 2)
    line = " ".join(map(str, shards))
    merged = f"parlour merge OUT.db {save} {line}"
    status(save)
    assert f"play {line}, then: {program()} {merged.partition(' ')[2]}" in capsys.readouterr().out
    for refused_play in (partial(play, save), partial(run, save, plain=True)):
        with pytest.raises(BadInput, match="dealt to shards and would be paid twice") as error:
            refused_play()
        assert f"`{merged}`" in error.value.fix
        assert error.value.fix.endswith(f"rm {save}.dealt")
    Path(f"{save}.dealt").unlink()
    assert play(save).progress.done

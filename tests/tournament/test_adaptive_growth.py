"""Adaptive tournaments that grow: evidence begins again, and what was played stays."""

from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.games.common.errors import BadInput
from parlour.ratings.adaptive.standing import AdaptiveStanding
from parlour.ratings.adaptive.until import Until
from parlour.tournament.plan.additions import Addition
from parlour.tournament.reports.growth_history import growth_history
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.growing.decisions import decisions_of, followed
from parlour.tournament.save.growing.grow import grow
from parlour.tournament.save.queries import decided
from parlour.tournament.save.reader import Save
from tests.tournament.test_adaptive import decision_rows, ladder
from tests.tournaments import (
    in_save,
    new_save,
    play,
    printed,
    printed_json,
    refused,
    tamper,
    written,
)

ZOE: dict[str, Any] = {"agents": {"agents": [{"name": "Zoe", "strategy": "cautious"}]}}
MORE: dict[str, Any] = {"games": {"games": [{"name": "chameleon", "limit": 2}]}}


def stages_played(save: Save) -> list[int]:
    """The stage of each decision."""
    return [decision.body.stage for decision in decisions_of(save)]


def agents_after(save: Save, number: int) -> set[str]:
    """The agents that play in the matches after one."""
    return set(chain.from_iterable(match.agents for match in save.matches()[number:]))


@pytest.mark.parametrize("addition", [ZOE, MORE], ids=["agent", "game"])
@pytest.mark.parametrize("played", [True, False], ids=["finished", "new"])
def test_what_joins_is_decided_on_with_all_and_the_save_replays(
    tmp_path: Path, addition: dict[str, Any], played: bool
) -> None:
    path = ladder(tmp_path, 40)
    if played:
        assert play(path).progress.done
    before = decision_rows(path)
    grow(path, Addition(matches=120))
    grow(path, Addition(**addition))
    with Save(path) as save:
        count = save.match_count()
        assert (count.grows, count.done) == (True, False)
        assert str(decided(save)).startswith("before the tournament grew: ")
        assert followed(save).standing.decided_pairs()[0] == 0
        assert all(place.rounds == 0 for place in followed(save).standing.places())
    assert play(path).progress.done
    with Save(path) as save:
        assert decision_rows(path)[: len(before)] == before
        assert set(stages_played(save)[len(before) :]) == {3}
        new = agents_after(save, before[-1][2])
        assert new == {agent.name for agent in save.tournament.agents}
        if addition is MORE:
            assert {match.game for match in save.matches()} == {"undercover", "chameleon"}
        rounds = [
            decision.body.rounds for decision in decisions_of(save) if decision.body.stage == 3
        ]
        assert {place.rounds for place in followed(save).standing.places()} == {sum(rounds)}
        assert first_difference(save) is None


def test_more_matches_go_on_with_the_evidence(tmp_path: Path) -> None:
    path = ladder(tmp_path, 40)
    assert play(path).progress.done
    grow(path, Addition(matches=80))
    assert play(path).progress.done
    with Save(path) as save:
        assert first_difference(save) is None
        rounds = sum(decision.body.rounds for decision in decisions_of(save))
        assert {place.rounds for place in followed(save).standing.places()} == {rounds}
        steps = growth_history(save)
        assert "extended to at most 80 matches: " in steps[1].sentence
        assert sum(step.matches for step in steps) == save.match_count().matches


def test_matches_before_an_agent_joined_steer_the_next_ones() -> None:
    """Pairs that were one-sided before are played less often; those of a newcomer more often."""
    first = AdaptiveStanding(["A", "B", "C"])
    for _ in range(40):
        allotment = first.next(Until())
        scores = [0.5 if (one, other) == (0, 1) else 0.97 for one, other in allotment.bouts]
        first.add(allotment, scores * allotment.rounds)
    grown = AdaptiveStanding(["A", "B", "C", "New"], first.played)
    bouts = grown.next(Until()).bouts
    one_sided = max(bouts.count((0, 2)), bouts.count((1, 2)))
    assert one_sided < min(bouts.count((0, 1)), bouts.count((0, 3)))
    assert grown.decided_pairs() == (0, 6)


def test_evidence_on_the_score_before_is_none_on_the_score_after() -> None:
    """A beats B among three, and B beats A once D has joined: false evidence if it went on."""
    rng = np.random.default_rng(3)
    chances = np.array(
        [[0.5, 0.6, 0.6, 0.2], [0.4, 0.5, 0.6, 0.9], [0.4, 0.4, 0.5, 0.5], [0.8, 0.1, 0.5, 0.5]]
    )
    false = 0
    for _ in range(20):
        standing = AdaptiveStanding(["A", "B", "C"])
        for agents in (3, 4):
            if agents == 4:
                assert standing.is_reached(Until("rank", 1))
                assert standing.places()[0].agent == "A"
                standing = AdaptiveStanding(["A", "B", "C", "D"], standing.played)
            for _ in range(400):
                allotment = standing.next(Until("rank", 1))
                bouts = list(allotment.bouts) * allotment.rounds
                standing.add(allotment, [float(rng.random() < chances[each]) for each in bouts])
                if standing.is_reached(Until("rank", 1)):
                    break
        first = standing.places()[0]
        false += first.last_rank == 1 and first.agent != "B"
        assert first.agent == "B"
    assert false == 0


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"repetitions": 2}, "repetitions: is not used by the adaptive schedule"),
        ({**ZOE, "against": ["Ada"]}, "against: is not used by the adaptive schedule"),
        ({"matches": 30}, "matches: 30 are fewer than the tournament has; give more than 60"),
        ({"matches": 10_000_000}, "matches: 10000000 are too many"),
        ({"games": {"games": [{"name": "impostor", "limit": 1}]}}, "scheduled in blocks"),
    ],
)
def test_what_an_adaptive_tournament_cannot_have_is_refused(
    tmp_path: Path, asked: dict[str, Any], problem: str
) -> None:
    path = ladder(tmp_path)
    before = path.read_bytes()
    with pytest.raises(BadInput, match=problem):
        grow(path, Addition(**asked))
    assert path.read_bytes() == before


def test_an_agent_that_would_not_play_is_refused(tmp_path: Path) -> None:
    path = ladder(tmp_path, 8)
    zoe = written(tmp_path, '[[agents]]\nname = "Zoe"\nstrategy = "cautious"\n', "zoe.toml")
    assert refused("add", path, zoe, cwd=tmp_path) == (
        "parlour: matches: 8 are too few: 6 are planned, and each two agents meet next;"
        f" raise them: parlour add {path} --matches 18, or more"
    )


def test_what_has_room_for_a_round_plays_one(tmp_path: Path) -> None:
    """Even where the next round would have some pairs twice."""
    path = ladder(tmp_path, 40)
    assert play(path).progress.done
    with Save(path) as save:
        known = save.match_count().matches
        bouts = followed(save).standing.next(Until()).bouts
        assert len(bouts) > len(set(bouts))
    with pytest.raises(BadInput, match=f"matches: 40 are too few: {known} are planned"):
        grow(path, Addition(**MORE))
    grow(path, Addition(matches=known + 6))
    expected = grow(path, Addition(**MORE)).next_round
    assert play(path).progress.done
    with Save(path) as save:
        added = [match.planned for match in save.matches_after(known, 100)]
        assert tuple(added) == expected
        assert first_difference(save) is None


def test_a_fixed_schedule_has_no_most_matches(tmp_path: Path) -> None:
    path = new_save(tmp_path)
    with pytest.raises(BadInput, match="matches: is not used by the schedule 'round_robin'"):
        grow(path, Addition(matches=30))


def test_the_commands_add_to_an_adaptive_tournament(tmp_path: Path) -> None:
    path = ladder(tmp_path, 30)
    play(path)
    assert "plays at most 90 matches" in printed("add", path, "--matches", 90, cwd=tmp_path)
    assert "has all of it" in printed("add", path, "--matches", 90, cwd=tmp_path)
    zoe = written(tmp_path, '[[agents]]\nname = "Zoe"\nstrategy = "cautious"\n', "zoe.toml")
    body = printed_json("add", path, zoe, "--format", "json", cwd=tmp_path)
    assert (body["added"]["agents"], body["added"]["matches"]) == (["Zoe"], 90)
    assert (body["matches"], body["most"]["matches"]) == (12, 90)
    assert "90 matches" in printed("run", path, cwd=tmp_path)
    shown = printed("leaderboard", path, cwd=tmp_path)
    assert "of 6 pairs of agents" in shown
    assert "added Zoe: " in shown
    assert "every match replays identically" in printed("check", path, cwd=tmp_path)


@pytest.mark.parametrize("change", ["stage", "later"])
def test_check_names_a_decision_of_another_stage(tmp_path: Path, change: str) -> None:
    path = ladder(tmp_path, 40)
    play(path)
    grow(path, Addition(matches=60))
    play(path)
    seq = in_save(path, stages_played).index(2) + 1
    # The first decision of the second stage is said to be of the first one, or one before it of it.
    at, stage = (seq, 1) if change == "stage" else (seq - 2, 2)
    tamper(
        path, "UPDATE decisions SET body = json_set(body, '$.stage', ?) WHERE seq = ?", stage, at
    )
    assert f"decision {at}: " in refused("check", path, cwd=tmp_path, code=1)


def test_a_stage_that_there_is_not_is_damage(tmp_path: Path) -> None:
    path = ladder(tmp_path)
    tamper(path, "UPDATE decisions SET body = json_set(body, '$.stage', 7)")
    line = refused("check", path, cwd=tmp_path)
    assert "decision 1: is of a stage that there is not" in line

"""Adaptive tournaments: decisions are stored before their matches, follow from them, and end."""

from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from parlour.agents.registry import ScriptedConfig
from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import Seat
from parlour.ratings.adaptive.until import Until, until_of
from parlour.ratings.skill.paired_outcomes import score_of_match
from parlour.tournament.plan.loader import stored_tournament
from parlour.tournament.plan.schedule import match_count, matches_of_bouts, refuse_rule, schedule
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.growing.decisions import decision_that_differs, decisions_of, followed
from parlour.tournament.save.growing.fork import ForkChange, fork_match
from parlour.tournament.save.queries import decided
from parlour.tournament.save.reader import Save
from tests.tournaments import (
    SMALL,
    in_save,
    new_save,
    parlour,
    play,
    printed,
    printed_json,
    refused,
    stored_rows,
    tamper,
    tournament,
    written,
)

LADDER = SMALL.replace("seed = 7", 'seed = 7\nschedule = "adaptive"\nmatches = 60')
ROWS = TypeAdapter(list[tuple[int, int, int, str]])


def ladder(folder: Path, matches: int = 60) -> Path:
    """A save of an adaptive tournament of three agents."""
    return new_save(folder, LADDER.replace("matches = 60", f"matches = {matches}"))


def decision_rows(path: Path) -> list[tuple[int, int, int, str]]:
    return ROWS.validate_python(stored_rows(path, "SELECT * FROM decisions ORDER BY seq"))


def test_a_save_begins_with_a_round_of_all_pairs(tmp_path: Path) -> None:
    path = ladder(tmp_path)
    with Save(path) as save:
        (decision,) = decisions_of(save)
        assert decision.body.bouts == ((0, 1), (0, 2), (1, 2))
        assert decision.last_match == match_count(save.tournament) == 6
        assert save.match_count().grows


def test_a_bout_swaps_the_roles_of_its_agents(tmp_path: Path) -> None:
    plan = tournament(tmp_path, LADDER)
    for bout in matches_of_bouts(plan, 3, [(0, 1), (1, 2)], 4, 10):
        first, second = bout
        assert first.setting == second.setting
        assert first.seed != second.seed
        swapped = dict(zip(sorted(set(first.agents)), sorted(set(first.agents))[::-1], strict=True))
        assert tuple(swapped[agent] for agent in first.agents) == second.agents
    paired = replace(plan, seeding="common")
    assert all(a.seed == b.seed for a, b in matches_of_bouts(paired, 3, [(0, 1)], 4, 10))
    bouts = matches_of_bouts(plan, 3, [(0, 1)], 4, 10)
    assert [match.number for match in chain.from_iterable(bouts)] == list(range(10, 18))


def test_bouts_of_a_decision_reach_every_setting(tmp_path: Path) -> None:
    plan = tournament(tmp_path, LADDER)
    bouts = matches_of_bouts(plan, 1, [(0, 1)], 40, 1)
    assert {bout[0].setting for bout in bouts} == {0, 1}


def test_a_run_decides_until_its_most_matches_and_its_save_replays(tmp_path: Path) -> None:
    path = ladder(tmp_path)
    assert play(path).progress.done
    with Save(path) as save:
        *decisions, last = decisions_of(save)
        assert len(decisions) > 3
        assert last.body.stop is not None
        count = save.match_count()
        assert last.body.stop == (
            f"another round would exceed the tournament's 60 matches, after {count.matches} of them"
        )
        assert count.finished == count.matches <= 60
        assert first_difference(save) is None


def test_the_decisions_of_two_runs_are_the_same(tmp_path: Path) -> None:
    runs = []
    for name, concurrency in (("one", 1), ("many", 30)):
        (tmp_path / name).mkdir()
        path = ladder(tmp_path / name)
        play(path, concurrency=concurrency)
        runs.append(decision_rows(path))
    assert runs[0] == runs[1]


def test_a_stop_between_decisions_is_resumed(tmp_path: Path) -> None:
    whole, part = ladder(tmp_path), tmp_path / "part.db"
    play(whole)
    rows = decision_rows(whole)
    part.write_bytes(whole.read_bytes())
    # As if the process had been killed after the last match of the third decision.
    tamper(part, "DELETE FROM decisions WHERE seq > 3")
    tamper(part, "DELETE FROM stored_matches WHERE number > ?", rows[2][2])
    tamper(part, "DELETE FROM stored_answers WHERE match > ?", rows[2][2])
    tamper(part, "DELETE FROM counts")
    tamper(part, "DELETE FROM leaderboards")
    with Save(part) as save:
        assert save.match_count().finished == save.match_count().matches
        assert not save.match_count().done
    assert play(part).progress.done
    assert decision_rows(part) == rows


def test_another_rule_goes_on_with_a_finished_tournament(tmp_path: Path) -> None:
    path = ladder(tmp_path, 2000)
    assert play(path, until="interval < 0.95").progress.done
    with Save(path) as save:
        before = save.match_count().matches
        assert "intervals are narrower than 0.95" in str(decided(save))
    assert play(path, until="interval < 0.7").progress.done
    with Save(path) as save:
        assert save.match_count().matches > before
        assert decision_that_differs(save) is None


def test_decided_ranks_are_printed(tmp_path: Path) -> None:
    path = ladder(tmp_path, 40)
    play(path)
    shown = printed("leaderboard", path, cwd=tmp_path)
    assert "Always within" in shown
    assert "of 3 pairs of agents" in shown
    status = printed_json("status", path, "--format", "json", cwd=tmp_path)
    assert "pairs decided" in status["decided"]
    assert (status["until"], status["most_matches"]) == ("rank", 40)
    assert "rank, or 40 matches" in printed("status", path, cwd=tmp_path)


@pytest.mark.parametrize("damage", ["bouts", "order", "text"])
def test_check_names_a_decision_that_does_not_follow(tmp_path: Path, damage: str) -> None:
    path = ladder(tmp_path)
    play(path)
    changes = {
        "bouts": "UPDATE decisions SET body = json_set(body, '$.bouts[0]', json('[1,2]'))"
        " WHERE seq = 2",
        "order": "DELETE FROM decisions WHERE seq = 2",
        "text": "UPDATE decisions SET body = '{}' WHERE seq = 2",
    }
    tamper(path, changes[damage])
    assert "decision" in refused("check", path, cwd=tmp_path, code=2 if damage == "text" else 1)


def test_a_frozen_match_takes_its_decision_out_of_the_evidence(tmp_path: Path) -> None:
    path = ladder(tmp_path)
    play(path)
    rounds = {place.rounds for place in in_save(path, followed).standing.places()}
    tamper(path, "UPDATE stored_matches SET frozen = 'as a test' WHERE number = 1")
    assert {place.rounds + 1 for place in in_save(path, followed).standing.places()} == rounds


def test_scores_of_a_match_are_shares_of_points(tmp_path: Path) -> None:
    path = ladder(tmp_path)
    play(path)
    with Save(path) as save:
        for match in save.records():
            one, other = sorted(set(match.agents))
            won = {match.agents[seat] for seat in match.outcome.winners}
            expected = 0.5 if len(won) != 1 else float(one in won)
            assert score_of_match(match, one) == expected
            assert score_of_match(match, other) == 1 - expected


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (("matches = 60", ""), "matches"),
        (("matches = 60", "matches = 3"), "matches"),
        (("matches = 60", "matches = 60\nrepetitions = 2"), "repetitions"),
        (('schedule = "adaptive"', ""), "matches"),
        (('"undercover"', '"undercover"\nlineup = "alone"'), "games[0]"),
        (('"undercover"', '"impostor"'), "games[0]"),
    ],
)
def test_what_the_schedule_cannot_play_is_refused(
    tmp_path: Path, change: tuple[str, str], place: str
) -> None:
    with pytest.raises(BadInput) as refusal:
        tournament(tmp_path, LADDER.replace(*change))
    assert place in str(refusal.value)


def test_a_stored_adaptive_tournament_reads_back(tmp_path: Path) -> None:
    plan = tournament(tmp_path, LADDER)
    again = stored_tournament(plan.to_json(), "here")
    assert again.to_json() == plan.to_json()
    assert list(schedule(again)) == list(schedule(plan))


@pytest.mark.parametrize(
    ("text", "until"),
    [
        (None, Until()),
        ("rank", Until()),
        ("rank 3", Until("rank", 3)),
        ("interval < 0.1", Until("interval", None, 0.1)),
        ("interval<.5", Until("interval", None, 0.5)),
        ("budget", Until("budget")),
    ],
)
def test_rules_for_the_end(text: str | None, until: Until) -> None:
    assert until_of(text) == until


@pytest.mark.parametrize(
    "text", ["", "rank 0", "ranks", "interval", "interval < 0.0", "rank < 0.5", "budget 3"]
)
def test_other_rules_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="until"):
        until_of(text)


def test_a_fixed_schedule_has_no_rule_for_the_end(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="round_robin"):
        refuse_rule(tournament(tmp_path, SMALL), "rank")


def test_more_ranks_than_agents_are_refused(tmp_path: Path) -> None:
    three = tournament(tmp_path, LADDER)
    refuse_rule(three, f"rank {len(three.agents)}")
    with pytest.raises(BadInput, match="'rank 99' is beyond the 3 agents; write rank for all"):
        refuse_rule(three, "rank 99")


@pytest.mark.parametrize(
    ("change", "problem", "commands"),
    [
        (
            "UPDATE control SET until = 'sometime'",
            "control: until: 'sometime' is no rule for the end",
            ["run", "status"],
        ),
        (
            "UPDATE decisions SET body = json_set(body, '$.until', 'sometime')",
            "decision 1: is not one",
            ["check", "leaderboard"],
        ),
        (
            "DELETE FROM decisions",
            "decisions: the adaptive schedule has none",
            ["check", "run", "status", "leaderboard"],
        ),
    ],
)
def test_a_tampered_save_is_blamed(
    tmp_path: Path, change: str, problem: str, commands: list[str]
) -> None:
    path = ladder(tmp_path)
    tamper(path, change)
    for command in commands:
        done = parlour(command, path, cwd=tmp_path)
        line = f"parlour: {path}: is damaged ({problem}); restore a copy of it\n"
        assert (done.returncode, done.stderr) == (2, line)


@pytest.mark.parametrize("key", ["$.rounds", "last"])
def test_a_decision_of_more_matches_than_there_are_is_damage(tmp_path: Path, key: str) -> None:
    path = ladder(tmp_path)
    play(path)
    change = "last_match = 9000000000000000000"
    if key == "$.rounds":
        change = "body = json_set(body, '$.rounds', 1000000000000)"
    tamper(path, f"UPDATE decisions SET {change} WHERE seq = 1")
    assert "decision 1: has matches that there are not" in refused("check", path, cwd=tmp_path)


def test_a_fork_of_an_adaptive_tournament_has_no_decisions(tmp_path: Path) -> None:
    path = ladder(tmp_path)
    play(path)
    other = ScriptedConfig(name="Eve", strategy="random")
    fork = fork_match(path, 2, 0, ForkChange(Seat(0), agent=other), tmp_path / "fork.db")
    assert in_save(fork, first_difference) is None
    assert play(fork).progress.done


def test_a_plan_names_the_first_round_and_bounds_the_rest(tmp_path: Path) -> None:
    file = written(tmp_path, LADDER + MODELS)
    body = printed_json("plan", file, "--format", "json", cwd=tmp_path)
    most, dearest = body["most"], max(body["expenses"], key=lambda each: each["dollars"])
    assert (body["matches"], most["matches"], most["left"]) == (20, 60, 40)
    known = sum(each["dollars"] for each in body["expenses"])
    # Both models have the same prompts, in 8 matches each; the dearest match has both.
    a_match = dearest["dollars"] / 8
    assert known + 40 * a_match < most["dollars"] < known + 80 * a_match
    shown = printed("plan", file, cwd=tmp_path)
    assert "small, first round: 20 matches" in shown
    assert "up to 40 more and 60 in all" in shown
    assert f"about ${most['dollars']:.2f} at most" in shown


MODELS = "".join(
    f"""
[[agents]]
name = "Model {price}"
kind = "llm"
model = "openai/m"
api_base = "http://localhost:9/v1"
api_key_env = "NO_KEY"
prices = [{price}, {price}]
"""
    for price in (100, 200)
)

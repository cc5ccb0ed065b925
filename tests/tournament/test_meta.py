"""``meta`` of agents: read, refused, stored, changed between runs, and grouped by."""

import json
from pathlib import Path

import pytest

from parlour.games.common.errors import BadInput
from parlour.games.engine.game import BUILT_IN
from parlour.ratings.reports.ranking import leaderboard
from parlour.tournament.plan.loader import tournament_of
from parlour.tournament.reports.leaderboards import group_leaderboard, groups_of
from parlour.tournament.save.reader import Save
from tests.tournaments import SMALL, finished, new_save, parlour, play, printed, tournament, written

META = {"Ada": '{ family = "a", size = 8 }', "Rob": '{ family = "b" }', "Lin": '{ family = "b" }'}


def with_meta(meta: dict[str, str]) -> str:
    """The small tournament with this text as the meta of each agent."""
    text = SMALL
    for name, value in meta.items():
        text = text.replace(f'name = "{name}"\n', f'name = "{name}"\nmeta = {value}\n')
    return text


def test_every_kind_of_agent_has_meta_and_a_save_keeps_it(tmp_path: Path) -> None:
    kinds: list[dict[str, object]] = [
        {"name": "S", "strategy": "random"},
        {"name": "L", "kind": "llm", "model": "m", "api_base": "http://localhost:1"},
        {"name": "F", "kind": "function", "function": "players.py:answer"},
        {"name": "P", "kind": "python"},
        {"name": "H", "kind": "human"},
    ]
    (tmp_path / "players.py").write_text("def answer(question):\n    return 1\n")
    meta = {"provider": "Meta", "size": 70, "share": 0.5, "open": True}
    agents = [agent | {"meta": meta} for agent in kinds]
    source = {"name": "kinds", "games": [{"name": "undercover", "limit": 1}], "agents": agents}
    made = tournament_of(source, tmp_path, "kinds")
    assert [agent.meta for agent in made.agents] == [meta] * 5
    assert [agent["meta"] for agent in json.loads(made.to_json())["agents"]] == [meta] * 5


def test_without_meta_a_tournament_is_stored_as_before(tmp_path: Path) -> None:
    assert "meta" not in tournament(tmp_path).to_json()


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("{ family = [1] }", "meta.family"),
        ("{ family = { name = 1 } }", "meta.family"),
        ("{ size = nan }", "size is not a finite number"),
        ('{ "" = 1 }', "'' is no key: write a name on one line"),
        ('{ "a\\nb" = 1 }', "is no key: write a name on one line"),
        ('{ family = "\\u0007" }', "family is too long or has control characters"),
        (f'{{ family = "{"x" * 201}" }}', "family is too long or has control characters"),
        ('"gpt"', "meta"),
    ],
)
def test_what_cannot_be_meta_is_refused_in_one_line(
    tmp_path: Path, value: str, problem: str
) -> None:
    with pytest.raises(BadInput) as refused:
        tournament(tmp_path, with_meta({"Ada": value}))
    assert problem in str(refused.value)
    assert "agents[0].meta" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_meta_may_change_between_the_runs_of_a_save(tmp_path: Path) -> None:
    save = finished(tmp_path)
    file = written(tmp_path, with_meta(META))
    assert parlour("run", file, "--plain", "--save", save, cwd=tmp_path).returncode == 0
    with Save(save) as opened:
        assert opened.tournament.agents[0].meta == {"family": "a", "size": 8}
        assert opened.match_count().done
    other = written(tmp_path, with_meta(META).replace('"literal"', '"cautious"'))
    done = parlour("run", other, "--plain", "--save", save, cwd=tmp_path)
    assert done.returncode == 2
    assert "holds another tournament" in done.stderr


def test_a_group_is_one_agent_with_the_seats_of_all_of_its_agents(tmp_path: Path) -> None:
    save = finished(tmp_path, with_meta(META))
    with Save(save) as opened:
        board = group_leaderboard(opened, "family")
        records = opened.records()
    rows = {standing.agent: standing for standing in board.by("overall")}
    assert rows.keys() == {"a", "b"}
    assert board.grouped_by == "family"
    # Matches of Rob and Lin alone say nothing of the strength of b.
    both = sum("Ada" in record.agents for record in records)
    assert (rows["b"].matches, rows["a"].matches) == (12, both)
    assert rows["b"].strength is not None
    assert rows["b"].strength.matches == both


def test_one_group_of_each_agent_is_the_usual_leaderboard(tmp_path: Path) -> None:
    own = {name: f'{{ code = "{name}" }}' for name in META}
    save = finished(tmp_path, with_meta(own))
    with Save(save) as opened:
        grouped, usual = group_leaderboard(opened, "code"), leaderboard(opened.records())
    assert grouped.standings == usual.standings


def test_groups_have_names_whatever_the_values(tmp_path: Path) -> None:
    values = {"Ada": "{ k = true }", "Rob": '{ k = "" }', "Lin": f'{{ k = "{BUILT_IN}" }}'}
    groups = groups_of(tournament(tmp_path, with_meta(values)), "k")
    assert groups == {"Ada": "true", "Rob": "no k", "Lin": repr(BUILT_IN)}


def test_the_command_groups_and_refuses(tmp_path: Path) -> None:
    save = finished(tmp_path, with_meta(META))
    assert "Agents with the same family count as one." in printed(
        "leaderboard", save, "--by", "meta.family", cwd=tmp_path
    )
    body = json.loads(
        printed("leaderboard", save, "--by", "meta.size", "--format", "json", cwd=tmp_path)
    )
    assert body["grouped_by"] == "size"
    assert {standing["agent"] for standing in body["standings"]} == {"8", "no size"}
    for by, problem in (
        ("meta.famly", "--by meta.famly: no agent has this key; did you mean 'family'?"),
        ("team", "--by: cannot be 'team'; give one of overall, game, role, condition, meta.KEY"),
    ):
        done = parlour("leaderboard", save, "--by", by, cwd=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert problem in done.stderr


def test_without_any_meta_the_fix_says_where_to_write_it(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    play(save)
    done = parlour("leaderboard", save, "--by", "meta.family", cwd=tmp_path)
    assert "write meta = { ... } in the blocks of agents" in done.stderr

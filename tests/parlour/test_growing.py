"""The command `add`, and what consent they need."""

from pathlib import Path

import pytest

import parlour as package
from parlour.tournament.control.changes import grow_save
from parlour.tournament.control.status import stopped_because
from parlour.tournament.plan.additions import addition_of_file, part_of_file
from parlour.tournament.plan.loader import read_tournament
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.reader import Save
from parlour.tournament.trust.consent import Untrusted, agree, refuse_untrusted
from parlour.tournament.trust.needs import needs
from tests.tournaments import SMALL, finished, new_save, printed, printed_json, refused, written

ZOE = '[[agents]]\nname = "Zoe"\nstrategy = "cautious"\n'
FUNCTION = '[[agents]]\nname = "Own"\nkind = "function"\nfunction = "own.py:decide"\n'
CODE = "def decide(ask, view, dice):\n    return ask.sample(view.seat, dice)\n"


def test_the_commands_plan_what_is_new_and_play_it_when_asked(tmp_path: Path) -> None:
    save = finished(tmp_path)
    zoe = written(tmp_path, ZOE, "zoe.toml")
    planned = printed_json(*("add", save, zoe, "--against", "Ada"), cwd=tmp_path)
    assert planned["added"]["agents"] == ["Zoe"]
    assert planned["added"]["against"] == ["Ada"]
    assert planned["matches_by_experiment"] == {"undercover: Ada vs Zoe": 4}
    again = "add", save, zoe, "--against", "Ada"
    assert "nothing was added" in printed(*again, cwd=tmp_path)
    assert "'Zoe' joined against Ada alone" in refused("add", save, zoe, cwd=tmp_path)
    more = written(tmp_path, '[[games]]\nname = "chameleon"\nlimit = 1\n', "more.toml")
    # 4 pairs: 4 matches each of undercover again, and 2 each of chameleon in 2 repetitions.
    output = printed("add", save, more, "--repetitions", 2, "--run", cwd=tmp_path)
    assert "has this block already" in refused("add", save, more, cwd=tmp_path)
    assert "32 matches in 8 experiments" in output
    status = printed_json("status", save, cwd=tmp_path)
    assert (status["state"], status["matches"]) == ("finished", 48)
    kinds = [(step["kind"], step["agents"], step["matches"]) for step in status["history"]]
    assert kinds == [
        ("planned", ["Ada", "Rob", "Lin"], 12),
        ("added", ["Zoe"], 4),
        ("extended", [], 32),
    ]
    assert "added Zoe against Ada: 4 matches" in printed("leaderboard", save, cwd=tmp_path)


def test_a_new_model_has_the_parameters_that_all_models_of_the_save_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-needed")

    def model(name: str, more: str = "") -> str:
        return f'[[agents]]\nname = "{name}"\nkind = "llm"\nmodel = "openai/x"\n{more}'

    every = "parameters = { max_tokens = 300, temperature = 0.5 }\n"
    head = 'name = "models"\n' + every + '[[games]]\nname = "undercover"\nlimit = 1\n'
    hotter = "parameters = { temperature = 1 }\n"
    file = written(tmp_path, head + model("Ada") + model("Bob", hotter), "models.toml")
    save = tmp_path / "models.db"
    create_save(save, read_tournament(file))
    more = written(tmp_path, model("Cleo") + model("Dan", hotter), "more.toml")
    last = printed("add", save, more, cwd=tmp_path).splitlines()[-1]
    assert last == (
        'Cleo, Dan: parameters as all models of the save, unless set otherwise: {"max_tokens": 300}'
    )
    with Save(save) as opened:
        new = [each.parameters for each in opened.tournament.agents[2:]]
    assert new == [{"max_tokens": 300}, {"max_tokens": 300, "temperature": 1}]


def test_a_mistake_in_the_file_is_refused_with_its_line(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    taken = written(tmp_path, ZOE.replace("Zoe", "Ada"), "ada.toml")
    assert refused("add", save, taken.name, cwd=tmp_path) == (
        "parlour: ada.toml:2: agents[0].name: 'Ada' is taken: strategy is \"bayesian\" in the save"
        ' and "cautious" now; give it another name'
    )


def test_new_agents_need_the_consent_that_a_tournament_file_needs(tmp_path: Path) -> None:
    save, file = new_save(tmp_path), written(tmp_path, FUNCTION, "own.toml")
    written(tmp_path, CODE, "own.py")
    before = save.read_bytes()
    with pytest.raises(Untrusted, match="runs the code of"):
        grow_save(save, addition_of_file(file))
    assert save.read_bytes() == before
    part = part_of_file(file)
    assert part is not None
    agree(needs(part))
    assert len(grow_save(save, addition_of_file(file)).matches) == 12
    with Save(save) as opened:
        refuse_untrusted(opened.tournament)  # the save has it, too


def test_python_adds_what_a_dict_says(tmp_path: Path) -> None:
    save = finished(tmp_path)
    zoe = {"name": "Zoe", "strategy": "cautious"}
    grown = package.add(save, {"agents": [zoe]}, against=["Ada"])
    assert [agent.name for agent in grown.tournament.agents] == ["Ada", "Rob", "Lin", "Zoe"]
    grown = package.add(save, {"games": [{"name": "chameleon", "limit": 1}]}, repetitions=2)
    with pytest.raises(package.BadInput, match="repetitions: 1 is fewer"):
        package.add(save, repetitions=1)
    assert package.run(grown.tournament, save).finished


def test_the_status_of_a_finished_save_that_grew_names_no_end(tmp_path: Path) -> None:
    file = written(tmp_path, SMALL, "small.toml")
    printed("run", file, "--save", "small.db", cwd=tmp_path)
    package.add(tmp_path / "small.db", repetitions=2)
    lines = printed("status", "small.db", cwd=tmp_path).splitlines()
    titles = [line.split()[0] for line in lines if line.strip()]
    assert "State        not running, unfinished, since " in "\n".join(lines)
    assert "Stopped" not in titles
    assert any(": extended to 2 repetitions: " in line for line in lines)
    with Save(tmp_path / "small.db") as opened:
        assert stopped_because(opened.path, opened.match_count()) is None


def test_agents_and_repetitions_are_added_at_once(tmp_path: Path) -> None:
    save, zoe = finished(tmp_path), written(tmp_path, ZOE, "zoe.toml")
    # 12 matches of three agents became 48 of four in two repetitions.
    assert "36 matches" in printed("add", save, zoe, "--repetitions", 2, "--run", cwd=tmp_path)
    at_once = SMALL.replace("seed", "repetitions = 2\nseed", 1) + ZOE
    other = tmp_path / "other"
    other.mkdir()
    whole = finished(other, at_once)
    boards = [printed("leaderboard", each, "--format=csv", cwd=tmp_path) for each in (save, whole)]
    assert boards[0] == boards[1]

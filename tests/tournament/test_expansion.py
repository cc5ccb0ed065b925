"""Tournament files of several: includes, defaults, the environment, and consent to all of them."""

import os
import tomllib
from pathlib import Path

import pytest

from parlour.games.common.errors import BadInput
from parlour.tournament.plan.expansion import expanded
from parlour.tournament.plan.loader import read_tournament
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.reader import Save
from parlour.tournament.trust.needs import needs
from tests.tournaments import SMALL, parlour, refused, written

BASE = """name = "base"
repetitions = 2
parameters = { temperature = 0.1, seed = 5 }
[defaults.agent]
meta = { team = "ours" }
[defaults.agent.llm]
api_base = "http://localhost:${PORT:-8000}/v1"
parameters = { max_tokens = 300 }
[[games]]
name = "undercover"
limit = 2
[[agents]]
name = "Ada"
strategy = "bayesian"
"""
MODEL = '[[agents]]\nname = "{name}"\nkind = "llm"\nmodel = "{model}"\n'
NIGHT = 'name = "night"\ninclude = ["base.toml"]\nagents = "models/*.toml"\n'


@pytest.fixture
def night(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of several, below the folder ``team``."""
    monkeypatch.setenv("MODEL", "alpha")
    monkeypatch.delenv("PORT", raising=False)
    folder = tmp_path / "team"
    (folder / "models").mkdir(parents=True)
    written(folder, BASE, "base.toml")
    own = "parameters = { temperature = 0.9 }\n"
    written(folder / "models", MODEL.format(name="Mia", model="${MODEL}"), "a.toml")
    written(folder / "models", own + MODEL.format(name="Lee", model="beta"), "b.toml")
    return written(folder, NIGHT, "night.toml")


def same(one: Tournament, other: Tournament) -> bool:
    return one.to_json() == other.to_json()


def test_files_defaults_and_variables_make_one_tournament(night: Path, tmp_path: Path) -> None:
    read = read_tournament(night)
    assert (read.name, read.repetitions, [a.name for a in read.agents]) == (
        "night",
        2,
        ["Ada", "Mia", "Lee"],
    )
    mia, lee = read.models.values()
    assert (mia.model, mia.api_base, mia.meta) == (
        "alpha",
        "http://localhost:8000/v1",
        {"team": "ours"},
    )
    assert mia.parameters == {"temperature": 0.1, "seed": 5, "max_tokens": 300}
    assert lee.parameters == {"temperature": 0.9, "seed": 5, "max_tokens": 300}
    create_save(tmp_path / "save.db", read)
    with Save(tmp_path / "save.db") as save:
        assert same(save.tournament, read)


def test_the_shown_file_is_the_same_tournament_and_names_origins(night: Path) -> None:
    shown = parlour("plan", night, "--show", "--set", "agents.Lee.timeout=3", cwd=night.parent)
    words = {
        "repetitions = 2  # base.toml:2",
        'model = "alpha"  # models/a.toml:4, ${MODEL}',
        "max_tokens = 300  # base.toml:8, defaults.agent.llm.parameters.max_tokens",
        "timeout = 3  # --set",
    }
    assert words <= {*shown.stdout.splitlines()}
    again = written(night.parent, shown.stdout, "again.toml")
    set_in = read_tournament(night, settings=["agents.Lee.timeout=3"])
    assert same(read_tournament(again), set_in)
    assert not same(read_tournament(night), set_in)
    planned = parlour("plan", night, cwd=night.parent).stdout
    assert "From the environment: PORT is '8000', MODEL is 'alpha'." in planned


MIA = MODEL.format(name="Mia", model="{}").format
SECRET = "may hold a secret; name it in api_key_env, or take another variable"
NO_MODEL = "the variable NO is not set; export NO=..., or write a default: ${NO:-...}"
BAD = [
    ("models/a.toml", MIA("${NO}"), f"4: agents[0].model: {NO_MODEL}"),
    *[
        ("models/a.toml", MIA(f"${{{name}}}"), f"4: agents[0].model: the variable {name} {SECRET}")
        for name in ("A_TOKEN", "PLACE", "COPY")
    ],
    (
        "models/a.toml",
        MIA("x") + 'api_key_env = "${MODEL}"',
        "5: agents[0].api_key_env: takes nothing from the environment; write the name of",
    ),
    ("models/a.toml", MIA("x") + "timeout = 'soon'", "5: agents[0].timeout: must be a number"),
    ("models/b.toml", 'name = "x"\n' + MIA("x"), "1: name: has no place beside agents; a file of"),
    ("base.toml", BASE.replace("= 2", "= 0", 1), "2: repetitions: must be at least 1 (got 0)"),
    ("base.toml", BASE.replace("limit", "limt"), "11: games[0].limt: "),
    ("base.toml", BASE.replace("meta =", "name ="), "5: defaults.agent.name: would be that of"),
    ("base.toml", 'include = ["night.toml"]', "1: include[0]: night.toml includes itself"),
    ("night.toml", 'include = ["no.toml"]', "1: include[0]: there is no file FOLDER/no.toml; put"),
    ("night.toml", 'agents = "../*.toml"', "1: agents: '../*.toml' leads out of the file's folder"),
    ("night.toml", 'agents = "no/*.toml"', "1: agents: no file matches 'no/*.toml'; put one"),
]


@pytest.mark.parametrize(("file", "text", "complaint"), BAD)
def test_a_bad_part_is_refused_where_it_was_written(
    night: Path, file: str, text: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_TOKEN", "abc")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hidden-12345")
    monkeypatch.setenv("COPY", "sk-hidden-12345")
    monkeypatch.setenv("PLACE", "postgres://me:pass@host/db")
    written(night.parent, text, file)
    with pytest.raises(BadInput) as refusal:
        read_tournament(night)
    said = str(refusal.value).replace(f"{night.parent}/{file}", file)
    assert said.replace(str(night.parent), "FOLDER").startswith(f"{file}:{complaint}")
    assert "hidden" not in said


def test_consent_is_to_the_whole_wherever_a_part_comes_from(
    night: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert needs(read_tournament(night)) == ()
    monkeypatch.setenv("WHERE", "evil.example")
    for host in ("evil.example", "${WHERE}"):
        text = BASE.replace("localhost:${PORT:-8000}", host)
        keyed = text.replace("[defaults.agent.llm]", '[defaults.agent.llm]\napi_key_env = "A_KEY"')
        written(night.parent, keyed, "base.toml")
        lines = [need.line for need in needs(read_tournament(night))]
        assert "agent 'Mia' sends the key A_KEY to http://evil.example" in lines
    code = '[defaults.agent]\nkind = "function"\nfunction = "players.py:answer"\n'
    (night.parent.parent / "players.py").write_text("def answer(question): ...\n")
    outside = written(night.parent.parent, code, "code.toml")
    agents = '[[agents]]\nname = "Eve"\n[[agents]]\nname = "Bob"\n'
    game = '[[games]]\nname = "undercover"\n'
    written(night.parent, f'name = "x"\ninclude = ["../code.toml"]\n{agents}{game}', "night.toml")
    wanted = read_tournament(night)
    lines = [need.line for need in needs(wanted)]
    runs = f"runs the code of {night.parent.parent}/players.py, and of it answer()"
    assert lines == [f"agent {name!r} {runs}" for name in ("Eve", "Bob")] + [
        f"reads the tournament file {outside}"
    ]
    assert "needs your consent" in refused("run", night, "--plain", cwd=night.parent)


def test_a_preset_is_a_file_too_and_a_link_or_fifo_holds_nothing_up(tmp_path: Path) -> None:
    written(tmp_path, SMALL, "our-preset.toml")
    file = written(tmp_path, 'preset = "our-preset.toml"\nseed = 9\n')
    read = read_tournament(file)
    assert (read.name, read.seed, len(read.agents)) == ("small", 9, 3)
    os.mkfifo(tmp_path / "pipe.toml")
    file = written(tmp_path, 'include = ["pipe.toml"]\n' + SMALL)
    with pytest.raises(BadInput, match="there is no file"):
        read_tournament(file)


@pytest.mark.parametrize(
    ("setting", "path", "value"),
    [
        ("seed=3", "seed", 3),
        ("name=plain words", "name", "plain words"),
        ("games.0.limit=1", "games.0.limit", 1),
        ("parameters.temperature=0.5", "parameters.temperature", 0.5),
        ('agents.Rob.meta={ x = "y" }', "agents.1.meta", {"x": "y"}),
    ],
)
def test_a_setting_of_the_command_line_replaces_a_value(
    tmp_path: Path, setting: str, path: str, value: object
) -> None:
    at: object = tomllib.loads(expanded(written(tmp_path), [setting]).text())
    for step in path.split("."):
        assert isinstance(at, dict | list)
        at = at[int(step)] if isinstance(at, list) else at[step]
    assert at == value


@pytest.mark.parametrize("setting", ["seed", "=3", "agents.Zoe.meta=1", "name.x=1"])
def test_a_wrong_setting_is_one_line(tmp_path: Path, setting: str) -> None:
    with pytest.raises(BadInput, match="--set"):
        expanded(written(tmp_path), [setting])

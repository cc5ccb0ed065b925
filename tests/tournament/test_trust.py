"""A stranger's file: no key, no code and no connection before its user has agreed."""

import asyncio
import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import parlour as package
from parlour.games.engine.registry import find_game
from parlour.tournament.plan.expansion import preset_names
from parlour.tournament.plan.loader import read_preset, read_tournament
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.reader import Save
from parlour.tournament.session import run_session
from parlour.tournament.trust.consent import (
    Untrusted,
    agree,
    consent_file,
    refuse_untrusted,
    stored_consents,
    unagreed,
)
from parlour.tournament.trust.needs import needs
from tests.models import Served, clean_environment, provider
from tests.tournament.test_journal import planned
from tests.tournaments import COMMAND, SMALL, in_save, new_save, parlour, play, refused, written

CANARY = "sk-canary-77aa3f"
KEYED = 'api_key_env = "STRANGE_KEY"'
FUNCTION = 'kind = "function"\nfunction = "players.py:answer"'
WITH_CODE = SMALL.replace('strategy = "literal"', FUNCTION)
CODE = "def answer(question):\n    return None\n"
PREFERENCES = ("--format", "preferences", "--out", "pairs")
READING = (
    ("check",),
    ("replay", "1"),
    ("replay", "1", "--thoughts"),
    ("leaderboard",),
    ("leaderboard", "--view=head-to-head"),
    ("leaderboard", "--view=measures"),
    ("leaderboard", "--view=sensitivity"),
    ("status",),
    ("leaderboard", "--view=conduct"),
    ("budget",),
    ("replay", "1", "--prompts"),
    ("export", "--out", "out", "--format", "csv"),
    ("site",),
)
"""Commands that read a save, and must do nothing else."""


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a user who has a key and has agreed to nothing, also in this process."""
    own = {"XDG_CONFIG_HOME": str(tmp_path / "user"), "STRANGE_KEY": CANARY}
    for name, value in own.items():
        monkeypatch.setenv(name, value)
    return clean_environment(tmp_path, **own)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """A server that records what it receives."""
    folder = tmp_path / "server"
    folder.mkdir()
    with provider(folder) as served:
        yield served


def text_of(server: Served, more: str = KEYED) -> str:
    return planned(server, 1, more, games=["undercover"])


def elsewhere(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """From here on, the user of another machine, who has agreed to nothing."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "another"))


def with_canary(folder: Path) -> Path:
    """Replaces the players' file by one that leaves a mark when it runs; returns the mark."""
    mark = folder / "mark"
    (folder / "players.py").write_text(f"open({str(mark)!r}, 'w').close()\n{CODE}")
    return mark


def test_a_key_goes_nowhere_before_the_user_agrees_and_then_only_there(
    tmp_path: Path, stranger: dict[str, str], server: Served
) -> None:
    file = written(tmp_path, text_of(server))
    words = ("run", file, "--save", tmp_path / "save.db", "--plain")
    line = refused(*words, cwd=tmp_path, env=stranger)
    address = server.base.removesuffix("/v1")
    assert line == (
        f"parlour: {file}: needs your consent: agent 'Ada' sends the key STRANGE_KEY to {address}"
        f" (and 1 more); read what it does and agree with `parlour trust {file}`"
    )
    shown = parlour("trust", file, "--show", cwd=tmp_path, env=stranger)
    assert f"- agent 'Bob' sends the key STRANGE_KEY to {address}\n" in shown.stdout
    refused(*words, cwd=tmp_path, env=stranger)  # to look is not to agree
    assert not (tmp_path / "save.db").exists()
    assert server.requests == []
    agreed = parlour("trust", file, cwd=tmp_path, env=stranger)
    assert agreed.returncode == 0
    assert f"- agent 'Ada' sends the key STRANGE_KEY to {address}\n" in agreed.stdout
    done = parlour(*words, cwd=tmp_path, env=stranger)
    assert (done.returncode, done.stderr) == (0, "")
    assert {entry["key"] for entry in server.requests} == {f"Bearer {CANARY}"}
    assert (tmp_path / "user" / "parlour" / "trusted").stat().st_mode & 0o777 == 0o600


def test_a_well_known_key_goes_to_no_host_of_a_strangers_choice(
    tmp_path: Path, stranger: dict[str, str], server: Served
) -> None:
    env = {**stranger, "OPENAI_API_KEY": CANARY}
    for more in ('api_key_env = "OPENAI_API_KEY"', 'client = "litellm"'):
        text = text_of(server, more).replace('model = "', 'model = "openai/')
        file = written(tmp_path, text)
        line = refused("run", file, "--save", tmp_path / "save.db", cwd=tmp_path, env=env)
        assert "sends the key OPENAI_API_KEY to http://127.0.0.1:" in line
        assert "sends the key OPENAI_API_KEY" in refused("doctor", file, cwd=tmp_path, env=env)
    assert server.requests == []


@pytest.mark.parametrize("command", ["run", "doctor", "calibrate"])
def test_no_code_runs_before_the_user_agrees(
    tmp_path: Path, stranger: dict[str, str], command: str
) -> None:
    mark, file = with_canary(tmp_path), written(tmp_path, WITH_CODE)
    words = ("calibrate", "undercover", file) if command == "calibrate" else (command, file)
    line = refused(*words, cwd=tmp_path, env=stranger)
    assert f"runs the code of {tmp_path / 'players.py'}, and of it answer()" in line
    assert line.endswith(f"`parlour trust {file}`")
    for reading in (("plan", file), ("trust", file, "--show")):
        assert parlour(*reading, cwd=tmp_path, env=stranger).returncode == 0
    assert not mark.exists()
    assert not list(tmp_path.glob("*.db"))


def test_no_reading_command_runs_code_or_opens_a_connection(
    tmp_path: Path, stranger: dict[str, str], server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "players.py").write_text(CODE)
    model = f'kind = "llm"\nmodel = "m"\napi_base = "{server.base}"\n{KEYED}'
    text = WITH_CODE.replace('strategy = "random"', model).replace("limit = 2", "limit = 1")
    save = new_save(tmp_path, text)
    assert play(save).progress.done
    begun = new_save(tmp_path, text, name="begun.db")
    received = len(server.requests)
    assert received > 0
    elsewhere(monkeypatch, tmp_path)
    env = {**stranger, "XDG_CONFIG_HOME": os.environ["XDG_CONFIG_HOME"]}
    mark = with_canary(tmp_path)
    for command, *more in READING:
        done = parlour(command, save, *more, cwd=tmp_path, env=env)
        assert done.returncode == 0, (command, done.stderr)
    assert parlour("plan", "--save", begun, cwd=tmp_path, env=env).returncode == 0
    playing = ("fork", save, "1", "0", "1", "--agent", "Lin"), ("export", save, *PREFERENCES)
    for words in (("run", begun), ("run", "--save", begun), *playing):
        line = refused(*words, cwd=tmp_path, env=env)
        assert "needs your consent: agent '" in line
        assert line.endswith(f"`parlour trust {words[-1] if words[0] == 'run' else words[1]}`")
    assert len(server.requests) == received
    assert not mark.exists()


def test_a_save_is_agreed_to_with_the_file_it_is_made_from_and_nowhere_else(
    tmp_path: Path, stranger: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "players.py").write_text(CODE)
    (tmp_path / "own").mkdir()
    text = WITH_CODE.replace('strategy = "bayesian"', 'strategy = "bayesian"\nclue_bank = "b.json"')
    (tmp_path / "b.json").write_text('{"words": {}}')
    save = new_save(tmp_path, text)
    with Save(save) as opened:
        listed = needs(opened.tournament)
        assert [need.line.split(" ", 2)[2].split()[0] for need in listed] == ["reads", "runs"]
        assert unagreed(opened.tournament) == ()
        elsewhere(monkeypatch, tmp_path)
        assert unagreed(opened.tournament) == listed
    with pytest.raises(Untrusted, match="needs your consent"):
        asyncio.run(run_session(save))
    assert parlour("trust", save, cwd=tmp_path, env=dict(os.environ)).returncode == 0
    refuse_untrusted(in_save(save, lambda s: s.tournament))


CHANGES: dict[str, Any] = {
    "the code": lambda folder, text: (folder / "players.py").write_text(CODE + "# later\n"),
    "the address": lambda folder, text: written(folder, text.replace(":9/", ":10/")),
    "the key": lambda folder, text: written(folder, text.replace("STRANGE_KEY", "OTHER")),
    "the model": lambda folder, text: written(folder, text.replace('"m"', '"n"')),
    "the function": lambda folder, text: written(folder, text.replace("py:answer", "py:other")),
    "another agent": lambda folder, text: written(
        folder, f'{text}[[agents]]\nname = "More"\n{FUNCTION}\n'
    ),
    "prompts elsewhere": lambda folder, text: written(
        folder, text.replace('model = "m"', 'model = "m"\nprompts = "../prompts"')
    ),
    "settings elsewhere": lambda folder, text: written(
        folder, text.replace("limit = 2", 'settings = "../pairs.json"')
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_consent_is_void_when_what_it_was_given_to_changes(
    tmp_path: Path, stranger: dict[str, str], change: str
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "players.py").write_text(CODE)
    record = find_game("undercover", "test").shipped()[0].model_dump(mode="json")
    (tmp_path / "pairs.json").write_text(json.dumps([record]))
    model = f'kind = "llm"\nmodel = "m"\napi_base = "http://127.0.0.1:9/v1"\n{KEYED}'
    text = WITH_CODE.replace('strategy = "random"', model)
    text = text.replace('strategy = "bayesian"', 'strategy = "random"')
    file = written(folder, text)
    agree(needs(read_tournament(file)))
    refuse_untrusted(read_tournament(file))
    written(folder, f"# A remark, and other repetitions.\nrepetitions = 3\n{text}")
    refuse_untrusted(read_tournament(file))
    written(folder, text)
    CHANGES[change](folder, text)
    with pytest.raises(Untrusted, match="needs your consent"):
        refuse_untrusted(read_tournament(file))


@pytest.mark.parametrize("line", ["no digest\n", f"{'0' * 64} cut off", "\xff\n"])
def test_consents_that_are_garbled_count_for_nothing(
    tmp_path: Path, stranger: dict[str, str], line: str
) -> None:
    (tmp_path / "players.py").write_text(CODE)
    file = written(tmp_path, WITH_CODE)
    agree(needs(read_tournament(file)))
    with consent_file().open("ab") as consents:
        consents.write(line.encode("latin-1"))
    before = consent_file().read_bytes()
    assert stored_consents().digests == frozenset()
    problem = f"{consent_file()}, line 2, is garbled: the file counts for nothing"
    said = refused("run", file, "--save", tmp_path / "save.db", cwd=tmp_path, env=stranger)
    assert said.endswith(f"({problem})")
    aside = consent_file().with_name("trusted.damaged")
    again = parlour("trust", file, cwd=tmp_path, env=stranger)
    note = f"it is kept as {aside}, with 1 consent to give again"
    assert again.stderr == f"parlour: {problem}; {note}\n"
    refuse_untrusted(read_tournament(file))
    assert aside.read_bytes() == before
    consent_file().write_bytes(b"garbled once more")
    assert "trusted.damaged-2, with 0 consents" in agree(needs(read_tournament(file)))
    assert aside.read_bytes() == before


def test_trust_says_if_the_file_is_not_there_and_runs_nothing_of_it(
    tmp_path: Path, stranger: dict[str, str]
) -> None:
    file, players = written(tmp_path, WITH_CODE), tmp_path / "players.py"
    line = refused("trust", file, cwd=tmp_path, env=stranger)
    assert f"there is no file {players}" in line
    players.write_text(f"{CODE}open('mark', 'w')\n")
    assert parlour("trust", file, "--show", cwd=tmp_path, env=stranger).stderr == ""
    assert not (tmp_path / "mark").exists()


def test_a_finished_save_needs_no_consent(
    tmp_path: Path, stranger: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "players.py").write_text(CODE)
    file = written(tmp_path, WITH_CODE)
    agree(needs(read_tournament(file)))
    save = tmp_path / "save.db"
    create_save(save, read_tournament(file))
    play(save)
    consent_file().unlink()
    mark = with_canary(tmp_path)
    done = parlour("run", file, "--save", save, "--plain", cwd=tmp_path, env=stranger)
    assert (done.returncode, done.stderr) == (0, "")
    assert "finished, nothing left to play" in done.stdout
    written(tmp_path, WITH_CODE.replace("seed = 7", "seed = 8"))
    words = ("run", file, "--save", save, "--plain")
    assert "holds another tournament" in refused(*words, cwd=tmp_path, env=stranger)
    assert not mark.exists()


@pytest.mark.parametrize("mode", [0o644, 0o620])
def test_consents_that_others_may_read_or_change_count_for_nothing(
    tmp_path: Path, stranger: dict[str, str], mode: int
) -> None:
    (tmp_path / "players.py").write_text(CODE)
    wanted = read_tournament(written(tmp_path, WITH_CODE))
    agree(needs(wanted))
    consent_file().chmod(mode)
    with pytest.raises(Untrusted, match="is open to others and counts for nothing"):
        refuse_untrusted(wanted)
    agree(needs(wanted))
    refuse_untrusted(wanted)
    assert consent_file().stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("answer", "plays"), [("n", False), ("", False), ("perhaps\nY", True)])
def test_a_terminal_is_asked(
    tmp_path: Path, stranger: dict[str, str], answer: str, plays: bool
) -> None:
    (tmp_path / "players.py").write_text(CODE)
    file = written(tmp_path, WITH_CODE)
    words = ("run", str(file), "--save", "save.db", "--plain")
    screen, errors, code = _answered(answer, tmp_path, stranger, *words)
    assert f"- agent 'Lin' runs the code of {tmp_path / 'players.py'}, and of it answer()" in screen
    assert (tmp_path / "save.db").exists() is plays
    assert code == (0 if plays else 2), errors
    assert ("Please answer y or n." in screen) is ("perhaps" in answer)
    assert ("needs your consent" in errors) is not plays


@pytest.mark.parametrize(("answer", "agrees"), [("n", False), ("y", True)])
def test_trust_asks_on_a_terminal(
    tmp_path: Path, stranger: dict[str, str], answer: str, agrees: bool
) -> None:
    (tmp_path / "players.py").write_text(CODE)
    file = written(tmp_path, WITH_CODE)
    screen, _errors, code = _answered(answer, tmp_path, stranger, "trust", str(file))
    assert code == (0 if agrees else 1)
    assert ("Agreed to nothing." in screen) is not agrees
    shown = parlour("trust", file, "--show", cwd=tmp_path, env=stranger)
    assert ("You have agreed to all of this." in shown.stdout) is agrees


def _answered(
    answer: str, folder: Path, env: dict[str, str], *words: str
) -> tuple[str, str, int | None]:
    """Screen, errors and exit code of a command on a terminal whose question gets that answer."""
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    streams: dict[str, Any] = {"stdin": theirs, "stdout": theirs, "stderr": subprocess.PIPE}
    with subprocess.Popen([*COMMAND, *words], cwd=folder, env=env, text=True, **streams) as process:
        os.close(theirs)
        screen = _until_closed(ours)
        assert process.stderr is not None
        errors = process.stderr.read()
    assert "Do you agree to all of this? [y/N]" in screen
    return screen, errors, process.returncode


def _until_closed(terminal: int) -> str:
    """Everything that is written to a terminal until all who have it open have closed it."""
    written_there = b""
    while True:
        try:
            written_there += os.read(terminal, 65536)
        except OSError:  # Linux raises EIO at the end
            os.close(terminal)
            return written_there.decode()


def test_what_needs_nothing_asks_nothing(tmp_path: Path, stranger: dict[str, str]) -> None:
    for name in preset_names():
        assert needs(read_preset(name)) == ()
    (tmp_path / "prompts").mkdir()
    local = 'kind = "llm"\nmodel = "m"\napi_base = "http://localhost:9/v1"\nprompts = "prompts"'
    hosted = 'kind = "llm"\nmodel = "anthropic/claude"\napi_key_env = "ANTHROPIC_API_KEY"'
    text = SMALL.replace('strategy = "random"', local).replace('strategy = "literal"', hosted)
    assert needs(read_tournament(written(tmp_path, text))) == ()
    assert not consent_file().exists()


def test_an_endpoint_needs_consent_on_this_machine_too(tmp_path: Path) -> None:
    block = 'kind = "llm"\nclient = "http"\nmodel = "m"\napi_base = "http://localhost:9/answer"'
    wanted = read_tournament(written(tmp_path, SMALL.replace('strategy = "random"', block)))
    lines = [need.line for need in needs(wanted)]
    assert lines == ["agent 'Rob' posts its questions to the endpoint http://localhost:9/answer"]


def test_python_asks_for_files_and_not_for_what_the_program_makes(
    tmp_path: Path, stranger: dict[str, str]
) -> None:
    (tmp_path / "players.py").write_text(CODE)
    file = written(tmp_path, WITH_CODE.replace("limit = 2", "limit = 1"))
    with pytest.raises(Untrusted, match="agree with `parlour trust "):
        package.run(file, tmp_path / "save.db")
    with pytest.raises(Untrusted, match="agree with `parlour trust "):
        package.run(package.load(file), tmp_path / "save.db")
    assert not (tmp_path / "save.db").exists()
    block = {"kind": "function", "function": str(tmp_path / "players.py:answer")}
    own = {
        "name": "own",
        "games": [{"name": "undercover", "limit": 1}],
        "agents": [{"name": "Ada", "strategy": "random"}, {"name": "Own", **block}],
    }
    save = package.run(own, tmp_path / "own.db", workers=1)
    assert len(save.leaderboard()) > 0
    with Save(tmp_path / "own.db") as opened:
        refuse_untrusted(opened.tournament)  # so `parlour run` plays it too


def test_prompts_of_a_file_are_rendered_in_the_sandbox(
    tmp_path: Path, stranger: dict[str, str], server: Served
) -> None:
    folder = tmp_path / "prompts" / "undercover"
    folder.mkdir(parents=True)
    mark = tmp_path / "mark"
    inner = f"cycler.__init__.__globals__.os.system('touch {mark}')"
    (folder / "system.j2").write_text(f"{{{{ {inner} }}}}")
    file = written(tmp_path, text_of(server, 'prompts = "prompts"'))
    words = ("run", file, "--save", tmp_path / "save.db", "--plain")
    done = parlour(*words, cwd=tmp_path, env=stranger)
    assert done.returncode == 1
    assert "is unsafe" in done.stderr
    assert not mark.exists()
    assert server.requests == []


MODELS = ("openai/gpt-4o-mini", "gpt-4o", "ollama/llama3", "github_copilot/gpt-4o", "chatgpt/gpt-5")
WATCHED = """
import sys
def watch(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.sendto"}:
        print("CONNECTS", event, arguments[1:], file=sys.stderr)
sys.addaudithook(watch)
if sys.argv[1] == "itself":
    import socket
    socket.socket().connect_ex(("127.0.0.1", 9))
    sys.exit()
from parlour.cli.app import main
main()
"""
"""Runs a command, and says so on stderr for each connection; "itself" opens one."""


@pytest.mark.slow
def test_plan_opens_no_connection(tmp_path: Path, stranger: dict[str, str]) -> None:
    blocks = "".join(
        f'[[agents]]\nname = "{name}"\nkind = "llm"\nmodel = "{model}"\n'
        for name, model in zip("ABCDE", MODELS, strict=True)
    )
    head = 'name = "models"\nbudget = 1.0\nparameters = { max_tokens = 99 }\n'
    game = '[[games]]\nname = "undercover"\nlimit = 1\n'
    file = written(tmp_path, f"{head}{game}{blocks}")
    env = {**stranger, "HOME": str(tmp_path)}
    for words, connects in ((("itself",), True), (("plan", str(file)), False)):
        command = [sys.executable, "-c", WATCHED, *words]
        done = subprocess.run(
            command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert ("CONNECTS" in done.stderr) is connects, done.stderr


def test_a_copied_fork_or_a_renamed_save_is_no_way_around(
    tmp_path: Path, stranger: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "players.py").write_text(CODE)
    save = new_save(tmp_path, WITH_CODE)
    copied = tmp_path / "copied.db"
    shutil.copy(save, copied)
    mark = with_canary(tmp_path)  # the code that was agreed to is no longer there
    for path in (save, copied):
        with pytest.raises(Untrusted, match="runs the code of"):
            asyncio.run(run_session(path))
        with Save(path) as opened, pytest.raises(Untrusted):
            create_save(tmp_path / "new.db", opened.tournament)
    assert not mark.exists()

"""Hooks and metrics: what a run tells others, whatever they do with it."""

import asyncio
import json
import re
import time
from pathlib import Path

import pytest

from parlour.agents.llm.keys import settings_file
from parlour.cli import notices
from parlour.cli.hooks import hooks
from parlour.cli.notices import Notices
from parlour.cli.progress import session
from parlour.games.common.errors import BadInput
from parlour.tournament.control.hooks import Hooks, Notice, call_hook, read_hooks
from parlour.tournament.control.metrics import metrics_text, refuse_place, write_metrics
from parlour.tournament.control.status import RunnerStatus, Wait
from parlour.tournament.save.rows import RunOptions
from tests.tournaments import MATCHES, new_save

KEY = "sk-hook-1234567890"
A_NOTICE = Notice("on_trouble", "a.db", f"HTTP 401 for {KEY}", failed=["x" * 10_000] * 5)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a configuration of one's own; the keys are in the environment."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    settings_file().parent.mkdir()
    return settings_file().parent


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("cat", ""),
        ("exit 3", "ended with exit code 3"),
        ("sleep 60", "took longer than 0.5 s and was ended"),
        ("trap '' TERM INT; while :; do :; done", "took longer than 0.5 s and was ended"),
        ("yes", "printed more than 64,000 bytes"),
        ("trap '' PIPE; while :; do echo yes; done 2>/dev/null", "printed more than 64,000 bytes"),
        ("exec <&-; kill -9 $$", "ended with exit code -9"),
        ("sleep 60 & echo left", ""),
    ],
)
def test_a_hook_ends_in_time_whatever_it_does(config: Path, script: str, problem: str) -> None:
    begun = time.monotonic()
    called = call_hook(["sh", "-c", script], 0.5, A_NOTICE)
    assert called.problem == problem
    assert time.monotonic() - begun < 5
    assert len(called.said) <= 500


def test_a_hook_that_is_not_there_is_a_problem_and_no_error(config: Path) -> None:
    for command in (["/nonesuch"], [str(config)], ["a\0b"]):
        assert call_hook(command, 1, A_NOTICE).problem.startswith("cannot be started (")


def test_a_hook_gets_its_notice_and_no_key(config: Path) -> None:
    out = config / "got"
    assert not call_hook(["sh", "-c", f"cat > {out}; env >> {out}"], 5, A_NOTICE).problem
    text = out.read_text()
    assert KEY not in text
    got = json.loads(text.splitlines()[0])
    assert got["event"] == "on_trouble"
    assert got["failed"] == ["x" * 500] * 5
    assert "OPENAI_API_KEY" not in text


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("on_finnish = ['a']", r"config.toml: hooks: .*on_finnish"),
        ("on_finish = 'a b'", r"config.toml: hooks: .*on_finish"),
        ("on_finish = []", r"config.toml: hooks: .*on_finish"),
        ("seconds = 0", r"config.toml: hooks: .*seconds"),
        ("on_finish = [", r"config.toml: cannot be read"),
    ],
)
def test_a_wrong_table_of_hooks_is_refused(config: Path, table: str, message: str) -> None:
    settings_file().write_text(f"[hooks]\n{table}\n")
    with pytest.raises(BadInput, match=message):
        read_hooks()


def test_the_command_tries_each_hook(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BadInput, match="has no hooks"):
        hooks()
    settings_file().write_text('[hooks]\non_finish = ["cat"]\non_budget = ["false"]\n')
    assert hooks("test") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith('ok    on_finish: done; it printed: {"event": "on_finish"')
    assert lines[1] == "FIX   on_budget: ended with exit code 1"
    assert hooks() == 0


def test_a_run_calls_its_hooks_names_a_failing_one_and_leaves_its_metrics(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"[hooks]\non_finish = ['sh', '-c', 'cat > {tmp_path}/got; exit 1']\n"
    settings_file().write_text(text)
    save, prom = new_save(tmp_path), tmp_path / "run.prom"
    assert asyncio.run(session(save, RunOptions(metrics=str(prom)))).progress.done
    got = json.loads((tmp_path / "got").read_text())
    assert (got["reason"], got["done"], got["finished"]) == ("finished", True, MATCHES)
    assert got["save"] == str(save)
    assert capsys.readouterr().err.count("hook on_finish: ended with exit code 1") == 1
    assert f'parlour_matches_finished{{save="save.db"}} {MATCHES}.0\n' in prom.read_text()
    assert 'parlour_up{save="save.db"} 0.0' in prom.read_text()


def test_each_trouble_calls_once_and_a_busy_hook_is_not_called_again(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[tuple[str, str]] = []
    named: list[str] = []

    def fake(command: list[str], _seconds: float, notice: Notice) -> object:
        called.append((notice.event, notice.reason))
        return notices_problem

    def say(line: str, **_how: object) -> None:
        named.append(line)

    notices_problem = call_hook(["false"], 5, A_NOTICE)
    monkeypatch.setattr(notices, "call_hook", fake)
    wanted = Hooks(on_trouble=["a"], on_budget=["b"], on_finish=["c"])
    notices_of = Notices(Path("a.db"), wanted, Path("/nonesuch/run.prom"), say)
    waits = [
        Wait(kind="provider", who="ada", why="HTTP 500"),
        Wait(kind="budget", who="bob", why="used up"),
        Wait(kind="person", who="me", why="to answer"),
    ]
    for _ in range(3):
        notices_of._look(RunnerStatus(state="running", waits=waits))
    asyncio.run(notices_of.ended("error", None))
    trouble, budget = (
        ("on_trouble", "waits for ada: HTTP 500"),
        ("on_budget", "waits for bob: used up"),
    )
    assert called == [trouble, budget, ("on_finish", "error")]
    assert {line.split(": ")[1] for line in named} == {
        *("hook on_trouble", "hook on_budget", "metrics /nonesuch/run.prom", "hook on_finish")
    }
    assert len(named) == 4


HELP, TYPE = r"# HELP (\w+) [^\n]+", r"# TYPE (\w+) (?:gauge|counter)"
SAMPLE = r'(\w+)\{save="((?:[^"\\\n]|\\["\\n])*)"\} (-?[0-9.]+(?:e[+-]?[0-9]+)?|inf|nan)'
"""The lines of Prometheus's text format, each whole."""


async def test_metrics_written_late_leave_those_of_the_end(tmp_path: Path) -> None:
    notices = Notices(Path("a.db"), Hooks(), tmp_path / "run.prom")
    await notices.ended("", None)
    text = (tmp_path / "run.prom").read_text()
    now = RunnerStatus(state="running", finished=7)
    await asyncio.to_thread(notices._write, now, "running")
    assert (tmp_path / "run.prom").read_text() == text


def test_metrics_follow_the_grammar_of_prometheus_and_replace_nothing_else(tmp_path: Path) -> None:
    now = RunnerStatus(state="running", matches=12, dollars=1e-7, left=None)
    text = metrics_text('a "b" \\ c\n.db', now, "running", 1.5e9)
    lines = text.splitlines()
    assert text.endswith("\n")
    assert len(lines) % 3 == 0
    for about, kind, sample in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
        matches = [re.fullmatch(*each) for each in ((HELP, about), (TYPE, kind), (SAMPLE, sample))]
        assert len({match and match[1] for match in matches}) == 1, (about, kind, sample)
    assert len({line.partition("{")[0] for line in lines[2::3]}) == len(lines) // 3
    path = tmp_path / "run.prom"
    write_metrics(path, text)
    refuse_place(path)
    assert list(tmp_path.iterdir()) == [path]
    (tmp_path / "notes").write_text("mine")
    (tmp_path / "link").symlink_to(path)
    for place in (tmp_path, tmp_path / "no" / "a.prom", tmp_path / "notes", tmp_path / "link"):
        with pytest.raises(BadInput, match="--metrics"):
            refuse_place(place)

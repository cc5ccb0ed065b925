"""Whole tournaments against a server that gives the key back: it is left nowhere, shown nowhere."""

import asyncio
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pyarrow.parquet
import pytest

from parlour.agents.llm.keys import key_named, load_keys
from parlour.tournament.control.run_log import run_log_file
from parlour.tournament.reports.leaderboards import Computer, LeaderboardRequest
from parlour.tournament.run.workers import WorkerProcess
from parlour.tournament.save.new_file import DiskTrouble
from tests.consents import own_config
from tests.echoes import PASSING, REFUSALS
from tests.models import CLIENTS, Served, clean_environment, provider, served
from tests.provider import ANSWER_FAULTS, ECHOES, ODD_ANSWERS, PROVIDER_FAULTS
from tests.tournament.test_journal import CANARY, planned, rows, run
from tests.tournaments import environment, in_save, new_save, parlour
from tests.tui.playing import driven, pane_text, running, saved

PLACES = ("environment", "keys file")
COMMANDS = (
    ("status",),
    ("status", "--format", "json"),
    ("leaderboard", "--view=conduct"),
    ("trust", "--show"),
    ("backup", "copy.db"),
    ("site", "--out", "pages"),
    ("paper", "magic", "--out", "tables", "--no-figures"),
    ("replay", 1),
    ("leaderboard",),
    ("leaderboard", "--view=measures"),
    ("check",),
    ("export", "--out", "out", "--format", "jsonl"),
    ("export", "--out", "csv", "--format", "csv", "--prompts"),
    ("export", "--out", "parquet", "--format", "parquet"),
    ("export", "--out", "hf", "--format", "hf", "--prompts"),
    ("export", "--out", "chat", "--format", "chat"),
    ("bundle", "bundle.zip"),
)
LOUD = {
    "LITELLM_LOG": "DEBUG",
    "OPENAI_LOG": "debug",
    "PARLOUR_LOG": "debug",
    "PYTHONWARNINGS": "default",
}
"""Environment in which the libraries and the log of the run say as much as they can."""


def keyed(folder: Path, place: str) -> tuple[dict[str, str], list[Path]]:
    """Puts the key where it is looked for: the environment, and the files that hold it."""
    if place == "environment":
        return {"WHERE_IT_IS": CANARY}, []
    own_config(folder / "config", f'WHERE_IT_IS = "{CANARY}"')
    return {}, [folder / "config" / "parlour" / "keys.toml"]


def text_of(server: Served, carrier: str, repetitions: int) -> str:
    """A tournament whose models are sent the key."""
    more = f'api_key_env = "WHERE_IT_IS"\nclient = "{carrier}"'
    text = planned(server, repetitions, more)
    return text.replace('model = "', 'model = "openai/') if carrier == "litellm" else text


def found_in(folder: Path, *known: Path) -> list[Path]:
    """The files that hold any of the key, besides those that must."""
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and path not in known and b"canary" in unpacked(path)
    ]


def unpacked(path: Path) -> bytes:
    """The bytes of a file, without its compression."""
    if path.suffix == ".parquet":
        return repr(pyarrow.parquet.read_table(path).to_pylist()).encode()
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return b"".join(map(archive.read, archive.namelist()))
    return path.read_bytes()


def played(
    folder: Path, carrier: str, place: str, *, repetitions: int, faults: float, seen: bool = True
) -> set[str]:
    """Plays to the end against all that passes, and looks in every file; the modes that were met.

    ``seen``: and at all that commands and screens show of it and ask for it.
    """
    env, known = keyed(folder, place)
    own = [*ANSWER_FAULTS, *PROVIDER_FAULTS, *ODD_ANSWERS, *ECHOES]
    modes = [mode for mode in own if mode not in {"hang", "echo_refused"}]
    modes += [f"raw {name}" for name in PASSING]
    with provider(folder, "--faults", faults, "--modes", ",".join(modes)) as server:
        text = text_of(server, carrier, repetitions)
        done = run(folder, text, seconds=500, **env, **LOUD)
        assert done.returncode == 0, done.stderr
        save = folder / "save.db"
        said = [done.stdout, done.stderr]
        if seen:
            words = ("export", save, "--format", "preferences", "--asks", 6, "--forks", 8)
            environ = clean_environment(folder, **env, **LOUD)
            pairs = parlour(*words, "--out", "pairs", cwd=folder, env=environ, timeout=500)
            assert pairs.returncode == 0, pairs.stderr
            assert "chosen" in (folder / "pairs" / "preferences.jsonl").read_text(encoding="utf-8")
            said += [pairs.stdout, pairs.stderr]
        log = server.requests
    assert {line["key"] for line in log} == {f"Bearer {CANARY}"}  # it was sent, and echoed
    if seen:
        for command, *more in COMMANDS:
            shown = parlour(command, save, *more, cwd=folder)
            assert shown.returncode == 0, shown.stderr
            said += [shown.stdout, shown.stderr]
        said.append(asyncio.run(screens(save)))
        assert {folder / "copy.db", folder / "pages"} <= set(folder.iterdir())
    assert " DEBUG " in run_log_file(save).read_text(encoding="utf-8")
    assert not any("canary" in text for text in said)
    assert found_in(folder, server.log, *known) == []
    struck = "text LIKE '%[key]%' OR message LIKE '%[key]%'"
    assert rows(save, f"SELECT 1 FROM calls WHERE {struck}")  # it came, and was struck out
    return {line["mode"] for line in log}


async def screens(save: Path) -> str:
    """All that the screens show of a save: the match, its replay, the leaderboard."""
    seen = []
    async with driven(save, size=(160, 50)) as pilot:
        seen.append(pilot.shown)
        pilot.live.show_match(1)  # the onlooker's view, with notes and thinking
        await pilot.pause()
        seen += [pilot.shown, pane_text(pilot.app.screen, "#talk")]
        await pilot.press("r")
        seen += [pilot.shown, pane_text(pilot.app.screen, "#talk")]
        await pilot.press("escape", "l")
        seen.append(pilot.shown)
    assert all(seen)
    return "\n".join(seen)


@pytest.mark.parametrize(
    ("carrier", "place", "seen"), [("openai", "environment", True), ("litellm", "keys file", False)]
)
def test_no_key_is_left_anywhere_by_any_answer_or_failure(
    tmp_path: Path, carrier: str, place: str, seen: bool
) -> None:
    met = played(tmp_path, carrier, place, repetitions=1, faults=0.45, seen=seen)
    assert len(met) > 8


@pytest.mark.soak
@pytest.mark.parametrize("carrier", CLIENTS)
@pytest.mark.parametrize("place", PLACES)
def test_no_key_is_left_in_long_tournaments_either(
    tmp_path: Path, carrier: str, place: str
) -> None:
    met = played(tmp_path, carrier, place, repetitions=60, faults=0.6)
    assert {f"raw {name}" for name in PASSING} <= met
    assert len(met) >= 60


@pytest.mark.parametrize("carrier", ["openai", pytest.param("litellm", marks=pytest.mark.soak)])
def test_no_key_is_shown_by_a_run_that_gives_up(tmp_path: Path, carrier: str) -> None:
    env, known = keyed(tmp_path, "environment")
    modes = ",".join(f"raw {name}" for name in REFUSALS if " of 4" in name or name == "challenge")
    with provider(tmp_path, "--faults", 1, "--modes", modes) as server:
        done = run(tmp_path, text_of(server, carrier, 10), **env, **LOUD)
    assert done.returncode == 1
    assert " after a permanent error: " in done.stderr
    assert "canary" not in done.stdout + done.stderr
    assert found_in(tmp_path, server.log, *known) == []
    assert len({line["mode"] for line in server.requests}) >= 5


def test_no_key_is_shown_while_matches_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHERE_IT_IS", CANARY)
    monkeypatch.setenv("XDG_CONFIG_HOME", own_config(tmp_path / "config"))

    async def story() -> str:
        async with served(tmp_path, "raw body of 500") as server:
            text = text_of(server, "openai", 1).replace("retries = 12", "retries = 0")
            save = new_save(tmp_path, text)
            async with running(save), driven(save, size=(160, 40)) as pilot:
                await pilot.sees("parked")
                return pilot.shown

    seen = asyncio.run(story())
    assert "[key]" in seen
    assert "canary" not in seen


@pytest.mark.really_started
@pytest.mark.parametrize("place", PLACES)
async def test_processes_that_need_no_key_get_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    env, _known = keyed(tmp_path, place)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("ORDINARY", "a plain value")
    monkeypatch.setenv("WHERE_IT_IS", "")  # so that it is as before after the test
    monkeypatch.delenv("WHERE_IT_IS")
    os.environ.update(env)
    load_keys()
    assert key_named("WHERE_IT_IS") == CANARY  # as the runner does for an agent that names it

    save = await saved(tmp_path / "small.db", 0)
    text = in_save(save, lambda s: s.tournament_json)
    worker = await WorkerProcess.started(text, ["Ada"])
    computer = Computer()
    try:
        computer._elsewhere(LeaderboardRequest(str(save), "", False, False))
        assert computer._process is not None
        for pid in (worker.pid, computer._process.pid):
            process = Path("/proc", str(pid))
            environ = (process / "environ").read_bytes()
            assert b"ORDINARY=a plain value" in environ
            assert CANARY.encode() not in environ + (process / "cmdline").read_bytes()
    finally:
        computer.close()
        await worker.close()


def test_no_key_is_in_a_rescued_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHERE_IT_IS", CANARY)
    monkeypatch.setenv("XDG_CONFIG_HOME", own_config(tmp_path / "config"))

    async def story() -> None:
        async with served(tmp_path, "echo_answer") as server:
            save = new_save(tmp_path, text_of(server, "openai", 1))
            async with running(save, paused=True) as runner:
                runner.gate.open()
                while runner.stats.answers < 3:
                    await asyncio.sleep(0.01)
                save.unlink()

    with pytest.raises(DiskTrouble) as trouble:
        asyncio.run(story())
    assert "canary" not in str(trouble.value)
    copy = tmp_path / "save.rescued.db"
    assert rows(copy, "SELECT 1 FROM calls")
    assert b"canary" not in copy.read_bytes()


CRASH = """
import os
from parlour.cli import app
def crash(*words, **options):
    key = os.environ["A_KEY"]
    raise ValueError(f"refused: {key} \x1b[31m")
app.app = crash
app.main()
"""


def test_a_crash_shows_neither_a_key_nor_the_values_of_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", CANARY)
    done = subprocess.run(
        [sys.executable, "-c", CRASH],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "ValueError: refused: [key] [31m" in done.stderr
    assert "canary" not in done.stdout + done.stderr

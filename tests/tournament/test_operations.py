"""For the operator of a run: the log, the heartbeat, why it waits, and why it stopped."""

import asyncio
import json
import logging
import os
import re
import signal
import stat
import time
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from parlour.agents.llm.keys import load_keys
from parlour.agents.model_calls import ProviderFailure
from parlour.games.common.errors import BadInput
from parlour.tournament.calls.endpoint_queue import Hold
from parlour.tournament.calls.errors import BudgetExceeded, Unanswered
from parlour.tournament.control import run_log, watch
from parlour.tournament.control.client import RunnerClient
from parlour.tournament.control.launch import start_detached
from parlour.tournament.control.run_log import LONGEST_LINE, RunLog, run_log_file
from parlour.tournament.control.server import waits_of
from parlour.tournament.control.status import LastEnd, Wait, hung, last_end, silence
from parlour.tournament.run.parking import Parking
from parlour.tournament.run.runner import Runner
from parlour.tournament.run.state import OpenAsk
from parlour.tournament.save.lock import holder, iso, locked, runner_file
from parlour.tournament.save.provenance.alarms import ConductCounts, conduct_counts, counts_to_go_on
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.session import SessionHooks, run_session
from tests.models import served
from tests.provider import ESCAPES
from tests.runners import QUICK, runner_process, session, until
from tests.tournament.test_journal import planned
from tests.tournaments import (
    LANES,
    contents,
    in_save,
    new_save,
    play,
    printed,
    printed_json,
    tamper,
)

LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (DEBUG|INFO|WARNING|ERROR) \S.*")
KEY = "sk-canary-0123456789abcdef"


def lines(save: Path) -> list[str]:
    """The lines of the log of a save."""
    return run_log_file(save).read_text(encoding="utf-8").splitlines()


# --- The log


def test_a_run_writes_its_course_to_a_private_log_that_the_next_run_goes_on_with(
    tmp_path: Path,
) -> None:
    save = new_save(tmp_path, QUICK)
    play(save)
    first = lines(save)
    assert all(map(LINE.fullmatch, first))
    assert f"process {os.getpid()}" in first[0]
    assert "0 of 4 matches finished" in first[1]
    assert "progress: 4 of 4 matches, 24 answers (0 faulty)" in first[-2]
    assert first[-1].endswith("INFO run ended: finished")
    assert stat.S_IMODE(run_log_file(save).stat().st_mode) == 0o600
    tamper(save, "UPDATE matches SET outcome = NULL WHERE number = 4")
    play(save)
    assert lines(save)[: len(first)] == first
    assert len(lines(save)) > len(first)


def test_faults_and_failed_calls_are_in_the_log_without_keys_and_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("CANARY_API_KEY", KEY)
    modes = ["echo_error", "prose", "prose", "prose", "rate_limit"]

    async def story() -> Path:
        def mode(number: int) -> str:
            return modes[number] if number < len(modes) else "good"

        async with served(tmp_path, mode) as server:
            text = planned(server, games=["undercover"], more='api_key_env = "CANARY_API_KEY"')
            save = new_save(tmp_path, text)
            assert (await run_session(save, RunOptions(concurrency=1))).progress.done
        return save

    save = asyncio.run(story())
    log = "\n".join(lines(save))
    assert len(re.findall(r"WARNING call: .* agent '(?:Ada|Bob)', .* rate_limit: ", log)) == 1
    assert (
        len(re.findall(r"WARNING answer: .* agent '(?:Ada|Bob)': unparsable, tries: 3", log)) == 1
    )
    assert KEY not in log
    with Save(save) as opened:
        texts = {call.text for _seq, call in opened.calls() if call.text}
    assert texts
    assert not [text for text in texts if text in log]


def test_a_line_has_no_key_no_control_character_and_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = tmp_path / "x.db"
    monkeypatch.setenv("ODD_KEY", KEY)
    load_keys()
    log = RunLog(save)
    log.warning("%s", f"one\ntwo {ESCAPES} {KEY} {'x' * LONGEST_LINE}")
    log.close()
    (line,) = lines(save)
    assert line.isprintable()
    assert "one two" in line
    assert KEY[:12] not in line
    assert len(line.partition("WARNING ")[2]) == LONGEST_LINE


def test_the_log_is_bounded_and_so_are_its_lines_in_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_log, "LOG_BYTES", 2000)
    monkeypatch.setattr(run_log, "OLDER_LOGS", 2)
    save = new_save(tmp_path, QUICK)
    match = in_save(save, lambda s: s.match(1))
    log = RunLog(save)
    fault = SimpleNamespace(match=1, ask=2, kind="clue", seat=0, fault="empty", tries=3)
    for _ in range(run_log.MOST_PER_SECOND + 7):
        log.answer_stored(match, cast(Any, fault))
    now = status()
    log.look(now)
    log.close()
    files = sorted(tmp_path.glob("save.db.runs.log*"))
    assert len(files) == 1 + 2
    assert all(file.stat().st_size <= 2000 for file in files)
    assert any("7 more lines on answers and calls left out" in line for line in lines(save))


@pytest.mark.parametrize(("level", "written"), [("debug", 24), ("info", 0), ("off", None)])
def test_the_environment_names_the_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str, written: int | None
) -> None:
    monkeypatch.setenv("PARLOUR_LOG", level)
    save = new_save(tmp_path, QUICK)
    play(save)
    assert run_log_file(save).exists() == (written is not None)
    if written is not None:
        assert sum("DEBUG answer: match" in line for line in lines(save)) == written


def test_an_unknown_level_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARLOUR_LOG", "loud")
    save = new_save(tmp_path, QUICK)
    before = {"stopped_because": "budget", "ended": "2026-01-02T03:04:05+00:00"}
    runner_file(save).write_text(json.dumps(before), encoding="utf-8")
    with pytest.raises(BadInput, match="PARLOUR_LOG: unknown level 'loud'; use one of debug, info"):
        play(save)
    assert last_end(save) == LastEnd.model_validate(before), "the end of the last run is lost"


def test_a_log_that_cannot_be_written_costs_the_run_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save = new_save(tmp_path, QUICK)
    run_log_file(save).mkdir()
    assert play(save).progress.done
    assert capsys.readouterr().err == ""


def test_a_log_of_a_stranger_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    save, target = new_save(tmp_path, QUICK), tmp_path / "target"
    target.write_text("")
    run_log_file(save).symlink_to(target)
    assert play(save).progress.done
    assert target.read_text() == ""


def test_no_logger_of_the_process_changes(tmp_path: Path) -> None:
    before = set(logging.root.manager.loggerDict)
    play(new_save(tmp_path, QUICK))
    new = set(logging.root.manager.loggerDict) - before
    assert not [name for name in new if "parlour" in name.lower()]


# --- Since when, and why


async def test_the_state_says_since_when(tmp_path: Path) -> None:
    before = iso(datetime.now(UTC))
    async with session(new_save(tmp_path, QUICK), lane="slow", pace=LANES["slow"]) as running:
        stats = running.runner.stats
        paused = stats.since("paused")
        assert before <= iso(paused)
        assert stats.since("paused") == paused
        assert stats.since("running") >= paused


async def test_a_stop_by_a_signal_and_one_by_a_command_are_told_apart(tmp_path: Path) -> None:
    save = new_save(tmp_path, QUICK)
    with runner_process(save, "--pace", "0.01") as process:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    end = last_end(save)
    assert (end.stopped_because, end.stopped_by) == ("stopped", "signal SIGTERM")
    assert end.started is not None
    assert end.ended is not None
    assert end.started <= end.ended
    assert lines(save)[-1].endswith("run ended: stopped by signal SIGTERM")
    assert re.search(r"^Stopped +by signal SIGTERM$", printed("status", save, cwd=tmp_path), re.M)

    async with session(save) as running:
        await asyncio.to_thread(RunnerClient(save).stop)
        await running.ended
    end = last_end(save)
    assert (end.stopped_because, end.stopped_by) == ("stopped", "a command")


def test_an_error_that_ends_a_run_is_in_the_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = new_save(tmp_path, QUICK)

    def broken(*_: object) -> None:
        raise RuntimeError(f"a bug\nwith {KEY}")

    monkeypatch.setenv("CANARY_API_KEY", KEY)
    load_keys()
    with pytest.raises(RuntimeError):
        asyncio.run(run_session(save, hooks=SessionHooks(on_start=broken)))
    body = printed_json("status", save, "--format", "json", cwd=tmp_path)
    assert (body["stopped_because"], body["error"]) == ("error", "RuntimeError: a bug with [key]")
    assert lines(save)[-1].endswith("ERROR run ended: RuntimeError: a bug with [key]")
    assert "Stopped      an error ended it: RuntimeError" in printed("status", save, cwd=tmp_path)


def test_a_killed_run_ended_with_its_last_sign(tmp_path: Path) -> None:
    save = new_save(tmp_path, QUICK)
    started = "2026-01-02T03:04:05+00:00"
    runner_file(save).write_text(json.dumps({"pid": 1, "started": started}), encoding="utf-8")
    moment = datetime(2026, 1, 2, 4, 0, 0, tzinfo=UTC).timestamp()
    os.utime(runner_file(save), (moment, moment))
    killed = LastEnd(started=started, ended="2026-01-02T04:00:00+00:00", stopped_because="killed")
    assert last_end(save) == killed
    with locked(save):  # as a command that changes the save for a moment
        pass
    assert last_end(save) == killed


def test_the_record_of_another_version_is_read_as_far_as_it_is_known(tmp_path: Path) -> None:
    save = new_save(tmp_path, QUICK)
    record = {"stopped_because": "boredom", "ended": 7, "error": "a\x1b[2Jb", "more": 1}
    runner_file(save).write_text(json.dumps(record), encoding="utf-8")
    assert last_end(save) == LastEnd(error="a[2Jb")


# --- The heartbeat


def test_a_runner_without_a_sign_is_told_from_one_that_waits(tmp_path: Path) -> None:
    save = new_save(tmp_path, QUICK)
    assert (silence(save), hung(save)) == (None, "")
    with runner_process(save, "--pace", "0.01") as process:
        until(lambda: len(contents(save)["answers"]) == 1)  # the next one comes in 100 s
        before = contents(save)
        signs = {runner_file(save).stat().st_mtime_ns}
        until(lambda: signs.add(runner_file(save).stat().st_mtime_ns) or len(signs) > 2)
        assert contents(save) == before  # the heartbeat is none of the save's business
        until(lambda: hung(save) == "")
        waiting = printed_json("status", save, "--format", "json", cwd=tmp_path)
        assert (waiting["state"], waiting["pid"]) == ("running", process.pid)
        assert waiting["silence"] is not None

        process.send_signal(signal.SIGSTOP)
        until(lambda: "State:\tT" in Path(f"/proc/{process.pid}/status").read_text())
        past = time.time() - 40
        os.utime(runner_file(save), (past, past))
        text = printed("status", save, cwd=tmp_path)
        assert re.search(rf"^State +hung, since .*, process {process.pid}$", text, re.M)
        assert re.search(rf"^Hung +no sign of process {process.pid} for \d+ s: hung or", text, re.M)
        assert f"`kill -CONT {process.pid}`" in text
        body = printed_json("status", save, "--format", "json", cwd=tmp_path)
        assert (body["state"], body["pid"]) == ("hung", process.pid)
        assert body["silence"] >= 40

        process.send_signal(signal.SIGCONT)
        until(lambda: hung(save) == "")
        assert RunnerClient(save).status().state == "running"
    assert holder(save) is None


@pytest.mark.really_started
def test_a_detached_run_that_ends_is_no_zombie_of_the_process_that_started_it(
    tmp_path: Path,
) -> None:
    save = new_save(tmp_path, QUICK)
    pid = start_detached(save, RunOptions(pace=0.01))
    process = Path(f"/proc/{pid}")
    assert process.exists()
    RunnerClient(save).stop()
    until(lambda: not process.exists())
    assert last_end(save).stopped_because == "stopped"


# --- Waits


def status() -> Any:
    """A status in which nothing happens."""
    return SimpleNamespace(state="running", waits=[], failed=[], alarms=[])


def runner_that_waits() -> Runner:
    """The parts of a runner that waits for everything there is."""
    parking = Parking({})
    table = cast(Any, None)
    for number in (1, 2):
        why = Unanswered("Ada", ProviderFailure("server", "it is down"))
        parking.park(cast(Any, SimpleNamespace(number=number)), table, why, 0)
    wrong = Unanswered("Bob", ProviderFailure("auth", "wrong key"))
    parking.park(cast(Any, SimpleNamespace(number=3)), table, wrong, 0)
    spent = BudgetExceeded("Cy", False, "the budget of $1.00 is used up")
    parking.park(cast(Any, SimpleNamespace(number=4)), table, spent, 0)
    asks = {"Ann": [OpenAsk(5, 0, 1, 90.0), OpenAsk(6, 0, 1, None)], "Bea": [OpenAsk(7, 0, 0, 9.0)]}
    people = SimpleNamespace(
        configs={"Ann": None, "Bea": None, "Cid": None},
        open_asks=lambda agent: asks.get(agent, []),
        is_seated=lambda agent: agent == "Ann",
    )
    limits = SimpleNamespace(
        holds=lambda: [
            Hold("openai", "too many requests", 30.0),
            Hold("local", "server errors", float("inf")),
        ]
    )
    stats = SimpleNamespace(disk_trouble="database or disk is full")
    return cast(Any, SimpleNamespace(stats=stats, limits=limits, parking=parking, people=people))


def seconds_until(wait: Wait) -> float | None:
    """Seconds from now to the end of a wait."""
    if wait.until is None:
        return None
    return (datetime.fromisoformat(wait.until) - datetime.now(UTC)).total_seconds()


def test_every_wait_has_its_reason_and_its_end() -> None:
    waits = [*waits_of(runner_that_waits())]
    shown = [(wait.kind, wait.who, wait.why, wait.matches) for wait in waits]
    assert shown == [
        ("disk", "the save", "database or disk is full", 0),
        ("provider", "openai", "too many requests", 0),
        ("provider", "local", "server errors", 0),
        ("provider", "Ada", "server: it is down", 2),
        ("provider", "Bob", "auth: wrong key", 1),
        ("budget", "Cy", "the budget of $1.00 is used up", 1),
        ("person", "Ann", "to answer", 2),
        ("person", "Bea", "to take the seat", 1),
    ]
    ends = [seconds_until(wait) for wait in waits]
    expected = [None, 30.0, None, 15.0, None, None, 90.0, None]
    # An end is told in whole seconds; the machine may be busy in between.
    for end, of in zip(ends, expected, strict=True):
        assert (end is None) == (of is None)
        assert end is None or of is None or of - 60 < end <= of


def test_a_wait_is_in_the_log_once_and_its_end_too(tmp_path: Path) -> None:
    log, quiet, busy = RunLog(tmp_path / "x.db"), status(), status()
    busy.waits = [Wait(kind="provider", who="openai", why="too many requests", until="12:00")]
    for now in (quiet, busy, busy, quiet):
        log.look(now)
    log.close()
    assert [line.partition(" ")[2] for line in lines(tmp_path / "x.db")] == [
        "INFO state: running",
        "WARNING waits for provider openai: too many requests, until 12:00",
        "INFO no longer waits for openai: too many requests",
    ]


async def test_a_look_that_fails_is_logged_once_and_the_next_looks_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    monkeypatch.setattr(watch, "LOOK_SECONDS", 0.0)

    def look(_watch: watch.Watch) -> None:
        looks.append("look")
        raise ValueError("one" if len(looks) <= 3 else "two")

    monkeypatch.setattr(watch.Watch, "look", look)

    async with watch.watching(new_save(tmp_path)):
        while len(looks) < 6:
            await asyncio.sleep(0)
    written = [line.partition(" ERROR ")[2] for line in lines(tmp_path / "save.db")]
    assert written == [
        f"the log misses changes of the run: ValueError: {n}" for n in ("one", "two")
    ]


def test_scripted_players_are_not_counted_for_alarms_when_they_go_on(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    assert play(save, pace=LANES["slow"]).progress.done
    assert in_save(save, counts_to_go_on) == ConductCounts()
    tamper(save, "UPDATE answers SET fault = 'empty' WHERE match = 1 AND ask = 0")
    with Save(save) as opened:
        counts = counts_to_go_on(opened)
        assert counts == conduct_counts(opened)
    assert counts.games["undercover"].faults >= 1

"""The runner's socket: one JSON object a line in, one a line out, whatever comes in."""

import asyncio
import json
import logging
import os
import resource
import signal
import socket
import stat
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from parlour.games.common.errors import BadSave
from parlour.tournament.control.client import (
    ControlFailed,
    RunnerClient,
    RunnerCommands,
    _checked,
    ask_runner_soon,
)
from parlour.tournament.control.requests import Answer, GetStatus, Request, SetBudget, Sit
from parlour.tournament.control.status import RunnerStatus, stopped_because
from parlour.tournament.run.state import OpenAsk
from parlour.tournament.save.lock import (
    LONGEST_SOCKET_PATH,
    holder,
    locked,
    runner_file,
    socket_path,
)
from parlour.tournament.save.reader import Save
from tests.runners import QUICK, Session, runner_process, session
from tests.tournaments import LANES, contents, in_save, new_save, play

Reply = dict[str, Any]


class Line:
    """One open connection to a runner."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, raw: bytes) -> None:
        """Sends bytes as they are."""
        self.writer.write(raw)
        await self.writer.drain()

    async def hears(self) -> Reply:
        """The next reply; an empty one if the runner has hung up."""
        async with asyncio.timeout(10):
            return dict(json.loads(await self.reader.readline() or "{}"))

    async def ask(self, request: object) -> Reply:
        """Sends one request and hears the reply."""
        await self.send(json.dumps(request).encode() + b"\n")
        return await self.hears()


@asynccontextmanager
async def line(save: Path) -> AsyncIterator[Line]:
    """Connects to the runner of a save."""
    reader, writer = await asyncio.open_unix_connection(socket_path(save))
    try:
        yield Line(reader, writer)
    finally:
        writer.close()


@asynccontextmanager
async def a_runner(folder: Path, **options: Any) -> AsyncIterator[tuple[Session, Line]]:
    """A paused runner in this process, and a connection to it."""
    save = new_save(folder, QUICK)
    async with session(save, **options) as running, line(save) as connection:
        yield running, connection


async def rests(connection: Line) -> Reply:
    """Asks for the status until nothing is in flight."""
    async with asyncio.timeout(10):
        while (reply := await connection.ask({"do": "status"}))["state"] == "pausing":
            await asyncio.sleep(0.001)
    return reply


# --- What the commands do


class Echo(RunnerCommands[Request]):
    """A client whose commands return what would be sent."""

    def send(self, request: Request) -> Request:
        return request


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        (Echo().status(), {"do": "status", "match": None}),
        (Echo().status(match=3), {"do": "status", "match": 3}),
        (Echo().pause(), {"do": "pause"}),
        (Echo().resume(), {"do": "resume"}),
        (Echo().stop(), {"do": "stop"}),
        (Echo().set_pace(0.5), {"do": "pace", "per_second": 0.5}),
        (Echo().set_pace(None), {"do": "pace", "per_second": None}),
        (Echo().step("round", match=2), {"do": "step", "unit": "round", "match": 2}),
        (SetBudget(dollars=5.0), {"do": "budget", "dollars": 5.0, "agent": None}),
        (Sit(agent="Ann"), {"do": "sit", "agent": "Ann"}),
        (
            Answer(match=1, ask=2, seat=0, value={"word": "\ud800"}),
            {"do": "answer", "match": 1, "ask": 2, "seat": 0, "value": {"word": "\ud800"}},
        ),
    ],
)
def test_a_request_is_one_line_of_json(tmp_path: Path, request_: Request, line: Reply) -> None:
    asked = request_.line(tmp_path)
    assert asked.count(b"\n") == 1
    assert json.loads(asked) == {**line, "save": tmp_path.stat().st_ino}


async def test_the_status_says_how_things_stand(tmp_path: Path) -> None:
    async with a_runner(tmp_path, concurrency=3) as (running, to):
        # QUICK: 4 matches of 6 answers, 3 matches at once, nothing begun.
        first = await to.ask({"do": "status"})
        speakers = {str(n): list(running.runner.playing[n].waiting) for n in (1, 2, 3)}
        assert all(len(seats) == 1 for seats in speakers.values())
        assert first.pop("elapsed") >= 0
        assert datetime.fromisoformat(first.pop("since")).tzinfo == UTC
        assert first == {
            "state": "paused",
            "pid": os.getpid(),
            "matches": 4,
            "finished": 0,
            "frozen": 0,
            "answers": 0,
            "faults": 0,
            "failed": [],
            "stopped_because": None,
            "in_flight": 0,
            "per_second": 0.0,
            "pace": None,
            "left": None,
            "left_at_most": None,
            "waiting": speakers,
            "calls": 0,
            "failed_calls": 0,
            "cached": 0,
            "dollars": 0.0,
            "reserved": 0.0,
            "dollars_per_hour": None,
            "dollars_at_end": None,
            "dollars_at_most": None,
            "budget": None,
            "agent_budgets": {},
            "parked": {},
            "limits": [],
            "people": {},
            "waits": [],
            "open_calls": [],
            "alarms": [],
            "workers": [],
        }
        assert (await to.ask({"do": "step", "unit": "match", "match": 2}))["stepped"] == 2
        after = await rests(to)
        assert (after["finished"], after["answers"]) == (1, 6)
        assert set(after["waiting"]) == {"1", "3", "4"}
        assert after["left"] is None  # nobody knows for how long it is paused
        running.runner.stats.seconds_left = 12.34
        assert (await to.ask({"do": "status"}))["left"] is None
        assert (await to.ask({"do": "resume"}))["left"] == 12.3


async def test_pause_resume_pace_and_stop_do_what_they_say(tmp_path: Path) -> None:
    async with a_runner(tmp_path) as (running, to):
        assert (await to.ask({"do": "pace", "per_second": 0.01}))["pace"] == 0.01
        with Save(running.save) as opened:
            assert opened.control().pace == 0.01  # already: the runner may be killed next
        assert (await to.ask({"do": "resume"}))["state"] == "running"
        async with asyncio.timeout(20):  # the first act begins at once, the second in 100 s
            while (await to.ask({"do": "status"}))["answers"] < 1:
                await asyncio.sleep(0.001)
        assert (await to.ask({"do": "pause"}))["state"] == "paused"
        assert (await to.ask({"do": "pace", "per_second": None}))["pace"] is None
        assert (await to.ask({"do": "status"}))["answers"] == 1
        assert (await to.ask({"do": "stop"}))["state"] == "stopping"
        async with asyncio.timeout(10):
            ended = await running.ended
        assert ended.interrupted
        assert ended.progress.answers == 1
    save = running.save
    assert why_stopped(save) == "stopped"
    end = await asyncio.to_thread(play, save)
    assert end.progress.done
    assert (end.stopped_because, why_stopped(save)) == ("finished", "finished")


def why_stopped(save: Path) -> str | None:
    """Why the last run of a save ended, as `parlour status` has it."""
    return stopped_because(save, in_save(save, Save.match_count))


def test_a_save_says_why_its_last_run_ended_also_if_it_was_killed(tmp_path: Path) -> None:
    save = new_save(tmp_path, QUICK)
    assert why_stopped(save) is None
    with runner_process(save, "--pace", "0.01") as process:
        assert why_stopped(save) is None  # one goes on
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    assert why_stopped(save) == "stopped"
    with runner_process(save) as process:
        process.kill()
        process.wait(20)
    assert why_stopped(save) == "killed"
    with locked(save):  # as a command that changes the save for a moment
        pass
    assert why_stopped(save) == "killed"


def test_the_status_of_an_older_runner_is_read_and_one_that_is_no_status_refused(
    tmp_path: Path,
) -> None:
    old = {"state": "paused", "pid": 7, "waiting": {"3": [1]}, "parked": {"2": "no"}, "new": 1}
    old["people"] = {"Ann": {"taken": True, "asks": [[1, 0, 2, None]]}}
    status = _checked(tmp_path, json.dumps(old).encode())
    assert (status.waiting, status.parked, status.stopped_because) == ({3: [1]}, {2: "no"}, None)
    assert status.person("Ann").asks[0] == OpenAsk(1, 0, 2, None)
    with pytest.raises(ControlFailed, match="another version"):
        _checked(tmp_path, b'{"state": "dreaming"}')


# A match of QUICK: three clues one after the other, then three votes at once, all in round 1.
@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize(
    ("unit", "answers"), [("turn", [1, 2, 3, 6]), ("round", [6]), ("match", [6])]
)
async def test_steps_of_a_match_let_as_many_answers_through_as_their_unit_has(
    unit: str, answers: list[int], lane: str, tmp_path: Path
) -> None:
    async with a_runner(tmp_path, lane=lane) as (running, to):
        for expected in answers:
            assert (await to.ask({"do": "step", "unit": unit, "match": 2}))["stepped"] == 2
            now = await rests(to)
            assert now["state"] == "paused"
            assert now["answers"] == expected
            assert (now["finished"], "2" in now["waiting"]) == (expected == 6, expected < 6)
        over = await to.ask({"do": "step", "unit": unit, "match": 2})
        assert over == {"error": "match 2 is over, or does not exist"}
    assert {row[0] for row in contents(running.save)["answers"]} == {2}


# With probes in each of two rounds: 3 clues, 3 roles, 3 beliefs a round, and at last 3 votes.
@pytest.mark.parametrize(
    ("unit", "answers"), [("turn", [1, 2, 3, 6, 9, 10, 11, 12, 15, 18, 21]), ("round", [9, 21])]
)
async def test_a_turn_is_one_ask_of_one_seat_or_of_all_and_a_round_is_all_asks_of_it(
    unit: str, answers: list[int], tmp_path: Path
) -> None:
    text = QUICK.replace("clue_rounds = 1", "clue_rounds = 2").replace('"off"', '"per_round"')
    save = new_save(tmp_path, text)

    async with session(save) as running, line(save) as to:
        for expected in answers:
            await to.ask({"do": "step", "unit": unit})
            assert (await rests(to))["answers"] == expected
        assert running.runner.stats.finished == 1


async def test_a_step_without_a_match_takes_the_first_in_play(tmp_path: Path) -> None:
    async with a_runner(tmp_path, concurrency=1) as (running, to):
        for expected in (1, 2, 3):
            assert (await to.ask({"do": "step", "unit": "match"}))["stepped"] == expected
            await rests(to)
        assert (await to.ask({"do": "step", "unit": "match"}))["stepped"] == 4
        async with asyncio.timeout(10):
            assert (await running.ended).progress.done  # nothing is left to wait for


@pytest.mark.parametrize("lane", LANES)
async def test_a_step_of_a_match_that_has_not_begun_begins_it_beside_those_in_play(
    lane: str, tmp_path: Path
) -> None:
    async with a_runner(tmp_path, concurrency=1, lane=lane) as (running, to):
        assert set((await to.ask({"do": "status"}))["waiting"]) == {"1"}
        assert (await to.ask({"do": "step", "unit": "turn", "match": 4}))["stepped"] == 4
        now = await rests(to)
        assert set(now["waiting"]) == {"1", "4"}
        assert now["answers"] == 1
        await to.ask({"do": "resume"})
        async with asyncio.timeout(10):
            assert (await running.ended).progress.done  # match 4 was played once, not twice


async def test_the_match_of_a_step_is_in_the_status_however_many_are_in_play(
    tmp_path: Path,
) -> None:
    text = QUICK.replace("limit = 2", "limit = 20") + "".join(
        f'\n[[agents]]\nname = "More {n}"\nstrategy = "random"\n' for n in range(3)
    )  # 20 settings, ten pairs of five agents, two sides: 400 matches
    save = new_save(tmp_path, text)

    async with session(save, concurrency=300), line(save) as to:
        stepped = await to.ask({"do": "step", "unit": "turn", "match": 400})
        assert len(stepped["waiting"]) < 300
        now = await to.ask({"do": "status", "match": 400})
        assert len(now["waiting"]["400"]) == 1


async def test_a_step_while_running_pauses_all_others(tmp_path: Path) -> None:
    async with a_runner(tmp_path, seconds=0.5) as (running, to):
        await to.ask({"do": "resume"})
        await asyncio.sleep(0.002)  # acts of all four matches are in flight
        stepped = await to.ask({"do": "step", "unit": "turn", "match": 3})
        assert stepped["state"] == "pausing"
        before = {n: running.runner.playing[n].ask_number for n in (1, 2, 3, 4)}
        await rests(to)
        after = {n: running.runner.playing[n].ask_number for n in (1, 2, 3, 4)}
        # What was in flight comes to its end; in match 3 the next ask is let through as well.
        assert after == {n: before[n] + (2 if n == 3 else 1) for n in before}


async def test_two_steps_sent_at_once_of_different_matches_are_both_done(tmp_path: Path) -> None:
    async with a_runner(tmp_path, seconds=0.002) as (running, to):
        for match in (1, 2):
            await to.send(f'{{"do": "step", "unit": "turn", "match": {match}}}\n'.encode())
        assert [(await to.hears())["stepped"] for _ in range(2)] == [1, 2]
        assert (await rests(to))["answers"] == 2
    assert [row[:2] for row in contents(running.save)["answers"]] == [(1, 0), (2, 0)]


# --- What comes in


BAD_LINES = {
    "nothing": (b"", "JSON"),
    "a word": (b"pause", "JSON"),
    "half an object": (b'{"do": "pause"', "JSON"),
    "not UTF-8": (b"\xff\xfe\x00", "JSON"),
    "deep arrays": (b"[" * 5000, "JSON"),
    "deep objects": (b'{"n": ' * 5000, "JSON"),
    "a huge number": (b"1" * 5000, "JSON"),
    "null": (b"null", "object"),
    "an array": (b'["pause"]', "object"),
    "a text": (b'"pause"', "object"),
    "no command": (b"{}", "'do'"),
    "a command's key in capitals": (b'{"DO": "pause"}', "'do'"),
    "an unknown command": (b'{"do": "explode"}', "'explode'"),
    "null for a command": (b'{"do": null}', "'do'"),
    "an array for a command": (b'{"do": ["pause"]}', "'do'"),
    "a step of nothing": (b'{"do": "step"}', "field step.unit"),
    "a step of an unknown unit": (b'{"do": "step", "unit": "year"}', "'year'"),
    "a step of an array": (b'{"do": "step", "unit": ["turn"]}', "field step.unit"),
    "a step of no match": (b'{"do": "step", "unit": "turn", "match": 99}', "match 99"),
    "a step of match 0": (b'{"do": "step", "unit": "turn", "match": 0}', "match 0"),
    "a match as text": (b'{"do": "step", "unit": "turn", "match": "1"}', "field step.match"),
    "a match that is true": (b'{"do": "step", "unit": "turn", "match": true}', "field step.match"),
    "a match in an array": (b'{"do": "step", "unit": "turn", "match": [1]}', "field step.match"),
    "no pace": (b'{"do": "pace"}', "field pace.per_second"),
    "a word for a pace": (b'{"do": "pace", "per_second": "fast"}', "'fast'"),
    "a pace of nothing": (b'{"do": "pace", "per_second": 0}', "field pace.per_second"),
    "a pace backwards": (b'{"do": "pace", "per_second": -4}', "-4"),
    "a pace that is no number": (b'{"do": "pace", "per_second": NaN}', "field pace.per_second"),
    "an endless pace": (b'{"do": "pace", "per_second": Infinity}', "field pace.per_second"),
    "a seat of nobody": (b'{"do": "sit"}', "field sit.agent"),
    "a seat of no person": (b'{"do": "sit", "agent": "Ada"}', "'Ada' is not played by a person"),
    "an answer without a value": (
        b'{"do": "answer", "match": 1, "ask": 0, "seat": 0}',
        "field answer.value",
    ),
    "an answer to what nobody is asked": (
        b'{"do": "answer", "match": 1, "ask": 0, "seat": 0, "value": {}}',
        "no longer open",
    ),
    "a pace too large": (b'{"do": "pace", "per_second": 1e999}', "field pace.per_second"),
}


@pytest.mark.parametrize(("raw", "named"), list(BAD_LINES.values()), ids=list(BAD_LINES))
async def test_a_bad_line_gets_an_error_that_names_it_and_changes_nothing(
    raw: bytes, named: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with a_runner(tmp_path) as (_running, to):
        before = await to.ask({"do": "status"})
        await to.send(raw + b"\n")
        reply = await to.hears()
        assert list(reply) == ["error"]
        assert named in reply["error"]
        assert "\n" not in reply["error"]
        after = await to.ask({"do": "status"})  # the same connection still serves
        assert {**after, "elapsed": 0} == {**before, "elapsed": 0}
    assert caplog.records == []


async def without_end(to: Line) -> None:
    for _ in range(1000):
        await to.send(b"x" * 10_000)


async def test_a_line_without_end_is_cut_off_and_harms_nobody_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with a_runner(tmp_path) as (running, to), line(running.save) as other:
        with pytest.raises(ConnectionError):
            await without_end(other)
        assert (await to.ask({"do": "status"}))["state"] == "paused"
    assert caplog.records == []


async def test_half_a_line_does_nothing_until_its_other_half_comes(tmp_path: Path) -> None:
    async with a_runner(tmp_path) as (running, to):
        async with line(running.save) as other:
            await other.send(b'{"do": "res')
            assert (await to.ask({"do": "status"}))["state"] == "paused"
        async with line(running.save) as other:
            await other.send(b'{"do": "pace", "per_')
            assert (await to.ask({"do": "status"}))["pace"] is None
            await other.send(b'second": 5}\n')
            assert (await other.hears())["pace"] == 5
        assert await running.reaches("running", "paused") == "paused"


async def test_many_clients_at_once_each_get_their_own_replies(tmp_path: Path) -> None:
    async with a_runner(tmp_path) as (running, to):

        async def client(number: int) -> None:
            async with line(running.save) as own:
                for turn in range(3):
                    reply = await own.ask({"do": f"{number}.{turn}"})
                    assert f"'{number}.{turn}'" in reply["error"]

        await asyncio.gather(*(client(number) for number in range(100)))
        assert (await to.ask({"do": "status"}))["state"] == "paused"


async def test_a_client_that_never_reads_does_not_hold_up_the_others(tmp_path: Path) -> None:
    async with a_runner(tmp_path) as (running, to), line(running.save) as deaf:
        for _ in range(200):
            deaf.writer.write(b'{"do": "status"}\n' * 100)
            await asyncio.sleep(0)
        await to.ask({"do": "resume"})
        async with asyncio.timeout(10):
            assert (await running.ended).progress.done


async def test_the_end_of_a_session_does_not_wait_for_clients_and_says_nothing_of_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "asyncio")

    async with a_runner(tmp_path) as (running, to):
        await to.send(b'{"do": "sta')
        running.runner.gate.open()
        async with asyncio.timeout(10):
            assert (await running.ended).progress.done
    assert [record for record in caplog.records if record.levelno >= logging.INFO] == []


# --- Where it listens


async def test_the_socket_lies_beside_the_save_for_its_owner_alone_and_goes_with_the_session(
    tmp_path: Path,
) -> None:
    async with a_runner(tmp_path) as (running, _to):
        place = running.save.with_name("save.db.sock")
        assert socket_path(running.save) == place
        assert stat.S_ISSOCK(place.stat().st_mode)
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        runner = holder(running.save)
        assert runner is not None
        assert (runner["pid"], runner["socket"]) == (os.getpid(), str(place))
        assert stat.S_IMODE(runner_file(running.save).stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "save.db",
        "save.db.runner",
        "save.db.runs.log",
        "tournament.toml",
    ]
    record = json.loads(runner_file(running.save).read_text())
    assert set(record) == {"started", "stopped_because", "ended"}
    assert record["stopped_because"] == "stopped"
    assert holder(running.save) is None


@pytest.fixture
def private(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for sockets whose path would be too long; the system's temporary one is ours.

    Short, as the system's own is: pytest's folders grow with the name of the test.
    """
    with tempfile.TemporaryDirectory(dir="/tmp") as temporary:
        monkeypatch.setattr(tempfile, "tempdir", temporary)
        yield Path(temporary) / f"parlour-{os.getuid()}"


def far_away(tmp_path: Path) -> Path:
    """A folder whose path alone is longer than any socket's may be."""
    folder = tmp_path / ("far" * 30) / ("away" * 20)
    folder.mkdir(parents=True)
    return folder


async def test_a_path_too_long_for_a_socket_leads_to_a_private_folder(
    tmp_path: Path, private: Path
) -> None:
    folder = far_away(tmp_path)

    async with a_runner(folder) as (running, to):
        place = socket_path(running.save)
        assert place.parent == private
        assert len(os.fsencode(place)) <= LONGEST_SOCKET_PATH
        assert stat.S_IMODE(private.stat().st_mode) == 0o700
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        assert (await to.ask({"do": "status"}))["state"] == "paused"
        assert socket_path(running.save.with_name("other.db")) != place
    assert list(private.iterdir()) == []


def test_the_longest_path_that_fits_is_used(tmp_path: Path, private: Path) -> None:
    room = LONGEST_SOCKET_PATH - len(os.fsencode(tmp_path)) - len("/.sock")
    assert socket_path(tmp_path / ("x" * room)) == tmp_path / ("x" * room + ".sock")
    assert socket_path(tmp_path / ("x" * (room + 1))).parent == private


async def test_a_viewer_with_another_temporary_folder_finds_the_socket(
    tmp_path: Path, private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_runner(far_away(tmp_path)) as (running, _to):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        assert (await ask_runner_soon(running.save, GetStatus())).state == "paused"
        reply = await asyncio.to_thread(RunnerClient(running.save).status)
        assert reply.state == "paused"


def opened(folder: Path) -> None:
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)


def linked(folder: Path) -> None:
    folder.with_name("elsewhere").mkdir(mode=0o700)
    folder.symlink_to(folder.with_name("elsewhere"))


def a_file(folder: Path) -> None:
    folder.touch(mode=0o700)


def dangling(folder: Path) -> None:
    folder.symlink_to(folder.with_name("nowhere"))


@pytest.mark.parametrize("made", [opened, linked, a_file, dangling])
def test_a_private_folder_that_is_not_private_is_refused(
    made: Callable[[Path], None], tmp_path: Path, private: Path
) -> None:
    made(private)
    save = new_save(far_away(tmp_path), QUICK)
    with pytest.raises(BadSave, match=f"{private}: .*; remove it"):
        play(save)
    assert holder(save) is None


def test_a_private_folder_of_another_user_is_refused(
    tmp_path: Path, private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other_user = os.getuid() + 1
    private.with_name(f"parlour-{other_user}").mkdir(mode=0o700)
    save = new_save(far_away(tmp_path), QUICK)
    monkeypatch.setattr(os, "getuid", lambda: other_user)  # now the owner is another
    with pytest.raises(BadSave, match="belongs to another user"):
        play(save)


def test_a_temporary_folder_too_long_itself_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(far_away(tmp_path)))
    place = socket_path(far_away(tmp_path / "saves") / "save.db")
    assert len(os.fsencode(place)) <= LONGEST_SOCKET_PATH
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700


# --- Nobody there


def stale_socket(save: Path) -> None:
    """Leaves a socket on which nobody listens, as a killed process does."""
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(socket_path(save)))


def test_asking_where_nothing_runs_is_refused_with_what_to_do(tmp_path: Path) -> None:
    save = new_save(tmp_path, QUICK)
    for leave in (lambda: None, lambda: stale_socket(save)):
        leave()
        with pytest.raises(BadSave, match="is not running; start it with `parlour run"):
            RunnerClient(save).status()
        with pytest.raises(ControlFailed, match="is not running"):
            asyncio.run(ask_runner_soon(save, GetStatus()))
    with pytest.raises(BadSave, match="there is no such save"):
        RunnerClient(tmp_path / "none.db").status()


@pytest.mark.parametrize("left", [stale_socket, lambda save: socket_path(save).touch()])
def test_what_a_killed_runner_left_is_no_hindrance(
    left: Callable[[Path], None], tmp_path: Path
) -> None:
    save = new_save(tmp_path, QUICK)
    left(save)
    runner_file(save).write_text('{"pid": 1, "socket": "/nowhere"}')
    assert holder(save) is None
    assert play(save).progress.done
    assert not socket_path(save).exists()


async def test_a_second_runner_is_refused_and_leaves_the_first_ones_socket_alone(
    tmp_path: Path,
) -> None:
    async with a_runner(tmp_path) as (running, _to):
        with pytest.raises(BadSave, match=f"is in use by process {os.getpid()}"):
            await asyncio.to_thread(play, running.save)
        async with line(running.save) as fresh:
            assert (await fresh.ask({"do": "status"}))["state"] == "paused"


async def test_a_runner_that_hangs_up_or_stays_silent_is_named_in_the_error(tmp_path: Path) -> None:
    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if b"stop" not in await reader.readline():
            await reader.read()
        writer.close()

    async def soon(save: Path, request: Request) -> RunnerStatus:
        return await ask_runner_soon(save, request, 0.1)

    async def at_leisure(save: Path, request: Request) -> RunnerStatus:
        return await asyncio.to_thread(RunnerClient(save, 0.1).send, request)

    async with a_runner(tmp_path) as (running, _to):
        socket_path(running.save).unlink()
        async with asyncio.timeout(10):
            server = await asyncio.start_unix_server(mute, socket_path(running.save))
            async with server:
                for ask in (soon, at_leisure):
                    with pytest.raises(ControlFailed, match="has just ended"):
                        await ask(running.save, Echo().stop())
                    late = rf"the command \(pause\) takes effect .* `kill -CONT {os.getpid()}`"
                    with pytest.raises(ControlFailed, match=f"does not answer; {late}"):
                        await ask(running.save, Echo().pause())
                    with pytest.raises(ControlFailed, match=r"does not answer \(timed out\)"):
                        await ask(running.save, GetStatus())


def test_a_runner_without_a_descriptor_left_still_answers(tmp_path: Path) -> None:
    save = new_save(tmp_path, QUICK)
    with runner_process(save, "--pace", "0.01") as process, ExitStack() as idle:
        taken = max(map(int, os.listdir(f"/proc/{process.pid}/fd"))) + 1
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (taken, taken))
        for _ in range(40):  # more than the numbers that are free below
            connection = idle.enter_context(socket.socket(socket.AF_UNIX))
            connection.connect(str(socket_path(save)))
        assert RunnerClient(save).status().state == "running"
        assert RunnerClient(save).stop().state in {"stopping", "stopped"}
        process.wait(30)

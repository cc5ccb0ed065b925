"""Tournaments on providers that limit, fail or hang: others go on, and in the end all is played."""

import asyncio
import re
import resource
import signal
from pathlib import Path

import pytest

from parlour.tournament.plan.schema import Limit
from parlour.tournament.run import parking
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.session import SessionHooks, run_session
from tests import provider as provider_of_tests
from tests.crash.running import count, running
from tests.models import Served, clean_environment, provider, served
from tests.tournament.test_journal import planned, rows
from tests.tournaments import new_save, parlour, play, printed, refused, written

pytestmark = pytest.mark.usefixtures("own_config")


def limited(server: Served, limits: str, repetitions: int = 1) -> str:
    """Two models of that server and the limits of its address."""
    text = planned(server, repetitions, games=["undercover"])
    return f'{text}\n[[limits]]\nendpoint = "{server.base}"\n{limits}\n'


def test_a_server_never_gets_more_at_once_than_the_limit(tmp_path: Path) -> None:
    with provider(tmp_path, "--latency", 0.01) as server:
        save = new_save(tmp_path, limited(server, "in_flight = 3", 10))
        assert play(save, concurrency=16).progress.done
        assert max(line["at_once"] for line in server.requests) == 3


OTHERS = """
[[agents]]
name = "Cyd"
kind = "llm"
model = "cyd-1"
api_base = "{base}"
[[agents]]
name = "Dan"
kind = "llm"
model = "dan-1"
api_base = "{base}"
"""
BETWEEN_THE_OTHERS = 2
"""Matches of Cyd and Dan, of 12 of the four."""


@pytest.mark.parametrize(
    ("mode", "words"),
    [("rate_limit", " at once"), ("server_error", "(server errors)"), ("hang", "(no answer in ti")],
)
def test_while_a_provider_gives_nothing_the_matches_of_others_end_and_then_its_own(
    tmp_path: Path, mode: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parking, "FIRST_PARK_SECONDS", 0.1)
    monkeypatch.setattr(provider_of_tests, "HANG_SECONDS", 0.8)
    bad = True
    runners: list[Runner] = []

    async def story() -> Path:
        nonlocal bad
        (tmp_path / "bad").mkdir()
        async with (
            served(tmp_path / "bad", lambda _n: mode if bad else "good") as server,
            served(tmp_path, "good") as well,
            asyncio.timeout(60),
        ):
            text = planned(server, 1, games=["undercover"]) + OTHERS.format(base=well.base)
            text = text.replace("timeout = 60.0", "timeout = 0.4")
            save = new_save(tmp_path, text.replace("retries = 12", "retries = 2"))
            ended = asyncio.create_task(
                run_session(
                    save,
                    RunOptions(concurrency=2),
                    SessionHooks(on_start=lambda r, _p: runners.append(r)),
                )
            )
            while not runners or runners[0].stats.finished < BETWEEN_THE_OTHERS:
                await asyncio.sleep(0.001)
            while not any(words in said for said in runners[0].limits.describe()):
                await asyncio.sleep(0.001)
            bad = False
            end = await ended
        assert end.progress.done
        assert not end.stats.given_up
        assert not end.stats.failed
        return save

    save = asyncio.run(story())
    assert count(save, "matches WHERE outcome IS NOT NULL") == 12
    assert count(save, "answers WHERE fault IS NOT NULL") == 0
    # What was asked in vain was written down, and what was never sent was not. (Where the client
    # gives up first, a busy server may not even have seen the request.)
    log = Served(0, tmp_path / "requests.jsonl").requests
    log += Served(0, tmp_path / "bad" / "requests.jsonl").requests
    unseen = count(save, "calls") - len(log)
    assert unseen == 0 or (mode == "hang" and unseen > 0)


def test_a_provider_that_refuses_every_second_request_is_asked_until_all_is_played(
    tmp_path: Path,
) -> None:
    with provider(tmp_path, "--faults", 0.5, "--modes", "rate_limit") as server:
        text = planned(server, 3, games=["undercover"]).replace("retries = 12", "retries = 40")
        save = new_save(tmp_path, text)
        assert play(save, concurrency=8).progress.done
        log = server.requests
    refused = sum(line["mode"] == "rate_limit" for line in log)
    assert refused >= 12
    assert count(save, "calls WHERE failure = 'rate_limit'") == refused
    assert count(save, "calls WHERE failure IS NULL") == len(log) - refused
    assert count(save, "answers WHERE fault IS NOT NULL") == 0


def test_an_open_circuit_is_in_the_progress_and_in_the_status(tmp_path: Path) -> None:
    with provider(tmp_path, "--faults", 1, "--modes", "server_error") as server:
        save = new_save(tmp_path, planned(server, games=["undercover"]))
        with running(save) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if "; 127.0.0.1:" in line:
                    break
            how = rf"{server.port}: (paused for \d+ s|trying again) \(server errors\)"
            assert re.search(rf"; 127\.0\.0\.1:{how}", line)
            status = printed("status", save, cwd=tmp_path)
            process.send_signal(signal.SIGINT)
            assert process.wait() == 130
    (said,) = [line for line in status.splitlines() if line.startswith("Limit ")]
    assert re.search(rf"127\.0\.0\.1:{how}", said)


@pytest.mark.parametrize(
    ("limits", "line"),
    [
        ('endpoint = "opnai"', r"limits[0].endpoint: no agent uses 'opnai'; "),
        ('endpoint = "{base}"\n[[limits]]\nendpoint = "{base}/"', "limits[1].endpoint: '{base}/' "),
        ('endpoint = "{base}"\nin_flight = 0', "limits[0].in_flight: "),
        ('endpoint = "{base}"\nper_second = 1', "known: endpoint, in_flight, per_minute, token"),
        ("in_flight = 1", "limits[0].endpoint: is missing; write endpoint = "),
    ],
)
def test_limits_that_cannot_be_meant_are_refused_where_they_stand(
    tmp_path: Path, limits: str, line: str
) -> None:
    server = Served(9, tmp_path / "log")
    text = f"{planned(server)}\n[[limits]]\n{limits.format(base=server.base)}\n"
    said = refused("plan", written(tmp_path, text), cwd=tmp_path)
    assert line.format(base=server.base) in said


def test_a_save_keeps_the_limits_and_takes_those_of_a_changed_file(tmp_path: Path) -> None:
    def kept() -> tuple[Limit, ...]:
        with Save(tmp_path / "save.db") as save:
            return save.control().limits

    with provider(tmp_path) as server:
        save = new_save(tmp_path, limited(server, "in_flight = 3\nper_minute = 50000"))
        assert kept() == (Limit(endpoint=server.base, in_flight=3, per_minute=50000),)
        changed = written(tmp_path, limited(server, "in_flight = 5"))
        printed("run", changed, "--save", save, "--concurrency", 7, cwd=tmp_path)
    assert kept() == (Limit(endpoint=server.base, in_flight=5),)
    with Save(save) as played:
        assert (played.match_count().done, played.control().concurrency) == (True, 7)


@pytest.mark.slow
def test_more_calls_are_in_flight_than_a_process_may_at_first_have_files_open(
    tmp_path: Path,
) -> None:
    few = 64  # of which a process of ours needs about twenty for itself

    def begin_with_few() -> None:
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, hard))

    with provider(tmp_path, "--latency", 0.5) as server:
        text = planned(server, 45, games=["undercover"])
        save = new_save(tmp_path, text)
        words = ["run", "--save", save, "--plain", "--concurrency", 90]
        env = clean_environment(tmp_path)
        done = parlour(*words, cwd=tmp_path, env=env, preexec_fn=begin_with_few)
        assert (done.returncode, done.stderr) == (0, "")
        assert max(line["at_once"] for line in server.requests) > few
    assert rows(save, "SELECT message FROM calls WHERE failure IS NOT NULL") == []

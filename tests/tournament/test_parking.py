"""A provider's failure costs no seat anything; one that no waiting fixes ends the run."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from parlour.tournament.calls import endpoint_queue
from parlour.tournament.control.client import RunnerClient
from parlour.tournament.run import parking
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.session import SessionResult, run_session
from tests.consents import own_config
from tests.crash.running import count
from tests.models import Served, served
from tests.provider import LASTING_FAULTS
from tests.runners import begun
from tests.tournament.test_journal import planned, provider, run
from tests.tournaments import new_save, parlour, play


@pytest.fixture(autouse=True)
def _no_keys_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", own_config(tmp_path / "config"))


SCRIPTED = (
    '[[agents]]\nname = "Rob"\nstrategy = "random"\n'
    '[[agents]]\nname = "Lin"\nstrategy = "literal"\n'
)
"""Beside two models: six pairs on two sides, 12 matches, 2 of them without a model."""


@asynccontextmanager
async def playing(
    tmp_path: Path, mode: Callable[[int], str] | str, **plan: Any
) -> AsyncIterator[tuple[Served, Path, Runner, "asyncio.Task[SessionResult]"]]:
    """Plays two models and two scripts, one request after another."""
    async with served(tmp_path, mode) as server, asyncio.timeout(60):
        text = planned(server, games=["undercover"], **plan) + SCRIPTED
        save = new_save(tmp_path, text.replace("retries = 12", "retries = 1"))
        async with begun(save, concurrency=2) as (runner, ended):
            yield server, save, runner, ended


async def until(so: Callable[[], bool]) -> None:
    while not so():
        await asyncio.sleep(0.001)


@pytest.mark.parametrize("mode", LASTING_FAULTS)
async def test_a_run_that_no_waiting_fixes_ends_by_itself(tmp_path: Path, mode: str) -> None:
    status, kind = LASTING_FAULTS[mode]
    async with playing(tmp_path, mode) as (server, save, _runner, ended):
        where = server.base
        end = await ended
        assert end.stopped_because == "failures"
        assert (end.progress.finished, end.progress.matches) == (2, 12)
        assert not end.stats.failed
        ada, bob = sorted(end.stats.given_up, key=lambda line: "'Bob'" in line)
        for line, name, model in ((ada, "Ada", "ada-1"), (bob, "Bob", "bob-1")):
            assert f"for agent '{name}' ({model} at {where}) after a permanent error: " in line
            assert f": {kind}: HTTP {status}: " in line
            assert f"no: {mode}" in line
        waiting = [int(line.split()[0]) for line in (ada, bob)]
        assert sum(waiting) == 10
    assert count(save, "calls WHERE failure IS NOT NULL") == 10  # each match tried once
    assert count(save, "answers WHERE fault IS NOT NULL") == 0
    assert count(save, "matches WHERE outcome IS NOT NULL") == 2


def test_the_command_says_it_in_a_line_for_each_model_and_goes_on_once_it_is_fixed(
    tmp_path: Path,
) -> None:
    key = 'api_key_env = "ADAS_KEY"'
    with provider(tmp_path, "--faults", 1, "--modes", "wrong_key") as server:
        text = planned(server, 1, key, games=["undercover"])
        done = run(tmp_path, text, ADAS_KEY="sk-wrong-0001")
        port = server.port
    save = tmp_path / "save.db"
    assert done.returncode == 1
    for line in (lines := done.stderr.splitlines()):
        assert line.startswith("parlour: ")
        assert "HTTP 401: " in line
        assert "no: wrong_key" in line
        assert "; check the key ADAS_KEY, and that it may use this model, then: " in line
        assert line.endswith(f"then: parlour run {save}")
    assert 1 <= len(lines) <= 2
    with provider(tmp_path, "--port", port):
        again = run(tmp_path, text, ADAS_KEY="sk-right-0001")
    assert (again.returncode, again.stderr) == (0, "")


async def test_a_refused_model_is_not_asked_for_every_match_of_a_long_tournament(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, "wrong_key", repetitions=20) as (server, save, _runner, ended):
        end = await ended
        asked = len(server.requests)
        assert (end.progress.finished, end.progress.matches) == (40, 240)
        waiting = [int(line.split()[0]) for line in end.stats.given_up]
        assert sum(waiting) == 200
    # Twenty of each model's own, and what was in flight or shared between the two.
    assert 40 <= asked <= 60
    assert count(save, "matches WHERE outcome IS NOT NULL") == 40


async def test_spared_matches_are_played_once_the_model_answers_after_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parking, "FIRST_PARK_SECONDS", 0.05)
    monkeypatch.setattr(parking, "ENOUGH_REFUSALS", 3)
    dead = True

    def mode(_number: int) -> str:
        return "wrong_key" if dead else "good"

    async with playing(tmp_path, mode, repetitions=2) as (_server, save, runner, ended):
        runner.agents["Rob"] = Slow(runner.agents["Rob"])  # a match that is not over yet
        await until(lambda: len(runner.parking.deferred) >= 4)
        dead = False
        assert (await ended).progress.done
    assert count(save, "answers WHERE fault IS NOT NULL") == 0


async def test_matches_of_a_dead_provider_wait_while_others_go_on_and_then_all_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parking, "FIRST_PARK_SECONDS", 0.2)
    dead = True

    def mode(_number: int) -> str:
        return "server_error" if dead else "good"

    async with playing(tmp_path, mode) as (_server, save, runner, ended):
        parked, deferred = runner.parking.parked, runner.parking.deferred
        await until(lambda: len(parked) + len(deferred) >= 10 and runner.stats.finished == 2)
        assert all(each.reason.startswith("server: HTTP 500") for each in parked.values())
        runner.gate.close()
        await until(lambda: runner.state == "paused")
        dead = False
        runner.gate.open()
        assert (await ended).progress.done
        assert parked == {}
    assert count(save, "answers WHERE fault IS NOT NULL") == 0  # it cost no seat anything
    assert count(save, "matches WHERE outcome IS NOT NULL") == 12


class Slow:
    """An agent that takes its time."""

    def __init__(self, agent: Any) -> None:
        self.name, self._agent = agent.name, agent

    async def act(self, *words: Any) -> Any:
        await asyncio.sleep(0.2)
        return await self._agent.act(*words)


async def test_what_may_pass_is_tried_again_with_growing_waits_and_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parking, "FIRST_PARK_SECONDS", 0.05)
    monkeypatch.setattr(endpoint_queue, "FAILURES_TO_OPEN", math.inf)  # each match for itself

    async with playing(tmp_path, "server_error") as (_server, _save, runner, ended):
        waits = runner.parking.parked
        await until(lambda: len(waits) == 10 and all(p.times >= 3 for p in waits.values()))
        for parked in waits.values():
            left = parked.due - time.monotonic()
            assert left <= 0.05 * 2 ** (parked.times - 1)
            assert parked.reason.startswith("server: HTTP 500")
        assert not ended.done()
        runner.stop()
        assert (await ended).interrupted


async def test_a_paused_run_stays_and_a_parked_match_can_be_stepped(tmp_path: Path) -> None:
    dead = True

    def mode(_number: int) -> str:
        return "wrong_key" if dead else "good"

    async with playing(tmp_path, mode) as (_server, save, runner, ended):
        waits = runner.parking.parked
        await until(lambda: len(waits) >= 4)
        runner.gate.close()
        await until(lambda: runner.state == "paused")
        match = min(waits)
        before = waits[match].times
        await asyncio.to_thread(RunnerClient(save).step, "turn", match)
        await until(lambda: match in waits)
        assert waits[match].times == before + 1  # it was tried, and in vain
        said = await asyncio.to_thread(parlour, "step", save, "--of", match, cwd=tmp_path)
        assert said.returncode == 1
        assert f"match {match} is parked: auth: HTTP 401: " in said.stderr
        dead = False
        said = await asyncio.to_thread(parlour, "step", save, "--of", match, cwd=tmp_path)
        assert said.returncode == 0, said.stderr
        assert f"match {match} waits for Player" in said.stdout
        answers = sum(event.by is not None for event in runner.playing[match].events)
        assert answers >= 1
        assert not ended.done()
        runner.gate.open()
        for parked in [p for p in waits.values() if p.permanent]:
            waits[parked.match.number] = type(parked)(
                parked.match, parked.table, parked.why, 0.0, parked.times
            )
        assert (await ended).progress.done
    assert count(save, "answers WHERE fault IS NOT NULL") == 0


async def test_a_run_that_was_given_up_goes_on_later(tmp_path: Path) -> None:
    dead = True

    def mode(_number: int) -> str:
        return "forbidden" if dead else "good"

    async with playing(tmp_path, mode) as (_server, save, _runner, ended):
        assert (await ended).stats.given_up
        dead = False
        assert (await run_session(save, RunOptions(concurrency=4))).progress.done


@pytest.mark.parametrize("carrier", ["openai", "litellm"])
def test_https_to_a_plain_server_is_a_setting_that_no_waiting_fixes(
    tmp_path: Path, carrier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-needed")
    with provider(tmp_path) as server:
        text = planned(server, 1, f'client = "{carrier}"', games=["undercover"])
        text = text.replace("http://", "https://").replace('model = "', 'model = "openai/')
        ended = play(new_save(tmp_path, text))
    assert 1 <= len(ended.stats.given_up) <= 2
    for line in ended.stats.given_up:
        assert ": settings: " in line
        assert "; check its address" in line


def test_a_key_that_no_header_can_carry_is_refused_before_a_save_is_made(tmp_path: Path) -> None:
    more = 'api_key_env = "ADAS_KEY"'
    text = planned(Served(9, tmp_path / "log"), 1, more)
    done = run(tmp_path, text, ADAS_KEY="sk-0123456789\n")
    assert done.returncode == 2
    assert done.stderr == (
        "parlour: key ADAS_KEY: contains a space, a line break or a character that a header cannot"
        " carry;"
        " copy it again\n"
    )
    assert not (tmp_path / "save.db").exists()


def test_a_way_without_http_is_refused_where_it_stands(tmp_path: Path) -> None:
    text = planned(Served(9, tmp_path / "log")).replace("http://127", "127")
    done = run(tmp_path, text)
    assert done.returncode == 2
    assert "api_base is not a server address: write it as http://localhost:8000/v1" in done.stderr
    assert done.stderr.count("\n") == 1

"""Killed, paused or left without a provider, a tournament of models pays for no answer twice."""

import asyncio
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from parlour.tournament.calls import endpoint_queue as circuit
from parlour.tournament.run import parking
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.rows import Progress, RunOptions
from parlour.tournament.session import Hooks, run_session
from tests.crash.running import count, running, until
from tests.models import provider, served
from tests.tournament.test_journal import planned, rows
from tests.tournaments import new_save, play, printed

pytestmark = pytest.mark.usefixtures("own_config")


def kill(folder: Path, times: int, repetitions: int, at_once: int) -> None:
    """Kills a run so often at any moment, and holds the journal against the server's log."""
    dice = random.Random(3)
    kills = 0
    with provider(folder, "--latency", 0.02, "--faults", 0.2, "--modes", "prose,empty") as server:
        save = new_save(folder, planned(server, repetitions, games=["undercover"]))
        for _ in range(times):
            goal = count(save, "calls") + dice.randrange(5, 40)
            with running(save, "--concurrency", at_once) as process:
                if until(lambda target=goal: count(save, "calls") >= target, process):
                    time.sleep(dice.uniform(0, 0.03))
                    process.kill()
                    kills += process.wait() == -9
        assert play(save).progress.done
        log = server.requests
    assert kills == times
    calls = rows(save, "SELECT * FROM calls WHERE failure IS NULL")
    places = Counter((c["match"], c["ask"], c["seat"], c["try"], c["number"]) for c in calls)
    assert set(places.values()) == {1}, "an answered call was asked again"
    # Each match in play asks at most three seats at once.
    assert 0 <= len(log) - len(calls) <= kills * at_once * 3
    numbers = {int(call["provider_id"].rpartition("-")[2]) for call in calls}
    assert len(numbers) == len(calls)
    assert numbers <= {line["number"] for line in log}
    checked = printed("check", save, cwd=folder)
    assert checked.endswith(". OK: every match replays identically\n")


def test_after_kills_only_calls_in_flight_were_asked_again(tmp_path: Path) -> None:
    kill(tmp_path, times=3, repetitions=20, at_once=4)


@pytest.mark.soak
def test_after_forty_kills_only_calls_in_flight_were_asked_again(tmp_path: Path) -> None:
    kill(tmp_path, times=40, repetitions=400, at_once=16)


async def test_a_pause_while_a_call_waits_to_be_tried_again_is_complete_at_once(
    tmp_path: Path,
) -> None:
    async with served(tmp_path, "server_error") as server:
        text = planned(server, games=["undercover"]).replace(
            "retry_wait = 0.01", "retry_wait = 50.0"
        )
        save = new_save(tmp_path, text)
        runners: list[Runner] = []

        def started(runner: Runner, _progress: Progress) -> None:
            runners.append(runner)

        ended = asyncio.create_task(
            run_session(save, RunOptions(concurrency=1), Hooks(on_start=started))
        )
        async with asyncio.timeout(20):
            # While the one match waits the other is begun in its place, and waits too.
            while not runners or runners[0].stats.failed_calls < 2 or runners[0].gate.in_flight:
                await asyncio.sleep(0.01)
        here = runners[0]
        here.gate.close()
        assert here.state == "paused"
        asked = len(server.requests)
        await asyncio.sleep(0.1)
        assert len(server.requests) == asked == 2
        begun = time.monotonic()
        here.stop()
        await ended
        assert time.monotonic() - begun < 5


def test_matches_of_a_dead_provider_wait_while_others_go_on_and_then_all_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parking, "FIRST_PARK_SECONDS", 0.2)
    monkeypatch.setattr(circuit, "FIRST_OPEN_SECONDS", 0.2)
    dead = True

    def mode(_number: int) -> str:
        return "server_error" if dead else "good"

    async def story() -> Path:
        nonlocal dead
        async with served(tmp_path, mode) as server:
            text = (
                planned(server, games=["undercover"]).replace("retries = 12", "retries = 1")
                + '[[agents]]\nname = "Rob"\nstrategy = "random"\n'
                + '[[agents]]\nname = "Lin"\nstrategy = "literal"\n'
            )
            save = new_save(tmp_path, text)
            runners: list[Runner] = []
            ended = asyncio.create_task(
                run_session(
                    save, RunOptions(concurrency=2), Hooks(on_start=lambda r, _p: runners.append(r))
                )
            )
            # Four agents, six pairs, two sides: 12 matches, 2 of them without a model.
            async with asyncio.timeout(30):
                while (
                    not runners
                    or len(runners[0].parking.parked) + len(runners[0].parking.deferred) < 10
                    or runners[0].stats.finished < 2
                ):
                    await asyncio.sleep(0.001)
            here = runners[0]
            assert all(
                p.reason.startswith("server: HTTP 500") for p in here.parking.parked.values()
            )
            here.gate.close()
            async with asyncio.timeout(10):
                while here.state != "paused":
                    await asyncio.sleep(0.001)
            dead = False
            here.gate.open()
            async with asyncio.timeout(30):
                assert (await ended).progress.done
            assert here.parking.parked == {}
        return save

    save = asyncio.run(story())
    assert count(save, "answers WHERE fault IS NOT NULL") == 0  # it cost no seat anything
    assert count(save, "matches WHERE outcome IS NOT NULL") == 12

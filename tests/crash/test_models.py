"""Killed, paused or left without a provider, a tournament of models pays for no answer twice."""

import asyncio
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.crash.running import count, running, until
from tests.models import provider, served
from tests.runners import begun
from tests.tournament.test_journal import planned, rows
from tests.tournaments import new_save, play, printed

pytestmark = pytest.mark.usefixtures("own_config")


@pytest.mark.parametrize(
    ("times", "repetitions", "at_once"),
    [(3, 20, 4), pytest.param(40, 400, 16, marks=pytest.mark.soak)],
)
def test_after_kills_only_calls_in_flight_were_asked_again(
    tmp_path: Path, times: int, repetitions: int, at_once: int
) -> None:
    dice = random.Random(3)
    kills = 0
    with provider(tmp_path, "--latency", 0.02, "--faults", 0.2, "--modes", "prose,empty") as server:
        save = new_save(tmp_path, planned(server, repetitions, games=["undercover"]))
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
    checked = printed("check", save, cwd=tmp_path)
    assert checked.endswith(". OK: every match replays identically\n")


async def test_a_pause_while_a_call_waits_to_be_tried_again_is_complete_at_once(
    tmp_path: Path,
) -> None:
    async with served(tmp_path, "server_error") as server:
        text = planned(server, games=["undercover"]).replace(
            "retry_wait = 0.01", "retry_wait = 50.0"
        )
        save = new_save(tmp_path, text)
        async with begun(save, concurrency=1) as (here, ended):
            async with asyncio.timeout(20):
                # While the one match waits the other is begun in its place, and waits too.
                while here.stats.failed_calls < 2 or here.gate.in_flight:
                    await asyncio.sleep(0.01)
            here.gate.close()
            assert here.state == "paused"
            asked = len(server.requests)
            await asyncio.sleep(0.1)
            assert len(server.requests) == asked == 2
            stopped = time.monotonic()
            here.stop()
            await ended
            assert time.monotonic() - stopped < 5

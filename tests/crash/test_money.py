"""Whatever is killed and however many calls are in flight: spending never passes the cap."""

import random
import time
from collections import Counter
from pathlib import Path

import pytest

from parlour.tournament.save.reader import Save
from tests.crash.running import count, running, until
from tests.models import Served, provider
from tests.tournament.test_journal import planned, rows
from tests.tournaments import new_save, play, printed

FREE = {"rate_limit", "server_error"}
"""Failures that the server does not bill."""


pytestmark = pytest.mark.usefixtures("own_config")


def billed(server: Served) -> float:
    """Dollars that the server would bill: $1 a million tokens in, $10 a million out."""
    tokens = [line["billed"] for line in server.requests if line["mode"] not in FREE]
    return sum(sent + 10 * received for sent, received in tokens) / 1_000_000


def spent(save: Path) -> float:
    """Dollars spent according to the save, including open reservations."""
    with Save(save) as opened:
        return opened.spent().dollars


@pytest.mark.parametrize(
    ("in_flight", "kills", "repetitions", "budget"),
    [
        (8, 3, 12, 0.3),
        *(pytest.param(n, 20, 800, 20.0, marks=pytest.mark.soak) for n in (1, 8, 64)),
    ],
)
def test_whatever_is_killed_no_more_is_spent_than_the_budget(
    tmp_path: Path, in_flight: int, kills: int, repetitions: int, budget: float
) -> None:
    dice = random.Random(in_flight)
    modes = "prose,rate_limit,server_error,drop"
    options = ("--dear", "--latency", 0.01, "--faults", 0.2, "--modes", modes)
    with provider(tmp_path, *options) as server:
        text = planned(server, repetitions, "parameters = { max_tokens = 50 }", ["undercover"])
        text += f'\n[[limits]]\nendpoint = "{server.base}"\nin_flight = {in_flight}\n'
        save = new_save(tmp_path, f"budget = {budget}\n{text}")
        for _ in range(kills):
            goal = count(save, "calls") + dice.randrange(3, 8 + in_flight)
            with running(save, "--concurrency", in_flight) as process:
                if until(lambda target=goal: count(save, "calls") >= target, process):
                    time.sleep(dice.uniform(0, 0.02))
                    process.kill()
                    assert process.wait() == -9
            assert billed(server) - 1e-9 <= spent(save) <= budget
        with running(save, "--concurrency", in_flight) as process:
            _out, err = process.communicate()
            assert process.returncode == 1
        assert err.startswith("parlour: the models have used up the budget of $")
        assert err.count("\n") == 1
        assert err.endswith(f"left to play, continue with more: parlour run {save} --budget MORE\n")
        assert 0.9 * budget < spent(save) <= budget
        assert billed(server) <= budget
        # What was left open is of calls that were in flight when the process was killed.
        assert count(save, "reservations") <= kills * in_flight
        asked = len(server.requests)
        assert not play(save).progress.done  # not one more call goes under this budget
        assert len(server.requests) == asked
        assert play(save, concurrency=in_flight, budget=1e6).progress.done
        log = server.requests
        assert max(line["at_once"] for line in log) <= in_flight
    calls = rows(save, "SELECT * FROM calls WHERE failure IS NULL")
    places = Counter((c["match"], c["ask"], c["seat"], c["try"], c["number"]) for c in calls)
    assert set(places.values()) == {1}, "an answered call was asked again"
    assert printed("check", save, cwd=tmp_path).endswith(". OK: every match replays identically\n")

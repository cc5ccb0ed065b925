"""Runner, screens and commands killed at any moment, in front of a provider full of faults."""

import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.crash.running import count, running, until
from tests.crash.test_money import billed, spent
from tests.models import Served, provider
from tests.terminals import shown
from tests.tournament.test_journal import planned, rows
from tests.tournaments import COMMAND, environment, new_save, play, printed

IN_FLIGHT = 16
BUDGET = 50.0
FAULTS = "prose,empty,refusal,rate_limit,server_error,drop"
COMMANDS = ("leaderboard", "status", "leaderboard --view=conduct", "budget", "check")
SCRIPTED = """
[[agents]]
name = "Rob"
strategy = "random"
"""
Answers = dict[tuple[int, int, int], str]


pytestmark = pytest.mark.usefixtures("own_config")


@contextmanager
def limited(folder: Path, repetitions: int) -> Iterator[tuple[Served, Path]]:
    """A provider of which three answers in ten are faults, and a save under a budget for it."""
    options = ("--dear", "--latency", 0.02, "--faults", 0.3, "--modes", FAULTS)
    with provider(folder, *options) as server:
        text = planned(server, repetitions, "parameters = { max_tokens = 50 }", ["undercover"])
        text += f'{SCRIPTED}[[limits]]\nendpoint = "{server.base}"\nin_flight = {IN_FLIGHT}\n'
        yield server, new_save(folder, f"budget = {BUDGET}\n{text}")


def stored(save: Path) -> Answers:
    """The durable answers, by place."""
    answers = rows(save, "SELECT match, ask, seat, value FROM answers")
    return {(row["match"], row["ask"], row["seat"]): row["value"] for row in answers}


def kill_screen(save: Path, dice: random.Random) -> None:
    """Kills a live screen on a terminal while it starts or soon after."""
    with shown([*COMMAND, "attach", str(save)], (100, 30), save.parent) as terminal:
        time.sleep(dice.uniform(0, 1.5))
        terminal.program.kill()
        assert terminal.program.wait() == -9


def kill_command(save: Path, dice: random.Random) -> None:
    """Kills a command that reads the save."""
    words = [*COMMAND, *dice.choice(COMMANDS).split(), str(save)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(words, cwd=save.parent, env=environment(), **quiet) as process:  # type: ignore[call-overload]
        time.sleep(dice.uniform(0, 1.0))
        process.kill()


def calls_lost(save: Path, log: list[dict[str, Any]]) -> int:
    """The calls that a server answered and that are not stored; none is stored twice."""
    calls = rows(save, "SELECT * FROM calls WHERE provider_id IS NOT NULL")
    places = Counter((c["match"], c["ask"], c["seat"], c["try"], c["number"]) for c in calls)
    assert set(places.values()) == {1}, "an answered call was asked again"
    answered = sum(line["mode"] not in {"rate_limit", "server_error", "drop"} for line in log)
    return answered - len(calls)


def struck(folder: Path, kills: int, repetitions: int, seed: int) -> Counter[str]:
    """Kills that often, finishes the tournament and holds it to the server's log."""
    dice = random.Random(seed)
    numbers: Counter[str] = Counter()
    with limited(folder, repetitions) as (server, save):
        while numbers.total() < kills:
            goal = count(save, "calls") + dice.randrange(3, 40)
            before = stored(save)
            with running(save, "--concurrency", IN_FLIGHT) as process:
                for _ in range(dice.randrange(3)):
                    victim = dice.choice([kill_screen, kill_command])
                    victim(save, dice)
                    numbers[victim.__name__] += 1
                if until(lambda target=goal: count(save, "calls") >= target, process):
                    time.sleep(dice.uniform(0, 0.03))
                    process.kill()
            if process.wait() == 0:  # it was quicker, and there is nothing left to play
                break
            assert process.returncode == -9
            numbers["kill_runner"] += 1
            assert before.items() <= stored(save).items(), "a stored answer was lost or changed"
            assert billed(server) - 1e-9 <= spent(save) <= BUDGET
        before = stored(save)
        assert play(save, concurrency=IN_FLIGHT, budget=1e6).progress.done
        assert before.items() <= stored(save).items()
        log = server.requests
    numbers["calls_lost"] = calls_lost(save, log)
    assert 0 <= numbers["calls_lost"] <= numbers["kill_runner"] * IN_FLIGHT
    assert printed("check", save, cwd=folder).endswith(". OK: every match replays identically\n")
    return numbers


@pytest.mark.slow
def test_six_kills_lose_only_calls_in_flight(tmp_path: Path) -> None:
    assert struck(tmp_path, kills=6, repetitions=60, seed=2)["kill_runner"] > 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_a_thousand_kills_lose_only_calls_in_flight(
    tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    numbers = struck(tmp_path, kills=50, repetitions=200, seed=seed)
    with capsys.disabled():
        print(f"\nseed {seed}: {dict(numbers)}, no stored answer lost, none asked twice")

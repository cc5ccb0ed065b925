"""The capacity of an endpoint: found from answers and timeouts, on servers that really queue."""

import asyncio
import random

import pytest

from parlour.agents.model_calls import Completion, ProviderFailure
from parlour.tournament.calls.endpoint_queue import FAILURES_TO_OPEN
from tests.queueing import Slots, under_load

pytestmark = pytest.mark.hurried
MINUTES = 180.0


@pytest.mark.parametrize("seconds", [0.5, 1.7, 3.0])
@pytest.mark.parametrize(
    ("slots", "said"), [(1, None), (2, None), (8, None), (64, None), (1, 64), (64, 1), (8, 8)]
)
async def test_after_a_minute_it_is_within_a_tenth_of_what_the_server_can_do(
    slots: int, said: int | None, seconds: float
) -> None:
    dice = random.Random(7)
    server = Slots(slots, lambda: seconds * dice.uniform(0.5, 1.5), timeout=20.0)
    load = await under_load(server.ask, 64, MINUTES, slots=said)
    best = min(slots, 64) / seconds
    assert load.rate(60, MINUTES) >= 0.9 * best - 3 / 60  # a count of so few answers varies
    if slots in {1, said}:
        assert load.queue.capacity.carries is not None
        assert load.queue.capacity.carries <= 3 * slots + 3
    elif slots == 64:
        assert load.queue.capacity.limit >= 64


async def test_answers_of_uneven_length_from_a_server_without_a_queue_hold_nothing_back() -> None:
    dice = random.Random(7)
    server = Slots(10**6, lambda: dice.lognormvariate(0.37, 0.8), timeout=120.0)
    load = await under_load(server.ask, 1000, 60.0)
    assert load.rate(0, 60) >= 0.92 * 1000 / 2
    assert load.said is None


async def test_what_it_carries_is_said_and_timeouts_beside_answers_open_no_circuit() -> None:
    server = Slots(1, lambda: 1.7, timeout=20.0)
    failures = 0

    async def ask() -> Completion:
        nonlocal failures
        try:
            return await server.ask()
        except ProviderFailure:
            failures += 1
            raise

    load = await under_load(ask, 64, 100.0)
    assert failures > FAILURES_TO_OPEN
    assert load.queue.circuit.failure is None
    assert load.said == f"localhost:8080: carries about {load.queue.capacity.carries} at once"


async def test_after_a_pause_of_the_circuit_one_call_is_tried_and_then_a_few() -> None:
    down, at_once, most = True, 0, [0]
    server = Slots(8, lambda: 1.0, timeout=60.0)

    async def ask() -> Completion:
        nonlocal at_once
        if down:
            raise ProviderFailure("connection", "refused", free=True)
        at_once += 1
        most[-1] = max(most[-1], at_once)
        try:
            return await server.ask()
        finally:
            at_once -= 1

    task = asyncio.create_task(under_load(ask, 64, 120.0))
    await asyncio.sleep(10.0)
    down = False
    while not most[-1]:
        await asyncio.sleep(0.5)
    assert most[-1] == 1
    await asyncio.sleep(2.0)
    assert most[-1] <= 2
    load = await task
    assert load.rate(80, 120) >= 0.9 * 8
    assert most[-1] < 64

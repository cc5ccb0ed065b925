"""The gate's pace, its suspensions and a stop; `test_gate_states.py` has all else."""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import pytest

from parlour.tournament.calls import gate
from parlour.tournament.calls.errors import Stopped
from parlour.tournament.calls.gate import Gate, MatchRef
from tests.clock import FakeLoop

pytestmark = pytest.mark.hurried

Act = tuple[int, int, int]
"""Match, ask, round."""


@dataclass
class Door:
    """A gate, and the acts that have passed it so far; each stays inside until it is let out."""

    gate: Gate = field(default_factory=Gate)
    entered: list[Act] = field(default_factory=list)
    moments: list[float] = field(default_factory=list)
    """When each of them passed, in seconds from the beginning."""
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    ends: deque[asyncio.Event] = field(default_factory=deque)
    """One for each act inside."""
    passed: asyncio.Event = field(default_factory=asyncio.Event)

    async def comes(self, *acts: Act) -> None:
        """Acts come to the gate, in this order; returns once each has passed or waits."""
        for act in acts:
            self.tasks.append(asyncio.create_task(self._through(act)))
        await settled()

    async def _through(self, act: Act) -> None:
        async with self.gate.slot(MatchRef(*act)):
            self.entered.append(act)
            self.moments.append(round(now() - 1000.0, 6))
            end = asyncio.Event()
            self.ends.append(end)
            self.passed.set()
            await end.wait()

    async def leaves(self, times: int = 1) -> None:
        """The first acts inside end."""
        for _ in range(times):
            self.ends.popleft().set()
        await settled()

    async def all_pass(self) -> None:
        """Returns once every act has passed."""
        while len(self.entered) < len(self.tasks):
            self.passed.clear()
            await self.passed.wait()


def now() -> float:
    """The clock of the story: it advances when every task waits."""
    return asyncio.get_running_loop().time()


async def settled() -> None:
    """Lets every task that can go on do so."""
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> Door:
    """A new gate on the clock of the story."""
    monkeypatch.setattr(gate, "time", SimpleNamespace(monotonic=now))
    return Door()


async def test_a_pace_lets_so_many_begin_each_second_the_first_at_once(door: Door) -> None:
    door.gate.set_pace(50)  # one every 20 ms
    await door.comes(*((match, 0, 1) for match in range(6)))
    assert len(door.entered) == 1
    await door.all_pass()
    assert door.moments == [0.0, 0.02, 0.04, 0.06, 0.08, 0.1]


async def test_a_pause_leaves_no_debt_and_no_credit_with_the_pace(door: Door) -> None:
    door.gate.set_pace(20)  # one every 50 ms
    await door.comes((1, 0, 1), (2, 0, 1))
    door.gate.close()
    await asyncio.sleep(0.2)  # four turns' worth of time goes by
    door.gate.open()
    await door.comes((3, 0, 1), (4, 0, 1), (5, 0, 1))
    await door.all_pass()
    # One at once, but not all that might have begun in the meantime.
    assert door.moments == [0.0, 0.2, 0.25, 0.3, 0.35]


async def test_a_suspended_process_does_not_make_up_for_what_it_missed(door: Door) -> None:
    door.gate.set_pace(5)  # one every 200 ms
    await door.comes(*((match, 0, 1) for match in range(6)))
    cast(FakeLoop, asyncio.get_running_loop()).now += 20
    await door.all_pass()
    assert [round(moment, 6) for moment in door.moments] == [0.0, 20.0, 20.2, 20.4, 20.6, 20.8]


async def test_a_quicker_pace_takes_back_the_far_moments_that_a_slow_one_had_given_out(
    door: Door,
) -> None:
    door.gate.set_pace(0.01)
    await door.comes((1, 0, 1), (2, 0, 1), (3, 0, 1), (4, 0, 1))  # at 0, 100, 200 and 300 s
    door.gate.set_pace(50)
    await door.all_pass()
    assert door.moments == [0.0, 0.02, 0.04, 0.06]


async def test_a_suspended_act_is_not_in_flight_and_is_again_when_it_is_resumed(door: Door) -> None:
    suspensions: list[int] = []
    door.gate.on_suspend.append(lambda: suspensions.append(door.gate.in_flight))
    async with door.gate.slot(MatchRef(1, 0, 1)) as slot:
        assert (door.gate.in_flight, door.gate.suspended_matches) == (1, set())
        async with slot.suspended():
            assert (door.gate.in_flight, door.gate.suspended_matches) == (0, {1})
        assert (door.gate.in_flight, door.gate.suspended_matches) == (1, set())
        async with slot.suspended():
            slot.resume()
            slot.resume()
            assert door.gate.in_flight == 1
        assert door.gate.in_flight == 1
    assert (door.gate.in_flight, suspensions) == (0, [0, 0])


async def test_a_stop_ends_a_suspension_with_stopped_unless_the_act_was_resumed_before(
    door: Door,
) -> None:
    async with door.gate.slot(MatchRef(1, 0, 1)) as slot:
        async with slot.suspended():
            slot.resume()
            door.gate.stop()
        with pytest.raises(Stopped):
            async with slot.suspended():
                raise AssertionError("a stopped gate suspends nothing")
    assert door.gate.in_flight == 0
    stopped = Gate()
    with pytest.raises(Stopped):
        async with stopped.slot(MatchRef(1, 0, 1)) as slot, slot.suspended():
            stopped.stop()
    assert stopped.in_flight == 0

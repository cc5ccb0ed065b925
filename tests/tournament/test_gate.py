"""The gate: open, closed, paced, and open for one step of one match."""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from itertools import product
from types import SimpleNamespace
from typing import cast

import pytest

from parlour.tournament.calls import gate
from parlour.tournament.calls.errors import Stopped
from parlour.tournament.calls.gate import Gate, MatchRef, Unit
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


async def test_an_open_gate_lets_everybody_through_and_counts_who_is_inside(door: Door) -> None:
    await door.comes((1, 0, 1), (2, 0, 1), (1, 0, 1))
    assert door.entered == [(1, 0, 1), (2, 0, 1), (1, 0, 1)]
    assert door.gate.in_flight == 3
    await door.leaves(2)
    assert door.gate.in_flight == 1


async def test_a_closed_gate_lets_nobody_in_until_it_opens_and_leaves_those_inside_alone(
    door: Door,
) -> None:
    await door.comes((1, 0, 1))
    door.gate.close()
    await door.comes((1, 1, 1), (2, 0, 1))
    assert door.entered == [(1, 0, 1)]
    assert door.gate.in_flight == 1
    door.gate.open()
    await settled()
    assert sorted(door.entered) == [(1, 0, 1), (1, 1, 1), (2, 0, 1)]
    assert door.gate.in_flight == 3


async def test_closing_twice_and_opening_twice_is_the_same_as_once(door: Door) -> None:
    door.gate.close()
    door.gate.close()
    await door.comes((1, 0, 1))
    assert door.entered == []
    door.gate.open()
    door.gate.open()
    await settled()
    assert door.entered == [(1, 0, 1)]
    assert door.gate.in_flight == 1


# One match of two rounds: asks 0 and 1 are of round 1, asks 2 and 3 of round 2. Every ask is
# put to two seats. A second match waits with its first ask.
ASKS: list[Act] = [(1, 0, 1), (1, 1, 1), (1, 2, 2), (1, 3, 2)]


@pytest.mark.parametrize(
    ("unit", "through"),
    [("turn", ASKS[:1]), ("round", ASKS[:2]), ("match", ASKS)],
)
async def test_a_step_lets_its_unit_of_its_match_through_with_every_seat_and_nothing_else(
    door: Door, unit: Unit, through: list[Act]
) -> None:
    door.gate.close()
    await door.comes((2, 0, 1), ASKS[0], ASKS[0])
    door.gate.step(1, unit)
    assert door.gate.open_steps
    for act in ASKS:  # the match goes on as long as it is let through
        await settled()
        if door.entered[-2:] != [act, act]:
            break
        await door.leaves(2)
        following = ASKS[ASKS.index(act) + 1 :][:1]
        await door.comes(*following, *following)
    assert door.entered == [act for act, _seat in product(through, range(2))]
    if unit == "match":
        assert door.gate.open_steps  # only the end of the match is the end of this step
        door.gate.match_over(1)
    assert not door.gate.open_steps


async def test_a_step_lets_a_repair_of_its_ask_through(door: Door) -> None:
    door.gate.step(1, "turn")
    await door.comes((1, 4, 2))
    await door.leaves()  # the answer was faulty: the same ask comes again
    await door.comes((1, 4, 2))
    assert door.entered == [(1, 4, 2), (1, 4, 2)]
    assert door.gate.open_steps


async def test_a_step_at_an_open_gate_closes_it_for_everybody_else(door: Door) -> None:
    await door.comes((1, 0, 1))
    door.gate.step(2, "turn")
    assert not door.gate.is_open
    await door.comes((1, 1, 1), (2, 5, 2))
    assert door.entered == [(1, 0, 1), (2, 5, 2)]


async def test_a_step_meant_for_the_ask_in_flight_lets_the_next_one_through(door: Door) -> None:
    await door.comes((1, 0, 1))
    door.gate.step(1, "turn")  # ask 0 is under way already, so ask 1 is the step
    await door.leaves()
    await door.comes((1, 1, 1))
    await door.leaves()
    await door.comes((1, 2, 1))
    assert door.entered == [(1, 0, 1), (1, 1, 1)]
    assert not door.gate.open_steps


async def test_a_second_step_of_a_match_follows_the_first_and_does_not_swallow_it(
    door: Door,
) -> None:
    door.gate.close()
    for number in range(3):
        door.gate.step(1, "turn")
        if number == 0:
            await door.comes((1, 0, 1))
        await settled()
        await door.leaves()
        await door.comes((1, number + 1, 1))
        assert door.entered == [(1, ask, 1) for ask in range(number + 1)]
        assert not door.gate.open_steps


async def test_steps_of_two_matches_stand_side_by_side(door: Door) -> None:
    door.gate.close()
    await door.comes((1, 0, 1), (2, 0, 1), (3, 0, 1))
    door.gate.step(1, "turn")
    door.gate.step(2, "turn")
    await settled()
    assert sorted(door.entered) == [(1, 0, 1), (2, 0, 1)]
    await door.comes((1, 1, 1))
    assert door.gate.open_steps  # match 2 has not asked for more yet
    await door.comes((2, 1, 1))
    assert not door.gate.open_steps


async def test_pausing_takes_back_a_step_that_is_not_over(door: Door) -> None:
    door.gate.step(1, "match")
    await door.comes((1, 0, 1))
    door.gate.close()
    await door.comes((1, 1, 1))
    assert door.entered == [(1, 0, 1)]
    assert not door.gate.open_steps


async def test_opening_after_a_step_lets_all_through_and_forgets_the_step(door: Door) -> None:
    door.gate.step(1, "turn")
    await door.comes((1, 0, 1), (2, 0, 1))
    door.gate.open()
    await settled()
    assert door.entered == [(1, 0, 1), (2, 0, 1)]
    assert not door.gate.open_steps
    door.gate.close()
    await door.comes((1, 0, 1))
    assert len(door.entered) == 2


async def test_stop_sends_away_who_waits_and_who_comes_even_where_the_gate_is_open(
    door: Door,
) -> None:
    door.gate.close()
    await door.comes((1, 0, 1), (2, 0, 1))
    door.gate.stop()
    await settled()
    door.gate.open()
    await door.comes((3, 0, 1))
    for task in door.tasks:
        assert isinstance(task.exception(), Stopped)
    assert door.gate.in_flight == 0


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


async def test_a_new_pace_holds_for_those_who_wait_already(door: Door) -> None:
    door.gate.set_pace(0.01)  # one every 100 s
    await door.comes((1, 0, 1), (2, 0, 1), (3, 0, 1))
    assert len(door.entered) == 1
    door.gate.set_pace(None)
    assert door.gate.pace is None
    await settled()
    assert len(door.entered) == 3


async def test_a_quicker_pace_takes_back_the_far_moments_that_a_slow_one_had_given_out(
    door: Door,
) -> None:
    door.gate.set_pace(0.01)
    await door.comes((1, 0, 1), (2, 0, 1), (3, 0, 1), (4, 0, 1))  # at 0, 100, 200 and 300 s
    door.gate.set_pace(50)
    await door.all_pass()
    assert door.moments == [0.0, 0.02, 0.04, 0.06]


async def test_a_step_does_not_wait_for_the_pace(door: Door) -> None:
    door.gate.set_pace(0.01)
    await door.comes((1, 0, 1), (2, 0, 1))
    assert len(door.entered) == 1
    door.gate.step(2, "turn")
    await settled()
    assert len(door.entered) == 2


async def test_stop_reaches_those_who_wait_for_the_pace(door: Door) -> None:
    door.gate.set_pace(0.01)
    await door.comes((1, 0, 1), (2, 0, 1))
    door.gate.stop()
    await settled()
    waiting = door.tasks[1]
    assert isinstance(waiting.exception(), Stopped)


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


async def test_an_error_in_a_suspension_leaves_no_act_in_flight(door: Door) -> None:
    with pytest.raises(ZeroDivisionError):
        async with door.gate.slot(MatchRef(1, 0, 1)) as slot, slot.suspended():
            raise ZeroDivisionError
    assert (door.gate.in_flight, door.gate.suspended_matches) == (0, set())


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

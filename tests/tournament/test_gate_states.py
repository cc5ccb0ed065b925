"""The gate against a model: whatever is done in whatever order, it admits and counts the same.

Every act of the machine is one task at the real gate. Time stands still: the pace is so slow that
after one act no other one begins by itself.
"""

import asyncio
import time
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from parlour.tournament.calls import gate as gate_module
from parlour.tournament.calls.errors import Stopped
from parlour.tournament.calls.gate import Gate, MatchRef, Slot, Unit

MATCHES, ASKS = (1, 2, 3), range(6)
SLOWEST = 1e-6
"""A pace of one act in eleven days."""


@dataclass
class ModelStep:
    """A step: its unit, and the ask and round that it is about once one has come."""

    unit: Unit
    about: MatchRef | None = None
    over: bool = False

    def admits(self, ref: MatchRef) -> bool:
        """True if an ask is part of the step; one that is not ends it."""
        self.about = self.about or ref
        same = {
            "turn": ref.ask == self.about.ask,
            "round": ref.round == self.about.round,
            "match": True,
        }[self.unit]
        self.over = self.over or not same
        return same


@dataclass
class Act:
    """One act at the gate, and what the model expects of it."""

    ref: MatchRef
    state: str = "waiting"
    """waiting, in flight, suspended, or gone"""
    slot: Slot | None = None
    commands: "asyncio.Queue[str]" = field(default_factory=asyncio.Queue)
    task: "asyncio.Task[None] | None" = None

    async def run(self, gate: Gate) -> None:
        """Passes the gate and does what it is told."""
        async with gate.slot(self.ref) as self.slot:
            while (command := await self.commands.get()) == "suspend":
                async with self.slot.suspended():
                    await self.commands.get()
            assert command == "end"


class GateStates(RuleBasedStateMachine):
    """Acts come, are suspended, resumed and end; the gate opens, closes, steps, paces and stops."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.patch = pytest.MonkeyPatch()
        now = time.monotonic()
        self.patch.setattr(gate_module, "time", SimpleNamespace(monotonic=lambda: now))
        self.gate = Gate()
        self.acts: list[Act] = []
        self.is_open, self.stopping, self.paced, self.spent = True, False, False, False
        self.steps: dict[int, ModelStep] = {}

    def teardown(self) -> None:
        """Ends what is left."""
        for act in self.acts:
            if act.task is not None:
                act.task.cancel()
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()
        self.patch.undo()

    def settle(self) -> None:
        """Lets every task go on."""

        async def turns() -> None:
            for _ in range(12):
                await asyncio.sleep(0)

        self.loop.run_until_complete(turns())

    def pass_waiting(self) -> None:
        """In the model: waiting acts are admitted in order of arrival, or sent away."""
        for act in self.acts:
            if act.state == "waiting":
                self.look(act)
        self.settle()

    def look(self, act: Act) -> None:
        """In the model: one act looks whether it may go."""
        if self.stopping:
            act.state = "gone"
            return
        step = self.steps.get(act.ref.match)
        if step is not None and step.admits(act.ref):
            act.state = "in flight"
        elif self.is_open and not (self.paced and self.spent):
            # At the slowest pace only the first act begins.
            self.spent = self.spent or self.paced
            act.state = "in flight"

    @rule(match=st.sampled_from(MATCHES), ask=st.sampled_from(ASKS))
    def come(self, match: int, ask: int) -> None:
        """An act comes; asks 0 to 2 are of round 1, the others of round 2."""
        act = Act(MatchRef(match, ask, 1 + ask // 3))
        self.acts.append(act)

        async def begin() -> None:
            act.task = asyncio.create_task(act.run(self.gate))

        self.loop.run_until_complete(begin())
        self.look(act)
        self.settle()

    @rule()
    def open(self) -> None:
        """The gate opens."""
        self.gate.open()
        self.is_open = True
        self.steps.clear()
        self.pass_waiting()

    @rule()
    def close(self) -> None:
        """The gate closes."""
        self.gate.close()
        self.is_open = False
        self.steps.clear()
        self.pass_waiting()

    @rule(match=st.sampled_from(MATCHES), unit=st.sampled_from(["turn", "round", "match"]))
    def step(self, match: int, unit: Unit) -> None:
        """A match is stepped."""
        self.gate.step(match, unit)
        if self.is_open:
            self.is_open = False
            self.steps.clear()
        self.steps[match] = ModelStep(unit)
        self.pass_waiting()

    @rule(match=st.sampled_from(MATCHES))
    def match_over(self, match: int) -> None:
        """A match ends."""
        self.gate.match_over(match)
        self.steps.pop(match, None)

    @precondition(lambda self: not self.paced)
    @rule()
    def slow_down(self) -> None:
        """The pace becomes so slow that after one more act none begins."""
        self.gate.set_pace(SLOWEST)
        self.paced = True
        self.pass_waiting()

    @precondition(lambda self: self.paced)
    @rule()
    def speed_up(self) -> None:
        """There is no pace any more."""
        self.gate.set_pace(None)
        self.paced = False
        self.pass_waiting()

    @precondition(lambda self: any(act.state == "in flight" for act in self.acts))
    @rule(data=st.data())
    def suspend(self, data: st.DataObject) -> None:
        """An act in flight waits for something else; after a stop it is sent away instead."""
        act = self.pick(data, "in flight")
        act.commands.put_nowait("suspend")
        act.state = "gone" if self.stopping else "suspended"
        self.settle()

    @precondition(lambda self: any(act.state == "suspended" for act in self.acts))
    @rule(data=st.data(), early=st.booleans())
    def go_on(self, data: st.DataObject, early: bool) -> None:
        """A suspended act goes on; after a stop only if it was resumed first."""
        act = self.pick(data, "suspended")
        assert act.slot is not None
        if early:
            before = self.gate.in_flight
            act.slot.resume()
            assert self.gate.in_flight == before + 1  # at once
        act.commands.put_nowait("go on")
        act.state = "gone" if self.stopping and not early else "in flight"
        self.settle()

    @precondition(lambda self: any(act.state == "in flight" for act in self.acts))
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        """An act ends."""
        act = self.pick(data, "in flight")
        act.commands.put_nowait("end")
        act.state = "gone"
        self.settle()

    @precondition(lambda self: any(act.state in {"waiting", "suspended"} for act in self.acts))
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        """An act that waits or is suspended is cancelled."""
        act = self.pick(data, "waiting", "suspended")
        assert act.task is not None
        act.task.cancel()
        act.state = "gone"
        self.settle()

    @precondition(lambda self: len(self.acts) > 3)
    @rule()
    def stop(self) -> None:
        """The gate is stopped."""
        self.gate.stop()
        self.stopping = True
        self.pass_waiting()

    def pick(self, data: st.DataObject, *states: str) -> Act:
        """One of the acts in these states."""
        return data.draw(st.sampled_from([act for act in self.acts if act.state in states]))

    @invariant()
    def it_counts_the_acts_in_flight(self) -> None:
        """The counters are those of the model."""
        states = [act.state for act in self.acts]
        assert self.gate.in_flight == states.count("in flight")
        suspended = {act.ref.match for act in self.acts if act.state == "suspended"}
        assert self.gate.suspended_matches == suspended

    @invariant()
    def each_act_is_where_the_model_has_it(self) -> None:
        """A waiting act has no slot; a gone act has ended, with Stopped if it was sent away."""
        for act in self.acts:
            assert act.task is not None
            assert act.task.done() == (act.state == "gone"), act
            assert act.state != "waiting" or act.slot is None
            if act.task.done() and not act.task.cancelled() and act.task.exception():
                assert isinstance(act.task.exception(), Stopped)

    @invariant()
    def it_knows_which_steps_are_not_over(self) -> None:
        """The open steps are those of the model."""
        steps = {match for match, step in self.steps.items() if not step.over}
        assert set(self.gate.open_steps) == steps
        assert all(self.gate.is_stepped(match) for match in self.steps)


GateStates.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestGateStates = GateStates.TestCase

"""One full writer: a real head, and pretend workers in its process that reply at once.

No Ray and no network: what is left is what the head itself does for an answer or a call, so this
is the rate at which one head is full, however many workers there are.
"""

import asyncio
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import pytest

from parlour.agents.base import Agent
from parlour.agents.llm.config import LLMConfig
from parlour.agents.model_calls import Completion, Request
from parlour.agents.registry import AgentConfig, make_agent, model_behind
from parlour.tournament import session
from parlour.tournament.plan.model import Tournament
from parlour.tournament.run import pool
from parlour.tournament.run.state import WorkerState
from parlour.tournament.run.worker import Lot, LotProgress
from parlour.tournament.run.workers import WorkerActivity
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import outcome_to_json
from parlour.tournament.trust.consent import agree
from parlour.tournament.trust.needs import needs
from tests.benchmarks.heads import Cost, measured
from tests.benchmarks.lanes import IMPOSTOR
from tests.benchmarks.measuring import Reading, bench, sized
from tests.crash.running import count
from tests.models import Served
from tests.provider import legal_answer
from tests.tournament.test_journal import planned
from tests.tournaments import tournament

WORKERS = 8
LATENCIES = (0.3, 2.0, 10.0, 60.0)
"""Seconds of models for which the calls in flight at the full rate are given."""
MODELS = "parameters = { max_tokens = 50 }"
Played = Mapping[int, LotProgress]


class PretendWorker:
    """Reports a lot at once, as it was played before."""

    def __init__(self, agents: list[str], played: Played) -> None:
        self.agents, self.activity, self._played = frozenset(agents), WorkerActivity(), played
        self._lots: asyncio.Queue[Lot] = asyncio.Queue()

    def play(self, lot: Lot) -> None:
        """Has a lot reported."""
        self._lots.put_nowait(lot)

    def recall(self, number: int) -> None:
        """Does nothing: a lot is played as soon as it is given."""

    async def received(self) -> Any:
        """The next lot, whole."""
        lot = await self._lots.get()
        return lot.number, [tuple(self._played[match[0]]) for match in lot.matches]

    async def close(self) -> None:
        """Does nothing."""


class PretendClient:
    """Answers at once, the second time from memory."""

    def __init__(self, memory: dict[object, Completion]) -> None:
        self._memory = memory

    async def complete(self, request: Request) -> Completion:
        """A legal answer."""
        await asyncio.sleep(0)
        known = self._memory.get(request.messages)
        if known is None:
            roles = [{"role": role, "content": text} for role, text in request.messages]
            dice = random.Random(json.dumps(roles))
            answer = legal_answer({"messages": roles}, dice, f"thing {dice.randrange(1000)}")
            known = Completion(json.dumps(answer), prompt_tokens=100, completion_tokens=20)
            self._memory[request.messages] = known
        return known

    async def close(self) -> None:
        """Does nothing."""


class PretendWorkers:
    """Workers in the process of the head that take no time."""

    count, most_ended = WORKERS, 1.0

    def __init__(self, played: Played, memory: dict[object, Completion]) -> None:
        self._played, self._memory = played, memory

    def make_agent(self, config: AgentConfig, players: Mapping[str, object] | None) -> Agent:
        """The agent of a block; models answer at once."""
        if isinstance(config, LLMConfig):
            return model_behind(config, PretendClient(self._memory))
        return make_agent(config, players)

    async def started(self, _tournament: str, agents: list[str]) -> PretendWorker:
        """A worker."""
        return PretendWorker(agents, self._played)

    def states(self) -> list[WorkerState]:
        """None: nobody looks."""
        return []

    async def begin(self, _tournament: Tournament) -> None:
        """Does nothing."""

    async def refuse_unready(self, _tournament: Tournament) -> None:
        """Does nothing."""

    async def lost(self) -> NoReturn:
        """Waits for ever."""
        await asyncio.Event().wait()
        raise AssertionError

    async def close(self) -> None:
        """Does nothing."""


def _cost(text: str, played: Played, memory: dict[object, Completion]) -> tuple[Cost, Played]:
    """The cost of a run with pretend workers, and the progress of all its matches."""

    async def pretend(*_options: object) -> PretendWorkers:
        return PretendWorkers(played, memory)

    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        # Without progress to report the pool stays out of it, and the head plays alone.
        patch.setattr(pool, "START_SECONDS", 0.0 if played else 1e6)
        patch.setattr(session, "_workers", pretend)
        save, wanted = Path(folder, "save.db"), tournament(Path(folder), text)
        agree(needs(wanted))
        create_save(save, wanted)
        cost = asyncio.run(measured(save, 0))
        return {**cost, "answers": count(save), "calls": count(save, "calls")}, _progress(save)


def _progress(save: Path) -> Played:
    answers: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    with Save(save) as opened:
        for row in opened.answers():
            answers[row.match].append(tuple(row))
        over = [(match.number, match.outcome) for match in opened.matches("finished")]
    return {
        number: LotProgress(number, answers[number], outcome_to_json(outcome))
        for number, outcome in over
        if outcome is not None
    }


@bench
def full_writer(runs: int) -> Iterator[Reading]:
    """The answers and calls a second at which one head is full, and what each costs it."""
    text = IMPOSTOR.format(sized(1200, 10))
    _, played = _cost(text, {}, {})
    costs = [_cost(text, played, {})[0] for _ in range(runs)]
    yield from _readings("scripted answers", "answers", costs)
    models = planned(Served(1, Path()), sized(1000, 5), MODELS, ["undercover"])
    for budget, what in (("", "model calls"), ("budget = 1e6\n", "model calls under a budget")):
        memory: dict[object, Completion] = {}
        _cost(budget + models, {}, memory)
        costs = [_cost(budget + models, {}, memory)[0] for _ in range(runs)]
        yield from _readings(what, "calls", costs)
        rate = sum(cost["calls"] for cost in costs) / sum(cost["wall"] for cost in costs)
        for seconds in LATENCIES:
            yield Reading(f"{what} of {seconds:g} s that one head carries", "", (rate * seconds,))


def _readings(what: str, unit: str, costs: list[Cost]) -> Iterator[Reading]:
    rates = tuple(cost[unit] / cost["wall"] for cost in costs)
    yield Reading(f"{what}, a full writer", f"{unit}/s", rates)
    spent = tuple(1e6 * cost["cpu"] / cost[unit] for cost in costs)
    yield Reading(f"{what}, CPU of the head, each", "µs", spent, better="less")

"""Agents of Parlour at the other seats of an environment, which answer as they do in a run."""

import asyncio
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any

from parlour.agents.base import Agent, Call, Reply
from parlour.agents.model_calls import Client, Completion, Request
from parlour.agents.registry import AgentConfig, make_agent, refuse_unable
from parlour.agents.user_code import PythonConfig
from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import Answer, Fault, Seat, player
from parlour.games.engine.table import Table
from parlour.tournament.plan.loader import agents_of
from parlour.tournament.plan.model import GameEntry
from parlour.tournament.run.quick_turn import REPAIRS
from parlour.tournament.save.rows import StoredMatch

Notes = dict[Seat, tuple[Mapping[str, Any], ...]]
"""The notes that each seat has made in a match."""


class Others:
    """The agents of some seats, by seat."""

    def __init__(self, entry: GameEntry, given: Mapping[Seat, object]) -> None:
        """``given`` has strategies by name, agent blocks, or objects as ``parlour.run`` takes them.

        BadInput for an agent that cannot be made, or cannot play the game.
        """
        self._made_of = entry, given
        self.configs: dict[Seat, AgentConfig] = {}
        self._agents: dict[Seat, Agent] = {}
        settings = entry.settings()
        made: dict[str, tuple[AgentConfig, Agent]] = {}
        for seat, agent in given.items():
            place = f"others, {player(seat)}"
            block = {"name": agent, "strategy": agent} if isinstance(agent, str) else agent
            if isinstance(block, Mapping):
                (config,) = agents_of([{"name": place, **block}], Path(), place)
            else:
                config = PythonConfig(name=player(seat), kind="python")
            refuse_unable(config, entry.game, settings, place)
            if config.name not in made:
                made[config.name] = config, make_agent(config, {config.name: agent})
            self.configs[seat], self._agents[seat] = made[config.name]
            if self.configs[seat] != config:
                raise BadInput(place, f"{config.name!r} is another agent, too", "rename it")

    def __reduce__(self) -> tuple[Any, ...]:
        return Others, self._made_of

    def play(self, table: Table, match: StoredMatch, notes: Notes) -> Iterator[Seat]:
        """Answers for the waiting seats of these agents, one by one, until none is left."""
        while waiting := [seat for seat in table.waiting if seat in self._agents]:
            for seat in waiting:
                table.take({seat: self._answer(table, seat, match, notes)})
                yield seat

    def _answer(self, table: Table, seat: Seat, match: StoredMatch, notes: Notes) -> Answer | Fault:
        """The answer of a seat's agent, which is asked again after a faulty one."""
        ask, view, agent = table.pending, table.view(seat), self._agents[seat]
        assert ask is not None
        faulty: tuple[tuple[str, Fault], ...] = ()
        for attempt in range(1, 2 + REPAIRS):
            dice = match.dice(table.ask_number, seat, attempt)
            call = Call(dice, faulty, _complete, notes.get(seat, ()))
            if decide := getattr(agent, "decide", None):
                reply = Reply(decide(ask, view, call))
            else:
                call = call._replace(order=match.choice_order(table.ask_number, seat))
                acting = agent.act(ask, view, call)
                reply = asyncio.run_coroutine_threadsafe(acting, _loop()).result()
            if reply.notes:
                notes[seat] = (*notes.get(seat, ()), reply.notes)
            value = reply.value
            judged = value if isinstance(value, Fault) else ask.judge(seat, value)
            if not isinstance(judged, Fault):
                break
            faulty += ((reply.text, judged),)
        return judged


async def _complete(client: Client, request: Request) -> Completion:
    """Calls a model at once: no budget, cache or journal stands before it."""
    return await client.complete(request)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The event loop of agents that wait: one for the process, since clients keep to theirs."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, daemon=True, name="parlour.env").start()
    return loop

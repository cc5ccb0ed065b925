"""A worker of a cluster: it calls models and plays lots of matches of scripted players.

It has no save and no budget: the runner admits each call before it is sent, stores it, and is the
only one who writes. Keys come from the worker's own environment and keys.toml.
"""

import asyncio
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from parlour.agents.llm.keys import from_outside
from parlour.agents.model_calls import Client, Completion, FailureKind, ProviderFailure, Request
from parlour.agents.registry import ScriptedConfig, make_client, refuse_keyless
from parlour.games.common.errors import BadInput
from parlour.tournament.cluster.identity import WorkerIdentity, own_identity
from parlour.tournament.plan.loader import stored_tournament
from parlour.tournament.plan.model import Tournament
from parlour.tournament.run.quick_turn import Decide
from parlour.tournament.run.worker import Lot, LotProgress, deciding_agents, play_ask, progress_of
from parlour.tournament.save.replay import new_table
from parlour.tournament.save.rows import StoredAnswer, StoredMatch


class Ready(NamedTuple):
    """A worker that is ready: where it is, what it is, and the agents that it can play.

    ``missing`` are lines on keys that it does not have.
    """

    host: str
    pid: int
    identity: WorkerIdentity
    agents: frozenset[str]
    missing: tuple[str, ...]


class Failed(NamedTuple):
    """A ProviderFailure as plain data, which can be sent."""

    kind: FailureKind
    message: str
    retry_after: float | None
    free: bool


class ClusterWorker:
    """Plays a tournament, given in JSON, as far as the runner asks it to."""

    def __init__(self, tournament: str) -> None:
        self._tournament = stored_tournament(tournament, "the tournament")
        self._clients: dict[str, Client] = {}
        self._decide: dict[str, Decide] = {}
        self._recalled = 0
        # Matches in a thread of their own, so that answers of models are received meanwhile.
        self._thread = ThreadPoolExecutor(1)

    async def ready(self) -> Ready:
        """Prepares the agents."""
        scripted = [
            agent.name
            for agent in self._tournament.agents
            # A clue bank of the user's is a file of the runner's machine.
            if isinstance(agent, ScriptedConfig) and agent.clue_bank is None
        ]
        self._decide = deciding_agents(self._tournament, scripted)
        host, able = socket.gethostname(), frozenset(self._decide)
        return Ready(host, os.getpid(), own_identity(), able, _missing(self._tournament))

    async def missing(self, tournament: str) -> tuple[str, ...]:
        """Lines on keys of a tournament (in JSON) that it does not have."""
        return _missing(stored_tournament(tournament, "the tournament"))

    async def complete(self, agent: str, request: Request) -> Completion | Failed:
        """Sends one request of an agent once."""
        try:
            if agent not in self._clients:
                self._clients[agent] = make_client(self._tournament.models[agent])
            return await self._clients[agent].complete(request)
        except ProviderFailure as failure:
            return Failed(failure.kind, failure.message, failure.retry_after, failure.free)
        except Exception as error:
            # Nothing of the original, whose text and traceback may hold a key.
            raise RuntimeError(f"{type(error).__name__}: {from_outside(str(error))}") from None

    async def play(self, lot: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Plays a lot of matches. Returns the Progress of each."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._played, Lot(*lot))

    async def recall(self, number: int) -> None:
        """Ends the lots up to this number where they are."""
        self._recalled = number

    def _played(self, lot: Lot) -> list[tuple[Any, ...]]:
        return [tuple(self._played_match(match, lot.number)) for match in lot.planned()]

    def _played_match(self, match: StoredMatch, lot: int) -> LotProgress:
        answers: list[StoredAnswer] = []
        try:
            table = new_table(self._tournament, match)
            while table.pending is not None and self._recalled < lot:
                answers += play_ask(match, table, self._decide)
        except Exception:  # played again in the runner, which names what was wrong
            return LotProgress(match.number, None, None)
        return progress_of(match, answers, table)


def _missing(tournament: Tournament) -> tuple[str, ...]:
    missing = []
    for model in tournament.models.values():
        try:
            refuse_keyless(model)
        except BadInput as error:
            missing.append(str(error))
    return tuple(dict.fromkeys(missing))  # agents of one key share a line

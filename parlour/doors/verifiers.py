"""verifiers (v1): a game as an environment with an agent, a trace and a reward for each seat.

A module of the user's own names what its command line loads::

    from parlour.doors.verifiers import Seeds, environment
    Undercover = environment("undercover", others={3: "bayesian"})
    __all__ = ["Seeds", "Undercover"]
"""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

from pydantic import create_model

from parlour.env import Environment
from parlour.games.common.packages import require

require("verifiers", "0.4", "parlour.doors.verifiers")

import verifiers.v1 as vf  # noqa: E402


class SeedsConfig(vf.TasksetConfig):  # type: ignore[misc]
    """The number of matches, and the seed of the first."""

    matches: int = 100
    first: int = 0


class SeedData(vf.TaskData):  # type: ignore[misc]
    """The seed of a match."""

    seed: int


class Seed(vf.Task[SeedData]):  # type: ignore[misc]
    """A match to play."""


class Seeds(vf.Taskset[Seed, SeedsConfig]):  # type: ignore[misc]
    """The matches of consecutive seeds."""

    def load(self) -> Iterator[Seed]:
        """Yields the matches."""
        for seed in range(self.config.first, self.config.first + self.config.matches):
            yield Seed(SeedData(seed=seed), self.config.task)


def environment(game: str, *arguments: Any, **keys: Any) -> type[Any]:
    """The class of an environment of verifiers; the arguments are those of ``Environment``.

    Each player from outside is an agent: ``seat1`` is Player 1. Its conversation begins with the
    rules as system prompt; each turn has what is new, and the form of the answer. Its trace gets
    the reward "payoff" and the metric "faults".
    """
    players = Environment(game, *arguments, **keys).players
    agents = {player: f"seat{player.split()[1]}" for player in players}
    fields: dict[str, Any] = {name: (vf.AgentConfig, vf.AgentConfig()) for name in agents.values()}
    config = create_model(f"{game}_config", __base__=vf.EnvConfig, **fields)

    class Made(vf.Env[config]):  # type: ignore[misc]
        """The game with an agent for each seat."""

        config_type = config

        async def run(self, task: Any, seats: Any) -> None:
            """Plays one match."""
            env = Environment(game, *arguments, **keys)
            env.reset(task.data.seed)
            talks: dict[str, Any] = {}
            ended: set[str] = set()
            async with AsyncExitStack() as stack:

                async def answer(player: str) -> str | None:
                    """The last words of a turn; None once the agent's run has ended."""
                    prompt, news = env.prompt(player), env.delta(player)
                    if player not in talks:
                        data = vf.TaskData(idx=task.data.idx, system_prompt=prompt.system)
                        talk = getattr(seats, agents[player]).interaction(vf.Task(data))
                        talks[player], news = await stack.enter_async_context(talk), prompt.question
                    if player in ended:
                        return None
                    turn = await talks[player].turn(f"{news}\n\n{env.form(player)}")
                    if turn.terminated:
                        ended.add(player)
                    return None if turn.terminated else str(turn.last_reply)

                while not env.over:
                    asked = env.asked
                    answers = await asyncio.gather(*map(answer, asked))
                    await asyncio.to_thread(env.step, dict(zip(asked, answers, strict=True)))
                assert env.outcome is not None
                for player, talk in talks.items():
                    talk.trace.record_reward("payoff", env.outcome.payoffs[player])
                    talk.trace.record_metric("faults", float(env.faults[player]))

    return Made

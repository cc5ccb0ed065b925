"""A random and a scripted policy for tests of doors, and rollouts that Parlour's payoffs judge."""

from collections.abc import Callable
from typing import Any

from parlour.env import Environment

Policy = Callable[[Environment, str], dict[str, Any]]
"""Function that answers for a player of an environment."""


def at_random(env: Environment, who: str) -> dict[str, Any]:
    """Any legal answer."""
    return env.sample(who)


def scripted(env: Environment, who: str) -> dict[str, Any]:
    """A legal answer that is not drawn wherever the form has an action or a choice."""
    answer = env.sample(who, 0)
    for field, schema in env.schema(who)["properties"].items():
        if choices := schema.get("enum"):
            answer[field] = choices[0]
    return answer


POLICIES: tuple[Policy, ...] = (at_random, scripted)
ROLLOUTS = 100


def payoffs(game: str, seed: int, policy: Policy, **keys: Any) -> dict[str, float]:
    """The payoffs that a policy earns at Parlour's own table."""
    env = Environment(game, seed=seed, **keys)
    while not env.over:
        env.step({who: policy(env, who) for who in env.asked})
    assert env.outcome is not None
    return {who: env.outcome.payoffs[who] for who in env.players}

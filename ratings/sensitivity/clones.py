"""Clone check: an agent that is entered twice must move nobody else."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from parlour.games.engine.record import MatchRecord
from parlour.ratings.sensitivity.fits import Fitted, fitted
from parlour.ratings.statistics.intervals import Floats

CLONE = "{} (clone)"


@dataclass(frozen=True, slots=True)
class Clone:
    """The effect of entering an agent twice: a random half of its matches is under a second name.

    ``apart`` is the distance of the two in strength. ``moved`` is the most that another agent
    moves against the others, and ``errors`` the same in its standard errors. ``reordered`` is
    true if the others change their order. All are None where the agent has too few matches.
    """

    agent: str
    apart: float | None
    moved: float | None
    errors: float | None
    reordered: bool | None


def clones(records: Sequence[MatchRecord]) -> tuple[Clone, ...]:
    """Returns the check of each agent, the strongest first."""
    before = fitted(records)
    return tuple(_clone(records, before, agent) for agent in before.order)


def _clone(records: Sequence[MatchRecord], before: Fitted, agent: str) -> Clone:
    second = CLONE.format(agent)
    while second in before.values:
        second = CLONE.format(second)
    after = fitted(list(_split(records, agent, second)))
    others = [name for name in before.order if name != agent and name in after.values]
    if not {agent, second} <= {*after.values} or len(others) < 2:
        return Clone(agent, None, None, None, None)
    moves = _centred(after, others) - _centred(before, others)
    errors = np.abs(moves) / [before.se[name] for name in others]
    return Clone(
        agent,
        abs(after.values[agent] - after.values[second]),
        float(np.abs(moves).max()),
        float(errors.max()),
        [name for name in after.order if name in others] != others,
    )


def _centred(fit: Fitted, names: Sequence[str]) -> Floats:
    """Returns the strengths of some agents relative to their mean."""
    values = np.array([fit.values[name] for name in names])
    return np.asarray(values - values.mean())


def _split(records: Sequence[MatchRecord], agent: str, second: str) -> Iterator[MatchRecord]:
    """Yields the matches, where a random half of those of an agent has its second name.

    Matches with the same agents and setting are halved evenly.
    """
    generator = np.random.Generator(np.random.PCG64(0))
    turns: dict[object, bool] = {}
    for record in records:
        if agent not in record.agents:
            yield record
            continue
        alike = record.game, record.condition, record.agents, record.outcome.roles
        taken = not turns[alike] if alike in turns else bool(generator.integers(2))
        turns[alike] = taken
        if taken:
            names = tuple(second if name == agent else name for name in record.agents)
            yield replace(record, agents=names)
        else:
            yield record

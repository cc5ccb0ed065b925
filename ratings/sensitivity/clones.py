"""Clone check: an agent that is entered twice must move nobody else."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from parlour.games.engine.record import MatchRecord
from parlour.ratings.sensitivity.fits import Fitted, Weighted, fitted
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


def clones(matches: Weighted) -> tuple[Clone, ...]:
    """Returns the check of each agent, the strongest first."""
    before = fitted(matches)
    return tuple(_clone(matches, before, agent) for agent in before.order)


def _clone(matches: Weighted, before: Fitted, agent: str) -> Clone:
    second = CLONE.format(agent)
    while second in before.values:
        second = CLONE.format(second)
    after = fitted(list(_split(matches, agent, second)))
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


def _split(matches: Weighted, agent: str, second: str) -> Iterator[tuple[MatchRecord, int]]:
    """Yields the matches, where half of those of an agent have its second name.

    Of an odd number of matches that are alike, the half is rounded up or down at random.
    """
    generator = np.random.Generator(np.random.PCG64(0))
    for record, times in matches:
        if agent not in record.agents:
            yield record, times
            continue
        taken = (times + int(generator.integers(2))) // 2
        names = tuple(second if name == agent else name for name in record.agents)
        for named, count in ((record, times - taken), (replace(record, agents=names), taken)):
            if count:
                yield named, count

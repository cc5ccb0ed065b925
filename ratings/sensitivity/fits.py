"""Point fits of the strength model, for checks that fit it many times."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from parlour.games.engine.record import MatchRecord
from parlour.ratings.skill.paired_outcomes import GameOutcomes, outcomes_of
from parlour.ratings.skill.strength_model import StrengthModel
from parlour.ratings.statistics.clusters import Cluster
from parlour.ratings.statistics.intervals import Floats


@dataclass(frozen=True, slots=True)
class Fitted:
    """Strengths of agents with 0 as their mean, and posterior standard errors."""

    values: Mapping[str, float]
    se: Mapping[str, float]

    @property
    def order(self) -> list[str]:
        """The agents, the strongest first."""
        return sorted(self.values, key=lambda agent: (-self.values[agent], agent))

    def ranks(self) -> dict[str, int]:
        """The place of each agent in the order, from 1."""
        return {agent: place for place, agent in enumerate(self.order, start=1)}


Weighted = Sequence[tuple[MatchRecord, int]]
"""Matches, each with the number of those like it."""
_ALL: Cluster = ("", 0)
"""The only cluster of a point fit, which does not depend on them."""


def weighted(records: Iterable[MatchRecord]) -> Weighted:
    """Returns one match of each game, line-up and outcome, with the number of such matches."""
    first: dict[object, MatchRecord] = {}
    times: dict[object, int] = {}
    for record in records:
        outcome = record.outcome
        result = outcome.ending, outcome.payoffs, outcome.roles, outcome.sides, outcome.winners
        key = record.game, record.agents, result
        first.setdefault(key, record)
        times[key] = times.get(key, 0) + 1
    return [(record, times[key]) for key, record in first.items()]


def fitted(matches: Weighted, *, draws: bool = True) -> Fitted:
    """Returns the strengths of matches, as on the leaderboard but without errors by clusters."""
    counts = ((record, {_ALL: times}) for record, times in matches)
    return fitted_outcomes(outcomes_of(counts, draws=draws))


def fitted_outcomes(games: Mapping[str, GameOutcomes]) -> Fitted:
    """Returns the strengths of paired outcomes; nothing without any."""
    if not games:
        return Fitted({}, {})
    model = StrengthModel(games)
    mode, covariance = model.fit(model.all_matches())
    rows = skill_rows(model)
    rows = rows - rows.mean(axis=0)
    errors = np.sqrt(np.einsum("ij,jk,ik->i", rows, covariance, rows))
    names = model.agents
    return Fitted(
        dict(zip(names, (rows @ mode).tolist(), strict=True)),
        dict(zip(names, errors.tolist(), strict=True)),
    )


def skill_rows(model: StrengthModel) -> Floats:
    """Returns the weights of each agent's skill over all games (agents, parameters)."""
    skills = model.overall_skills()
    return np.array([model.dense(skills[agent]) for agent in model.agents])


def rank_correlation(one: Fitted, other: Fitted) -> float | None:
    """Returns Kendall's tau of the strengths of the agents in both; None where all are equal."""
    common: Sequence[str] = sorted({*one.values} & {*other.values})
    if len(common) < 2:
        return None
    from scipy.stats import kendalltau

    first = [one.values[agent] for agent in common]
    tau = float(kendalltau(first, [other.values[agent] for agent in common]).statistic)
    return None if isnan(tau) else tau

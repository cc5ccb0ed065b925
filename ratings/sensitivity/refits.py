"""Checks that fit the strength model again to changed matches: ties, and agents entered twice.

They need point fits alone, without errors by clusters.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Literal

import numpy as np

from parlour.games.engine.game import JESTER
from parlour.games.engine.moves import Seat
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
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
    counts = ((record, times, {_ALL: times}) for record, times in matches)
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


TIED_ENDING = "tie"
"""The ending of a match whose ballot was tied, whoever wins it by the rules."""
Policy = Literal["as_played", "draws", "left_out", "to_special", "to_others"]
POLICIES: tuple[Policy, ...] = ("as_played", "draws", "left_out", "to_special", "to_others")
"""As the rules have it; a draw for both sides; no result; a win of the special role's side, or of
the other side."""


@dataclass(frozen=True, slots=True)
class TiePolicy:
    """The order of agents under a policy, the strongest first.

    ``tau`` is Kendall's rank correlation with the order as played, ``moved`` the most places that
    an agent moves.
    """

    policy: Policy
    order: tuple[str, ...]
    tau: float | None
    moved: int


@dataclass(frozen=True, slots=True)
class TieChecks:
    """The number of tied matches, and the order under each policy."""

    tied: int
    n: int
    policies: tuple[TiePolicy, ...]


def ties(matches: Weighted) -> TieChecks:
    """Returns the order under each policy, with all matches fitted again.

    Tied are matches that end in a tied ballot, and those without a single winning side. Equal
    payoffs are draws under every policy but ``left_out``.
    """
    count = sum(times for record, times in matches if is_tied(record))
    played = other = fitted(matches)
    before = played.ranks()
    policies = []
    for policy in POLICIES:
        # Without a draw all policies are alike, unless equal payoffs may be left out.
        if policy != "as_played" and (count or policy == "left_out"):
            decided = [
                (_decided(record, policy) if is_tied(record) else record, times)
                for record, times in matches
            ]
            other = fitted(decided, draws=policy != "left_out")
        after = other.ranks()
        moves = [abs(after[agent] - before[agent]) for agent in after.keys() & before.keys()]
        tau, order = rank_correlation(played, other), tuple(other.order)
        policies.append(TiePolicy(policy, order, tau, max(moves, default=0)))
        other = played
    return TieChecks(count, sum(times for _, times in matches), tuple(policies))


def is_tied(record: MatchRecord) -> bool:
    """True for a match of sides with a tied ballot, or without a single winning side."""
    outcome = record.outcome
    if find_game(record.game, f"match {record.number}").scoring.rated != "sides":
        return False
    winning = {outcome.sides[seat] for seat in outcome.winners}
    return outcome.ending == TIED_ENDING or len(winning) != 1


def _decided(record: MatchRecord, policy: Policy) -> MatchRecord:
    """Returns a tied match with the winners that a policy gives to it."""
    outcome = record.outcome
    special = find_game(record.game, f"match {record.number}").scoring.special
    winners: tuple[Seat, ...] = ()
    if policy in {"to_special", "to_others"} and special is not None:
        side = outcome.sides[outcome.roles.index(special)]
        wanted = policy == "to_special"
        # A tie is never the jester's.
        seats = [(Seat(s), own) for s, own in enumerate(outcome.sides) if own != JESTER]
        winners = tuple(seat for seat, own in seats if (own == side) == wanted)
    return replace(record, outcome=replace(outcome, winners=winners))


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

"""Strength: how good an agent is over the games and roles of a tournament.

One probit model of all paired outcomes:

    P(first above second) = Φ(offset of first's position - offset of second's
                              + mean skill of first - mean skill of second)

A skill is agent + agent x game + agent x role, each with a normal prior around 0 (Thurstone 1927,
with priors). The estimate is the posterior mode, found by Newton's method on counts, so that the
order of the matches cannot matter. Errors are cluster-robust, by a jackknife over clusters (CRV3).
Ranks come from the differences of all pairs, simultaneously (``statistics/simultaneous.py``).
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Strength:
    """An agent's strength: value, standard error, ends of the 95 % interval, and rank.

    ``se``, ``low`` and ``high`` are None with too few clusters. ``rank`` is 1 + the number of
    agents that are significantly better, ``last_rank`` the number of agents less those that are
    significantly worse; no agent's is false in 95 % of all leaderboards. ``matches`` are those that
    rate the agent.
    """

    value: float
    se: float | None
    low: float | None
    high: float | None
    matches: int
    rank: int
    last_rank: int

    @property
    def half(self) -> float | None:
        """Half the width of the interval."""
        return None if self.high is None else self.high - self.value


@dataclass(frozen=True, slots=True)
class Strengths:
    """Strengths by agent, by (game, agent) and by (game, role, agent).

    Those of a game and its roles come from the matches of that game alone.
    """

    overall: dict[str, Strength] = field(default_factory=dict)
    by_game: dict[tuple[str, str], Strength] = field(default_factory=dict)
    by_role: dict[tuple[str, str, str], Strength] = field(default_factory=dict)

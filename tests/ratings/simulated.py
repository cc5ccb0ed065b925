"""Tournaments whose agents have known skills: what strength is held against.

A match is a probit model come true. Each side's performance is the mean skill of its seats and
some luck, and the luck has three parts: of the setting for a side, of the setting for an agent
(some know a word and some do not), and of the match. Together they have a variance of 1, so that
the true skills are on the scale on which strength is declared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from parlour.games.engine.moves import Outcome, Seat
from parlour.games.engine.record import MatchRecord

ROLES = {
    "undercover": ("civilian", "undercover"),
    "chameleon": ("chameleon", "non_chameleon"),
    "impostor": ("impostor", "majority"),
    "prisoners_dilemma": ("prisoner",),
}
SETTING_SD, AGENT_ON_SETTING_SD = 0.3, 0.2
LEVEL_SHARE = 0.3
"""Share of the rarer outcome that is a level match instead, and as much of the other."""


@dataclass(frozen=True)
class Truth:
    """Skills by game, role and agent, and how much easier the first side of each game is."""

    agents: tuple[str, ...]
    skill: dict[tuple[str, str, str], float]
    bias: dict[str, float]

    def strength(self) -> dict[str, float]:
        """The declared estimand: the mean over games of the mean over roles, centred."""

        def in_game(agent: str, game: str) -> np.floating:
            return np.mean([self.skill[game, role, agent] for role in ROLES[game]])

        def over_games(agent: str) -> np.floating:
            return np.mean([in_game(agent, game) for game in ROLES])

        means = {agent: over_games(agent) for agent in self.agents}
        return {agent: float(mean - np.mean([*means.values()])) for agent, mean in means.items()}

    def in_role(self, game: str, role: str) -> dict[str, float]:
        """The same of one role."""
        skills = {agent: self.skill[game, role, agent] for agent in self.agents}
        return {agent: skill - np.mean([*skills.values()]) for agent, skill in skills.items()}


def truth(seed: int, agents: int = 12, spread: float = 0.5, apart: float = 0.2) -> Truth:
    """Skills as they may be: agents differ, and each differs a little by game and by role."""
    dice = np.random.default_rng([1, seed])
    names = tuple(f"agent {number}" for number in range(agents))
    main = dice.normal(0, spread, agents)
    skill = {}
    for game, roles in ROLES.items():
        of_game = dice.normal(0, apart, agents)
        for role in roles:
            skills = main + of_game + dice.normal(0, apart, agents)
            skill |= {(game, role, name): float(s) for name, s in zip(names, skills, strict=True)}
    return Truth(names, skill, {game: float(dice.normal(0.3, 0.3)) for game in ROLES})


def tournament(true: Truth, seed: int, settings: int = 20, pairs: int = 720) -> list[MatchRecord]:
    """Word games as pairs play them, and so many pairs of the dilemma in each seat.

    With twelve agents, 20 settings and 720 pairs 10,080 matches, and everywhere seats that share
    an agent; in the impostor game an agent also sits on both sides.
    """
    dice = np.random.default_rng([2, seed])
    records: list[MatchRecord] = []
    for game in ("undercover", "chameleon", "impostor"):
        for setting in range(settings):
            luck = {side: dice.normal(0, SETTING_SD) for side in ROLES[game]}
            own = {agent: dice.normal(0, AGENT_ON_SETTING_SD) for agent in true.agents}
            for pair in permutations(true.agents, 2):
                agents, roles = _seated(game, pair, setting)
                shown = _performance(true, game, agents, roles, luck, own, dice)
                records.append(_sides(len(records) + 1, game, setting, agents, roles, shown))
    everybody = list(permutations(true.agents, 2))
    for number in range(pairs):
        one, other = everybody[number % len(everybody)]
        for seat in range(3):
            agents = tuple(one if position == seat else other for position in range(3))
            skills = [true.skill["prisoners_dilemma", "prisoner", agent] for agent in agents]
            payoffs = skills + dice.normal(0, np.sqrt(0.5), 3)
            records.append(
                _payoffs(len(records) + 1, number // len(everybody), agents, payoffs.tolist())
            )
    return records


def _seated(
    game: str, pair: Sequence[str], setting: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    one, other = pair
    if game != "impostor":
        first, second = ROLES[game]
        special = game if game == first else second
        ordinary = second if special == first else first
        return (other, one, other), (ordinary, special, ordinary)
    roles = ("impostor", "majority", "majority", "majority")
    return ((one, one, other, other) if setting % 2 else (one, other, other, other)), roles


def _performance(true, game, agents, roles, luck, own, dice) -> float:  # type: ignore[no-untyped-def]
    """Difference of the first side's performance to the second's."""
    one, other = ROLES[game]
    above, known = true.bias[game] + luck[one] - luck[other], 2 * SETTING_SD**2
    shares: dict[str, float] = {}
    for side, sign in ((one, 1.0), (other, -1.0)):
        seats = [seat for seat, role in enumerate(roles) if role == side]
        for seat in seats:
            above += sign * true.skill[game, side, agents[seat]] / len(seats)
            shares[agents[seat]] = shares.get(agents[seat], 0.0) + sign / len(seats)
    for agent, share in shares.items():
        above += share * own[agent]
        known += (share * AGENT_ON_SETTING_SD) ** 2
    # As likely above 0 as without luck, but the luck of a setting is the same for all its matches.
    won = dice.random()
    chance = _normal_cdf(above / np.sqrt(1 - known))
    level = LEVEL_SHARE * min(chance, 1 - chance)
    return float(np.sign(chance - won)) if abs(won - chance) > level else 0.0


def _normal_cdf(value: float) -> float:
    from scipy.special import ndtr

    return float(ndtr(value))


def _sides(
    number: int,
    game: str,
    setting: int,
    agents: tuple[str, ...],
    roles: tuple[str, ...],
    shown: float,
) -> MatchRecord:
    one, other = ROLES[game]
    best = {1.0: one, -1.0: other}.get(shown)
    winners = tuple(Seat(seat) for seat, role in enumerate(roles) if role == best)
    outcome = Outcome("over", (0.0,) * len(agents), roles, roles, winners)
    seats = tuple(map(Seat, range(len(agents))))
    return MatchRecord(number, game, "", f"setting {setting}", agents, seats, outcome, ())


def _payoffs(
    number: int, setting: int, agents: tuple[str, ...], payoffs: Sequence[float]
) -> MatchRecord:
    sides = tuple(f"seat {seat}" for seat in range(3))
    outcome = Outcome("played", tuple(payoffs), ("prisoner",) * 3, sides)
    seats = tuple(map(Seat, range(3)))
    return MatchRecord(
        number, "prisoners_dilemma", "", f"points {setting}", agents, seats, outcome, ()
    )

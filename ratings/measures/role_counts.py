"""Counts of single matches: k of n of each measure, by agent and role.

A comparison pairs them, and variance components divide their spread.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.counting.counts import AgentFaults, declared_measures, of_match
from parlour.ratings.measures.profile import STRICT, profile_games

CREDITS = ("payoff", "welfare")
"""Measures that say nothing new where payoffs are the credits of the win rate."""
Measured = tuple[str, str | None]
"""A measure and its game; None where all games count together."""


class RoleCount(NamedTuple):
    """Count of an agent in one role of a match: k of n of a measure."""

    agent: str
    role: str
    measured: Measured
    k: float
    n: float


def paired_counters() -> dict[str, tuple[str, ...]]:
    """Returns the counters of each comparable measure, one rate or mean per match."""
    paired = {"win_rate": ("credits", "won"), "self_awareness": ("own_role",)}
    for measure in declared_measures():
        if measure.paired and measure.total and measure.kind != "parts":
            paired[measure.name] = (measure.counter,)
    return paired


def columns_of_games() -> tuple[str, ...]:
    """Returns the measures that can be compared and are a game's own column of the leaderboard."""
    paired = paired_counters()
    return tuple(m.name for m in declared_measures() if m.title and m.name in paired)


def role_counts(
    records: Sequence[MatchRecord],
    family: Collection[str],
    *,
    usual: bool = False,
    role: str | None = None,
) -> dict[int, list[RoleCount]]:
    """Returns the counts of a family of measures in each match, by its number.

    ``usual`` leaves out what says nothing new, ``role`` takes this role alone.
    """
    played = {record.game for record in records}
    in_profile = profile_games(played)
    measures_of = {
        game: _by_counter(game, family, strict=game in in_profile, usual=usual) for game in played
    }
    counts = {}
    for record in records:
        sums: dict[tuple[str, str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
        for agent, of_role, counter, k, n in of_match(record):
            if role in {None, of_role}:
                total = sums[agent, of_role, counter]
                total[0] += k
                total[1] += n
        counts[record.number] = own = list[RoleCount]()
        for (agent, of_role, counter), (k, n) in sums.items():
            for measured in measures_of[record.game].get(counter, ()) if n else ():
                own.append(RoleCount(agent, of_role, measured, k, n))
    return counts


def faulty_answers(records: Sequence[MatchRecord]) -> list[AgentFaults]:
    """Returns the faulty answers of each agent in its counted seats."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for record in records:
        for answer in record.answers:
            if answer.seat in record.counted:
                total = sums[record.agents[answer.seat]]
                total[0] += answer.fault is not None
                total[1] += 1
    return [(agent, faults, answers) for agent, (faults, answers) in sorted(sums.items())]


def _by_counter(
    game: str, family: Collection[str], *, strict: bool, usual: bool
) -> dict[str, list[Measured]]:
    """Returns the measures of a family that each counter of a game enters."""
    # The units of means differ between games, and so do the chances to win.
    by_game = {"win_rate", *(m.name for m in declared_measures() if m.kind in {"mean", "amount"})}
    pays_credits = any(most is not None for most in find_game(game, "").scoring.roles.values())
    left_out = CREDITS if usual and pays_credits else ()
    entered: dict[str, list[Measured]] = defaultdict(list)
    for measure, counters in paired_counters().items():
        if measure not in family or measure in left_out:
            continue
        for counter in counters:
            if measure in by_game:
                entered[counter].append((measure, game))
            elif strict or counter not in STRICT:
                entered[counter].append((measure, None))
    return entered

"""Pairs of two agents: what each of them did in the same place.

A *pair* is what each of the two did in one role on one setting under one condition. Where a game
was played on enough settings (``counts.cluster_unit``), all their matches there go into
it, and all pairs of a setting hang together. On fewer settings a pair is of two matches that are
alike but for the names of the two: same setting, condition, roles and company, the first with
the first, the second with the second; then all roles of these two matches hang together. A match
in which they hold the same roles is its own counterpart. What hangs together is a *cluster*.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from parlour.games.engine.record import MatchRecord
from parlour.ratings.counting.counters import declared_measures
from parlour.ratings.counting.counts import cluster_unit, of_match
from parlour.ratings.measures.profile import STRICT, in_strict_profile


def paired_counters() -> dict[str, tuple[str, ...]]:
    """What can be compared: measures that are one rate or mean of a match, with their counters."""
    paired = {"win_rate": ("credits", "won"), "self_awareness": ("own_role",)}
    for measure in declared_measures():
        if measure.paired and measure.total and measure.kind in {"rate", "mean"}:
            paired[measure.name] = (measure.counter,)
    return paired


def compared_by_game() -> set[str]:
    """Measures that are compared game by game, since games count in different coin."""
    means = {measure.name for measure in declared_measures() if measure.kind == "mean"}
    return {"win_rate", *means}


class Place(NamedTuple):
    """What a pair has in common. ``twins`` tells pairs of matches apart, "" for whole settings."""

    game: str
    condition: str
    setting: str
    twins: str
    role: str

    @property
    def cluster(self) -> tuple[str, ...]:
        """What hangs together with it."""
        return self[:4] if self.twins else (self.game, self.setting)


class Done(NamedTuple):
    """What an agent did in one match: k of n."""

    match: int
    k: float
    n: float


Pair = tuple[list[Done], list[Done]]
"""What the one and what the other did in a place, match by match."""


def rate(done: Sequence[Done]) -> float:
    """What one of a pair did in its place, over all its matches there."""
    return sum(each.k for each in done) / sum(each.n for each in done)


def pairs_of(
    records: Sequence[MatchRecord], first: str, second: str, family: set[str]
) -> dict[tuple[str, str | None], dict[Place, Pair]]:
    """Every place where both have something to divide by, by measure and game."""
    units = cluster_unit(records)
    counters, by_game = paired_counters(), compared_by_game()
    measures_of: dict[str, list[str]] = defaultdict(list)
    for measure in family:
        for counter in counters[measure]:
            measures_of[counter].append(measure)
    seen: Counter[tuple[object, ...]] = Counter()
    found: dict[tuple[str, str | None], dict[Place, Pair]] = defaultdict(
        lambda: defaultdict(lambda: ([], []))
    )
    for record in records:
        if not {first, second} & {*record.agents}:
            continue
        twins = ""
        if units[record.game] == "match":
            cast = _cast(record, first, second)
            alike = (record.game, record.condition, record.setting, cast)
            seen[alike] += 1
            twins = f"{min(cast, _cast(record, second, first))} {seen[alike]}"
        sums: dict[tuple[str, str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
        for agent, role, counter, k, n in of_match(record):
            if agent in {first, second} and counter in measures_of:
                cell = sums[agent, role, counter]
                cell[0] += k
                cell[1] += n
        for (agent, role, counter), (k, n) in sums.items():
            if not n:
                continue
            place = Place(record.game, record.condition, record.setting, twins, role)
            for measure in measures_of[counter]:
                of_a_game = measure in by_game
                if not of_a_game and counter in STRICT and not in_strict_profile(record.game):
                    continue
                pair = found[measure, record.game if of_a_game else None][place]
                pair[agent == second].append(Done(record.number, k, n))
    both = {
        of: {place: pair for place, pair in sorted(pairs.items()) if all(pair)}
        for of, pairs in found.items()
    }
    return {of: pairs for of, pairs in both.items() if pairs}


def _cast(record: MatchRecord, first: str, second: str) -> str:
    """Who held which role, the two agents under the names of 1 and 2."""
    names = {first: (0, "1"), second: (0, "2")}
    return str(
        sorted(
            (role, *names.get(agent, (1, agent)))
            for agent, role in zip(record.agents, record.outcome.roles, strict=True)
        )
    )

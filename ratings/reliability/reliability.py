"""Reliability of the measures of a tournament: would the same agents get the same figures again?

Halves of the matches are measured apart, and the figures of both halves correlated over agents.
Variance components say what makes outcomes differ. Fewer than ``FEWEST_AGENTS`` agents are too few
for a correlation.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from parlour.games.engine.record import MatchRecord
from parlour.ratings.counting.counted import Counted
from parlour.ratings.inference.effects import correlation
from parlour.ratings.inference.estimate import Estimate
from parlour.ratings.measures.capabilities import CAPABILITIES
from parlour.ratings.measures.conditions import ALL_CONDITIONS
from parlour.ratings.measures.measures import Row, leaderboard_measures, measures
from parlour.ratings.measures.role_counts import CREDITS, role_counts
from parlour.ratings.reliability.components import variance_components
from parlour.ratings.statistics.clusters import Clusters

FEWEST_AGENTS = 5
"""Agents that a correlation over agents needs."""

Figure = tuple[str | None, str]
"""A game, None for all, and a measure."""
Values = dict[Figure, dict[str, float]]
"""The value of each agent, by figure."""


@dataclass(frozen=True, slots=True)
class Component:
    """The variance of one factor in the outcomes of matches; None where it cannot be told."""

    game: str | None
    measure: str
    factor: str
    variance: float | None
    share: float | None
    n: int


@dataclass(frozen=True, slots=True)
class MeasureReliability:
    """Reliability of one measure: split-half with Spearman and Brown's step, and test-retest."""

    game: str | None
    measure: str
    split_half: Estimate
    retest: Estimate


@dataclass(frozen=True, slots=True)
class CapabilityCorrelation:
    """The correlation of two capabilities over agents."""

    one: str
    other: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Reliability:
    """All that is known of the reliability of a tournament's figures."""

    agents: int
    components: tuple[Component, ...]
    measures: tuple[MeasureReliability, ...]
    correlations: tuple[CapabilityCorrelation, ...]


def reliability(
    every: Counted, records: Sequence[MatchRecord] = (), *, details: bool = True
) -> Reliability:
    """Returns the reliability of finished matches; of their ``records`` the variance components.

    Without ``details`` it is that of the measures of a leaderboard.
    """
    measured = measures if details else leaderboard_measures
    whole = _values(measured(every))
    split = _measured_halves(every, measured, split_halves(every.records))
    again = _measured_halves(every, measured, repetition_halves(every.records))
    figures = sorted(whole, key=lambda figure: (figure[0] or "", figure[1]))
    agents = set().union(*whole.values())
    of_measures = []
    for figure in figures:
        first, second = (half.get(figure, {}) for half in split)
        one, other = (half.get(figure, {}) for half in again)
        of_halves = stepped_up(_correlated(first, second))
        of_measures.append(MeasureReliability(*figure, of_halves, _correlated(one, other)))
    profile = {name: whole.get((None, name), {}) for name in CAPABILITIES}
    correlations = [
        CapabilityCorrelation(one, other, _correlated(profile[one], profile[other]))
        for one, other in combinations(CAPABILITIES, 2)
    ]
    return Reliability(
        len(agents), tuple(outcome_components(records)), tuple(of_measures), tuple(correlations)
    )


def _values(rows: Iterable[Row]) -> Values:
    values: Values = defaultdict(dict)
    for row in rows:
        if row.condition == ALL_CONDITIONS and row.role is None and row.agent:
            values[row.game, row.measure][row.agent] = row.value
    return dict(values)


def _measured_halves(
    every: Counted, measured: Callable[[Counted], list[Row]], half_of: Mapping[int, int]
) -> tuple[Values, Values]:
    """Returns the values in either half; ``half_of`` has the half of matches by number."""
    halves: tuple[list[int], list[int]] = ([], [])
    for row, record in zip(every.rows, every.records, strict=True):
        if record.number in half_of:
            halves[half_of[record.number]].append(row)
    first, second = (_values(measured(Counted(every.book, rows))) for rows in halves)
    return first, second


def split_halves(records: Sequence[MatchRecord]) -> dict[int, int]:
    """Returns the half of each match: clusters in turn, those of like line-ups together."""
    clusters = Clusters.of(records)
    kinds: dict[str, tuple[str, ...]] = {}
    for record in records:
        cast = sorted(zip(record.outcome.roles, record.agents, strict=True))
        alike = "" if clusters.units[record.game] == "setting" else str(cast)
        name = clusters.name(record)
        kinds.setdefault(name, (record.game, alike, record.setting, record.condition, name))
    order = {name: place for place, name in enumerate(sorted(kinds, key=lambda name: kinds[name]))}
    return {record.number: order[clusters.name(record)] % 2 for record in records}


def repetition_halves(records: Sequence[MatchRecord]) -> dict[int, int]:
    """Returns the half of each match that was repeated with the same agents by seat, in turn."""

    def alike(record: MatchRecord) -> tuple[object, ...]:
        return record.game, record.condition, record.setting, record.agents

    times, seen = Counter(map(alike, records)), Counter[tuple[object, ...]]()
    halves = {}
    for record in records:
        key = alike(record)
        if seen[key] < times[key] // 2 * 2:  # of an odd number the last one has no counterpart
            halves[record.number] = seen[key] % 2
        seen[key] += 1
    return halves


def _correlated(one: Mapping[str, float], other: Mapping[str, float]) -> Estimate:
    """Returns the correlation over the agents that both have."""
    agents = sorted(one.keys() & other.keys())
    if len(agents) < FEWEST_AGENTS:
        return Estimate.missing("too few", len(agents))
    return correlation([one[agent] for agent in agents], [other[agent] for agent in agents])


def stepped_up(half: Estimate) -> Estimate:
    """Returns the reliability of the whole from the correlation r of its halves: 2 r / (1 + |r|).

    Below 0 the formula of Spearman and Brown, 2 r / (1 + r), goes to minus infinity, for variances
    that do not exist; so it is mirrored. Sources: Spearman 1910; Brown 1910.
    """
    if half.value is None or half.low is None or half.high is None:
        return half if half.value is None else Estimate.missing("the halves disagree", half.n)
    value, low, high = (2 * r / (1 + abs(r)) for r in (half.value, half.low, half.high))
    return replace(half, value=value, low=low, high=high, p=None)


def outcome_components(records: Sequence[MatchRecord]) -> Iterator[Component]:
    """Yields the variance components of win rate, payoff, welfare and capabilities.

    Each value is what an agent did in one role of a match. Win rates and capabilities are taken
    over all games together, win rates and payoffs in each game.
    """
    values: dict[Figure, list[tuple[float, MatchRecord, str, str]]] = defaultdict(list)
    counts = role_counts(records, ("win_rate", *CREDITS, *CAPABILITIES), usual=True)
    for record in records:
        for agent, role, (measure, game), k, n in counts[record.number]:
            places = {game, None} if measure == "win_rate" else {game}
            for place in places:
                values[place, measure].append((k / n, record, agent, role))
    single = len({record.game for record in records}) == 1
    for game, measure in sorted(values, key=lambda figure: (figure[0] or "", figure[1])):
        if game is not None or measure != "win_rate" or not single:  # else those of the only game
            yield from _components(game, measure, values[game, measure])


def _components(
    game: str | None, measure: str, outcomes: Sequence[tuple[float, MatchRecord, str, str]]
) -> Iterator[Component]:
    factors: dict[str, list[Hashable]] = defaultdict(list)
    for _, record, agent, role in outcomes:
        factors["agent"].append(agent)
        factors["game"].append(record.game)
        factors["role"].append((record.game, role))
        factors["setting"].append((record.game, record.setting))
        factors["agent × game"].append((agent, record.game))
        factors["agent × role"].append((agent, record.game, role))
        factors["agent × setting"].append((agent, record.game, record.setting))
        factors["seed"].append((record.game, record.setting, record.observation))
    variances = variance_components([value for value, *_ in outcomes], factors)
    total = sum(filter(None, variances.values()))
    for factor, variance in variances.items():
        share = variance / total if variance is not None and total else None
        yield Component(game, measure, factor, variance, share, len(outcomes))

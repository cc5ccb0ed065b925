"""Paired outcomes: finished matches as counted comparisons, the data of the strength model.

A paired outcome sets one party against another: two sides of a match, or two seats of a match
that is ranked by payoff. Points are whole numbers (2 for a win, 1 each for a draw), so that sums
do not depend on the order of the matches.
"""

from array import array
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, combinations
from typing import NamedTuple

from parlour.games.engine.game import BUILT_IN, Game
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.counting.counted import Finished, alike, clusters_of
from parlour.ratings.skill.trueskill_ladders import net_shares
from parlour.ratings.statistics.clusters import Cluster, Clusters

DRAW, WIN = 1, 2
"""Points of the first party; the second gets the rest of 2."""
Holder = tuple[str, str]
"""A role and the agent that holds it."""


class Party(NamedTuple):
    """Seats that stand together: how many each (role, agent) holds, of ``size`` in all.

    ``position`` is the side, or the role in a match ranked by payoff. Built-in seats count in
    ``size`` and have no holder.
    """

    position: str
    seats: tuple[tuple[Holder, int], ...]
    size: int


class PairedOutcome(NamedTuple):
    """Two parties that met, in sorted order; ``pairs`` is the number of pairs of their match."""

    first: Party
    second: Party
    pairs: int


MatchOutcomes = tuple[tuple[PairedOutcome, int], ...]
"""The paired outcomes of one match, each with the points of its first party."""


@dataclass(frozen=True, slots=True)
class GameOutcomes:
    """The paired outcomes of all matches of one game.

    ``kinds`` are the distinct clusters: points won and lost in each paired outcome. ``clusters``
    has the index of the kind of each cluster, ordered by setting or match number. ``matches``
    counts the matches that rate an agent, by agent and by (role, agent). ``roles``,
    ``positions`` and ``agents`` are those that occur. ``within`` is the variance of the
    score of each paired outcome within matches, summed up over its pairs: a win that is shared, as
    by a draw, is no win by chance.
    """

    outcomes: tuple[PairedOutcome, ...]
    kinds: tuple[Mapping[PairedOutcome, tuple[int, int]], ...]
    clusters: Sequence[int]
    matches: Mapping[Holder | str, int]
    roles: tuple[str, ...]
    positions: tuple[str, ...]
    agents: tuple[str, ...]
    within: Mapping[PairedOutcome, float] = field(default_factory=dict)


def paired_outcomes(matches: Finished, clusters: Clusters | None = None) -> dict[str, GameOutcomes]:
    """Returns the paired outcomes of each game that has any, by the game's name."""
    alike_matches = alike(matches, clusters or clusters_of(matches), _seen)
    games = outcomes_of(alike_matches)
    for name, game in games.items():
        kinds = [game.clusters[type_] for type_ in alike_matches.in_order[name]]
        games[name] = replace(game, clusters=array("q", kinds))
    return games


def _seen(record: MatchRecord) -> Hashable:
    """The part of a match that the model sees."""
    game = find_game(record.game, f"match {record.number}")
    if game.scoring.rated == "none":
        return record.game
    return record.game, match_outcomes(record, game), tuple(_rated_holders(record, game))


def outcomes_of(
    matches: Iterable[tuple[MatchRecord, int, Mapping[Cluster, int]]], *, draws: bool = True
) -> dict[str, GameOutcomes]:
    """Returns the paired outcomes of matches, each with those like it: in all, and by cluster.

    Without ``draws`` they are left out; else a draw is half a win for both.
    """
    counters: dict[str, _OutcomeCounter] = {}
    for record, number, of_cluster in matches:
        game = find_game(record.game, f"match {record.number}")
        if game.scoring.rated != "none":
            counters.setdefault(record.game, _OutcomeCounter(game, draws)).add(
                record, number, of_cluster
            )
    return {
        name: counter.result() for name, counter in sorted(counters.items()) if counter.has_outcomes
    }


Shared = tuple[tuple[PairedOutcome, int], int]
"""A paired outcome and its pairs in one match, and the points won times the points lost in them."""
_Analysed = tuple[MatchOutcomes, tuple[Holder, ...], tuple[Shared, ...]]
"""The outcomes of a match, the holders that it rates, and what points are shared."""


class _OutcomeCounter:
    """Counts the outcomes of one game. Matches with equal seats and results are analysed once."""

    def __init__(self, game: Game, draws: bool) -> None:
        self._game, self._draws = game, draws
        self._analysed: dict[object, _Analysed] = {}
        self._clusters: dict[Cluster, dict[PairedOutcome, list[int]]] = {}
        self._matches: dict[Holder | str, int] = {}
        self._within: Counter[tuple[PairedOutcome, int]] = Counter()

    @property
    def has_outcomes(self) -> bool:
        """True once a paired outcome was counted."""
        return any(self._clusters.values())

    def add(self, record: MatchRecord, every: int, of_cluster: Mapping[Cluster, int]) -> None:
        """Counts a match as often as it was played, in all and in each cluster."""
        outcomes, holders, shared = self._analyse(record)
        for key, number in of_cluster.items():
            cluster = self._clusters.setdefault(key, {})
            for outcome, points in outcomes:
                counts = cluster.setdefault(outcome, [0, 0])
                counts[0] += points * number
                counts[1] += (WIN - points) * number
        for each, product in shared:
            self._within[each] += product * every
        agents = {agent for _, agent in holders}
        for rated in agents.union(holders):
            self._matches[rated] = self._matches.get(rated, 0) + every

    def _analyse(self, record: MatchRecord) -> _Analysed:
        """Returns what is counted of a match, cached by what that needs."""
        outcome = record.outcome
        key = (record.agents, outcome.roles, outcome.sides, _scores(record, self._game))
        if key not in self._analysed:
            rated = tuple(_rated_holders(record, self._game))
            outcomes = match_outcomes(record, self._game)
            if not self._draws:
                outcomes = tuple(each for each in outcomes if each[1] != DRAW)
            self._analysed[key] = outcomes, rated, tuple(_shared(outcomes))
        return self._analysed[key]

    def result(self) -> GameOutcomes:
        """Returns the counts, in an order that does not depend on that of the matches."""
        kinds: dict[tuple[tuple[PairedOutcome, tuple[int, int]], ...], int] = {}
        clusters = []
        for _, counts in sorted(self._clusters.items(), key=lambda item: item[0]):
            kind = tuple(sorted((outcome, (won, lost)) for outcome, (won, lost) in counts.items()))
            clusters.append(kinds.setdefault(kind, len(kinds)))
        outcomes: set[PairedOutcome] = set().union(*self._clusters.values())
        parties = {outcome.first for outcome in outcomes} | {each.second for each in outcomes}
        seats = chain.from_iterable(party.seats for party in parties)
        holders = {holder for holder, _ in seats}
        within = dict.fromkeys(sorted(outcomes), 0.0)
        for (outcome, pairs), product in sorted(self._within.items()):
            within[outcome] += product / (pairs * WIN * WIN)
        return GameOutcomes(
            tuple(sorted(outcomes)),
            tuple(dict(kind) for kind in kinds),
            tuple(clusters),
            self._matches,
            tuple(sorted({role for role, _ in holders})),
            tuple(sorted({party.position for party in parties})),
            tuple(sorted({agent for _, agent in holders})),
            within,
        )


def match_outcomes(record: MatchRecord, game: Game) -> MatchOutcomes:
    """Returns the paired outcomes of one match of a game that ranks anybody."""
    pairs = _pairs_of_sides if game.scoring.rated == "sides" else _pairs_of_seats
    return tuple(pairs(record, _scores(record, game)))


def _shared(outcomes: MatchOutcomes) -> Iterator[Shared]:
    """Yields each paired outcome of a match in which both parties have points."""
    pairs = Counter(outcome for outcome, _ in outcomes)
    won: Counter[PairedOutcome] = Counter()
    for outcome, points in outcomes:
        won[outcome] += points
    for outcome, count in pairs.items():
        if product := won[outcome] * (WIN * count - won[outcome]):
            yield (outcome, count), product


def _scores(record: MatchRecord, game: Game) -> tuple[float, ...]:
    """The score of each seat: won or not in a game of sides, else the payoff."""
    if game.scoring.rated == "sides":
        return tuple(seat in record.outcome.winners for seat in range(len(record.agents)))
    return record.outcome.payoffs


def _pairs_of_sides(
    record: MatchRecord, won: Sequence[float]
) -> Iterator[tuple[PairedOutcome, int]]:
    """Yields every two sides with points. Two that both won, or both lost, draw."""
    sides = record.outcome.sides
    parties, best = {}, {}
    for side in sorted(set(sides)):
        seats = _seats(sides, side)
        held = ((record.outcome.roles[seat], record.agents[seat]) for seat in seats)
        counts = Counter(holder for holder in held if holder[1] != BUILT_IN)
        parties[side] = Party(side, tuple(sorted(counts.items())), len(seats))
        best[side] = max(won[seat] for seat in seats)
    pairs = list(combinations(parties, 2))
    for first, second in pairs:
        outcome = PairedOutcome(parties[first], parties[second], len(pairs))
        yield outcome, _points(best[first], best[second])


def _points(score: float, other: float) -> int:
    """Returns the points of the party with the first score."""
    return DRAW + (score > other) - (score < other)


def _seats(sides: Sequence[str], wanted: str) -> list[int]:
    return [seat for seat, side in enumerate(sides) if side == wanted]


def _pairs_of_seats(
    record: MatchRecord, payoffs: Sequence[float]
) -> Iterator[tuple[PairedOutcome, int]]:
    """Yields every two seats with points, except two of one agent in one role."""
    holders = zip(record.outcome.roles, record.agents, strict=True)
    seats = [
        (holder, payoff)
        for holder, payoff in zip(holders, payoffs, strict=True)
        if holder[1] != BUILT_IN
    ]
    pairs = [sorted(pair) for pair in combinations(seats, 2) if pair[0][0] != pair[1][0]]
    for (first, payoff), (second, other) in pairs:
        yield _of_seats(first, second, len(pairs)), _points(payoff, other)


@lru_cache(maxsize=65_536)  # a tournament repeats its pairs
def _of_seats(first: Holder, second: Holder, pairs: int) -> PairedOutcome:
    one, another = (Party(holder[0], ((holder, 1),), 1) for holder in (first, second))
    return PairedOutcome(one, another, pairs)


def _rated_holders(record: MatchRecord, game: Game) -> Iterator[Holder]:
    """Yields the (role, agent) pairs that a match rates; none of an agent that met only itself."""
    holders = set(zip(record.outcome.roles, record.agents, strict=True))
    agents = {agent for _, agent in holders} - {BUILT_IN}
    if game.scoring.rated == "payoff":
        if len(agents) > 1:
            yield from sorted(holder for holder in holders if holder[1] in agents)
        return
    for side, shares in net_shares(record).items():
        for seat in _seats(record.outcome.sides, side):
            if record.agents[seat] in shares and record.agents[seat] != BUILT_IN:
                yield record.outcome.roles[seat], record.agents[seat]


def score_of_bout(matches: Iterable[MatchRecord], agent: str) -> float:
    """Returns the score in [0, 1] of an agent in the matches of a bout, of which there are some."""
    scores = [score_of_match(match, agent) for match in matches]
    return sum(scores) / len(scores)


def score_of_match(match: MatchRecord, agent: str) -> float:
    """Returns an agent's share of the points in a match of two agents.

    Pairs of parties of the same agent do not count. A match in which nobody met the other is half
    a win for both.
    """
    game = find_game(match.game, f"match {match.number}")
    points = pairs = 0
    for outcome, won in match_outcomes(match, game):
        first, second = _agent(outcome.first), _agent(outcome.second)
        if agent in {first, second} and first != second:
            points += won if agent == first else WIN - won
            pairs += 1
    return points / (WIN * pairs) if pairs else DRAW / WIN


def _agent(party: Party) -> str | None:
    """The agent of a party; None if it has none, or several."""
    agents = {agent for (_, agent), _ in party.seats}
    return agents.pop() if len(agents) == 1 else None

"""Who stood above whom: finished matches as counted comparisons, for the strength of agents.

A comparison sets one party against another: the two sides of a match, or two seats of a match of
payoffs. What is counted are whole numbers (a win is 2, a level match 1 for either party), so
that the order of the matches cannot matter.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from parlour.games.engine.game import BUILT_IN, Game
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.counting.counts import cluster_unit
from parlour.ratings.skill.trueskill_ladders import net_shares

LEVEL, WIN = 1, 2
"""What a party gets in a comparison; the other gets what is left of 2."""
Held = tuple[str, str]
"""A role and the agent in it."""


class Party(NamedTuple):
    """Seats that stand together: where, how many hold which role for which agent, and of how many.

    ``place`` is the side, or the role in a match of payoffs. Seats of the rules are of the size
    but stand for nobody.
    """

    place: str
    seats: tuple[tuple[Held, int], ...]
    size: int


class Comparison(NamedTuple):
    """Two parties that met, in an order of their own; ``of`` is how many shared the match."""

    one: Party
    other: Party
    of: int


Told = tuple[tuple[Comparison, int], ...]
"""What one match tells: for each comparison what its first party got."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The matches of one game.

    ``kinds`` are the different clusters: what their comparisons came to, as pairs of halves won
    and lost. ``clusters`` has the kind of each cluster, in the order of settings or of match
    numbers. ``matches`` counts, by agent and by role and agent, those that tell of the agent.
    ``roles``, ``places`` and ``agents`` are all that are compared.
    """

    comparisons: tuple[Comparison, ...]
    kinds: tuple[Mapping[Comparison, tuple[int, int]], ...]
    clusters: tuple[int, ...]
    matches: Mapping[Held | str, int]
    roles: tuple[str, ...]
    places: tuple[str, ...]
    agents: tuple[str, ...]


def compared(records: Sequence[MatchRecord]) -> dict[str, Compared]:
    """The comparisons of each game that has any, by the game's name."""
    units = cluster_unit(records)
    counting: dict[str, _Counting] = {}
    for record in records:
        game = find_game(record.game, f"match {record.number}")
        if game.scoring.rated != "none":
            found = counting.setdefault(record.game, _Counting(game))
            found.add(record, record.setting if units[record.game] == "setting" else "")
    return {name: found.result() for name, found in sorted(counting.items()) if found.tells}


class _Counting:
    """Counts the matches of one game; what a match tells is worked out once for all like it."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._told: dict[object, tuple[Told, tuple[Held, ...]]] = {}
        self._clusters: dict[tuple[str, int], dict[Comparison, list[int]]] = {}
        self._matches: dict[Held | str, int] = {}

    @property
    def tells(self) -> bool:
        """Whether there was anything to compare."""
        return any(self._clusters.values())

    def add(self, record: MatchRecord, setting: str) -> None:
        """One match; its setting is its cluster, or it is one by itself where that is empty."""
        outcome = record.outcome
        standing: tuple[float, ...] = (
            tuple(seat in outcome.winners for seat in range(len(record.agents)))
            if self._game.scoring.rated == "sides"
            else outcome.payoffs
        )
        alike = (record.agents, outcome.roles, outcome.sides, standing)
        if alike not in self._told:
            told = _of_sides if self._game.scoring.rated == "sides" else _of_payoffs
            self._told[alike] = tuple(told(record, standing)), tuple(_concerned(record, self._game))
        comparisons, concerned = self._told[alike]
        cluster = self._clusters.setdefault((setting, 0) if setting else ("", record.number), {})
        for comparison, won in comparisons:
            counts = cluster.setdefault(comparison, [0, 0])
            counts[0] += won
            counts[1] += WIN - won
        for each in {agent for _, agent in concerned}.union(concerned):
            self._matches[each] = self._matches.get(each, 0) + 1

    def result(self) -> Compared:
        """The counts, in an order that is not that of the matches."""
        kinds: dict[tuple[tuple[Comparison, int, int], ...], int] = {}
        clusters = []
        for _, counts in sorted(self._clusters.items(), key=lambda item: item[0]):
            kind = tuple(sorted((each, won, lost) for each, (won, lost) in counts.items()))
            clusters.append(kinds.setdefault(kind, len(kinds)))
        comparisons = {each for cluster in self._clusters.values() for each in cluster}
        parties = {party for each in comparisons for party in (each.one, each.other)}
        held = {each for party in parties for each, _ in party.seats}
        return Compared(
            tuple(sorted(comparisons)),
            tuple({each: (won, lost) for each, won, lost in kind} for kind in kinds),
            tuple(clusters),
            self._matches,
            tuple(sorted({role for role, _ in held})),
            tuple(sorted({party.place for party in parties})),
            tuple(sorted({agent for _, agent in held})),
        )


def _of_sides(record: MatchRecord, won: Sequence[float]) -> Iterator[tuple[Comparison, int]]:
    """Every two sides against each other; two that both won, or both did not, are level."""
    sides = record.outcome.sides
    parties = {side: _party(record, side) for side in sorted(set(sides))}
    best = {side: max(won[seat] for seat in _seats(sides, side)) for side in parties}
    pairs = list(combinations(parties, 2))
    for one, other in pairs:
        yield (
            Comparison(parties[one], parties[other], len(pairs)),
            LEVEL + (best[one] > best[other]) - (best[one] < best[other]),
        )


def _seats(sides: Sequence[str], side: str) -> list[int]:
    return [seat for seat, its in enumerate(sides) if its == side]


def _party(record: MatchRecord, side: str) -> Party:
    held: dict[Held, int] = {}
    seats = _seats(record.outcome.sides, side)
    for seat in seats:
        if record.agents[seat] != BUILT_IN:
            place = record.outcome.roles[seat], record.agents[seat]
            held[place] = held.get(place, 0) + 1
    return Party(side, tuple(sorted(held.items())), len(seats))


def _of_payoffs(record: MatchRecord, payoff: Sequence[float]) -> Iterator[tuple[Comparison, int]]:
    """Every two seats by payoff, but not two of the same agent in the same role."""
    held = [
        ((role, agent), payoff[seat])
        for seat, (role, agent) in enumerate(zip(record.outcome.roles, record.agents, strict=True))
        if agent != BUILT_IN
    ]
    pairs = [tuple(sorted(pair)) for pair in combinations(held, 2) if pair[0][0] != pair[1][0]]
    for (one, mine), (other, theirs) in pairs:
        yield (
            Comparison(_seat(one), _seat(other), len(pairs)),
            LEVEL + (mine > theirs) - (mine < theirs),
        )


def _seat(held: Held) -> Party:
    return Party(held[0], ((held, 1),), 1)


def _concerned(record: MatchRecord, game: Game) -> Iterator[Held]:
    """The roles and agents of which the match tells: not of one that met but itself."""
    held = set(zip(record.outcome.roles, record.agents, strict=True))
    agents = {agent for _, agent in held} - {BUILT_IN}
    if game.scoring.rated == "payoff":
        yield from sorted(each for each in held if each[1] in agents and len(agents) > 1)
        return
    for side, net in net_shares(record).items():
        for seat in _seats(record.outcome.sides, side):
            if record.agents[seat] in net and record.agents[seat] != BUILT_IN:
                yield record.outcome.roles[seat], record.agents[seat]

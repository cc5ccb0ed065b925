"""Counts of each match: k of n, by game, condition, agent, role and counter.

Every measure is a function of these counts, so each can be checked by hand. Measures of one counter
are declared beside them.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, permutations
from statistics import fmean, linear_regression
from types import MappingProxyType
from typing import NamedTuple, Protocol

from parlour.games.engine.counting import Ballot, Count, Measure, RateFormula
from parlour.games.engine.game import BUILT_IN, JESTER, Game
from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.engine.registry import find_game, games
from parlour.ratings.statistics.clusters import Sums

OF_EVERY_GAME = (
    Measure("judgment", "judgment"),
    Measure("reasoning", "reasoning"),
    Measure("deception", "deceived"),
    Measure("wrong_guesses", "fooled"),
    Measure("fault_rate", "faults"),
    Measure("payoff", "payoff", "mean"),
    Measure("welfare", "welfare", "mean"),
    Measure("judged_statements", "judged", sliced=True),
    Measure("suspicion", "suspected", sliced=True),
    Measure("suspicion", "suspected_in_round", sliced=True, total=False),
    Measure("suspicion_slope", "suspicion_slope", "mean"),
    Measure("suspicion_drawn", "suspicion_drawn", sliced=True),
)
"""Measures that need no declaration."""
OF_BALLOTS = (
    Measure("centrality", "centrality", "amount"),
    Measure("reach", "reach", "amount"),
    Measure("brokerage", "brokerage", "amount"),
    Measure("vote_in_degree", "vote_in_degree", "amount", sliced=True),
    Measure("vote_pagerank", "vote_pagerank", "amount", sliced=True),
    Measure("vote_betweenness", "vote_betweenness", "amount", sliced=True),
)
"""Measures of the networks of a ballot, for games that declare one."""


def declared_measures() -> tuple[Measure, ...]:
    """Every measure of one counter, each once: of every game, of ballots, then game by game."""
    return _declared(tuple(games()))


def declared_formulas() -> tuple[RateFormula, ...]:
    """Every measure that games compute from several rates, game by game."""
    return tuple(chain.from_iterable(game.counting.formulas for game in games().values()))


@lru_cache(maxsize=8)  # by name, since a package can bring another game
def _declared(names: tuple[str, ...]) -> tuple[Measure, ...]:
    of_games = chain.from_iterable(games()[name].counting.measures for name in names)
    return tuple(dict.fromkeys((*OF_EVERY_GAME, *OF_BALLOTS, *of_games)))


class CountKey(NamedTuple):
    """Key of a count."""

    game: str
    condition: str
    agent: str
    role: str
    counter: str


class NamesClusters(Protocol):
    """Names the cluster of each match."""

    def name(self, record: MatchRecord) -> str:
        """Returns the name of the cluster, unique over all games."""


Counts = dict[CountKey, Sums]
"""(k, n) by key and cluster."""
AgentFaults = tuple[str, float, float]
"""An agent, its faulty answers, and all its answers."""


def summed(counts: Counts, keys: Iterable[CountKey]) -> Sums:
    """Returns (k, n) by cluster, summed over several keys."""
    sums: Sums = {}
    for key in keys:
        for cluster, (k, n) in counts[key].items():
            sum_k, sum_n = sums.get(cluster, (0.0, 0.0))
            sums[cluster] = (sum_k + k, sum_n + n)
    return sums


def of_match(record: MatchRecord, *, details: bool = True) -> Iterator[Count]:
    """Yields everything that one match adds; without ``details`` only for a leaderboard."""
    counting = find_game(record.game, f"match {record.number}").counting
    yield from basic_counts(record)
    if details:
        yield from detailed_counts(record, counting.slices(record))
        yield from counting.texts(record)


def basic_counts(record: MatchRecord) -> Iterator[Count]:
    """Yields what a match adds for a leaderboard."""
    game = find_game(record.game, f"match {record.number}")
    outcome = record.outcome
    agents = zip(record.agents, outcome.payoffs, strict=True)
    welfare = sum(payoff for agent, payoff in agents if agent != BUILT_IN)
    deceived = outcome.ending in game.scoring.deception_endings
    guessed = game.scoring.special is not None and any(
        answer.kind == "guess" for answer in record.answers
    )
    for (agent, role), seats in record.seats_of().items():
        own = sum(outcome.payoffs[seat] for seat in seats) / len(seats)
        # Several seats of one role share the match's result: it counts once.
        most = game.scoring.roles[role]
        if most is not None:
            yield agent, role, "credits", own, most
        elif game.scoring.wins:
            won = sum(seat in outcome.winners for seat in seats) / len(seats)
            yield agent, role, "won", won, 1
        yield agent, role, "payoff", own, 1
        yield agent, role, "welfare", welfare, 1
        if role == game.scoring.special:
            got_away = deceived or any(seat in outcome.winners for seat in seats)
            yield agent, role, "deceived", got_away, 1
        elif guessed:  # the special one was found out and guessed: wrong, or it got away with it
            yield agent, role, "fooled", not deceived, 1
    faults_of: dict[Seat, list[bool]] = defaultdict(list)
    for answer in record.answers:
        faults_of[answer.seat].append(answer.fault is not None)
    for seat, faults in faults_of.items():
        if seat in record.counted:
            role = outcome.roles[seat]
            yield record.agents[seat], role, "faults", sum(faults), len(faults)
    yield from game.counting.match(record)
    if game.counting.deductions and game.scoring.special is not None:
        yield from _of_deductions(record, game)


def detailed_counts(record: MatchRecord, slices: Sequence[str]) -> Iterator[Count]:
    """Yields what a match adds for measures alone, but for what is read from texts."""
    counting = find_game(record.game, f"match {record.number}").counting
    for count in counting.details(record):
        yield count
        agent, _, counter, k, n = count
        if counter in counting.sliced:
            for each in slices:
                yield agent, each, f"{counter}_by_slice", k, n
    if counting.ballot is not None:
        yield from of_ballot(record, counting.ballot(record))


def _of_deductions(record: MatchRecord, game: Game) -> Iterator[Count]:
    """Votes, own roles and beliefs, compared with the true roles and with each other.

    A faulty answer counts in the denominator and is not correct. Where another player's own
    answer was faulty its belief is not known, so beliefs about it do not count. A seat that knows
    to be special is not asked for its own view, so neither that view nor beliefs about it count.

    The MAGIC release gives one point for the own view and one if all views of others are right.
    """
    roles = record.outcome.roles
    special = [seat for seat, role in enumerate(roles) if role == game.scoring.special]
    believed: dict[int, dict[Seat, Answered]] = defaultdict(dict)
    for answer in record.answers:
        agent, role = record.agents[answer.seat], roles[answer.seat]
        if answer.kind == "beliefs":
            believed[answer.ask][answer.seat] = answer
        if answer.seat not in record.counted:
            continue
        if answer.kind == "vote" and role not in {game.scoring.special, JESTER}:
            yield agent, role, "judgment", answer.value["suspect"] in special, 1
        elif answer.kind == "own_role":
            truth = "special" if role == game.scoring.special else "ordinary"
            yield agent, role, "own_role", answer.value["role"] == truth, 1
    knows = game.scoring.special_told
    for at_once in believed.values():
        yield from _of_beliefs(record, at_once, special, knows)
    yield from _of_suspicion(record, game.scoring.special, special)
    if JESTER in roles:
        yield from _of_suspicion(record, JESTER, [roles.index(JESTER)])


def _of_suspicion(
    record: MatchRecord, sought: str | None, special: Collection[int]
) -> Iterator[Count]:
    """The others that suspect a special seat each time they are asked, and the slope of that.

    Their own beliefs count, or their votes in a match without beliefs; faulty ones do not.
    """
    kinds = {answer.kind for answer in record.answers}
    asked: dict[tuple[int, int], list[bool]] = defaultdict(list)
    for answer in record.answers:
        if answer.seat in special or answer.fault is not None:
            continue
        if answer.kind == "beliefs":
            suspect = _suspects(answer).get(answer.seat)
        elif answer.kind == "vote" and "beliefs" not in kinds:
            suspect = answer.value["suspect"]
        else:
            continue
        asked[answer.ask, answer.round].append(suspect in special)
    shares, every = list(map(fmean, asked.values())), list(chain.from_iterable(asked.values()))
    for agent, role in record.seats_of() if shares else ():
        if role != sought:
            continue
        if sought == JESTER:  # it is after suspicion: another measure
            yield agent, role, "suspicion_drawn", sum(every), len(every)
            continue
        yield agent, role, "suspected", sum(every), len(every)
        for (_, round), suspects in asked.items():
            yield agent, f"round {round}", "suspected_in_round", sum(suspects), len(suspects)
        if len(shares) > 1:
            slope = linear_regression(range(len(shares)), shares).slope
            yield agent, role, "suspicion_slope", slope, 1


def _of_beliefs(
    record: MatchRecord, at_once: Mapping[Seat, Answered], special: Collection[int], knows: bool
) -> Iterator[Count]:
    """Beliefs that were asked at once: a point for the own view, and one for all views of others.

    ``knows``: the special seats know themselves, so their own views are not asked.
    """
    views = {seat: _suspects(answer) for seat, answer in at_once.items()}
    known = {
        seat: views[seat].get(seat)
        for seat, answer in at_once.items()
        if answer.fault is None and not (knows and seat in special)
    }
    for seat in at_once:
        if seat not in record.counted:
            continue
        agent, role = record.agents[seat], record.outcome.roles[seat]
        if not (knows and seat in special):
            yield agent, role, "reasoning", views[seat].get(seat) in special, 1
        others = [viewer for viewer in known if viewer != seat]
        if others:
            due = {viewer: known[viewer] for viewer in others}
            given = {viewer: view for viewer, view in views[seat].items() if viewer in due}
            yield agent, role, "reasoning", given == due, 1


def _suspects(answer: Answered) -> dict[Seat, Seat | None]:
    """The suspect of each viewer, as a player believes."""
    return {belief["viewer"]: belief["suspect"] for belief in answer.value["beliefs"]}


SETTLED = 256
"""Steps of the random walk of PageRank: 0.85 to this power is negligible."""


def of_ballot(record: MatchRecord, ballot: Ballot) -> Iterator[Count]:
    """Yields the positions of each agent's seats in each role."""
    for (agent, role), seats in record.seats_of().items():
        for counter, total, number in _positions_of(ballot, tuple(seats)):
            yield agent, role, counter, total, number


@lru_cache(maxsize=16384)  # cached: four seats have only 256 ballots
def _positions_of(ballot: Ballot, seats: tuple[Seat, ...]) -> list[tuple[str, float, int]]:
    """Positions of some seats in the networks: measure, sum and number of seats."""
    values_of: dict[str, list[float]] = {}
    for seat in seats:
        for counter, value in positions(ballot)[seat].items():
            values_of.setdefault(counter, []).append(value)
    return [(counter, sum(values), len(values)) for counter, values in values_of.items()]


@lru_cache(maxsize=4096)  # cached: four seats have only 256 ballots
def positions(ballot: Ballot) -> tuple[Mapping[str, float], ...]:
    """Network measures of each seat, by name.

    Two graphs. *Co-vote*: p → q where both named the same seat; its nodes are the seats with a
    valid vote. Its parts are cliques, so nobody lies between two others: betweenness is 0 and
    brokerage equals reach. *Vote*: voter → the seat it named; its nodes are all seats. A seat that
    abstained has none in the co-vote graph, and where nobody voted there is none.

    Source: the impostor paper, appendix C.3, for the first graph; the second is not in the paper.
    """
    if all(suspect is None for suspect in ballot):
        return ({},) * len(ballot)
    among_votes, among_voters = _vote_graph(ballot), _co_vote_graph(ballot)
    return tuple(
        MappingProxyType({**among_voters.get(seat, {}), **among_votes[seat]})
        for seat in range(len(ballot))
    )


def _co_vote_graph(ballot: Ballot) -> dict[int, dict[str, float]]:
    import networkx as nx

    voters = [seat for seat, suspect in enumerate(ballot) if suspect is not None]
    graph = nx.DiGraph()
    graph.add_nodes_from(voters)
    graph.add_edges_from((p, q) for p, q in permutations(voters, 2) if ballot[p] == ballot[q])
    if len(voters) == 1:  # networkx gives a single node centrality 1
        return {voters[0]: {"centrality": 0.0, "reach": 0.0, "brokerage": 0.0}}
    centrality, between = nx.degree_centrality(graph), nx.betweenness_centrality(graph)
    return {
        seat: {
            "centrality": centrality[seat],
            "reach": graph.out_degree(seat) / (len(voters) - 1),
            "brokerage": (centrality[seat] + between[seat]) / 2,
        }
        for seat in voters
    }


def _vote_graph(ballot: Ballot) -> dict[int, dict[str, float]]:
    import networkx as nx
    import numpy as np

    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(ballot)))
    graph.add_edges_from(
        (seat, suspect) for seat, suspect in enumerate(ballot) if suspect is not None
    )
    named, between = nx.in_degree_centrality(graph), nx.betweenness_centrality(graph)
    # nx.pagerank needs scipy; here the matrix is only four by four.
    rank = np.linalg.matrix_power(nx.google_matrix(graph), SETTLED)[0]
    return {
        seat: {
            "vote_in_degree": named[seat],
            "vote_pagerank": float(rank[seat]),
            "vote_betweenness": between[seat],
        }
        for seat in graph
    }

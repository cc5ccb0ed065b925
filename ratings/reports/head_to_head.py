"""Head to head: how often each agent finished above each other agent that it met."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, groupby
from operator import itemgetter

import numpy as np

from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.counting.counted import Finished, alike, clusters_of
from parlour.ratings.reports.leaderboard import Meeting
from parlour.ratings.skill.trueskill_ladders import mean_payoffs, net_shares
from parlour.ratings.statistics.clusters import Cluster, Clusters
from parlour.ratings.statistics.intervals import ClusterTable, effective_trials, jackknife, ratio


def meetings(matches: Finished, clusters: Clusters | None = None) -> tuple[Meeting, ...]:
    """Returns the head-to-head results over all games and in each, sorted.

    In a game of sides two agents meet in a match in which they play for different sides; an agent
    on both sides plays for the one where it has more seats. In a game ranked by payoff all agents
    meet, and the higher mean payoff over an agent's seats wins. A game that ranks nobody, such as
    cost sharing, has no meetings. Each pair occurs once, under the agent that sorts first.
    """
    alike_matches = alike(
        matches, clusters or clusters_of(matches), lambda each: (each.game, *results(each))
    )
    counts: dict[tuple[str | None, str, str], dict[tuple[str, Cluster], list[int]]] = defaultdict(
        lambda: defaultdict(lambda: [0, 0, 0])
    )
    for record, _, of_cluster in alike_matches:
        for agent, other, result in results(record):
            for game in (None, record.game):
                of_pair = counts[game, agent, other]
                for cluster, number in of_cluster.items():
                    of_pair[record.game, cluster][result] += number
    pairs = sorted(counts, key=lambda pair: (pair[0] or "", pair[1:]))
    return tuple(_meeting(pair, counts[pair], alike_matches.times) for pair in pairs)


def _meeting(
    pair: tuple[str | None, str, str],
    counts: Mapping[tuple[str, Cluster], Sequence[int]],
    times: Mapping[tuple[str, Cluster], int],
) -> Meeting:
    """Returns the meeting of a pair from (wins, draws, losses) of each game and type of cluster."""
    rows, often = [], []
    for _, clusters in groupby(sorted(counts), key=itemgetter(0)):
        of_game = list(clusters)
        own = np.array([counts[cluster] for cluster in of_game], np.float64)
        rows.append(np.stack([own[:, 0] + own[:, 1] / 2, own.sum(axis=1)], axis=1))
        often.append([times[cluster] for cluster in of_game])
    table = ClusterTable.of(*rows, times=often)
    k, n = table.totals[0].tolist()
    trials = effective_trials(k / n, table, jackknife(table, ratio), n)
    each = [np.array(counts[cluster]) * times[cluster] for cluster in counts]
    wins, draws, losses = np.sum(each, axis=0).tolist()
    return Meeting(*pair, wins, draws, losses, trials)


_DRAW = 1
"""The index of draws in a list of wins, draws and losses."""


def results(record: MatchRecord) -> Iterator[tuple[str, str, int]]:
    """Yields the pairs that met in a match, with the result of the first: 0 won, 1 drew, 2 lost."""
    rated = find_game(record.game, f"match {record.number}").scoring.rated
    if rated == "none":
        return
    scores: list[tuple[str, str, float]]
    if rated == "payoff":
        # Every agent is a side of its own.
        scores = [(agent, agent, payoff) for agent, payoff in mean_payoffs(record).items()]
    else:
        winning = {record.outcome.sides[seat] for seat in record.outcome.winners}
        scores = []
        for side, agents in net_shares(record).items():
            scores += [(agent, side, float(side in winning)) for agent in agents]
    for (agent, side, score), (other, other_side, other_score) in combinations(sorted(scores), 2):
        if side != other_side:
            yield agent, other, _DRAW - (score > other_score) + (score < other_score)


def both_ways(results: Sequence[Meeting], game: str | None) -> dict[tuple[str, str], Meeting]:
    """Returns the meetings in a game, by agent and other: each pair both ways."""
    of_game = [meeting for meeting in results if meeting.game == game]
    both = [*of_game, *(meeting.swapped() for meeting in of_game)]
    return {(meeting.agent, meeting.other): meeting for meeting in both}

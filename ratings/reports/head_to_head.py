"""Head to head: how often each agent came out above each other one that it met."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.counting.counts import clusters_of
from parlour.ratings.skill.trueskill_ladders import mean_payoffs, net_shares
from parlour.ratings.statistics.intervals import Interval, wilson, worth


@dataclass(frozen=True, slots=True)
class Meeting:
    """What came of the matches in which two agents met, in one game or in all (game None).

    Wins, draws and losses are those of ``agent``; ``trials`` are the single trials that tell as
    much as these matches, which come in clusters.
    """

    game: str | None
    agent: str
    other: str
    wins: int
    draws: int
    losses: int
    trials: float

    @property
    def n(self) -> int:
        """The matches in which the two met."""
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        """The part of the matches that the agent won; a draw is half a win."""
        return (self.wins + self.draws / 2) / self.n

    @property
    def interval(self) -> Interval:
        """The Wilson interval of the share."""
        return wilson(self.share * self.trials, self.trials)

    def turned(self) -> "Meeting":
        """The same as the other agent sees it."""
        own = (self.losses, self.draws, self.wins)
        return Meeting(self.game, self.other, self.agent, *own, self.trials)


def meetings(records: Sequence[MatchRecord]) -> tuple[Meeting, ...]:
    """Who met whom and what came of it, over all games and in each.

    In a game of sides two agents meet in a match in which they play for different ones; who sits
    on both plays for the side where it has more. In a game of payoffs all meet, and the higher
    mean payoff over an agent's seats wins. A game that rates nobody, such as cost sharing, has no
    winner to count. Each pair is there once, under the name that sorts first.
    """
    counts: dict[tuple[str | None, str, str], dict[str, list[int]]] = defaultdict(
        lambda: defaultdict(lambda: [0, 0, 0])
    )
    for record, cluster in zip(records, clusters_of(records), strict=True):
        for one, other, result in _results(record):
            for game in (None, record.game):
                counts[game, one, other][cluster][result] += 1
    places = sorted(counts, key=lambda place: (place[0] or "", place[1:]))
    return tuple(_meeting(place, counts[place].values()) for place in places)


def _meeting(place: tuple[str | None, str, str], counts: Collection[list[int]]) -> Meeting:
    """The meetings of a pair from the wins, draws and losses of each cluster."""
    trials = worth([(wins + draws / 2, wins + draws + losses) for wins, draws, losses in counts])
    wins, draws, losses = (sum(column) for column in zip(*counts, strict=True))
    return Meeting(*place, wins, draws, losses, trials)


_DRAW = 1
"""The place of draws in a count of wins, draws and losses."""


def _results(record: MatchRecord) -> Iterator[tuple[str, str, int]]:
    """The pairs that met in a match, and what the first of each got."""
    rated = find_game(record.game, f"match {record.number}").scoring.rated
    if rated == "none":
        return
    if rated == "payoff":
        got = [(agent, agent, payoff) for agent, payoff in mean_payoffs(record).items()]
    else:
        winning = {record.outcome.sides[seat] for seat in record.outcome.winners}
        got = [
            (agent, side, float(side in winning))
            for side, agents in net_shares(record).items()
            for agent in agents
        ]
    for (one, side, score), (other, against, other_score) in combinations(sorted(got), 2):
        if side != against:
            yield one, other, _DRAW - (score > other_score) + (score < other_score)


def seen_by_all(found: Sequence[Meeting], game: str | None) -> dict[tuple[str, str], Meeting]:
    """The meetings in a game (None: in all), by agent and the one it met: each pair both ways."""
    here = [meeting for meeting in found if meeting.game == game]
    both = [*here, *(meeting.turned() for meeting in here)]
    return {(meeting.agent, meeting.other): meeting for meeting in both}

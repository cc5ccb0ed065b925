"""The score of a bout: the mean of the points of one agent against the other, match by match."""

from collections.abc import Iterable

from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.skill.paired_outcomes import DRAW, WIN, Party, match_outcomes


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

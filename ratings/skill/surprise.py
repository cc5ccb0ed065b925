"""Surprise: how unlikely the strength model holds each result, after all matches."""

from collections.abc import Iterator
from math import log2

from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.counting.counted import Counted
from parlour.ratings.skill.paired_outcomes import WIN, match_outcomes, paired_outcomes
from parlour.ratings.skill.strength_model import StrengthModel
from parlour.ratings.statistics.clusters import Clusters

LEAST = 1e-12
"""The least probability, so that its logarithm is finite."""


def surprises(matches: Counted, clusters: Clusters) -> Iterator[tuple[MatchRecord, float]]:
    """Yields a match of each kind of result, with the bits of surprise in it.

    They are -log2 of the probability of its paired outcomes, on average over these; a draw is
    half of each. The model is the one that ranks agents, fitted to all of the matches, so that
    a match also speaks for itself.
    """
    games = paired_outcomes(matches, clusters)
    if not games:
        return
    model = StrengthModel(games)
    mode, _covariance = model.fit(model.all_matches())
    probabilities = model.probabilities(mode)
    for record, _ in matches.alike(clusters):
        game = find_game(record.game, f"match {record.number}")
        outcomes = match_outcomes(record, game) if record.game in games else ()
        bits = 0.0
        for outcome, points in outcomes:
            probability = probabilities[record.game, outcome]
            for share, chance in ((points, probability), (WIN - points, 1 - probability)):
                bits -= share / WIN * log2(max(LEAST, chance))
        if outcomes:
            yield record, bits / len(outcomes)

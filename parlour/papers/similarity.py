"""The figure of the similarity of words by tier, from the settings of a tournament."""

from collections.abc import Sequence
from itertools import chain
from math import sqrt
from statistics import fmean, stdev

from parlour.agents.scripted.clue_bank import shipped_bank
from parlour.agents.scripted.similarity import pair_similarities
from parlour.ratings.papers.filling import ExhibitCell, Filled, NotMade
from parlour.ratings.papers.paper import Exhibit
from parlour.ratings.statistics.intervals import Z
from parlour.tournament.plan.model import GameEntry


def similarity_figure(exhibit: Exhibit, entries: Sequence[GameEntry]) -> Filled | NotMade:
    """The figure with the pairs of words of a game's entries, each pair once."""
    own = [entry for entry in entries if entry.game.name == exhibit.game]
    if not own:
        return NotMade(exhibit, f"{exhibit.game} is not played")
    records = dict.fromkeys(chain.from_iterable(entry.records for entry in own))
    by_tier = pair_similarities(own[0].game, records, own[0].variant, shipped_bank())
    if not by_tier:
        return NotMade(exhibit, "no pair of words has clues in the shipped bank")
    (column,) = exhibit.columns
    cells = [_cell(tier or "all", column.title, values) for tier, values in by_tier.items()]
    pairs = {tier or "all": len(values) for tier, values in by_tier.items()}
    return Filled(exhibit, cells, sum(pairs.values()), pairs, unit="pairs")


def _cell(tier: str, column: str, values: Sequence[float]) -> ExhibitCell:
    """The mean of a tier with its interval, and every pair."""
    mean, n, each = fmean(values), len(values), tuple(values)
    if n < 2:
        return ExhibitCell(tier, column, "share", mean, n, each=each)
    se = stdev(values) / sqrt(n)
    return ExhibitCell(tier, column, "share", mean, n, None, se, mean - Z * se, mean + Z * se, each)

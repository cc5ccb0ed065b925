"""Measures of one counter and formulas of several, of every game and as games declare."""

from functools import lru_cache
from itertools import chain

from parlour.games.engine.counting import Measure, RateFormula
from parlour.games.engine.registry import games

OF_EVERY_GAME = (
    Measure("judgment", "judgment"),
    Measure("reasoning", "reasoning"),
    Measure("deception", "deceived"),
    Measure("wrong_guesses", "fooled"),
    Measure("fault_rate", "faults"),
    Measure("payoff", "payoff", "mean"),
    Measure("welfare", "welfare", "mean"),
)
"""Measures that need no declaration."""
OF_BALLOTS = (
    Measure("centrality", "centrality", "mean"),
    Measure("reach", "reach", "mean"),
    Measure("brokerage", "brokerage", "mean"),
    Measure("vote_in_degree", "vote_in_degree", "mean", sliced=True),
    Measure("vote_pagerank", "vote_pagerank", "mean", sliced=True),
    Measure("vote_betweenness", "vote_betweenness", "mean", sliced=True),
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

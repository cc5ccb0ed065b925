"""Coverage of the intervals of ratings: the table in docs/rating.md.

Newcomers that play exactly like each agent of the pool are rated with small effort. Some minutes::

    python -m tests.ratings.coverage
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from statistics import fmean, stdev

from parlour.ratings.reference.placing import Placement
from parlour.ratings.reference.scale import Scale, shipped_scale
from tests.ratings.rated import newcomer_like, rated

NEWCOMERS = 40
"""Newcomers like each agent of the pool."""

FIRST = 1000
"""The seed of the first."""


def places(newcomers: int = NEWCOMERS) -> dict[str, list[tuple[str, Placement]]]:
    """By game ("all games" for all together): whom a newcomer is like, and its place."""
    placed: dict[str, list[tuple[str, Placement]]] = defaultdict(list)
    for agent, seed in product(shipped_scale().agents, range(FIRST, FIRST + newcomers)):
        rating = rated(newcomer_like(agent, seed))
        assert rating.overall is not None
        placed["all games"].append((agent, rating.overall))
        for game, place in rating.by_game.items():
            placed[game].append((agent, place))
    return placed


def frozen(agent: str, place: Placement, scale: Scale | None = None) -> float:
    """The strength of an agent of the pool where a newcomer was placed."""
    games = (scale or shipped_scale()).games
    if place.game is None:
        return fmean(game.strength(agent) for game in games.values())
    return games[place.game].strength(agent, place.role)


def coverage(placed: list[tuple[str, Placement]], scale: Scale | None = None) -> float:
    """The share of intervals that contain the frozen strength of the agent beside them."""
    return fmean(place.low <= frozen(agent, place, scale) <= place.high for agent, place in placed)


def rows(placed: dict[str, list[tuple[str, Placement]]]) -> Iterator[str]:
    """Yields the rows of the table: coverage, mean error, its spread, half an interval."""
    for game, each in placed.items():
        errors = [place.value - frozen(agent, place) for agent, place in each]
        half = fmean((place.high - place.low) / 2 for _, place in each)
        yield (
            f"| {game} | {len(each)} | {coverage(each):.1%} | {fmean(errors):+.3f} "
            f"| {stdev(errors):.3f} | {half:.3f} |"
        ).replace("%", " %")


if __name__ == "__main__":
    print("\n".join(rows(places())))

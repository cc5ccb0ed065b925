"""Fit of the strength model on matches that it has not seen: log loss, Brier score, calibration."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parlour.ratings.counting.counted import Finished
from parlour.ratings.skill.paired_outcomes import GameOutcomes, paired_outcomes
from parlour.ratings.skill.strength_model import StrengthModel
from parlour.ratings.statistics.intervals import Floats, wilson

FOLDS, BINS = 5, 5


@dataclass(frozen=True, slots=True)
class Bin:
    """Outcomes that the model gave its favourite a chance between ``low`` and ``high``.

    ``predicted`` is the mean chance, ``observed`` the share that the favourite won; the interval
    is Wilson's for independent outcomes.
    """

    low: float
    high: float
    n: float
    predicted: float
    observed: float
    observed_low: float
    observed_high: float


@dataclass(frozen=True, slots=True)
class Scores:
    """Mean log loss and Brier score; a fair coin has 0.693 and 0.25, and less is better."""

    log_loss: float
    brier: float


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Scores of the model on held-out clusters, and of the rates of positions alone.

    ``n`` counts matches. ``problem`` says in words why there are none.
    """

    folds: int
    n: float
    model: Scores | None
    positions: Scores | None
    bins: tuple[Bin, ...] = ()
    problem: str = ""


def held_out(matches: Finished, folds: int = FOLDS) -> HeldOut:
    """Fits the model to all folds of clusters but one, and scores it on that one, in turn.

    A draw is half a win for both, so that the best possible scores are not 0. Clusters are dealt
    to folds by a seeded shuffle in each game.
    """
    games = paired_outcomes(matches)
    fewest = min((len(game.clusters) for game in games.values()), default=0)
    if fewest < 2:
        return HeldOut(0, 0, None, None, problem="a game has fewer than two clusters of matches")
    folds = min(folds, fewest)
    model = StrengthModel(games)
    chances, by_position, won, lost = [], [], [], []
    positions = _position_groups(games)
    generator = np.random.Generator(np.random.PCG64(0))
    dealt = [
        generator.permutation(np.arange(len(game.clusters)) % folds) for game in games.values()
    ]
    for fold in range(folds):
        inside, outside = _weights(games, dealt, fold)
        chances.append(model.probit.chances(model.fit(outside)[0]))
        seen, held = (_shares(model, weights) for weights in (outside, inside))
        by_position.append(_rates(positions, *seen)[positions])
        won.append(held[0])
        lost.append(held[1])
    results = np.concatenate(won), np.concatenate(lost)
    predicted = np.concatenate(chances)
    return HeldOut(
        folds,
        float(results[0].sum() + results[1].sum()),
        _scores(predicted, *results),
        _scores(np.concatenate(by_position), *results),
        tuple(_bins(predicted, *results)),
    )


def _weights(
    games: Mapping[str, GameOutcomes], dealt: list[NDArray[np.int64]], fold: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the weights of the kinds of cluster inside a fold and outside it."""
    inside, outside = [], []
    for game, folds in zip(games.values(), dealt, strict=True):
        clusters, kinds = np.array(game.clusters), len(game.kinds)
        inside.append(np.bincount(clusters[folds == fold], minlength=kinds))
        outside.append(np.bincount(clusters[folds != fold], minlength=kinds))
    return np.concatenate(inside), np.concatenate(outside)


def _shares(model: StrengthModel, weights: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Returns how many matches each row's first party won and lost."""
    points = model.points(weights[np.newaxis])[0]
    return points[::2] / model.probit.scale, points[1::2] / model.probit.scale


def _position_groups(games: Mapping[str, GameOutcomes]) -> NDArray[np.int64]:
    """Returns for each row the number of its pair of positions; 0 for two of the same."""
    numbers: dict[tuple[str, str, str], int] = {}
    groups = []
    for name, game in games.items():
        for outcome in game.outcomes:
            first, second = outcome.first.position, outcome.second.position
            pair = (name, first, second)
            groups.append(0 if first == second else numbers.setdefault(pair, len(numbers) + 1))
    return np.array(groups, dtype=np.int64)


def _rates(groups: NDArray[np.int64], won: Floats, lost: Floats) -> Floats:
    """Returns the rate of each pair of positions, with half a match more for either."""
    size = int(groups.max()) + 1
    wins = np.bincount(groups, weights=won, minlength=size) + 0.5
    rates: Floats = wins / (wins + np.bincount(groups, weights=lost, minlength=size) + 0.5)
    rates[0] = 0.5
    return rates


def _scores(chance: Floats, won: Floats, lost: Floats) -> Scores:
    total = float((won + lost).sum())
    safe = np.clip(chance, 1e-12, 1 - 1e-12)
    log_loss = -float(won @ np.log(safe) + lost @ np.log1p(-safe)) / total
    brier = float(won @ (1 - chance) ** 2 + lost @ chance**2) / total
    return Scores(log_loss, brier)


def _bins(chance: Floats, won: Floats, lost: Floats) -> list[Bin]:
    """Returns the bins from one half to 1 that have any outcome."""
    favourite = np.maximum(chance, 1 - chance)
    right = np.where(chance >= 0.5, won, lost)
    n = won + lost
    edges = np.linspace(0.5, 1, BINS + 1)
    place = np.clip(np.searchsorted(edges, favourite, side="right") - 1, 0, BINS - 1)
    bins = []
    for index in range(BINS):
        rows = place == index
        if (count := float(n[rows].sum())) > 0:
            hits = min(float(right[rows].sum()), count)
            mean = float(favourite[rows] @ n[rows]) / count
            ends = wilson(hits, count)
            low, high = float(edges[index]), float(edges[index + 1])
            bins.append(Bin(low, high, count, mean, hits / count, ends.low, ends.high))
    return bins

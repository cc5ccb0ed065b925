"""Orders of estimates that hold together: which ones are significantly above which others.

Mogstad, Romano, Shaikh and Wilhelm 2024: the largest studentised difference over all pairs, by
step-down. Its distribution is drawn for estimates that do not differ, with the covariance that was
observed, and in each draw with errors estimated from as many normal clusters as there were: with
few clusters each pair's error is uncertain by itself.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from parlour.ratings.statistics.intervals import AGREE, Floats

LEVEL = 0.95
"""Probability that no order is false."""
RANK_DRAWS = 2000
MOST_DEGREES = 100
"""Degrees of freedom that are drawn at most; more would make the draws slower and change little."""


def above(values: Floats, errors: Sequence[tuple[Floats, int]], least: Floats) -> NDArray[np.bool_]:
    """Returns for each ordered pair of estimates if the first is significantly above the second.

    ``errors`` are covariances of independent parts (the games) with their degrees of freedom, and
    ``least`` is that by the model of the data: both must say so. With probability ``LEVEL`` at
    least, no pair is falsely ordered.
    """
    pairs = ~np.eye(len(values), dtype=np.bool_)
    total, by_model = np.sum([each for each, _ in errors], axis=0), _of_differences(least)
    if (_of_differences(total) < AGREE**2 * by_model)[pairs].any():  # all clusters agree
        errors, total = [(least, sum(df for _, df in errors))], least
    signed = np.zeros((RANK_DRAWS, len(values), len(values)))
    drawn = np.zeros_like(signed)
    for part, (covariance, df) in enumerate(errors):
        eigenvalues, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
        means, spreads = _standard(part, len(values), min(df, MOST_DEGREES))
        of_part = means @ root.T
        signed += of_part[:, :, np.newaxis] - of_part[:, np.newaxis, :]
        drawn += _of_differences(root @ spreads @ root.T)
    by_clusters = _of_differences(total)
    studentised, scaled = _over(signed, drawn), _over(signed, by_clusters)
    differences = values[:, np.newaxis] - values
    shown, modelled = _over(differences, by_clusters), _over(differences, by_model)
    result = np.zeros(differences.shape, dtype=np.bool_)
    open_pairs = pairs
    while open_pairs.any():
        bounds = [
            np.quantile(each[:, open_pairs].max(axis=1), LEVEL, method="higher")
            for each in (studentised, scaled)
        ]
        new = open_pairs & (shown > bounds[0]) & (modelled > bounds[1])
        if not new.any():
            break
        result |= new
        open_pairs &= ~new
    return result


@lru_cache(maxsize=32)
def _standard(part: int, size: int, df: int) -> tuple[Floats, Floats]:
    """Returns draws of standard normal means, and of their covariances as estimated."""
    generator = np.random.Generator(np.random.PCG64([part, size, df]))
    drawn = generator.standard_normal((RANK_DRAWS, df + 1, size))
    rest = drawn[:, 1:]
    return drawn[:, 0], rest.swapaxes(1, 2) @ rest / df


def _of_differences(covariance: Floats) -> Floats:
    """Returns the variance of the difference of every two, never below 0 by rounding."""
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    variances: Floats = own[..., :, np.newaxis] + own[..., np.newaxis, :] - 2 * covariance
    return np.maximum(variances, 0.0)


def _over(differences: Floats, variances: Floats) -> Floats:
    """Returns differences in standard errors; one without an error has none to exceed."""
    errors = np.sqrt(variances)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.where(differences == 0, 0.0, differences / errors), posinf=np.inf)

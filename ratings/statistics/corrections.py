"""Corrections of p values for the family of hypotheses that they belong to."""

from collections.abc import Sequence
from typing import Literal

Correction = Literal["holm", "bh", "bonferroni"]


def correct(p: Sequence[float], correction: Correction) -> list[float]:
    """Returns the p values corrected over their family, in the order given.

    Holm and Bonferroni bound the probability of any false positive, Benjamini and Hochberg
    (``bh``) the rate of false discoveries.
    """
    count = len(p)
    if not count:
        return []
    if correction == "bonferroni":
        return [min(1.0, count * each) for each in p]
    if correction == "bh":
        from scipy.stats import false_discovery_control

        return [float(each) for each in false_discovery_control(p)]
    # Holm: the smallest p times n, the next times n - 1, ..., and never below the one before.
    result, highest = [1.0] * count, 0.0
    for rank, index in enumerate(sorted(range(count), key=lambda index: p[index])):
        highest = max(highest, min(1.0, (count - rank) * p[index]))
        result[index] = highest
    return result

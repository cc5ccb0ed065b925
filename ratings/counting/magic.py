"""Formulas of the seven capabilities.

Source: the MAGIC paper, section 3.2 and appendix A.2.
"""

from collections.abc import Sequence
from math import pi, sin

import numpy as np

from parlour.ratings.statistics.intervals import Floats

CAPABILITIES = (
    "judgment",
    "reasoning",
    "deception",
    "self_awareness",
    "cooperation",
    "coordination",
    "rationality",
)
"""The seven capabilities, in the order of the paper's table 1."""

FOOLED_WEIGHT = 0.25
"""Weight of the wrong word guess of a special role that was found out, in raw Deception."""
DECEPTION_SPAN = 1 + FOOLED_WEIGHT
"""The most that raw Deception can reach: 1 for every success and the whole second term."""
TOLD_WEIGHT = 0.6
"""Weight of own roles named right in games that tell roles, beside those in games that do not."""


def deception_raw(deceived: Floats, fooled: Floats) -> Floats:
    """Successes as the special role, plus wrong guesses of one that was found out (nan: none)."""
    raw: Floats = deceived + FOOLED_WEIGHT * np.nan_to_num(fooled)
    return raw


def self_awareness(told: Floats, untold: Floats) -> Floats:
    """Own roles named right, weighted; one alone where the other is missing (nan)."""
    both = TOLD_WEIGHT * told + (1 - TOLD_WEIGHT) * untold
    one = np.where(np.isnan(told), untold, told)
    return np.where(np.isnan(both), one, both)


def radar_area(values: Sequence[Floats]) -> Floats:
    """The area of the heptagon of the capabilities, each from 0 to 1, in the order given."""
    following = [*values[1:], values[0]]
    products = [one * other for one, other in zip(values, following, strict=True)]
    area: Floats = 0.5 * sin(2 * pi / len(values)) * np.sum(products, axis=0)
    return area

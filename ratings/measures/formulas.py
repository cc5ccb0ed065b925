"""Formulas of measures that combine several rates, on arrays of one value a set of clusters.

Source: the MAGIC paper, section 3.2 and appendix A.2.
"""

from collections.abc import Sequence
from math import pi, sin
from typing import NamedTuple

import numpy as np

from parlour.ratings.statistics.intervals import Floats

FOOLED_WEIGHT = 0.25
"""Weight of the wrong word guess of a special role that was found out, in raw Deception."""
TOLD_WEIGHT = 0.6
"""Weight of games that tell roles in Self-awareness; the rest is that of games that do not."""


def deception_raw(deceived: Floats, fooled: Floats) -> Floats:
    """Returns raw Deception from both rates; a missing ``fooled`` (nan) counts as 0."""
    raw: Floats = deceived + FOOLED_WEIGHT * np.nan_to_num(fooled)
    return raw


def self_awareness(where_told: Floats, elsewhere: Floats) -> Floats:
    """Returns the weighted mean of both rates; one alone where the other is missing."""
    both = TOLD_WEIGHT * where_told + (1 - TOLD_WEIGHT) * elsewhere
    single = np.where(np.isnan(where_told), elsewhere, where_told)
    return np.where(np.isnan(both), single, both)


class Profile(NamedTuple):
    """The seven capabilities, in the order of ``CAPABILITIES``, and the area of their chart."""

    capabilities: tuple[Floats, ...]
    radar_area: Floats


def profile(rates: Sequence[Floats]) -> Profile:
    """Returns the profile of an agent from the eight rates behind it.

    They are Judgment, Reasoning, Deception, own roles where they are told and elsewhere,
    Cooperation, Coordination and Rationality. What is missing is nan, and so is the area then.
    """
    judgment, reasoning, deception, where_told, elsewhere, *of_dilemmas = rates
    awareness = self_awareness(where_told, elsewhere)
    seven = (judgment, reasoning, deception, awareness, *of_dilemmas)
    return Profile(seven, radar_area(seven))


def radar_area(values: Sequence[Floats]) -> Floats:
    """Returns the area of the radar chart of values from 0 to 1, in the order of its spokes.

    It is ½ sin(2π / n) Σ vᵢ vᵢ₊₁, the sum of the triangles between neighbouring spokes.
    """
    following = [*values[1:], values[0]]
    products = [value * other for value, other in zip(values, following, strict=True)]
    area: Floats = 0.5 * sin(2 * pi / len(values)) * np.sum(products, axis=0)
    return area

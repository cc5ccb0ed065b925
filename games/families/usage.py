"""Use of something shared: the split by use, in whole percent."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

Shares = tuple[int, ...]
"""Percentage of a fee by seat; sums to 100."""


def by_usage(airlines: Sequence[Mapping[str, Any]]) -> Shares:
    """Returns the split by use: each airline's mean share of flights, passengers and hours.

    In whole percent that sum to 100, by largest remainders; ties go to the lowest seat. Computed in
    fractions, since float sums changed between Python versions.
    """
    return _by_usage(
        tuple((each["flights"], each["passengers"], each["hours"]) for each in airlines)
    )


@cache
def _by_usage(usage: tuple[tuple[int, int, float], ...]) -> Shares:
    figures = [
        [Fraction(flights) for flights, _, _ in usage],
        [Fraction(passengers) for _, passengers, _ in usage],
        [flights * Fraction(hours) for flights, _, hours in usage],
    ]
    known = [column for column in figures if sum(column) > 0]
    parts = []
    for seat in range(len(usage)):
        shares = (100 * column[seat] / sum(column) for column in known)
        parts.append(sum(shares, Fraction()) / len(known))
    whole = [int(part) for part in parts]
    by_rest = sorted(range(len(parts)), key=lambda seat: (whole[seat] - parts[seat], seat))
    for seat in by_rest[: 100 - sum(whole)]:
        whole[seat] += 1
    return tuple(whole)

"""Amounts of money: decimal numbers of two places, computed in whole hundredths.

Sums are exact, half of an amount is never too much, and the same match gives the same amounts on
every machine.
"""

from fractions import Fraction
from typing import Annotated

from pydantic import AfterValidator, Field


def hundredths(amount: float) -> int:
    """Converts an amount into the nearest whole number of hundredths."""
    return round(amount * 100)


def units(count: int) -> float:
    """Converts hundredths into an amount."""
    return count / 100


def times(count: int, multiplier: float) -> int:
    """Multiplies hundredths, rounding down to a whole hundredth."""
    return int(count * Fraction(str(multiplier)))


def most_of_half(amount: float) -> float:
    """Half of an amount, rounded up to a hundredth."""
    return units(-(-hundredths(amount) // 2))


Amount = Annotated[
    float,
    Field(ge=0, allow_inf_nan=False),
    AfterValidator(lambda amount: round(amount, 2) + 0.0),  # and not -0.0
]
"""An amount in an answer: any number from 0, rounded to two places."""

"""Amounts of money: decimal numbers of two places, reckoned in whole hundredths.

So sums are exact, half of what there is never comes out a hair too much, and the same match
gives the same amounts everywhere.
"""

from fractions import Fraction
from typing import Annotated

from pydantic import AfterValidator, Field


def hundredths(amount: float) -> int:
    """An amount in hundredths, the nearest whole number of them."""
    return round(amount * 100)


def units(count: int) -> float:
    """So many hundredths as an amount."""
    return count / 100


def times(count: int, multiplier: float) -> int:
    """So many hundredths multiplied; what is less than a hundredth is lost."""
    return int(count * Fraction(str(multiplier)))


def most_of_half(amount: float) -> float:
    """Half of an amount, rounded up to a hundredth."""
    return units(-(-hundredths(amount) // 2))


Amount = Annotated[
    float,
    Field(ge=0, allow_inf_nan=False),
    AfterValidator(lambda amount: round(amount, 2) + 0.0),  # and not -0.0
]
"""An amount in an answer: any number from 0 on, rounded to two places."""

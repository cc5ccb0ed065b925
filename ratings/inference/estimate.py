"""The figure of a test or an effect, with its uncertainty."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with the ends of its 95 % interval, its p value and its n.

    ``problem`` says in words why there is no figure; then the value is None.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n: int = 0
    problem: str = ""

    @classmethod
    def missing(cls, problem: str, n: int = 0) -> "Estimate":
        """Returns an estimate without a figure."""
        return cls(None, n=n, problem=problem)

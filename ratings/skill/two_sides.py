"""The TrueSkill update of two groups, for which the package's iteration has a closed form.

Herbrich, Minka, Graepel 2006, section 3 with weights: a player of weight w moves by w σ² / c × V,
and its variance shrinks by the factor 1 - w² σ² / c² × W, where c is the standard deviation of the
difference in performance. V and W are the package's, with the error function of the standard
library, which is exact to the last digit.
"""

from dataclasses import dataclass
from math import erfc, exp, pi, sqrt

ROOT_2, ROOT_2_PI = sqrt(2), sqrt(2 * pi)


@dataclass(slots=True)
class Rated:
    """A player's skill so far: mean, standard deviation, and the number of matches that moved it.

    It changes in place, so that kept meetings share it.
    """

    mu: float
    sigma: float
    matches: int = 0


Part = tuple[Rated, float]
"""A player in a match, with its weight in its group."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two groups that meet, the better one first; ``level`` if neither is.

    ``parts`` has all players with their weights: those of the second group are negative.
    ``margin`` is the difference in performance below which a match is level.
    """

    parts: tuple[Part, ...]
    beta: float
    margin: float
    level: bool

    def play(self) -> bool:
        """Moves the ratings of all players. Returns False, and moves none, on underflow."""
        variance, lead, beta = 0.0, 0.0, self.beta**2
        for rated, weight in self.parts:
            variance += weight * weight * (rated.sigma**2 + beta)
            lead += weight * rated.mu
        c = sqrt(variance)
        moves = (drawn if self.level else won)(lead / c, self.margin / c)
        if moves is None:
            return False
        v, w = moves
        for rated, weight in self.parts:
            sigma = rated.sigma
            pull = weight * sigma / c
            rated.mu += pull * sigma * v
            rated.sigma = sigma * sqrt(1 - pull * pull * w)
            rated.matches += 1
        return True


def won(lead: float, margin: float) -> tuple[float, float] | None:
    """Returns V and W where the first group won; None on underflow."""
    x = lead - margin
    below = cdf(x)
    v = pdf(x) / below if below else -x
    w = v * (v + x)
    return (v, w) if 0 < w < 1 else None


def drawn(lead: float, margin: float) -> tuple[float, float] | None:
    """Returns V and W of a level match; None on underflow."""
    distance = abs(lead)
    high, low = margin - distance, -margin - distance
    inside = cdf(high) - cdf(low)
    if not inside:
        return None
    v = (pdf(low) - pdf(high)) / inside
    w = v**2 + (high * pdf(high) - low * pdf(low)) / inside
    # W is below 1 but for the rounding of tiny differences.
    return ((-v if lead < 0 else v), w) if w < 1 else None


def cdf(x: float) -> float:
    """Returns the probability that a standard normal variable is below x."""
    return erfc(-x / ROOT_2) / 2


def pdf(x: float) -> float:
    """Returns the density of a standard normal variable at x."""
    return exp(-x * x / 2) / ROOT_2_PI

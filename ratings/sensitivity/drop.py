"""Matches to drop until another agent leads (Huang et al. 2025, arXiv 2508.11847).

The effect of a match on the gap between two agents has a closed form at the fit: the weights of
the gap times the posterior covariance times the match's score. The matches that widen the gap
most are dropped first, and the model is fitted again to find how many of them are needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parlour.ratings.counting.counted import Finished, records_of
from parlour.ratings.sensitivity.refits import skill_rows
from parlour.ratings.skill.paired_outcomes import paired_outcomes
from parlour.ratings.skill.strength_model import StrengthModel
from parlour.ratings.statistics.clusters import Clusters
from parlour.ratings.statistics.intervals import Floats

ROUNDING = 1e-9
"""Gaps up to this are rounding errors: two equal agents are not passed."""
NAMED = 20
"""Matches to drop that are named at most."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Matches to drop until ``other`` is above the ``leader``.

    ``predicted`` is their number by the closed form, ``needed`` the least number, in the same
    order, with which a new fit has the two the other way round; None if no number does.
    ``matches`` are the numbers of the first of them, ``n`` is that of all matches.
    """

    leader: str
    other: str
    gap: float
    predicted: int | None
    needed: int | None
    n: int
    matches: tuple[int, ...]

    @property
    def share(self) -> float | None:
        """The needed matches as a share of all."""
        return None if self.needed is None else self.needed / self.n


def matches_to_drop(matches: Finished) -> tuple[Drop, ...]:
    """Returns for each other agent what puts it above the leader, the fewest matches first."""
    records = records_of(matches)
    units = Clusters(dict.fromkeys({record.game for record in records}, "match"))
    games = paired_outcomes(matches, units)
    if not games:
        return ()
    model = StrengthModel(games)
    if len(model.agents) < 2:
        return ()
    whole = model.all_matches()
    mode, covariance = model.fit(whole)
    rows = skill_rows(model)
    order = np.argsort(-(rows @ mode), kind="stable")
    pulls = model.probit.scores(model.points_of_kinds(), mode) @ covariance
    in_order = sorted(records, key=lambda record: record.order)
    numbers = list[list[int]]()
    for name, game in games.items():
        of_kind: list[list[int]] = [[] for _ in game.kinds]
        of_game = (record.number for record in in_order if record.game == name)
        for number, kind in zip(of_game, game.clusters, strict=True):
            of_kind[kind].append(number)
        numbers += of_kind
    drops = []
    for index in order[1:]:
        contrast = rows[order[0]] - rows[index]
        plan = _Plan(model, contrast, whole, pulls @ contrast)
        gap = float(contrast @ mode)
        predicted = plan.predicted(gap)
        needed = plan.needed(predicted)
        named = plan.named(numbers, min(needed or 0, NAMED))
        names = model.agents[order[0]], model.agents[index]
        drops.append(Drop(*names, gap, predicted, needed, int(whole.sum()), named))
    return tuple(sorted(drops, key=lambda drop: (drop.needed is None, drop.needed or 0)))


class _Plan:
    """The order in which matches are dropped: those that widen the gap most come first."""

    def __init__(
        self, model: StrengthModel, contrast: Floats, whole: NDArray[np.int64], widens: Floats
    ) -> None:
        self._model, self._contrast = model, contrast
        self._whole, self._widens = whole, widens
        self._order = [kind for kind in np.argsort(-widens, kind="stable") if widens[kind] > 0]

    @property
    def most(self) -> int:
        """The number of matches that widen the gap at all."""
        return int(self._whole[self._order].sum()) if self._order else 0

    def predicted(self, gap: float) -> int | None:
        """Returns how many matches close the gap by the closed form; None if all do not."""
        dropped = 0
        for kind in self._order:
            count, effect = int(self._whole[kind]), float(self._widens[kind])
            if gap <= count * effect:
                return dropped + max(1, int(np.ceil(gap / effect)))
            gap, dropped = gap - count * effect, dropped + count
        return None

    def _closes(self, count: int) -> bool:
        """True if a fit without the first ``count`` matches turns the gap round."""
        weights = self._whole.copy()
        for kind in self._order:
            taken = min(count, int(weights[kind]))
            weights[kind] -= taken
            count -= taken
        return float(self._contrast @ self._model.fit(weights)[0]) < -ROUNDING

    def needed(self, predicted: int | None) -> int | None:
        """Returns the least number of matches without which a new fit closes the gap."""
        low, high = 0, min(self.most, predicted or self.most)
        while not self._closes(high):  # the closed form promised too much
            if high >= self.most:
                return None
            low, high = high, min(self.most, high + high // 4 + 1)
        while high - low > 1:
            middle = (low + high) // 2
            if self._closes(middle):
                high = middle
            else:
                low = middle
        return high

    def named(self, numbers: Sequence[Sequence[int]], count: int) -> tuple[int, ...]:
        """Returns the numbers of the first ``count`` matches."""
        named: list[int] = []
        for kind in self._order:
            named += numbers[kind][: count - len(named)]
        return tuple(named)

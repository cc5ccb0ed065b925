"""Measures: tidy rows of value, counts and interval, for every agent, game and condition."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from games.gossip import TONES
from games.record import MatchRecord
from ratings.counts import Counts, Key, count
from ratings.intervals import Floats, Interval, bootstrap, wilson

DECEPTION_SPAN = 1.25
"""The most that raw Deception can reach: 1 for every success, 0.25 for every wrong word guess of a
caught chameleon. MAGIC, section 3.2. Without a game of word guesses the second term is 0."""
PLAIN = {
    "judgment": "judgment",
    "reasoning": "reasoning",
    "deception_base": "deceived",
    "deception_raw": "deceived",
    "self_awareness": "own_role",
    "fault_rate": "faults",
    "cooperation_ratio": "cooperated",
    "honesty": "honest",
    "truthful_gossip": "truthful",
    **{f"tone_{tone}": f"tone_{tone}" for tone in TONES},
}
"""Measures that are one count of k in n, with the counter each one reads."""
SLICED = ("cooperation_ratio", "truthful_gossip", *(f"tone_{tone}" for tone in TONES))
"""Plain measures that are also given by partner or by what was observed, in the role column."""
MEANS = {
    "payoff": "payoff",
    "welfare": "welfare",
    "image_score": "image_score",
    "reward_per_round": "reward",
    "discounted_return": "return",
    "gini": "gini",
}
"""Measures that are means, with the counter each one reads; by game only."""
CAPABILITIES = ("judgment", "reasoning", "deception", "self_awareness")
"""The capabilities that the games here can show, in the order of the paper."""


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of one agent. None stands for "all" in game, condition and role.

    ``value`` is k / n where both are given; a mean, or a measure put together from rates, has no
    k, and its n is the number of matches behind it (a match counts once for each role held).
    """

    game: str | None
    condition: str | None
    agent: str
    role: str | None
    measure: str
    value: float
    n: float
    k: float | None
    se: float | None
    low: float | None
    high: float | None


def measures(records: Sequence[MatchRecord]) -> list[Row]:
    """Every measure for each agent: by game and condition, by game, and over everything.

    A measure with nothing to divide by has no row.
    """
    return measures_of(count(records))


def measures_of(counts: Counts) -> list[Row]:
    """The same from counts."""
    slices: dict[tuple[str | None, str | None, str], list[Key]] = defaultdict(list)
    for key in counts:
        for game, condition in {
            (key.game, key.condition),
            (key.game, None),
            (None, None),
        }:
            slices[game, condition, key.agent].append(key)
    rows: list[Row] = []
    for game, condition, agent in sorted(
        slices, key=lambda s: (s[0] is not None, s[0] or "", s[1] is not None, s[1] or "", s[2])
    ):
        keys = slices[game, condition, agent]
        place = _Place(game, condition, agent, {key: counts[key] for key in keys})
        rows.extend(place.rows())
    return rows


class _Place:
    """The measures of one agent in one slice (a game and condition, a game, or everything)."""

    def __init__(self, game: str | None, condition: str | None, agent: str, counts: Counts) -> None:
        self.game, self.condition, self.agent, self.counts = game, condition, agent, counts

    def rows(self) -> Iterator[Row]:
        """All rows that have a denominator."""
        for measure, counter in PLAIN.items():
            yield from self._plain(measure, None, self._keys(counter))
        yield from self._deception()
        by_role: dict[tuple[str, str], list[Key]] = defaultdict(list)
        for key in sorted(self._keys("credits")):
            by_role[key.game, key.role].append(key)
        if self.game is not None:
            for (_game, role), keys in by_role.items():
                yield from self._share(role, keys)
                yield from self._plain("fault_rate", role, self._keys("faults", role))
                for measure in ("payoff", "welfare"):
                    yield from self._mean(measure, role, self._keys(measure, role))
            for measure, counter in MEANS.items():
                yield from self._mean(measure, None, self._keys(counter))
            for measure in SLICED:
                keys = self._keys(PLAIN[measure])
                for place in sorted({key.role for key in keys}):
                    yield from self._plain(measure, place, self._keys(PLAIN[measure], place))
        if by_role:
            yield self._win_rate(list(by_role.values()))

    def _keys(self, counter: str, role: str | None = None) -> list[Key]:
        return [key for key in self.counts if key.counter == counter and role in {None, key.role}]

    def _sums(self, keys: Iterable[Key]) -> dict[str, tuple[float, float]]:
        """(k, n) by cluster, over several keys."""
        sums: dict[str, tuple[float, float]] = {}
        for key in keys:
            for cluster, (k, n) in self.counts[key].items():
                so_far = sums.get(cluster, (0.0, 0.0))
                sums[cluster] = (so_far[0] + k, so_far[1] + n)
        return sums

    def _row(
        self,
        measure: str,
        role: str | None,
        value: float,
        n: float,
        k: float | None,
        interval: Interval | None,
    ) -> Row:
        se, low, high = interval or (None, None, None)
        return Row(self.game, self.condition, self.agent, role, measure, value, n, k, se, low, high)

    def _plain(self, measure: str, role: str | None, keys: list[Key]) -> Iterator[Row]:
        """k of n with a Wilson interval."""
        k, n = _total(self._sums(keys))
        if n:
            yield self._row(measure, role, k / n, n, k, wilson(k, n))

    def _share(self, role: str, keys: list[Key]) -> Iterator[Row]:
        """Credits won of the credits that could be won, with a bootstrap interval."""
        sums = self._sums(keys)
        k, n = _total(sums)
        yield self._row("win_rate", role, k / n, n, k, bootstrap(_table([sums]), _ratio))

    def _mean(self, measure: str, role: str | None, keys: list[Key]) -> Iterator[Row]:
        """A mean per match, with a bootstrap interval."""
        sums = self._sums(keys)
        k, n = _total(sums)
        if n:
            yield self._row(measure, role, k / n, n, None, bootstrap(_table([sums]), _ratio))

    def _deception(self) -> Iterator[Row]:
        """Raw Deception as a share of the most it can be."""
        k, n = _total(self._sums(self._keys("deceived")))
        if n:
            interval = Interval(*(end / DECEPTION_SPAN for end in wilson(k, n)))
            yield self._row("deception", None, k / n / DECEPTION_SPAN, n, None, interval)

    def _win_rate(self, roles: list[list[Key]]) -> Row:
        """The mean of the win rates of the roles that were played, each weighing the same."""

        def mean_of_rates(draws: Floats) -> Floats:
            rates = [_ratio(draws[:, 2 * i : 2 * i + 2]) for i in range(len(roles))]
            mean: Floats = np.mean(rates, axis=0)
            return mean

        sums = [self._sums(keys) for keys in roles]
        table = _table(sums)
        value = float(mean_of_rates(table.sum(axis=0, keepdims=True))[0])
        played = _total(self._sums(self._keys("payoff")))[1]
        return self._row("win_rate", None, value, played, None, bootstrap(table, mean_of_rates))


def _total(sums: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    return sum(k for k, _ in sums.values()), sum(n for _, n in sums.values())


def _table(groups: Sequence[Mapping[str, tuple[float, float]]]) -> Floats:
    """One row a cluster, in a fixed order; two columns (k, n) a group."""
    clusters = sorted({cluster for sums in groups for cluster in sums})
    rows = [
        [value for sums in groups for value in sums.get(cluster, (0.0, 0.0))]
        for cluster in clusters
    ]
    return np.array(rows, dtype=np.float64)


def _ratio(draws: Floats) -> Floats:
    """k / n of each draw; nan where n is 0."""
    n = draws[:, 1]
    share: Floats = np.divide(draws[:, 0], n, out=np.full(len(draws), np.nan), where=n > 0)
    return share

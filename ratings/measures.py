"""Measures: tidy rows of value, counts and interval, for every agent, game and condition."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from games.gossip import TONES
from games.record import MatchRecord
from ratings import magic
from ratings.counts import Counts, Key, count
from ratings.intervals import Floats, Interval, bootstrap, wilson

PLAIN = {
    "judgment": "judgment",
    "reasoning": "reasoning",
    "deception_base": "deceived",
    "cooperation": "agreed",
    "coordination": "authored",
    "coordination_all": "authored_of_all",
    "rationality": "rational",
    "fault_rate": "faults",
    "cooperation_ratio": "cooperated",
    "honesty": "honest",
    "truthful_gossip": "truthful",
    **{f"tone_{tone}": f"tone_{tone}" for tone in TONES},
}
"""Measures that are one count of k in n, with the counter each one reads."""
SLICED = (
    "cooperation_ratio",
    "truthful_gossip",
    *(f"tone_{tone}" for tone in TONES),
    "cooperation",
    "rationality",
)
"""Plain measures that are also given by partner, by what was observed or by setting, in the role
column."""
MEANS = {
    "payoff": "payoff",
    "welfare": "welfare",
    "image_score": "image_score",
    "reward_per_round": "reward",
    "discounted_return": "return",
    "gini": "gini",
    "investment_ratio": "invested",
    "return_ratio": "returned",
    "cost": "cost",
    "score": "score",
    "payback": "payback",
    "contribution": "contribution",
}
"""Measures that are means, with the counter each one reads; by game only."""
SLICED_MEANS = (
    ("cost", "cost"),
    ("score", "score"),
    ("payback", "payback"),
    ("contribution", "contribution"),
    ("contribution", "contribution_of_a_round"),
    ("investment_ratio", "invested"),
    ("return_ratio", "returned"),
)
"""Means that are also given by setting, round or partner, in the role column: their counters."""


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
        yield from self._composites()
        by_role: dict[tuple[str, str], list[Key]] = defaultdict(list)
        for key in sorted([*self._keys("credits"), *self._keys("won")]):
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
            for measure, counter in SLICED_MEANS:
                for place in sorted({key.role for key in self._keys(counter)}):
                    yield from self._mean(measure, place, self._keys(counter, place))
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
        """Credits won of those that could be won, by bootstrap; or matches won, by Wilson."""
        sums = self._sums(keys)
        k, n = _total(sums)
        plain = keys[0].counter == "won"
        interval = wilson(k, n) if plain else bootstrap(_table([sums]), _ratio)
        yield self._row("win_rate", role, k / n, n, k, interval)

    def _mean(self, measure: str, role: str | None, keys: list[Key]) -> Iterator[Row]:
        """A mean per match, with a bootstrap interval."""
        sums = self._sums(keys)
        k, n = _total(sums)
        if n:
            yield self._row(measure, role, k / n, n, None, bootstrap(_table([sums]), _ratio))

    def _composites(self) -> Iterator[Row]:
        """Measures that are put together from several rates."""
        deceived, fooled = self._keys("deceived"), self._keys("fooled")
        if deceived:
            both = [deceived, fooled]
            yield self._composite("deception_raw", both, _deception_raw, deceived)
            yield self._composite("deception", both, _deception, deceived)
        own_role = self._keys("own_role")
        by_game = [[k for k in own_role if (k.game == "chameleon") == its] for its in (True, False)]
        if own_role:
            yield self._composite(
                "self_awareness", by_game, lambda rates: magic.self_awareness(*rates), own_role
            )
        groups = [
            self._keys("judgment"),
            self._keys("reasoning"),
            deceived,
            fooled,
            *by_game,
            self._keys("agreed"),
            self._keys("authored"),
            self._keys("rational"),
        ]
        if all(groups[:3]) and own_role and all(groups[6:]):
            yield self._composite("radar_area", groups, _radar, self._keys("payoff"))

    def _composite(
        self,
        measure: str,
        groups: list[list[Key]],
        formula: Callable[[list[Floats]], Floats],
        counted: list[Key],
    ) -> Row:
        """A formula of the rates of several groups of keys, with a bootstrap interval.

        Where it comes to one rate alone, that is a count with a Wilson interval. Its n is that of
        the ``counted`` keys.
        """
        sums = [self._sums(keys) for keys in groups]
        given = [_total(of) for of in sums if of]
        if len(given) == 1:
            k, n = given[0]
            span = magic.DECEPTION_SPAN if measure == "deception" else 1.0
            interval = Interval(*(end / span for end in wilson(k, n)))
            return self._row(measure, None, k / n / span, n, k if span == 1 else None, interval)

        def of_sums(draws: Floats) -> Floats:
            return formula([_ratio(draws[:, 2 * i : 2 * i + 2]) for i in range(len(groups))])

        table = _table(sums)
        value = float(of_sums(table.sum(axis=0, keepdims=True))[0])
        n = _total(self._sums(counted))[1]
        return self._row(measure, None, value, n, None, bootstrap(table, of_sums))

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


def _deception_raw(rates: list[Floats]) -> Floats:
    return magic.deception_raw(*rates)


def _deception(rates: list[Floats]) -> Floats:
    """Raw Deception as a share of the most that it can be."""
    return _deception_raw(rates) / magic.DECEPTION_SPAN


def _radar(rates: list[Floats]) -> Floats:
    """The radar area from the nine rates that make up the seven capabilities."""
    judgment, reasoning, deceived, fooled, in_chameleon, elsewhere, *of_three_games = rates
    deception = _deception([deceived, fooled])
    awareness = magic.self_awareness(in_chameleon, elsewhere)
    return magic.radar_area([judgment, reasoning, deception, awareness, *of_three_games])


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

"""Measures: tidy rows of value, counts and interval, for every agent, game and condition."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from parlour.games.engine.counting import Measure
from parlour.games.engine.record import MatchRecord
from parlour.ratings.counting.counters import declared_measures
from parlour.ratings.counting.counts import Counts, Key, count
from parlour.ratings.measures.profile import (
    STRICT,
    Composite,
    composites,
    in_strict_profile,
    pooled,
)
from parlour.ratings.statistics.intervals import Floats, Interval, bootstrap, clustered_wilson


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of one agent. None stands for "all" in game, condition and role.

    The agent is "" where matches are measured whoever played them.

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


def shown_measures(records: Sequence[MatchRecord]) -> list[Row]:
    """Those that a leaderboard shows, and some beside them: of no single condition."""
    return measures_of(count(records, details=False), conditions=False)


def measures_of(counts: Counts, *, conditions: bool = True) -> list[Row]:
    """The same from counts; also for each single condition unless told otherwise."""
    slices: dict[tuple[str | None, str | None, str], list[Key]] = defaultdict(list)
    for key in counts:
        places: set[tuple[str | None, str | None]] = {(key.game, None), (None, None)}
        if conditions:
            places.add((key.game, key.condition))
        for game, condition in places:
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
        self.by_counter: dict[str, list[Key]] = defaultdict(list)
        for key in counts:
            self.by_counter[key.counter].append(key)

    def rows(self) -> Iterator[Row]:
        """All rows that have a denominator."""
        declared = declared_measures()
        for each in declared:
            if each.kind == "rate" and each.total:
                yield from self._plain(each.name, None, self._keys(each.counter))
        for measure, keys in pooled(self._everywhere):
            yield from self._plain(measure, None, keys)
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
            for each in declared:
                yield from self._of_game(each)
        if by_role:
            yield self._win_rate(list(by_role.values()))

    def _of_game(self, measure: Measure) -> Iterator[Row]:
        """What is given by game alone: means, shares of parts, and slices."""
        if measure.kind == "parts":
            yield from self._parts(measure.name, measure.counter, measure.parts)
        elif measure.kind == "mean" and measure.total:
            yield from self._mean(measure.name, None, self._keys(measure.counter))
        if measure.sliced:
            give = self._mean if measure.kind == "mean" else self._plain
            for part in sorted({key.role for key in self._keys(measure.counter)}):
                yield from give(measure.name, part, self._keys(measure.counter, part))

    def _everywhere(self, counter: str, role: str | None = None) -> list[Key]:
        return [key for key in self.by_counter[counter] if role in {None, key.role}]

    def _keys(self, counter: str, role: str | None = None) -> list[Key]:
        """The same, but that over all games the capabilities are those of the strict profile."""
        keys = self._everywhere(counter, role)
        if self.game is None and counter in STRICT:
            return [key for key in keys if in_strict_profile(key.game)]
        return keys

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
        sums = self._sums(keys)
        k, n = _total(sums)
        if n:
            yield self._row(measure, role, k / n, n, k, clustered_wilson(sums.values()))

    def _parts(self, measure: str, counter: str, parts: Iterable[str]) -> Iterator[Row]:
        """The share of each part in the whole, also of one that never came up."""
        whole = self._sums(self._keys(counter))
        n = _total(whole)[1]
        for part in parts if n else ():
            found = {of: k for of, (k, _) in self._sums(self._keys(counter, part)).items()}
            k = sum(found.values())
            shares = [(found.get(cluster, 0.0), size) for cluster, (_, size) in whole.items()]
            yield self._row(measure, part, k / n, n, k, clustered_wilson(shares))

    def _share(self, role: str, keys: list[Key]) -> Iterator[Row]:
        """Credits won of those that could be won, by bootstrap; or matches won, by Wilson."""
        sums = self._sums(keys)
        k, n = _total(sums)
        plain = keys[0].counter == "won"
        interval = clustered_wilson(sums.values()) if plain else bootstrap(_table([sums]), _ratio)
        yield self._row("win_rate", role, k / n, n, k, interval)

    def _mean(self, measure: str, role: str | None, keys: list[Key]) -> Iterator[Row]:
        """A mean per match, with a bootstrap interval."""
        sums = self._sums(keys)
        k, n = _total(sums)
        if n:
            yield self._row(measure, role, k / n, n, None, bootstrap(_table([sums]), _ratio))

    def _composites(self) -> Iterator[Row]:
        """Measures that are put together from several rates."""
        for composite in composites(self._keys, self._everywhere):
            yield from self._composite(composite)

    def _composite(self, of: Composite) -> Iterator[Row]:
        """A formula of the rates of several groups of keys, with a bootstrap interval.

        Where it comes to one rate alone, that is a count with a Wilson interval.
        """
        sums = [self._sums(keys) for keys in of.groups]
        given = [each for each in sums if each]
        if of.span is not None and len(given) == 1:
            (k, n), span = _total(given[0]), of.span
            interval = Interval(*(end / span for end in clustered_wilson(given[0].values())))
            shown = k if span == 1 else None
            yield self._row(of.measure, None, k / n / span, n, shown, interval)
            return

        def of_sums(draws: Floats) -> Floats:
            return of.formula([_ratio(draws[:, 2 * i : 2 * i + 2]) for i in range(len(sums))])

        table = _table(sums)
        value = float(of_sums(table.sum(axis=0, keepdims=True))[0])
        if not isnan(value):
            n = _total(self._sums(of.counted))[1]
            yield self._row(of.measure, None, value, n, None, bootstrap(table, of_sums))

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

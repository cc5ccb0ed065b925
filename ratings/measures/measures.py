"""Measures: tidy rows of value, counts and interval, for every agent, game and condition."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from math import inf, isnan
from operator import itemgetter

import numpy as np

from parlour.games.engine.counting import Measure
from parlour.games.engine.registry import find_game
from parlour.ratings.counting.counted import Finished, count
from parlour.ratings.counting.counts import CountKey, Counts, declared_measures, summed
from parlour.ratings.measures.conditions import ALL_CONDITIONS, condition_name
from parlour.ratings.measures.profile import STRICT, Composite, composites, pooled, profile_games
from parlour.ratings.statistics.clusters import Clusters, Sums
from parlour.ratings.statistics.intervals import (
    ClusterTable,
    Floats,
    Interval,
    Spread,
    cluster_table,
    jackknife,
    mean_interval,
    ratio,
    ratios,
    scaled_interval,
    share_interval,
)


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of one agent. None stands for "all" in game and role.

    ``condition`` is a name of ``conditions``. The agent is "" where matches are measured whoever
    played them.

    ``value`` is k / n where both are given. A mean, or a measure that combines several rates, has
    no k, and its n is the number of matches behind it (a match counts once for each role held).
    ``se`` is cluster-robust, None with a single cluster. ``low`` and ``high``
    are None with too few clusters, and for a mean if all clusters agree or a value has no bound.
    """

    game: str | None
    condition: str
    agent: str
    role: str | None
    measure: str
    value: float
    n: float
    k: float | None
    se: float | None
    low: float | None
    high: float | None


SliceKey = tuple[str | None, str | None, str]
"""Game and condition, None for all, and agent."""


def measures(matches: Finished) -> list[Row]:
    """Returns every measure of each agent: by game and condition, by game, and over all games.

    A measure whose denominator is 0 has no row.
    """
    return _rows(count(matches), by_condition=True)


def leaderboard_measures(matches: Finished, clusters: Clusters | None = None) -> list[Row]:
    """Returns at least the measures that a leaderboard shows, over all conditions.

    ``clusters`` are those of the matches, if they are known already.
    """
    return _rows(count(matches, clusters, details=False), by_condition=False)


def _rows(counts: Counts, *, by_condition: bool) -> list[Row]:
    slices: dict[SliceKey, list[CountKey]] = defaultdict(list)
    for key in counts:
        slices[None, None, key.agent].append(key)
        slices[key.game, None, key.agent].append(key)
        if by_condition:
            slices[key.game, key.condition, key.agent].append(key)
    profiled = profile_games({key.game for key in counts})
    rows: dict[SliceKey, list[Row]] = {}
    # Agent by agent: only slices of one agent share estimates.
    for agent, of_agent in groupby(sorted(slices, key=itemgetter(2)), key=itemgetter(2)):
        estimates = _Estimates(counts)
        for each in of_agent:
            game, condition, _ = each
            name = ALL_CONDITIONS if condition is None else condition_name(condition)
            rows[each] = list(_Slice(game, name, agent, slices[each], estimates, profiled).rows())

    def order(key: SliceKey) -> tuple[object, ...]:
        """Sorts "all" before every game and condition."""
        game, condition, agent = key
        return game is not None, game or "", condition is not None, condition or "", agent

    return list(chain.from_iterable(rows[each] for each in sorted(rows, key=order)))


class _Estimates:
    """Tables and errors of counts. Slices share many, as all games do with the only game."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._sums: dict[tuple[CountKey, ...], Sums] = {}
        self._known: dict[tuple[CountKey, ...], tuple[ClusterTable, Spread | None]] = {}

    def sums(self, keys: Sequence[CountKey]) -> Sums:
        """Returns (k, n) by cluster, summed over several keys; callers must not change them."""
        if len(keys) == 1:
            return self._counts[keys[0]]
        several = tuple(keys)
        if several not in self._sums:
            self._sums[several] = summed(self._counts, several)
        return self._sums[several]

    def ratio(self, keys: Sequence[CountKey]) -> tuple[ClusterTable, Spread | None]:
        """Returns the table of Σk / Σn and its standard error."""
        several = tuple(keys)
        if several not in self._known:
            table = cluster_table([self.sums(keys)])
            self._known[several] = table, jackknife(table, ratio)
        return self._known[several]


class _Slice:
    """The measures of one agent in a game and condition, in a game, or over all games."""

    def __init__(
        self,
        game: str | None,
        condition: str,
        agent: str,
        keys: Iterable[CountKey],
        estimates: _Estimates,
        profiled: Collection[str],
    ) -> None:
        self.game, self.condition, self.agent = game, condition, agent
        self.estimates, self.profiled = estimates, profiled
        self.by_counter: dict[str, list[CountKey]] = defaultdict(list)
        for key in keys:
            self.by_counter[key.counter].append(key)

    def rows(self) -> Iterator[Row]:
        """Yields all rows that have a denominator."""
        for declared in declared_measures():
            if declared.kind == "rate" and declared.total:
                yield from self._rate(declared.name, None, self._keys(declared.counter))
        for measure, keys in pooled(self._keys_of_all_games):
            yield from self._rate(measure, None, keys)
        for composite in composites(self._keys, self._keys_of_all_games):
            yield from self._composite(composite)
        roles: dict[tuple[str, str], list[CountKey]] = defaultdict(list)
        for key in sorted([*self._keys("credits"), *self._keys("won")]):
            roles[key.game, key.role].append(key)
        if self.game is not None:
            yield from self._rows_of_game(roles)
        if roles:
            yield from self._win_rate(list(roles.values()))

    def _rows_of_game(self, roles: Mapping[tuple[str, str], list[CountKey]]) -> Iterator[Row]:
        """Yields the rows that exist only within a game: by role or another slice, and means."""
        for (_, role), keys in roles.items():
            yield from self._rate("win_rate", role, keys)
            yield from self._rate("fault_rate", role, self._keys("faults", role))
            for measure in ("payoff", "welfare"):
                yield from self._mean(measure, role, self._keys(measure, role))
        for declared in declared_measures():
            yield from self._declared(declared)

    def _declared(self, measure: Measure) -> Iterator[Row]:
        """Yields a declared measure's rows that exist only within a game: mean, parts, slices."""
        if measure.kind == "parts":
            yield from self._parts(measure.name, measure.counter, measure.parts)
            return
        unbounded = self.estimates.sums(self._keys(measure.unbounded))
        unsure = any(k for k, _ in unbounded.values())
        amount = measure.kind == "amount"
        mean = partial(self._mean, unbounded=unsure, amount=amount, most=measure.most)
        estimate = self._rate if measure.kind == "rate" else mean
        if measure.kind != "rate" and measure.total:
            yield from estimate(measure.name, None, self._keys(measure.counter))
        if measure.sliced:
            for role in sorted({key.role for key in self._keys(measure.counter)}):
                yield from estimate(measure.name, role, self._keys(measure.counter, role))

    def _keys_of_all_games(self, counter: str, role: str | None = None) -> list[CountKey]:
        return [key for key in self.by_counter[counter] if role in {None, key.role}]

    def _keys(self, counter: str, role: str | None = None) -> list[CountKey]:
        """Returns the keys of a counter; over all games, those of the strict profile."""
        keys = self._keys_of_all_games(counter, role)
        if self.game is None and counter in STRICT:
            return [key for key in keys if key.game in self.profiled]
        return keys

    def _row(
        self,
        measure: str,
        role: str | None,
        value: float,
        n: float,
        k: float | None,
        spread: Spread | None,
        interval: Interval | None,
    ) -> Row:
        low, high = (interval.low, interval.high) if interval else (None, None)
        se = spread.se if spread else None
        return Row(
            *(self.game, self.condition, self.agent, role, measure, value, n, k, se, low, high)
        )

    def _share(
        self, measure: str, role: str | None, table: ClusterTable, spread: Spread | None
    ) -> Row:
        """Returns k of n with the interval of a share."""
        k, n = table.totals[0].tolist()
        interval = share_interval(k / n, table, spread, n)
        return self._row(measure, role, k / n, n, k, spread, interval)

    def _rate(self, measure: str, role: str | None, keys: list[CountKey]) -> Iterator[Row]:
        """Yields k of n: trials, or credits of those possible."""
        table, spread = self.estimates.ratio(keys)
        if table.sizes:
            yield self._share(measure, role, table, spread)

    def _parts(self, measure: str, counter: str, parts: Iterable[str]) -> Iterator[Row]:
        """Yields the share of each part in the whole, 0 for one of these that never occurred."""
        keys = self._keys(counter)
        whole = self.estimates.sums(keys)
        for part in dict.fromkeys([*parts, *sorted(key.role for key in keys)]):
            sums = self.estimates.sums(self._keys(counter, part))
            shares = {
                cluster: (sums.get(cluster, (0.0, 0.0))[0], n) for cluster, (_, n) in whole.items()
            }
            table = cluster_table([shares])
            if table.sizes:
                yield self._share(measure, part, table, jackknife(table, ratio))

    def _mean(
        self,
        measure: str,
        role: str | None,
        keys: list[CountKey],
        *,
        unbounded: bool = False,
        amount: bool = False,
        most: float = inf,
    ) -> Iterator[Row]:
        """Yields a mean per match, without an interval if a value of it has no bound.

        That of an amount ends at 0 and at the ``most`` that it can be: beyond is no truth that the
        interval could miss. That of credits is the interval of their share.
        """
        table, spread = self.estimates.ratio(keys)
        if table.sizes:
            k, n = table.totals[0].tolist()
            credits = _most_credits(keys) if measure == "payoff" else None
            if credits is not None:
                interval = scaled_interval(k / n, credits, table, spread, credits * n)
            else:
                interval = None if unbounded else mean_interval(k / n, spread)
            if interval and amount and table.distinct[:, 0].min() >= 0:
                low, high = max(0.0, interval.low), min(most, interval.high)
                interval = interval._replace(low=low, high=high)
            yield self._row(measure, role, k / n, n, None, spread, interval)

    def _composite(self, composite: Composite) -> Iterator[Row]:
        """Yields a formula of the rates of several groups of keys.

        If only one rate is left of it, it is that rate.
        """
        sums_of = self.estimates.sums
        nonempty = [keys for keys in composite.groups if sums_of(keys)]
        if composite.single and len(nonempty) == 1:
            yield from self._rate(composite.measure, None, nonempty[0])
            return

        def statistic(sums: Floats) -> Floats:
            return composite.formula(ratios(sums))

        table, most = cluster_table([*map(sums_of, composite.groups)]), composite.most
        value = float(statistic(table.totals)[0])
        if isnan(value):
            return
        n = sum(n * each.times for each, (_, n) in sums_of(composite.counted).items())
        spread = jackknife(table, statistic)
        if most is None:
            interval = mean_interval(value, spread)
        else:
            interval = scaled_interval(value, most, table, spread, n)
        yield self._row(composite.measure, None, value, n, None, spread, interval)

    def _win_rate(self, roles: list[list[CountKey]]) -> Iterator[Row]:
        """Yields the mean of the win rates of the roles that were played, equally weighted."""

        def mean(rates: list[Floats]) -> Floats:
            means: Floats = np.mean(rates, axis=0)
            return means

        played = self._keys("payoff")
        yield from self._composite(Composite("win_rate", roles, mean, played, single=True))


def _most_credits(keys: Sequence[CountKey]) -> float | None:
    """Returns the most credits of a seat in these roles, None where payoffs are no credits."""
    most = [find_game(key.game, key.game).scoring.roles[key.role] for key in keys]
    return max((each for each in most if each), default=None) if all(most) else None

"""The audit of wordings: the part of an outcome that is due to the wording, and what it changes.

Each match has its counterpart in every wording: the same agents, seats, setting and seed. The
wording "again" is the plain one once more, so what changes there changes without a reason.
Intervals are over clusters, which keep counterparts together: of shares of variance and of flips
percentiles of a bootstrap (Efron 1979), else as in comparisons. They hold for the wordings that
were played, not for all that there could be.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from typing import Any, Literal

import numpy as np

from parlour.games.common.progress import tracked
from parlour.games.engine.moves import REASONS, Seat
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.wordings import PLAIN, parted
from parlour.ratings.inference.estimate import Estimate, codes, jackknife, too_few
from parlour.ratings.measures.role_counts import role_counts
from parlour.ratings.reliability.components import variance_components
from parlour.ratings.reliability.power import measure_of
from parlour.ratings.statistics.clusters import Clusters
from parlour.ratings.statistics.intervals import (
    FEWEST_CLUSTERS,
    Floats,
    clustered_wilson,
    ends_of,
    ratios,
)

AGAIN = "again"
AGREE = "all clusters agree"
"""The note of a figure without an interval, since nothing shows how far other clusters may lie."""
RESAMPLES = 300
FREE = REASONS | {"text", "message"}
"""Fields of answers in free words, of which two are hardly ever the same."""


Kind = Literal["share", "change", "choices", "flips"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A figure of an audit, by its kind.

    "share": of a factor in the variance of what agents did in single matches. "change": of an
    agent's mean in a wording from its mean in the plain one. "choices": the share of its choices
    that differ from the one at the same place of the plain counterpart. "flips": the share of pairs
    of agents that are in another order than in the plain wording.
    """

    kind: Kind
    game: str
    measure: str
    estimate: Estimate
    factor: str = ""
    agent: str = ""
    wording: str = ""


def audit(records: Sequence[MatchRecord]) -> Iterator[Finding]:
    """Yields what wordings change in finished matches, by game and its other keys."""
    blocks: dict[tuple[str, str], list[MatchRecord]] = defaultdict(list)
    for record in records:
        blocks[record.game, parted(record.condition)[1]].append(record)
    for (game, condition), matches in blocks.items():
        wordings = {parted(record.condition)[0] for record in matches}
        if PLAIN not in wordings or len(wordings) == 1:
            continue  # none of the others is over yet
        block = _Block(f"{game} ({condition})" if condition else game, measure_of(game), matches)
        yield from chain(block.shares(), block.agents(), block.flips())


class _Block:
    """The matches of a game in all wordings, under the same other keys."""

    def __init__(self, title: str, measure: str, records: Sequence[MatchRecord]) -> None:
        self._named, self._records = (title, measure), records
        clusters = Clusters.of(records)
        names = codes([clusters.name(record) for record in records]).tolist()
        numbers = [record.number for record in records]
        self._cluster = dict(zip(numbers, names, strict=True))
        self._count = max(names) + 1
        self._wordings = list(dict.fromkeys(parted(r.condition)[0] for r in records))
        draws = np.random.default_rng(0).integers(self._count, size=(RESAMPLES, self._count))
        self._draws = draws if self._count >= FEWEST_CLUSTERS else draws[:0]
        self._times = np.array([np.bincount(each, minlength=self._count) for each in self._draws])
        counts = role_counts(records, (measure,))
        self._outcomes: list[tuple[MatchRecord, str, str, float, float]] = []
        for record in records:
            for agent, role, _measured, k, n in counts[record.number]:
                self._outcomes.append((record, agent, role, k, n))
        rows = [(record, agent, k, n) for record, agent, _role, k, n in self._outcomes]
        self._names = sorted({agent for _, agent, *_ in rows})
        self._ks, self._ns, self._played = self._sums(rows)
        times = np.vstack([np.ones((1, self._count)), self._times.reshape(-1, self._count)])
        with np.errstate(divide="ignore", invalid="ignore"):
            self._means: Floats = np.tensordot(times, self._ks, 1) / np.tensordot(
                times, self._ns, 1
            )
        """The mean of each agent in each wording, first of all clusters, then of each resample."""

    def _estimate(self, value: float, resampled: Floats, n: int) -> Estimate:
        """A figure with the percentiles of its resampled values."""
        if not np.isfinite(value):
            return Estimate.missing("nothing to compare", n)
        if not len(self._draws):
            return Estimate(float(value), n=n, note=too_few(self._count))
        low, high = np.nanpercentile(resampled, [2.5, 97.5]).tolist()
        if low == high:
            return Estimate(float(value), n=n, note=AGREE)
        return Estimate(float(value), low, high, n=n)

    def _sums(
        self, rows: Iterable[tuple[MatchRecord, str, float, float]]
    ) -> tuple[Floats, Floats, Floats]:
        """The sums of k and n by cluster, agent and wording; and the rows by agent and wording."""
        sums = np.zeros((3, self._count, len(self._names), len(self._wordings)))
        for record, agent, k, n in rows:
            wording = self._wordings.index(parted(record.condition)[0])
            sums[:, self._cluster[record.number], self._names.index(agent), wording] += k, n, 1
        return sums[0], sums[1], sums[2].sum(axis=0)

    def shares(self) -> Iterator[Finding]:
        """Yields the share of each factor that the plan can tell from others."""
        values = np.array([k / n for *_, k, n in self._outcomes])
        clusters = np.array([self._cluster[record.number] for record, *_ in self._outcomes])
        factors = {name: codes(levels) for name, levels in self._factors().items()}
        whole = _shares(values, factors)
        rows = [np.flatnonzero(clusters == cluster) for cluster in range(self._count)]
        nested = {
            name: len({*zip(of.tolist(), clusters.tolist(), strict=True)}) == of.max() + 1
            for name, of in factors.items()
        }
        resampled: dict[str, list[float]] = defaultdict(list)
        for draw in tracked(self._draws, "Resampling", len(self._draws)):
            taken = np.concatenate([rows[cluster] for cluster in draw])
            # A cluster that is drawn twice stands for two clusters, with settings of their own.
            copy = np.repeat(np.arange(len(draw)), [len(rows[cluster]) for cluster in draw])
            again = {
                name: of[taken] + (copy * (of.max() + 1) if nested[name] else 0)
                for name, of in factors.items()
            }
            for name, share in _shares(values[taken], again).items():
                resampled[name].append(share)
        for name, share in whole.items():
            estimate = self._estimate(share, np.array(resampled[name]), len(values))
            yield Finding("share", *self._named, estimate, factor=name)

    def _factors(self) -> Mapping[str, Sequence[Hashable]]:
        factors: dict[str, list[Hashable]] = defaultdict(list)
        for record, agent, role, *_ in self._outcomes:
            own = parted(record.condition)[0]
            wording = PLAIN if own == AGAIN else own
            factors["wording"].append(wording)
            factors["agent"].append(agent)
            factors["agent × wording"].append((agent, wording))
            factors["role"].append(role)
            factors["setting"].append(record.setting)
            factors["agent × setting"].append((agent, record.setting))
            factors["seed"].append((record.setting, record.observation))
        return factors

    def agents(self) -> Iterator[Finding]:
        """Yields each agent in each wording but the plain one."""
        plain = self._wordings.index(PLAIN)
        ks, ns, compared = self._sums(self._changed())
        for (i, agent), (j, wording) in product(enumerate(self._names), enumerate(self._wordings)):
            if wording == PLAIN:
                continue
            of_both = [
                self._ks[:, i, j],
                self._ns[:, i, j],
                self._ks[:, i, plain],
                self._ns[:, i, plain],
            ]
            change = jackknife(np.stack(of_both, axis=1), range(self._count), _difference)
            change = replace(change, n=int(self._played[i, j]))
            changed = _share_of(ks[:, i, j], ns[:, i, j], int(compared[i, j]))
            figures: dict[Kind, Estimate] = {"change": change, "choices": changed}
            for kind, estimate in figures.items():
                yield Finding(kind, *self._named, estimate, agent=agent, wording=wording)

    def _changed(self) -> Iterator[tuple[MatchRecord, str, float, float]]:
        """Yields the choices with a counterpart in the plain wording, and whether they differ."""
        plain = {
            _match(record): _choices(record)
            for record in self._records
            if parted(record.condition)[0] == PLAIN
        }
        for record in self._records:
            before = plain.get(_match(record), {})
            for place, choice in _choices(record).items():
                if place in before:
                    yield record, record.agents[place[2]], float(choice != before[place]), 1.0

    def flips(self) -> Iterator[Finding]:
        """Yields the pairs in another order in each wording but the plain one."""
        pairs = list(combinations(range(len(self._names)), 2))
        if not pairs:
            return
        ones, others = zip(*pairs, strict=True)
        leads = np.sign(self._means[:, ones, :] - self._means[:, others, :])
        plain = leads[:, :, [self._wordings.index(PLAIN)]]
        shares = (leads * plain < 0).mean(axis=1)
        for j, wording in enumerate(self._wordings):
            if wording != PLAIN:
                flipped = self._estimate(shares[0, j], shares[1:, j], len(pairs))
                yield Finding("flips", *self._named, flipped, wording=wording)


def _difference(sums: Floats) -> Floats:
    """The rate of the first k and n of each row of sums, minus that of the second."""
    first, second = ratios(sums)
    return first - second


def _share_of(ks: Floats, ns: Floats, n: int) -> Estimate:
    """The share of all clusters with its clustered Wilson interval."""
    if not n:
        return Estimate.missing("nothing to compare")
    counts = list(zip(ks.tolist(), ns.tolist(), strict=True))
    low, high = ends_of(clustered_wilson([each for each in counts if each[1]]))
    return Estimate(float(ks.sum() / ns.sum()), low, high, n=n)


def _match(record: MatchRecord) -> tuple[object, ...]:
    """All that a match has in common with its counterparts."""
    return record.setting, record.seed, record.agents


def _choices(record: MatchRecord) -> dict[tuple[str, int, Seat], dict[str, Any]]:
    """The choices of a match by kind of ask, round and seat, without fallbacks and free words."""
    choices = {}
    for answer in record.answers:
        choice = {name: value for name, value in answer.value.items() if name not in FREE}
        if choice and answer.fault is None:
            choices[answer.kind, answer.round, answer.seat] = choice
    return choices


def _shares(values: Floats, factors: Mapping[str, Any]) -> dict[str, float]:
    """The share of each factor in the variance; nan where none varies, or it cannot be told."""
    variances = variance_components(values.tolist(), factors)
    total = sum(filter(None, variances.values()))
    return {
        name: variance / total if variance is not None and total else float("nan")
        for name, variance in variances.items()
    }

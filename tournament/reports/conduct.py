"""Conduct: how each agent behaves as a client of models and as an answerer, whoever wins."""

from collections import defaultdict
from dataclasses import dataclass, field
from statistics import quantiles

from parlour.games.engine.moves import FaultKind
from parlour.ratings.statistics.intervals import Interval, clustered_wilson
from parlour.tournament.save.reader import Save

_ANSWERS = """
SELECT json_extract(matches.agents, '$[' || answers.seat || ']') AS agent, match, fault,
       count(*), sum(fault IS NULL AND tries > 1), sum(tries - 1)
FROM answers JOIN matches ON matches.number = answers.match
GROUP BY agent, match, fault ORDER BY agent, fault, match
"""
_CALLS = """
SELECT agent, count(*) - count({copy_of}), count({copy_of}), count(failure),
       sum(finish = 'refusal'), sum(prompt_tokens), sum(completion_tokens), sum(price),
       sum(failure IS NULL AND (price IS NULL OR completion_tokens IS NULL))
FROM calls GROUP BY agent ORDER BY agent
"""
_LATENCIES = """
SELECT agent, latency FROM calls WHERE failure IS NULL AND {copy_of} IS NULL
ORDER BY agent, latency
"""


@dataclass(slots=True)
class Conduct:
    """One agent's conduct over a whole save, unfinished matches included.

    ``faults`` counts answers by the class of the fault that stands for them. ``repairs`` are
    further tries after a faulty one, ``repaired`` the answers that were good in the end.
    ``calls`` are attempts that were sent, ``cached`` answers that the cache gave again instead.
    ``retries`` are attempts that the provider failed, ``refused`` calls that it answered with a
    refusal. Tokens are those that providers told, and so are dollars; ``unpriced`` calls
    came without, and under a budget count in the dollars with what they may have cost at most.
    ``interval`` is the Wilson interval of the fault rate, each match being a cluster.
    ``latency`` is the median and the 95th percentile of answered calls, in seconds.
    """

    agent: str
    answers: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    repairs: int = 0
    repaired: int = 0
    calls: int = 0
    cached: int = 0
    retries: int = 0
    refused: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dollars: float = 0.0
    unpriced: int = 0
    interval: Interval | None = None
    latency: tuple[float, float] | None = None

    @property
    def faulty(self) -> int:
        """Answers for which a fallback stands."""
        return sum(self.faults.values())

    @property
    def fault_rate(self) -> float | None:
        """Of all answers; None without any."""
        return self.faulty / self.answers if self.answers else None


def conduct(save: Save) -> list[Conduct]:
    """The conduct of every agent of a save, in the order of its tournament."""
    found = {agent.name: Conduct(agent.name) for agent in save.tournament.agents}
    classes = {kind.value for kind in FaultKind}
    by_match: dict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
    for agent, match, fault, count, repaired, repairs in save.select(_ANSWERS):
        if agent not in found:
            continue
        one = found[agent]
        one.answers += count
        one.repaired += repaired
        one.repairs += repairs
        if fault in classes:
            one.faults[fault] = one.faults.get(fault, 0) + count
        faulty, answers = by_match[agent].get(match, (0, 0))
        by_match[agent][match] = (faulty + (count if fault else 0), answers + count)
    for agent, counts in by_match.items():
        found[agent].interval = clustered_wilson(counts.values())
    if save.has_calls:
        for agent, sent, cached, retries, *sums in save.select(_CALLS.format(copy_of=save.copy_of)):
            if agent in found:
                one = found[agent]
                one.calls, one.cached, one.retries, one.refused = (
                    sent,
                    cached,
                    retries,
                    sums[0] or 0,
                )
                one.prompt_tokens, one.completion_tokens = sums[1] or 0, sums[2] or 0
                one.dollars, one.unpriced = sums[3] or 0.0, sums[4] or 0
        latencies: dict[str, list[float]] = defaultdict(list)
        for agent, latency in save.select(_LATENCIES.format(copy_of=save.copy_of)):
            latencies[agent].append(latency)
        for agent, seconds in latencies.items():
            if agent in found:
                found[agent].latency = _median_and_tail(seconds)
    return list(found.values())


def newest(save: Save) -> tuple[int, int]:
    """The numbers of the newest answer and call: while they stay, so does all conduct."""
    calls = save.select("SELECT coalesce(max(seq), 0) FROM calls") if save.has_calls else [(0,)]
    return save.last_seq(), calls[0][0]


def _median_and_tail(seconds: list[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    if len(seconds) == 1:
        return seconds[0], seconds[0]
    parts = quantiles(seconds, n=20, method="inclusive")
    return parts[9], parts[18]

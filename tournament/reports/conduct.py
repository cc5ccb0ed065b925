"""Conduct of agents: faults, repairs, model calls, costs and latencies."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import quantiles
from typing import TYPE_CHECKING

from parlour.games.engine.moves import FaultKind
from parlour.ratings.reports import cells
from parlour.ratings.reports.report import Column, Report, Table, table
from parlour.tournament.save.queries import answer_counts, call_totals, latencies
from parlour.tournament.save.reader import Save

if TYPE_CHECKING:
    from parlour.ratings.statistics.intervals import Interval


@dataclass(slots=True)
class Conduct:
    """One agent's conduct over a whole save, unfinished matches included.

    ``faults`` counts answers by the class of their fault. ``repairs`` are extra tries after a
    faulty one, ``repaired`` the answers that were usable after one. From ``calls`` to ``unpriced``
    they are its ``CallTotals``. ``interval`` is the Wilson interval of the fault rate, with
    matches as clusters. ``latency`` is the median and the 95th percentile of answered calls, in
    seconds.
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
    interval: "Interval | None" = None
    latency: tuple[float, float] | None = None

    @property
    def faulty(self) -> int:
        """Number of answers that were replaced by a fallback."""
        return sum(self.faults.values())

    @property
    def fault_rate(self) -> float | None:
        """Share of faulty answers; None without any answer."""
        return self.faulty / self.answers if self.answers else None


def conduct(save: Save) -> list[Conduct]:
    """Returns the conduct of every agent of a save, in the order of its tournament."""
    # Slow, and the first frame of the screens needs none of it.
    from parlour.ratings.statistics.intervals import clustered_wilson

    agents = {agent.name: Conduct(agent.name) for agent in save.tournament.agents}
    fault_classes = {kind.value for kind in FaultKind}
    # By agent and match: faulty answers and all answers. A match is a cluster of the interval.
    by_match: dict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
    for agent, match, fault, count, repaired, repairs in answer_counts(save):
        if agent not in agents:
            continue  # seats that the rules play
        one = agents[agent]
        one.answers += count
        one.repaired += repaired
        one.repairs += repairs
        if fault in fault_classes:
            one.faults[fault] = one.faults.get(fault, 0) + count
        faulty, answers = by_match[agent].get(match, (0, 0))
        by_match[agent][match] = (faulty + (count if fault else 0), answers + count)
    for agent, counts in by_match.items():
        agents[agent].interval = clustered_wilson(counts.values())
    for agent, totals in call_totals(save).items():
        if agent in agents:
            agents[agent] = replace(agents[agent], **totals._asdict())
    for agent, seconds in latencies(save).items():
        if agent in agents:
            agents[agent].latency = _median_and_tail(seconds)
    return list(agents.values())


def _median_and_tail(seconds: list[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    if len(seconds) == 1:
        return seconds[0], seconds[0]
    parts = quantiles(seconds, n=20, method="inclusive")
    return parts[9], parts[18]


def _fault_rate(conduct: Conduct) -> str:
    _, low, high = conduct.interval or (None, None, None)
    none = cells.TOO_FEW if conduct.answers else ""
    return cells.with_interval(conduct.fault_rate, low, high, none=none)


def _faults(conduct: Conduct) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in conduct.faults.items()) or cells.NOTHING


def _of_calls(conduct: Conduct, count: int) -> str:
    """Returns a count, or a dash for an agent that calls no model."""
    return f"{count:,}" if conduct.calls + conduct.cached else cells.NOTHING


def _dollars(conduct: Conduct) -> str:
    """Returns the cost, with + where some calls had no price; a dash where none had one."""
    answered = conduct.calls - conduct.retries
    if not conduct.dollars and not 0 < answered > conduct.unpriced:
        return cells.NOTHING
    return f"{conduct.dollars:.4f}" + ("+" if conduct.unpriced else "")


def _latency(conduct: Conduct, index: int) -> str:
    return cells.number(conduct.latency[index] if conduct.latency else None, 2)


COLUMNS: list[Column[Conduct]] = [
    Column("Agent", lambda conduct: conduct.agent),
    Column("Answers", lambda conduct: str(conduct.answers)),
    Column("Faulty", _fault_rate),
    Column("of which", _faults),
    Column("Repairs", lambda conduct: str(conduct.repairs)),
    Column("Calls", lambda conduct: _of_calls(conduct, conduct.calls)),
    Column("Cached", lambda conduct: _of_calls(conduct, conduct.cached)),
    Column("Retries", lambda conduct: _of_calls(conduct, conduct.retries)),
    Column("Refusals", lambda conduct: _of_calls(conduct, conduct.refused)),
    Column("Tokens in", lambda conduct: _of_calls(conduct, conduct.prompt_tokens)),
    Column("out", lambda conduct: _of_calls(conduct, conduct.completion_tokens)),
    Column("Dollars", _dollars),
    Column("Median s", lambda conduct: _latency(conduct, 0)),
    Column("95 % s", lambda conduct: _latency(conduct, 1)),
]
NOTES = (
    "Faulty: answers replaced by a fallback, with a 95 % interval (Wilson by match). Repairs:"
    " further tries after an invalid answer. Cached: answers from the cache, without a call."
    " Retries: attempts that failed at the provider. Refusals: calls answered with a refusal.",
    "Tokens and dollars as reported by providers; + where some calls came without a price.",
)


def conduct_table(conducts: Sequence[Conduct]) -> Table:
    """Returns the table of conduct, a row an agent."""
    return table(COLUMNS, conducts)


def conduct_record(conduct: Conduct) -> dict[str, object]:
    """Returns everything known of an agent's conduct, by field."""
    interval = conduct.interval
    median, tail = conduct.latency or (None, None)
    known = asdict(conduct)
    del known["latency"], known["interval"]
    return known | {
        "fault_rate": conduct.fault_rate,
        "fault_rate_low": interval.low if interval else None,
        "fault_rate_high": interval.high if interval else None,
        "latency_median": median,
        "latency_95": tail,
    }


def conduct_report(conducts: Sequence[Conduct]) -> Report:
    """Returns the report of the conduct of agents."""
    records = [conduct_record(conduct) for conduct in conducts]
    return Report(
        fields=list(conduct_record(Conduct(""))),
        records=records,
        body=records,
        tables=[conduct_table(conducts)],
        notes=NOTES,
    )

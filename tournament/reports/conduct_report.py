"""The report of conduct: faults, repairs, calls, tokens, dollars and latency of every agent."""

from collections.abc import Sequence
from dataclasses import asdict

from parlour.ratings.reports import cells
from parlour.ratings.reports.report import Column, Report, Table, table
from parlour.tournament.reports.conduct import Conduct


def _fault_rate(conduct: Conduct) -> str:
    _, low, high = conduct.interval or (None, None, None)
    return cells.with_interval(conduct.fault_rate, low, high)


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

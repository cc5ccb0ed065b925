"""Conduct in its forms: cells for people, rows for programs, and the texts of exports."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from parlour.ratings.reports.formats import csv_table, in_latex, latex_table, markdown_table
from parlour.ratings.reports.report import NOTHING, number, with_interval
from parlour.tournament.reports.conduct import Conduct

TITLES = (
    *(
        "Agent",
        "Answers",
        "Faulty",
        "of which",
        "Repairs",
        "Calls",
        "Cached",
        "Retries",
        "Refusals",
    ),
    *("Tokens in", "out", "Dollars", "Median s", "95 % s"),
)
NOTES = (
    "Faulty: a fallback stands for the answer, with a 95 % interval (Wilson by match). Repairs:"
    " tries after one that could not be used. Cached: given again without a call. Retries:"
    " attempts that the provider failed. Refusals: calls that it answered with one.",
    "Tokens and dollars as providers told them; + where calls came without a price.",
)

Found = Sequence[Conduct]


def line(one: Conduct) -> list[str]:
    """An agent's cells for people."""
    _se, low, high = one.interval or (None, None, None)
    called = one.calls + one.cached > 0
    priced = one.dollars > 0 or 0 < one.calls - one.retries > one.unpriced
    median, tail = one.latency or (None, None)
    return [
        one.agent,
        str(one.answers),
        with_interval(one.fault_rate, low, high),
        ", ".join(f"{kind} {count}" for kind, count in one.faults.items()) or NOTHING,
        str(one.repairs),
        *(
            f"{count:,}" if called else NOTHING
            for count in (one.calls, one.cached, one.retries, one.refused)
        ),
        *(
            f"{tokens:,}" if called else NOTHING
            for tokens in (one.prompt_tokens, one.completion_tokens)
        ),
        (f"{one.dollars:.4f}" + ("+" if one.unpriced else "")) if priced else NOTHING,
        number(median, 2),
        number(tail, 2),
    ]


def row(one: Conduct) -> dict[str, object]:
    """All that is known of an agent, for a program."""
    interval = one.interval
    median, tail = one.latency or (None, None)
    known = asdict(one)
    del known["latency"], known["interval"]
    return known | {
        "fault_rate": one.fault_rate,
        "fault_rate_low": interval.low if interval else None,
        "fault_rate_high": interval.high if interval else None,
        "latency_median": median,
        "latency_95": tail,
    }


def as_json(found: Found) -> str:
    """A list of objects."""
    return json.dumps([row(one) for one in found], indent=2, allow_nan=False) + "\n"


def as_csv(found: Found) -> str:
    """One row an agent; the classes of its faults as JSON."""
    rows = (row(one) | {"faults": json.dumps(one.faults)} for one in found)
    return csv_table(list(row(Conduct(""))), (cells.values() for cells in rows))


def as_markdown(found: Found) -> str:
    """A Markdown table with footnotes."""
    return "\n\n".join([markdown_table(TITLES, [line(one) for one in found]), *NOTES]) + "\n"


def as_latex(found: Found) -> str:
    """A LaTeX tabular with footnotes below."""
    table = latex_table(TITLES, [line(one) for one in found])
    return "\n".join([table, *map(in_latex, NOTES), ""])


FORMS: Mapping[str, Callable[[Found], str]] = {
    "md": as_markdown,
    "csv": as_csv,
    "latex": as_latex,
    "json": as_json,
}
"""The text of each form."""

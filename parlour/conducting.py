"""The command `conduct`: faults, repairs, retries, tokens, money and latency of every agent."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from parlour.harmless import print
from parlour.screen import print_table
from ratings.forms import csv_table
from ratings.report import NOTHING, number
from tournament.conduct import Conduct, conduct
from tournament.folder import chosen
from tournament.save import Save

TITLES = (
    *("Agent", "Answers", "Faulty", "of which", "Repairs", "Calls", "Retries"),
    *("Tokens in", "out", "Dollars", "Median s", "95 % s"),
)


def show(path: Path | None, format: Literal["table", "json", "csv"]) -> int:
    """Prints the conduct of every agent of a save."""
    with Save(chosen(path)) as save:
        found = conduct(save)
    if format == "table":
        print_table(TITLES, [_line(one) for one in found], right=[1, 2, 4, 5, 6, 7, 8, 9, 10, 11])
    elif format == "json":
        print(json.dumps([_flat(one) for one in found], indent=2))
    else:
        rows = (_flat(one) | {"faults": json.dumps(one.faults)} for one in found)
        sys.stdout.write(csv_table(list(_flat(Conduct(""))), (row.values() for row in rows)))
    return 0


def _flat(one: Conduct) -> dict[str, object]:
    """All that is known, for a program."""
    interval = one.interval
    median, tail = one.latency or (None, None)
    shown = asdict(one)
    del shown["latency"]
    return shown | {
        "fault_rate": one.fault_rate,
        "fault_rate_low": interval.low if interval else None,
        "fault_rate_high": interval.high if interval else None,
        "latency_median": median,
        "latency_95": tail,
    }


def _line(one: Conduct) -> list[str]:
    """A line for people."""
    interval, rate = one.interval, NOTHING
    if interval is not None:
        rate = f"{number(one.fault_rate)} [{number(interval.low)}, {number(interval.high)}]"
    called = one.calls > 0
    priced = called and one.unpriced < one.calls - one.retries
    median, tail = one.latency or (None, None)
    return [
        one.agent,
        str(one.answers),
        rate,
        ", ".join(f"{kind} {count}" for kind, count in one.faults.items()) or NOTHING,
        str(one.repairs),
        str(one.calls) if called else NOTHING,
        str(one.retries) if called else NOTHING,
        f"{one.prompt_tokens:,}" if called else NOTHING,
        f"{one.completion_tokens:,}" if called else NOTHING,
        (f"{one.dollars:.4f}" + ("+" if one.unpriced else "")) if priced else NOTHING,
        number(median, 2),
        number(tail, 2),
    ]

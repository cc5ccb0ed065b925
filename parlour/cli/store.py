"""The command `standings`, and the gates on a store of ratings."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Optional

import typer

from parlour.api.store import read_store
from parlour.cli.console_tables import show
from parlour.cli.options import AnyFormat, Force, OutFile
from parlour.cli.output import safe_print
from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.ratings.reports.standings_report import Group, groups, judged, standings_report

# typer reads Optional[...] on every Python, and X | None not on all.
# ruff: noqa: UP045

CODES = {"passed": 0, "open": 5, "failed": 4}
"""Exit codes of gates by outcome, the worst one last."""
Store = Annotated[
    Path,
    typer.Argument(metavar="STORE", help="The folder of `rate --store`.", show_default=False),
]
Gates = Annotated[
    Optional[list[str]],
    typer.Option(
        "--gate",
        metavar="RULE",
        help='Fail if it does not hold: "NAME >= last - 0.1". May be repeated.',
    ),
]


def standings(
    store: Store,
    history: Annotated[bool, typer.Option("--history", help="Show every rating.")] = False,
    agent: Annotated[
        Optional[str], typer.Option(metavar="NAME", help="Show the ratings of this agent.")
    ] = None,
    gate: Gates = None,
    format: AnyFormat = "table",
    out: OutFile = None,
    force: Force = False,
) -> int:
    """Show all models of a store on the fixed scale, and their history."""
    entries, notes = read_store(store)
    compared = groups(entries)
    names = [entry.agent for entry in entries]
    if agent is not None and agent not in names:
        raise BadInput("--agent", f"unknown agent {agent!r}", suggestion(agent, names))
    report = standings_report(compared, agent if agent or not history else "")
    show(replace(report, notes=[*report.notes, *notes]), format, out, force)
    return judge(gate or (), compared, quiet=format != "table" and out is None)


def judge(gates: Sequence[str], compared: Sequence[Group], *, quiet: bool) -> int:
    """Prints the verdict on each gate, on standard error where the output is data."""
    verdicts = [judged(gate, compared) for gate in gates]
    for verdict in verdicts:
        safe_print(verdict.line, file=sys.stderr if quiet else sys.stdout)
    outcomes = {verdict.outcome for verdict in verdicts}
    return max((CODES[each] for each in outcomes), key=[*CODES.values()].index, default=0)

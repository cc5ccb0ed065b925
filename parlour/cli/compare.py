"""The command `compare`."""

from typing import Annotated, Optional

import typer

from parlour.api.results import comparison_of
from parlour.cli.console_tables import print_note, print_table
from parlour.cli.options import AnyFormat, Force, NewestSave, OutFile
from parlour.cli.output import find_save, safe_print, write_report
from parlour.games.common.errors import BadInput
from parlour.ratings.reports.comparison_report import comparison_report
from parlour.ratings.statistics.corrections import Correction


def compare(
    save: NewestSave = None,
    one: Annotated[
        str,
        typer.Argument(metavar="AGENT", help="The agent or condition.", show_default=False),
    ] = ...,  # type: ignore[assignment]
    other: Annotated[
        str,
        typer.Argument(metavar="OTHER", help="The one compared with it.", show_default=False),
    ] = ...,  # type: ignore[assignment]
    conditions: Annotated[
        bool,
        typer.Option(
            "--conditions",
            help="Compare two conditions of --agent, best on one seed.",
        ),
    ] = False,
    agent: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--agent", metavar="NAME", help="The agent whose conditions are compared."),
    ] = None,
    measure: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--measure", metavar="NAME", help="A measure; may be given several times."),
    ] = None,
    correction: Annotated[
        Correction, typer.Option("--correction", help="The correction of p values for the family.")
    ] = "holm",
    format: AnyFormat = "table",
    out: OutFile = None,
    force: Force = False,
) -> int:
    """Compare two agents, or two conditions of one, in paired matches."""
    if conditions and agent is None:
        raise BadInput("--conditions", "needs an agent", "name it: --agent NAME")
    if agent is not None and not conditions:
        fix = "write --conditions CONDITION OTHER, or two agents without --agent"
        raise BadInput("--agent", "is for conditions", fix)
    compared = comparison_of(find_save(save), one, other, measure or [], correction, agent)
    report = comparison_report(compared)
    if format != "table" or out is not None:
        write_report(report, format, out, force)
        return 0
    safe_print(report.caption)
    for table, right in zip(report.tables, ([1, 2, 3, 4], [2, 3, 4, 5]), strict=False):
        print_table(table.titles, table.rows, right)
    for note in report.notes:
        print_note(note)
    return 0

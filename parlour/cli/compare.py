"""The command `compare`."""

from typing import Annotated, Literal, Optional

import typer

from parlour.cli.console_tables import console, print_table
from parlour.cli.options import Force, NewestSave, OutFile
from parlour.cli.output import find_save, safe_print, write_report
from parlour.ratings.comparison.comparison import Correction
from parlour.ratings.reports.comparison_report import comparison_report
from parlour.results import comparison_of


def compare(
    save: NewestSave = None,
    one: Annotated[
        str, typer.Argument(metavar="AGENT", help="The agent to compare.", show_default=False)
    ] = ...,  # type: ignore[assignment]
    other: Annotated[
        str,
        typer.Argument(metavar="OTHER", help="The agent compared with it.", show_default=False),
    ] = ...,  # type: ignore[assignment]
    measure: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--measure", metavar="NAME", help="A measure; may be given several times."),
    ] = None,
    correction: Annotated[
        Correction, typer.Option("--correction", help="The correction of p values for the family.")
    ] = "holm",
    format: Annotated[
        Literal["table", "json", "csv", "md"],
        typer.Option("--format", help="The output format."),
    ] = "table",
    out: OutFile = None,
    force: Force = False,
) -> int:
    """Compare two agents where both had the same role on the same setting."""
    compared = comparison_of(find_save(save), one, other, measure or [], correction)
    report = comparison_report(compared)
    if format != "table" or out is not None:
        write_report(report, format, out, force)
        return 0
    safe_print(report.caption)
    for table, right in zip(report.tables, ([1, 2, 3, 4], [2, 3, 4, 5]), strict=False):
        print_table(table.titles, table.rows, right)
    for note in report.notes:
        console().print(note, markup=False)
    return 0

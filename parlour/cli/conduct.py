"""The command `conduct`: faults, repairs, retries, tokens, money and latency of every agent."""

from pathlib import Path

from parlour.cli.console_tables import print_table
from parlour.cli.read import write_report
from parlour.tournament.reports.conduct import conduct
from parlour.tournament.reports.conduct_report import conduct_report, conduct_table
from parlour.tournament.save.directory import chosen
from parlour.tournament.save.reader import Save


def show(path: Path | None, format: str, out: Path | None) -> int:
    """The conduct of every agent of a save, on the screen or into a file."""
    with Save(chosen(path)) as save:
        found = conduct(save)
    if format == "table" and out is None:
        table = conduct_table(found)
        print_table(table.titles, table.rows, right=[1, 2, *range(4, len(table.titles))])
        return 0
    write_report(conduct_report(found), format, out)
    return 0

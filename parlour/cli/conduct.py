"""The command `conduct`."""

from parlour.cli.options import AnyFormat, Force, NewestSave, OutFile
from parlour.cli.output import find_save, write_report
from parlour.cli.report_tables import print_conduct
from parlour.tournament.reports.conduct import conduct as conduct_of
from parlour.tournament.reports.conduct_report import conduct_report, conduct_table
from parlour.tournament.save.reader import Save


def conduct(
    save: NewestSave = None,
    format: AnyFormat = "table",
    out: OutFile = None,
    force: Force = False,
) -> int:
    """Show faults, repairs, retries, tokens, costs and latency by agent."""
    with Save(find_save(save)) as opened:
        rows = conduct_of(opened)
    if format == "table" and out is None:
        print_conduct(conduct_table(rows))
    else:
        write_report(conduct_report(rows), format, out, force)
    return 0

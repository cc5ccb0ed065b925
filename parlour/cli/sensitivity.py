"""The command `sensitivity`."""

from parlour.api.results import sensitivity_of
from parlour.cli.console_tables import print_note, print_table
from parlour.cli.options import AnyFormat, Force, NewestSave, OutFile
from parlour.cli.output import find_save, safe_print, write_report
from parlour.ratings.reports.sensitivity_report import sensitivity_report


def sensitivity(
    save: NewestSave = None,
    format: AnyFormat = "table",
    out: OutFile = None,
    force: Force = False,
) -> int:
    """Check what the order of the leaderboard hangs on."""
    report = sensitivity_report(sensitivity_of(find_save(save)))
    if format != "table" or out is not None:
        write_report(report, format, out, force)
        return 0
    for table in report.tables:
        safe_print(table.heading)
        print_table(table.titles, table.rows, right=range(1, len(table.titles)))
    for note in report.notes:
        print_note(note)
    return 0

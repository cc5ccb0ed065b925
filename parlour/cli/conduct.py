"""The command `conduct`."""

from parlour.cli.console_tables import print_table
from parlour.cli.options import AnyFormat, Force, NewestSave, OutFile
from parlour.cli.output import find_save, write
from parlour.tournament.reports.conduct import conduct as conduct_of
from parlour.tournament.reports.conduct_formats import FORMS, TITLES, as_markdown, line
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
        print_table(TITLES, [line(row) for row in rows], right=[1, 2, *range(4, len(TITLES))])
    else:
        write(FORMS.get(format, as_markdown)(rows), out, force)
    return 0

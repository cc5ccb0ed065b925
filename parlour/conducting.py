"""The command `conduct`: faults, repairs, retries, tokens, money and latency of every agent."""

from pathlib import Path

from parlour.reading import write
from parlour.screen import print_table
from tournament.conduct import conduct
from tournament.conduct_forms import FORMS, TITLES, as_markdown, line
from tournament.folder import chosen
from tournament.save import Save


def show(path: Path | None, format: str, out: Path | None) -> int:
    """The conduct of every agent of a save, on the screen or into a file."""
    with Save(chosen(path)) as save:
        found = conduct(save)
    if format == "table" and out is None:
        rows = [line(one) for one in found]
        print_table(TITLES, rows, right=[1, 2, *range(4, len(TITLES))])
        return 0
    write(FORMS.get(format, as_markdown)(found), out)
    return 0

"""The command `report`."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from parlour.cli.options import Force, NewestSave
from parlour.cli.output import complain, find_save, refuse_target, write
from parlour.cli.signs_of_life import signs_of_life


def report(
    save: NewestSave = None,
    out: Annotated[
        # typer reads Optional[...] on every Python, and X | None not on all.
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="The file to write. Default: the save's name, .html."),
    ] = None,
    force: Force = False,
    open: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> int:
    """Write a page with every figure, to read in a browser and to send around."""
    path = find_save(save)
    target = out or Path(path.with_suffix(".html").name)
    refuse_target(target, force)  # first: the page may take a minute
    from parlour.report.page import report_page

    with signs_of_life("Making the page"):
        page = report_page(path)
    write(page, target, force)
    if open:
        _show(target)
    return 0


def _show(page: Path) -> None:
    """Opens a page in the user's browser, or says that there is none."""
    import webbrowser

    if not webbrowser.open(page.absolute().as_uri()):
        complain(f"parlour: {page}: no browser could be started; open the file yourself")

"""The command `site`."""

from pathlib import Path
from typing import Annotated

import typer

from parlour.cli.options import NewestSaves
from parlour.cli.output import complain, find_save, safe_print


def site(
    saves: NewestSaves = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder, which is replaced as a whole.")
    ] = Path("site"),
    store: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Ratings of the same agents, from `rate --store`."),
    ] = None,
    open: Annotated[bool, typer.Option("--open", help="Open the site in a browser.")] = False,
) -> int:
    """Write pages with every figure, to read in a browser, to cite and to keep."""
    paths = [*map(find_save, saves or (None,))]
    from parlour.api.store import read_store
    from parlour.ratings.reports.standings_report import groups
    from parlour.site.several import files_of
    from parlour.site.writer import refuse_folder, write_site

    refuse_folder(out)  # first: the pages may take a minute
    ratings, notes = read_store(store) if store else ([], [])
    for note in notes:
        complain(note)
    number, size = write_site(out, files_of(paths, groups(ratings)))
    safe_print(f"Written: {out} ({number:,} files, {size / 1e6:,.1f} MB)")
    if open:
        _show(out / "index.html")
    return 0


def _show(page: Path) -> None:
    """Opens a page in the user's browser, or says that there is none."""
    import webbrowser

    if not webbrowser.open(page.absolute().as_uri()):
        complain(f"parlour: {page}: no browser could be started; open the file yourself")

"""The command `site`."""

from pathlib import Path
from typing import Literal

from parlour.cli.output import complain, find_save, safe_print
from parlour.cli.signs_of_life import signs_of_life


def site(
    saves: list[Path] | None = None,
    out: Path = Path("site"),
    store: Path | None = None,
    matches: Literal["told", "all"] = "told",
    open: bool = False,
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
    with signs_of_life("Reading matches"):
        files = files_of(paths, groups(ratings), all_told=matches == "all")
        number, size = write_site(out, files)
    safe_print(f"Written: {out} ({number:,} files, {size / 1e6:,.1f} MB)")
    if open:
        _show(out / "index.html")
    return 0


def _show(page: Path) -> None:
    """Opens a page in the user's browser, or says that there is none."""
    import webbrowser

    if not webbrowser.open(page.absolute().as_uri()):
        complain(f"parlour: {page}: no browser could be started; open the file yourself")

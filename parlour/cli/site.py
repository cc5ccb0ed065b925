"""The commands `site` and `serve`."""

import asyncio
import secrets
from pathlib import Path
from typing import Literal

from parlour.api.store import read_store
from parlour.cli.output import complain, find_save, safe_print
from parlour.cli.signs_of_life import signs_of_life
from parlour.games.common.errors import BadInput

PORT = 8747
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def site(
    saves: list[Path] | None = None,
    out: Path = Path("site"),
    store: Path | None = None,
    matches: Literal["told", "all"] = "told",
    open: bool = False,
) -> int:
    """Write pages with every figure, to read in a browser, to cite and to keep."""
    paths = [*map(find_save, saves or (None,))]
    from parlour.ratings.reports.standings_report import groups
    from parlour.site.site import files_of
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


def serve(
    saves: list[Path] | None = None,
    host: str = "127.0.0.1",
    port: int = PORT,
    store: Path | None = None,
) -> int:
    """Serve the pages of `site` to browsers of this machine, live while a run goes on."""
    paths = [*map(find_save, saves or (None,))]
    if store is not None:
        read_store(store)  # refused before anything is served
    from parlour.site.serve import Server
    from parlour.site.serve import serve as served

    token = "" if host in LOOPBACK else secrets.token_urlsafe(16)
    place = f"[{host}]" if ":" in host else host

    def ready(own: int) -> None:
        safe_print(f"Serving http://{place}:{own}/" + (f"?token={token}" if token else ""))
        safe_print("Read-only. Ctrl-C ends it.")

    try:
        asyncio.run(served(Server(paths, host, token, store), host, port, ready))
    except KeyboardInterrupt:
        return 0
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(f"{place}:{port}", f"cannot be served ({reason})", "try --port 0") from None
    return 0

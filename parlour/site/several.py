"""The site of several saves: a first page with a row a save, and each site in a folder."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from parlour.ratings.reports.standings_report import ComparableRatings
from parlour.site.addresses import slugs
from parlour.site.findings import finding
from parlour.site.frame import render, shared_files
from parlour.site.site import Site, read_site


def files_of(
    paths: Sequence[Path], ratings: Sequence[ComparableRatings] = (), *, all_told: bool = False
) -> Iterator[tuple[str, bytes]]:
    """Yields every file of the static site of some saves, by address; ``ratings`` are a store's."""
    if len(paths) == 1:
        yield from read_site(paths[0], ratings=ratings, all_told=all_told).files()
        return
    rows = []
    for path, folder in folders(paths).items():
        site = read_site(path, folder, ratings, all_told=all_told)
        rows.append((folder, site))
        for address, content in site.files():
            yield folder + address, content
    yield "", first_page(rows)
    yield from shared_files().items()


def folders(paths: Sequence[Path]) -> dict[Path, str]:
    """The folder of each save in a site of several."""
    words = slugs(str(path) for path in paths)
    short = slugs(path.stem for path in paths)
    used = short if len(short) == len(paths) else words
    return {path: f"{word}/" for path, word in zip(paths, used.values(), strict=True)}


def first_page(rows: Sequence[tuple[str, Site]]) -> bytes:
    """The first page of several saves; ``rows`` has the folder and the site of each."""
    shown = []
    total = 0
    for folder, site in rows:
        source = site.source
        line = finding(source, source.board.by("overall"), source.decided).line
        total += source.board.matches
        shown.append((folder, site.frame, line))
    newest = max((site.frame for _, site in rows), key=lambda frame: frame.time)
    facts = (f"{len(rows)}", f" tournaments · {total:,} matches")
    frame = replace(newest, name="", facts=facts, done=1.0, folder="", home=True)
    return render("several.html.j2", frame, "", "", "Tournaments", rows=shown)

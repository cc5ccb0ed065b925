"""Bundles: a save with all that its figures need, as one archive for the appendix of a paper."""

import json
import platform
import stat
import zipfile
import zlib
from collections.abc import Iterator
from importlib.metadata import version
from itertools import chain
from operator import attrgetter
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from parlour.api.export import write_tables
from parlour.games.common.errors import BadInput
from parlour.games.common.plain_files import open_plain
from parlour.ratings.reports.writers import csv_table
from parlour.tournament.plan.loader import stored_tournament
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.new_file import back_up, new_file
from parlour.tournament.save.provenance.remarks import servings
from parlour.tournament.save.reader import Save

PARTS = Path(__file__).parent / "bundle"
TOURNAMENT = "tournament.json"
MOST_MEMBERS, MOST_BYTES, LARGEST_TOURNAMENT = 1_000, 20_000_000_000, 64_000_000
"""Members of a bundle, bytes that they unpack to, and bytes of the tournament alone."""
_TIME = (2000, 1, 1, 0, 0, 0)
"""The time of each member: the same save makes the same bytes."""
_UNREADABLE = (
    *(OSError, EOFError, KeyError, ValueError, RuntimeError, RecursionError),
    *(zipfile.BadZipFile, zlib.error),
)
"""Errors of an archive that is damaged, locked or another thing."""
_ELSEWHERE = "choose another file"


def write_bundle(path: Path, out: Path) -> list[str]:
    """Writes the bundle of a save, and returns the names in it. BadInput or BadSave."""
    if out.exists():
        raise BadInput(str(out), "already exists", _ELSEWHERE)
    with (
        TemporaryDirectory(prefix="parlour-bundle-") as place,
        new_file(out, _ELSEWHERE, _ELSEWHERE) as draft,
    ):
        folder = Path(place)
        back_up(path, folder / "save.db")
        write_tables(folder / "save.db", "csv", folder / "tables")
        with Save(folder / "save.db") as save:
            texts = dict(_texts(save))
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        files = sorted(each for each in folder.rglob("*") if each.is_file())
        names = [each.relative_to(folder).as_posix() for each in files]
        bundled = [name for name in names if not name.startswith("save.db-")]
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in bundled:
                member = zipfile.ZipInfo(name, _TIME)
                member.external_attr, member.create_system = 0o644 << 16, 3
                member.compress_type = zipfile.ZIP_DEFLATED
                with (
                    (folder / name).open("rb") as file,
                    archive.open(member, "w", force_zip64=True) as into,
                ):
                    while block := file.read(1 << 20):
                        into.write(block)
    return bundled


def _texts(save: Save) -> Iterator[tuple[str, str]]:
    """Yields name and text of each file but the save and its tables."""
    tournament, served = save.tournament, servings(save)
    yield TOURNAMENT, json.dumps(json.loads(tournament.to_json()), indent=2) + "\n"
    games = {entry.game.name: entry.played_version for entry in tournament.games}
    own = {"parlour": version("parlour"), "python": platform.python_version()}
    yield "versions.json", json.dumps({**own, "games": games}, indent=2) + "\n"
    templates = set(chain.from_iterable(each.templates for each in served))
    yield "prompts.csv", csv_table(("template", "fingerprint"), sorted(templates))
    columns = ("agent", "asked", "served", "fingerprint", "host")
    yield "served.csv", csv_table(columns, sorted(set(map(attrgetter(*columns), served))))
    papers = json.loads((PARTS / "papers.json").read_text(encoding="utf-8"))
    cited = {key: its for key, its in papers.items() if games.keys() & set(its["games"])}
    yield "references.bib", _bibtex(cited)
    yield "CITATION.cff", _citation(cited)
    for name in ("README.md", "analysis.R", "analysis.py.txt"):
        yield name.removesuffix(".txt"), (PARTS / name).read_text(encoding="utf-8")


def _bibtex(papers: dict[str, dict[str, object]]) -> str:
    own = {"title": "Parlour", "authors": ["{The Parlour authors}"], "year": 2026}
    entries = {"parlour": {**own, "where": f"Version {version('parlour')}"}, **papers}
    text = ""
    for key, its in entries.items():
        authors = its["authors"]
        assert isinstance(authors, list)
        by = " and ".join(authors)
        text += f"@misc{{{key},\n  title = {{{{{its['title']}}}}},\n  author = {{{by}}},\n"
        text += f"  year = {{{its['year']}}},\n  note = {{{its['where']}}},\n}}\n\n"
    return text


def _citation(papers: dict[str, dict[str, object]]) -> str:
    """CITATION.cff: YAML whose values are written as JSON, which is YAML."""
    lines = ["cff-version: 1.2.0", 'message: "Please cite Parlour and the papers of its games."']
    lines += ["title: Parlour", "type: software", f"version: {json.dumps(version('parlour'))}"]
    lines += ["authors:", '  - name: "The Parlour authors"']
    references = []
    for its in papers.values():
        authors = its["authors"]
        assert isinstance(authors, list)
        named = [{"name": name} for name in authors]
        entry = {"type": "article", "title": its["title"], "authors": named, "year": its["year"]}
        references.append(f"  - {json.dumps({**entry, 'notes': its['where']})}")
    return "\n".join([*lines, *(["references:", *references] if references else [])]) + "\n"


def tournament_of_bundle(path: Path) -> Tournament:
    """The tournament of a bundle, which may be a stranger's. BadInput if it is not one.

    Nothing is unpacked: one member is read, to a bound, after all of them have been looked at.
    """
    place, fix = str(path), "take a bundle as `parlour bundle` writes it"
    try:
        with open(open_plain(path), "rb") as file, zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            if problem := _oddity(members):
                raise BadInput(place, problem, fix)
            with archive.open(TOURNAMENT) as member:
                text = member.read(LARGEST_TOURNAMENT + 1)
        if len(text) > LARGEST_TOURNAMENT:
            raise BadInput(place, f"has a {TOURNAMENT} that is too large", fix)
        tournament = stored_tournament(text.decode("utf-8"), place)
    except BadInput:
        raise
    except _UNREADABLE as error:
        reason = error.strerror if isinstance(error, OSError) else type(error).__name__
        raise BadInput(place, f"is no bundle ({reason})", fix) from None
    if tournament.fork is not None:
        raise BadInput(place, "has a fork of one match", "bundle the save that it comes from")
    return tournament


def _oddity(members: list[zipfile.ZipInfo]) -> str:
    """The first thing that a stranger's archive has and no bundle, in words; "" for none."""
    names = [member.filename for member in members]
    if len(members) > MOST_MEMBERS or len(set(names)) < len(names):
        return "has too many members, or two of one name"
    if sum(member.file_size for member in members) > MOST_BYTES:
        return "unpacks to more than 20 GB"
    for member in members:
        path, kind = PurePosixPath(member.filename), stat.S_IFMT(member.external_attr >> 16)
        if path.is_absolute() or ".." in path.parts or "\\" in member.filename:
            return f"has a member outside of it ({member.filename[:60]!r})"
        if kind not in {0, stat.S_IFREG} or member.is_dir() or member.flag_bits & 1:
            return f"has a member that is no plain file ({member.filename[:60]!r})"
    return ""

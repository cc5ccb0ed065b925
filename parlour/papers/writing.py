"""A folder with the tables and figures of a paper, and an index of what was made and what not."""

from collections.abc import Iterator
from pathlib import Path

from parlour.games.common.errors import BadInput
from parlour.papers.drawing import drawn, refuse_missing_extra
from parlour.ratings.papers.filling import Filled, Filler, Missing
from parlour.ratings.papers.paper import Exhibit, read_paper
from parlour.ratings.reports.formats import in_markdown
from parlour.ratings.reports.writers import as_csv, as_latex, as_markdown
from parlour.tournament.reports.counted_matches import MatchCounter
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import raise_if_damaged

INDEX = "index.md"
WRITTEN = {"md": as_markdown, "csv": as_csv, "tex": as_latex}
"""The writer of each form of a table, by suffix."""


def write_paper(
    path: Path, name: str, out: Path, *, force: bool = False, figures: bool = True
) -> list[Path]:
    """Writes all that a save has data for into a folder; returns the files, the index last.

    Raises BadInput if the folder has an index already and is not to be overwritten, if it cannot
    be written, or if figures are wanted and matplotlib is missing.
    """
    if figures:
        refuse_missing_extra()
    fix = "choose another folder with --out"
    if (out / INDEX).exists() and not force:
        raise BadInput(str(out / INDEX), "already exists", f"overwrite it with --force, or {fix}")
    paper = read_paper(name)
    with Save(path) as save, raise_if_damaged(save):
        agents = [agent.name for agent in save.tournament.agents]
        progress = save.match_count()
        filler = Filler(MatchCounter().counted(save), agents)
        results = [filler.fill(exhibit) for exhibit in paper.exhibits]
    lines = [f"# {paper.title}", "", f"From `{in_markdown(path.name)}`: "]
    lines[-1] += f"{progress.finished} of {progress.matches} matches are finished."
    lines += ["", "## Made", "", "| | What | Matches | Files |", "| --- | --- | --- | --- |"]
    files: list[Path] = []
    try:
        out.mkdir(parents=True, exist_ok=True)
        for result in results:
            if isinstance(result, Filled):
                own = list(_write(result, out, figures))
                files += own
                links = ", ".join(f"[{file.suffix[1:]}]({file.name})" for file in own)
                what = f"{result.exhibit.name} | {result.exhibit.title} | {result.matches}"
                lines.append(f"| {what} | {links} |")
        lines += ["", "## Not made", "", "| | Why |", "| --- | --- |"]
        missing = [
            (_name(each.exhibit), each.reason) for each in results if isinstance(each, Missing)
        ]
        left_out = [(each.name, each.reason) for each in paper.left_out]
        lines += [f"| {what} | {reason} |" for what, reason in [*missing, *left_out]]
        (out / INDEX).write_text("\n".join([*lines, ""]), encoding="utf-8")
    except OSError as error:
        raise BadInput(str(out), f"cannot be written ({error.strerror})", fix) from None
    return [*files, out / INDEX]


def _name(exhibit: Exhibit) -> str:
    return f"{exhibit.name}: {exhibit.title}"


def _write(filled: Filled, out: Path, figures: bool) -> Iterator[Path]:
    """Yields the files of one table or figure, each once it is written."""
    stem = filled.exhibit.name.replace(" ", "-")
    report = filled.report()
    for suffix, text in WRITTEN.items():
        file = out / f"{stem}.{suffix}"
        file.write_text(text(report), encoding="utf-8")
        yield file
    if figures and filled.exhibit.kind != "table":
        for suffix, content in drawn(filled).items():
            file = out / f"{stem}.{suffix}"
            file.write_bytes(content)
            yield file

"""A folder with the tables and figures of a paper, and an index of what was made and what not."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, permutations
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

from parlour.agents.llm.config import LLMConfig
from parlour.agents.scripted.similarity import pair_similarities
from parlour.games.common.errors import BadInput
from parlour.games.families.clues.clue_bank import shipped_bank
from parlour.papers.drawing import drawn, refuse_missing_extra
from parlour.ratings.comparison.comparison import Comparison, compare
from parlour.ratings.papers.filling import (
    ExhibitCell,
    FilledTable,
    Filler,
    NotMade,
    gains_report,
    with_improvement,
)
from parlour.ratings.papers.inferring import Inferred, infer
from parlour.ratings.papers.paper import Exhibit, Gains, Paper, read_paper
from parlour.ratings.papers.seats import is_usual_group, seat_table
from parlour.ratings.reports.report import Report
from parlour.ratings.reports.writers import as_csv, as_latex, as_markdown, in_markdown
from parlour.ratings.statistics.intervals import Z
from parlour.tournament.plan.model import GameEntry
from parlour.tournament.reports.counted_matches import (
    MatchCounter,
    counted_by_group,
    finished_records,
    raise_if_false,
)
from parlour.tournament.reports.leaderboards import groups_of
from parlour.tournament.save.reader import Save

INDEX = "index.md"
KINDS = ("section", "table", "figure", "appendix")
WRITTEN = {"md": as_markdown, "csv": as_csv, "tex": as_latex}
"""The writer of each form of a table, by suffix."""
Result = FilledTable | Inferred | NotMade
PGM = ("pgm_text", "pgm_matrix")
"""The kinds of ``deliberation`` that are the paper's agent."""
NO_PAIRS = "no two models differ in `deliberation` alone, "
WITHOUT, FORMS = 'with and without "pgm_text" or "pgm_matrix"', '"pgm_text" and "pgm_matrix"'


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
    with Save(path) as save, raise_if_false(save):
        progress = save.match_count()
        results = _results(save, paper)
        compared = _comparisons(save) if paper.gains else []
    head = f"{progress.finished} of {progress.matches} matches are finished."
    made = ["| | What | Matches | Files |", "| --- | --- | --- | --- |"]
    missing = ["| | Why |", "| --- | --- |"]
    files: list[Path] = []
    try:
        out.mkdir(parents=True, exist_ok=True)
        for result in results:
            exhibit = result.exhibit
            if isinstance(result, NotMade):
                reason = in_markdown(result.reason)
                missing.append(f"| {exhibit.name}: {exhibit.title} | {reason} |")
                continue
            own = list(_write(result, out, figures))
            files += own
            pairs = " pairs" if isinstance(result, FilledTable) and result.unit == "pairs" else ""
            behind = f"{result.matches}{pairs}"
            made.append(f"| {exhibit.name} | {exhibit.title} | {behind} | {_links(own)} |")
        if paper.gains and compared:
            title = f"{paper.gains.name.capitalize()}: {paper.gains.title}"
            own = list(_write_report(gains_report(title, compared), paper.gains.name, out))
            files += own
            made.append(f"| {paper.gains.name} | {paper.gains.title} | | {_links(own)} |")
        elif paper.gains:
            missing.append(f"| {paper.gains.name}: {paper.gains.title} | {NO_PAIRS}{WITHOUT} |")
        missing += [f"| {each.name} | {each.reason} |" for each in paper.left_out]
        parts = [f"# {paper.title}", f"From `{path.name}`: {head}", "## Made", "\n".join(made)]
        parts += ["## Not made", "\n".join(missing)]
        (out / INDEX).write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(str(out), f"cannot be written ({error.strerror})", fix) from None
    return [*files, out / INDEX]


def _results(save: Save, paper: Paper) -> list[Result]:
    """All tables and figures but that of gains, made or not."""
    key, configs = paper.grouped_by, save.tournament.agents
    grouped = any(key in config.meta for config in configs)
    group_of = groups_of(save.tournament, key) if grouped else {}
    filler = Filler(MatchCounter().counted(save), [config.name for config in configs], group_of)
    of_groups = filler
    if grouped:
        groups = list(dict.fromkeys(group_of.values()))
        of_groups = Filler(counted_by_group(save, group_of, details=True), groups)
    results: list[Result] = []
    for exhibit in paper.exhibits:
        if exhibit.rows != "groups":
            results.append(filler.fill(exhibit))
        else:
            rows = "groups" if grouped else "agents"
            results.append(of_groups.fill(exhibit.model_copy(update={"rows": rows})))
    if paper.gains:
        results += _of_analyses(paper.gains, filler, configs)
    if paper.similarity:
        results.append(similarity_figure(paper.similarity, save.tournament.games))
    return sorted(results + _inferred(save, paper, filler), key=_place)


def _of_analyses(gains: Gains, filler: Filler, agents: Iterable[object]) -> Iterator[Result]:
    """Yields the table of agents with and without an analysis, and the figure of its two forms."""
    pairs = pairs_by_analysis(agents)
    filled = filler.fill(gains.abilities)
    if not pairs:
        yield NotMade(gains.abilities, NO_PAIRS + WITHOUT)
    else:
        yield filled if isinstance(filled, NotMade) else with_improvement(filled, pairs)
    rows = []
    for matrix, text in pairs_by_analysis(agents, ("pgm_matrix",), "pgm_text"):
        rows += [text, matrix, *(plain for one, plain in pairs if one == text)]
    filled = filler.fill(gains.prompts)
    if not rows:
        yield NotMade(gains.prompts, NO_PAIRS + FORMS)
    else:
        yield filled if isinstance(filled, NotMade) else filled.of_rows([*dict.fromkeys(rows)])


def _place(result: Result) -> tuple[int, int, str]:
    """The place of a table or figure in the index: by kind, then by number."""
    kind, _, number = result.exhibit.name.partition(" ")
    digits = "".join(filter(str.isdigit, number))
    return KINDS.index(kind), int(digits), number


def _inferred(save: Save, paper: Paper, filler: Filler) -> list[Result]:
    """The tables of tests and regressions of a paper."""
    if not paper.inferences:
        return []
    wanted = {exhibit.game for exhibit in paper.inferences}
    meta = {agent.name: agent.meta for agent in save.tournament.agents}
    records = (record for record in finished_records(save) if record.game in wanted)
    seats = seat_table(filter(is_usual_group, records), meta)
    return [infer(exhibit, seats, filler.by_agent) for exhibit in paper.inferences]


def pairs_by_analysis(
    agents: Iterable[object], ones: Collection[str] = PGM, other: str = "none"
) -> list[tuple[str, str]]:
    """Names of models that differ in ``deliberation`` alone: one of ``ones``, and the other."""
    models = [config for config in agents if isinstance(config, LLMConfig)]
    return [
        (config.name, mate.name)
        for config, mate in permutations(models, 2)
        if config.deliberation in ones
        and mate.deliberation == other
        and config.model_copy(update={"name": mate.name, "deliberation": other}) == mate
    ]


def _comparisons(save: Save) -> list[Comparison]:
    """Each model that analyses the game, compared with the same model that does not."""
    pairs = pairs_by_analysis(save.tournament.agents)
    records = list(save.records()) if pairs else []
    return [compare(records, one, other) for one, other in pairs]


def _links(files: Sequence[Path]) -> str:
    return ", ".join(f"[{file.suffix[1:]}]({file.name})" for file in files)


def _write(filled: FilledTable | Inferred, out: Path, figures: bool) -> Iterator[Path]:
    """Yields the files of one table or figure, each once it is written."""
    name = filled.exhibit.name
    yield from _write_report(filled.report(), name, out)
    if figures and isinstance(filled, FilledTable) and filled.exhibit.kind != "table":
        for suffix, content in drawn(filled).items():
            file = out / f"{name.replace(' ', '-')}.{suffix}"
            file.write_bytes(content)
            yield file


def _write_report(report: Report, name: str, out: Path) -> Iterator[Path]:
    """Yields the files of a table in each form, each once it is written."""
    for suffix, text in WRITTEN.items():
        file = out / f"{name.replace(' ', '-')}.{suffix}"
        file.write_text(text(report), encoding="utf-8")
        yield file


def similarity_figure(exhibit: Exhibit, entries: Sequence[GameEntry]) -> FilledTable | NotMade:
    """The figure with the pairs of words of a game's entries, each pair once."""
    own = [entry for entry in entries if entry.game.name == exhibit.game]
    if not own:
        return NotMade(exhibit, f"{exhibit.game} is not played")
    records = dict.fromkeys(chain.from_iterable(entry.records for entry in own))
    by_tier = pair_similarities(own[0].game, records, own[0].variant, shipped_bank())
    if not by_tier:
        return NotMade(exhibit, "no pair of words has clues in the shipped bank")
    (column,) = exhibit.columns
    cells = [_cell(tier or "all", column.title, values) for tier, values in by_tier.items()]
    pairs = {tier or "all": len(values) for tier, values in by_tier.items()}
    return FilledTable(exhibit, cells, sum(pairs.values()), pairs, unit="pairs")


def _cell(tier: str, column: str, values: Sequence[float]) -> ExhibitCell:
    """The mean of a tier with its interval, and every pair."""
    mean, n, each = fmean(values), len(values), tuple(values)
    if n < 2:
        return ExhibitCell(tier, column, "share", mean, n, each=each)
    se = stdev(values) / sqrt(n)
    return ExhibitCell(tier, column, "share", mean, n, None, se, mean - Z * se, mean + Z * se, each)

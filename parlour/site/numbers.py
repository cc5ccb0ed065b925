"""The pages of all numbers: tables with intervals and n, files of data, and how they are made."""

from collections.abc import Callable, Iterator
from functools import partial

from parlour.games.engine.transcript import counted
from parlour.ratings.counting.ties import KINDS, Kind
from parlour.ratings.reports.history_report import network_report
from parlour.ratings.reports.leaderboard import By
from parlour.ratings.reports.leaderboard_report import leaderboard_report
from parlour.ratings.reports.matrix import matrix, matrix_report
from parlour.ratings.reports.measures_report import measures_report
from parlour.ratings.reports.never_met import never_met_sentences
from parlour.ratings.reports.report import Report
from parlour.ratings.reports.writers import as_csv, as_json
from parlour.site.forests import overall
from parlour.site.frame import PageFrame, render
from parlour.site.methods import methods
from parlour.site.repeat import stored_text
from parlour.site.sections import capabilities, conduct, decided, race, reliability
from parlour.site.source import SiteSource
from parlour.tournament.reports.conduct import conduct_report

FILES = {
    "standings": "ranks, strengths and measures of each agent over all games",
    "by-game": "the same in each game",
    "by-role": "the same in each role",
    "head-to-head": "matches won, drawn and lost by each pair",
    "measures": "every measure by game, role and condition, with its interval and n",
    "accused": "who accuses whom, of the ballots both sat at",
    "helped": "who helps whom, of their meetings",
    "conduct": "faults, repairs, calls, tokens and money of each agent",
}
"""Each table that is a CSV and a JSON file, and its content."""


def data_page(source: SiteSource, frame: PageFrame) -> bytes:
    """The page of all tables."""
    sections = [
        overall(source),
        *decided(source),
        capabilities(source),
        *reliability(source),
        race(source),
        conduct(source),
    ]
    files = list(FILES.items())
    return render("data.html.j2", frame, "data/", "", "All tables", sections=sections, files=files)


def method_page(source: SiteSource, frame: PageFrame) -> bytes:
    """The page of methods, provenance, and the way to repeat the tournament."""
    remarks = [(each.level, f"{each.sentence}.") for each in source.remarks]
    remarks += [("note", sentence) for sentence in state_sentences(source)]
    return render(
        "method.html.j2",
        frame,
        "method/",
        "",
        "How every number is made",
        section=methods(source),
        remarks=remarks,
        save=source.path.name,
    )


def state_sentences(source: SiteSource) -> list[str]:
    """Sentences about what is not as usual in a save."""
    sentences = []
    if source.count.frozen:
        sentences.append(f"{counted(source.count.frozen, 'match')} could not be replayed.")
    if source.tournament.other_versions():
        sentences.append(f"Versions of games: {source.tournament.other_versions()}.")
    return sentences + never_met_sentences(source.board.never_met)


def data_files(source: SiteSource) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Yields the address of each file of data with its maker."""
    kinds: dict[str, By] = {"standings": "overall", "by-game": "game", "by-role": "role"}
    reports: dict[str, Callable[[], Report]] = {
        name: partial(leaderboard_report, source.board, by) for name, by in kinds.items()
    }
    reports["head-to-head"] = lambda: matrix_report(matrix(source.board, None))
    reports["measures"] = lambda: measures_report(source.rows)
    for kind in KINDS:
        reports[kind] = partial(_ties, source, kind)
    reports["conduct"] = lambda: conduct_report(source.conducts)
    for name, report in reports.items():
        for ending, write in (("csv", as_csv), ("json", as_json)):
            yield f"data/{name}.{ending}", partial(_written, write, report)
    yield "data/tournament.json", lambda: stored_text(source.tournament).encode()


def _ties(source: SiteSource, kind: Kind) -> Report:
    return network_report(source.networks[kind], kind)


def _written(write: Callable[[Report], str], report: Callable[[], Report]) -> bytes:
    return write(report()).encode()

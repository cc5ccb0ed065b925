"""Tables and figures of the papers: from the matches that they name, each cell a measure."""

import csv
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree

import pytest

from parlour.agents.llm.config import LLMConfig
from parlour.games.engine.registry import find_game
from parlour.papers.drawing import drawn
from parlour.papers.writing import pairs_by_analysis
from parlour.ratings.comparison.comparison import compare
from parlour.ratings.counting.counters import declared_formulas, declared_measures
from parlour.ratings.papers.filling import Cell, Filled, Filler, Missing
from parlour.ratings.papers.gains import gains_report
from parlour.ratings.papers.paper import Exhibit, Paper, paper_names, read_paper
from parlour.results import measures_of
from parlour.tournament.reports.counted_matches import MatchCounter
from parlour.tournament.save.reader import Save
from tests.tournaments import environment, finished, printed, refused

BLOCK = '[[games]]\nname = "donation"\nlineup = "alone"\n'
HOSTILE = "<script>$x_1$ 林"
DONATION = f"""
name = "donation"
seed = 3
repetitions = 3
{BLOCK}
{BLOCK}monitoring = "private"
{BLOCK}agents_per_match = 3
horizon = "finite"
[[agents]]
name = "Ada"
strategy = "equilibrium"
[[agents]]
name = "{HOSTILE}"
strategy = "random"
"""
"""Two conditions of the paper, and one that changes a key which the paper's tables do not."""
CAPABILITIES = (
    *("judgment", "reasoning", "deception", "self_awareness"),
    *("cooperation", "coordination", "rationality"),
)


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished(tmp_path_factory.mktemp("papers"), DONATION)


def results(save: Path, paper: Paper) -> dict[str, Filled | Missing]:
    """Tables and figures of a paper from a save, by name."""
    with Save(save) as opened:
        agents = [agent.name for agent in opened.tournament.agents]
        filler = Filler(MatchCounter().counted(opened), agents)
        return {exhibit.name: filler.fill(exhibit) for exhibit in paper.exhibits}


@pytest.mark.parametrize("name", paper_names())
def test_a_paper_asks_for_measures_and_keys_that_exist(name: str) -> None:
    measures = {measure.name for measure in declared_measures()}
    measures |= {formula.name for formula in declared_formulas()}
    measures |= {"win_rate", "radar_area", *CAPABILITIES}
    paper = read_paper(name)
    names = [exhibit.name for exhibit in paper.exhibits]
    assert len(names) == len(set(names))
    for exhibit in paper.exhibits:
        rows = [Cell] if exhibit.rows == "agents" else exhibit.rows
        for row in rows:
            for column in exhibit.columns:
                part = exhibit.with_part(column)
                part = part if row is Cell else part.with_part(row)  # type: ignore[arg-type]
                assert {part.measure, part.minus or part.measure} <= measures, exhibit.name
                if part.game is not None:
                    find_game(part.game, name).variant.model_validate(dict(part.keys))


def test_a_table_has_the_measures_of_its_condition(save: Path) -> None:
    filled = results(save, read_paper("gossip"))
    rows = {(r.condition, r.agent, r.role, r.measure): r for r in measures_of(save)}
    measure_of = {
        column.title: column.measure for column in read_paper("gossip").exhibits[0].columns
    }
    for name, condition in (("table 3", "monitoring=private"), ("table 4", "default")):
        table = filled[name]
        assert isinstance(table, Filled)
        assert table.matches == 6
        assert table.rows == ["Ada", HOSTILE]
        for cell in table.cells:
            row = rows[condition, cell.row, None, measure_of[cell.column]]
            assert (cell.value, cell.n, cell.se, cell.low) == (row.value, row.n, row.se, row.low)
    # Everybody helps: 18 encounters with a benefit of 5 and a cost of 1, discounted by .99.
    (whole,) = [
        cell.text
        for cell in filled["table 4"].cells  # type: ignore[union-attr]
        if (cell.row, cell.column) == ("Ada", "Discounted return")
    ]
    assert whole == "15.44 ± 0.00"


def test_what_has_no_matches_is_named_with_the_reason(save: Path) -> None:
    filled = results(save, read_paper("gossip"))
    missing = filled["table 5"]
    assert isinstance(missing, Missing)
    reason = "no finished match of donation with horizon=finite, monitoring=private"
    assert missing.reason == f"{reason} and no other changed key"


def test_a_box_has_the_value_of_every_match(save: Path) -> None:
    filled = results(save, read_paper("gossip"))["figure 6a"]
    assert isinstance(filled, Filled)
    for cell in filled.cells:
        assert cell.value is not None
        assert len(cell.each) == 3
        assert sum(cell.each) / 3 == pytest.approx(cell.value)


def test_the_command_writes_files_and_an_index(save: Path, tmp_path: Path) -> None:
    words = ["tables", save, "--paper", "gossip", "--out", "out"]
    fresh = environment(HOME=str(tmp_path), MPLCONFIGDIR=str(tmp_path / "fonts"))
    assert "out/index.md lists" in printed(*words, cwd=tmp_path, env=fresh)
    out = tmp_path / "out"
    index = (out / "index.md").read_text(encoding="utf-8")
    assert "| table 4 | Donation: infinite horizon, with gossip | 6 |" in index
    assert "| table 5: Donation: finite horizon, without gossip | no finished match" in index
    assert "18 of 18 matches are finished" in index
    with (out / "table-4.csv").open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    assert {record["row"] for record in records} == {"Ada", HOSTILE}
    assert all(float(record["n"]) > 0 for record in records)
    for suffix in ("md", "tex"):
        assert "15.44 ± 0.00" in (out / f"table-4.{suffix}").read_text(encoding="utf-8")
    for figure in out.glob("figure-*.svg"):
        texts = "".join(ElementTree.parse(figure).getroot().itertext())
        assert HOSTILE in texts, figure.name
        assert (out / f"{figure.stem}.png").read_bytes().startswith(b"\x89PNG")
    fix = "overwrite it with --force, or choose another folder with --out"
    assert refused(*words, cwd=tmp_path) == f"parlour: out/index.md: already exists; {fix}"
    assert printed(*words, "--force", "--no-figures", cwd=tmp_path)


def test_the_same_figure_gives_the_same_file(save: Path) -> None:
    filled = results(save, read_paper("gossip"))["figure 6a"]
    assert isinstance(filled, Filled)
    assert drawn(filled)["svg"] == drawn(filled)["svg"]


def test_every_kind_of_figure_is_drawn_without_values_too() -> None:
    for kind in ("bars", "stacked", "box", "radar"):
        exhibit = Exhibit.model_validate(
            {"number": "1", "kind": kind, "title": "T" * 120, "columns": ()}
        )
        cells = [
            Cell("Ada", "a", "mean", 0.5, 3, None, 0.1, each=(0.4, 0.6)),
            Cell("Ada", "b", "mean"),
            Cell("Bob", "a", "mean"),
            Cell("Bob", "b", "percent", 0.2, 3, 1, 0.1, 0.1, 0.4, each=(0.2,)),
        ]
        assert drawn(Filled(exhibit, cells, 3, {"Ada": 3, "Bob": 3}))["svg"]


def test_an_unknown_paper_and_a_missing_extra_are_refused(save: Path, tmp_path: Path) -> None:
    line = refused("tables", save, "--paper", "gosip", "--out", "x", cwd=tmp_path)
    assert line == (
        "parlour: --paper: there is no 'gosip'; did you mean 'gossip'? "
        "choose one of gossip, impostor, magic"
    )
    (tmp_path / "matplotlib.py").write_text("raise ImportError('hidden')", encoding="utf-8")
    line = refused("tables", save, "--paper", "gossip", "--out", "x", cwd=tmp_path)
    assert "need matplotlib, which is not installed; install it with" in line
    assert not (tmp_path / "x").exists()


def test_gains_are_the_paired_differences_and_their_average(tmp_path: Path) -> None:
    with Save(finished(tmp_path)) as save:
        records = list(save.records())
    pairs = [compare(records, "Ada", "Rob"), compare(records, "Lin", "Rob")]
    report = gains_report("Table 4: Gains", pairs)
    (table,) = report.tables
    both = chain(pairs[0].differences, pairs[1].differences)
    judgments = [each for each in both if each.measure == "judgment"]
    column = table.titles.index("Judgment")
    assert [row[0] for row in table.rows] == ["Ada", "Lin", "Average"]
    assert table.rows[0][column].startswith(f"{100 * judgments[0].value:.1f} [")
    average = 100 * (judgments[0].value + judgments[1].value) / 2
    assert table.rows[2][column] == f"{average:.1f}"
    assert len(report.records) == len(pairs[0].differences) + len(pairs[1].differences)


def test_a_pair_differs_in_its_analysis_alone() -> None:
    def model(name: str, **keys: object) -> LLMConfig:
        return LLMConfig.model_validate({"name": name, "kind": "llm", "model": "m", **keys})

    analysing = model("A+PGM", deliberation="pgm_text")
    agents = [analysing, model("A"), model("hot", parameters={"temperature": 1})]
    assert pairs_by_analysis([*agents, model("B+PGM", deliberation="pgm_matrix", timeout=1)]) == [
        ("A+PGM", "A")
    ]

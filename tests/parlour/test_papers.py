"""Tables and figures of the papers: from the matches that they name, each cell a measure."""

import csv
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree

import pytest

from parlour.agents.llm.config import LLMConfig
from parlour.agents.scripted.similarity import similarity_by_tier
from parlour.api.results import measures_of
from parlour.api.tables import batches
from parlour.games.engine.registry import find_game
from parlour.games.families.clues.clue_bank import shipped_bank
from parlour.papers.drawing import drawn
from parlour.papers.writing import pairs_by_analysis, similarity_figure, write_paper
from parlour.ratings.comparison.comparison import compare
from parlour.ratings.counting.counts import declared_formulas, declared_measures
from parlour.ratings.papers.filling import (
    ExhibitCell,
    FilledTable,
    Filler,
    NotMade,
    gains_report,
    with_improvement,
)
from parlour.ratings.papers.paper import Correlated, Exhibit, Paper, paper_names, read_paper
from parlour.ratings.papers.seats import seat_table
from parlour.tournament.reports.counted_matches import MatchCounter, finished_records
from parlour.tournament.save.reader import Save
from tests.tournaments import ROOT, environment, finished, printed, refused, scripted

PRESETS = ROOT / "tournament" / "plan" / "presets"
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
""" + scripted(**{"Ada": "equilibrium", HOSTILE: "random"})
"""Two conditions of the paper, and one that changes a key which the paper's tables do not."""
CAPABILITIES = (
    *("judgment", "reasoning", "deception", "self_awareness"),
    *("cooperation", "coordination", "rationality"),
)


WORDS = '[[games]]\nname = "impostor"\nprobes = "off"\nmatches = 12\n'
IMPOSTOR = f"""
name = "impostor"
seed = 3
{WORDS}assignment = "homogeneous"
{WORDS}
[[agents]]
name = "Ada"
strategy = "random"
meta = {{ size = 8, provider = "P", family = "F" }}
[[agents]]
name = "Bob"
strategy = "bayesian"
meta = {{ size = 70, provider = "P", family = "F" }}
""" + scripted(**{HOSTILE: "random"})
"""Two modes; one agent has no ``meta``."""


MISSING = {
    # Two difficulties, two modes, and scripted players without meta.
    ("impostor-small", "impostor"): [
        *("table 9b", "table 9c", "table 10", "appendix B.2e"),
        *("appendix B.1 and B.2, 50 % subsample", "appendix B.3, equation 1"),
        *("appendix B.3, instruments", "appendix B.3, control iii"),
    ],
    ("gossip-paper", "gossip"): ["tables 1 and 2", "figures 1 to 4", "figure 9"],
    # No models, of which some analyse the game.
    ("magic", "magic"): [
        *("table 4", "figure 9", "figure 4", "table 3", "tables 5 and 6"),
        *("figures 2, 3, 5, 7 and 8", "figure 6"),
    ],
}
"""The tables and figures that presets of scripted players do not give."""


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished(tmp_path_factory.mktemp("papers"), DONATION)


def results(save: Path, paper: Paper) -> dict[str, FilledTable | NotMade]:
    """Tables and figures of a paper from a save, by name."""
    with Save(save) as opened:
        agents = [agent.name for agent in opened.tournament.agents]
        filler = Filler(MatchCounter().counted(opened), agents)
        return {exhibit.name: filler.fill(exhibit) for exhibit in paper.exhibits}


@pytest.fixture(scope="module")
def impostors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished(tmp_path_factory.mktemp("impostors"), IMPOSTOR)


@pytest.mark.parametrize("name", paper_names())
def test_a_paper_asks_for_measures_and_keys_that_exist(name: str) -> None:
    measures = {measure.name for measure in declared_measures()}
    measures |= {formula.name for formula in declared_formulas()}
    measures |= {"win_rate", "radar_area", *CAPABILITIES}
    paper = read_paper(name)
    names = [exhibit.name for exhibit in paper.exhibits]
    assert len(names) == len(set(names))
    for exhibit in paper.exhibits:
        rows = [ExhibitCell] if isinstance(exhibit.rows, str) else exhibit.rows
        for row in rows:
            for column in exhibit.columns:
                part = exhibit.with_part(column)
                part = part if row is ExhibitCell else part.with_part(row)  # type: ignore[arg-type]
                assert {part.measure, part.minus or part.measure} <= measures, exhibit.name
                if part.game is not None:
                    find_game(part.game, name).variant.model_validate(dict(part.keys))
    for table in paper.inferences:
        find_game(table.game, name)
        for estimand in table.estimates:
            if isinstance(estimand, Correlated):
                assert {estimand.one, estimand.other} <= measures, table.name


def test_a_table_has_the_measures_of_its_condition(save: Path) -> None:
    filled = results(save, read_paper("gossip"))
    rows = {(r.condition, r.agent, r.role, r.measure): r for r in measures_of(save)}
    measure_of = {
        column.title: column.measure for column in read_paper("gossip").exhibits[0].columns
    }
    for name, condition in (("table 3", "monitoring=private"), ("table 4", "default")):
        table = filled[name]
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
    reason = "no finished match of donation with horizon=finite, monitoring=private"
    assert missing.reason == f"{reason} and no other changed key"
    # The figure 12 compares discount factors, of which one was played.
    alone = filled["figure 12"]
    assert alone.reason.startswith("nothing to compare: no finished match of donation with disc")


def test_a_box_has_the_value_of_every_match(save: Path) -> None:
    filled = results(save, read_paper("gossip"))["figure 6a"]
    for cell in filled.cells:
        assert cell.value is not None
        assert len(cell.each) == 3
        assert sum(cell.each) / 3 == pytest.approx(cell.value)


def test_the_command_writes_files_and_an_index(save: Path, tmp_path: Path) -> None:
    words = ["paper", save, "gossip", "--out", "out"]
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
    assert isinstance(filled, FilledTable)
    assert drawn(filled)["svg"] == drawn(filled)["svg"]


def test_every_kind_of_figure_is_drawn_without_values_too() -> None:
    for kind in ("bars", "stacked", "box", "radar"):
        exhibit = Exhibit.model_validate(
            {"number": "1", "kind": kind, "title": "T" * 120, "columns": ()}
        )
        cells = [
            ExhibitCell("Ada", "a", "mean", 0.5, 3, None, 0.1, each=(0.4, 0.6)),
            ExhibitCell("Ada", "b", "mean"),
            ExhibitCell("Bob", "a", "mean"),
            ExhibitCell("Bob", "b", "percent", 0.2, 3, 1, 0.1, 0.1, 0.4, each=(0.2,)),
            ExhibitCell("Ada", "nobody", "mean"),
            ExhibitCell("Bob", "nobody", "mean"),
        ]
        assert drawn(FilledTable(exhibit, cells, 3, {"Ada": 3, "Bob": 3}))["svg"]


def test_a_missing_extra_is_refused(save: Path, tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ImportError('hidden')", encoding="utf-8")
    # In a process of its own, which looks for modules in its folder first.
    line = refused("paper", save, "gossip", "--out", "x", cwd=tmp_path, stdin=None)
    assert "figures: missing package matplotlib; install it: " in line
    assert line.endswith(" -m pip install matplotlib, or leave figures out: --no-figures")
    assert not (tmp_path / "x").exists()


def test_seats_are_those_of_the_export(impostors: Path) -> None:
    with Save(impostors) as opened:
        seats = seat_table(finished_records(opened), {})
        exported = list(batches(opened, {"matches", "seats", "clues"}))
    of_seat = {}
    for each in chain.from_iterable(part["seats"] for part in exported):
        of_seat[each["match"], each["seat"]] = each
    positions = {}
    for each in chain.from_iterable(part["clues"] for part in exported):
        positions[each["match"], each["seat"]] = each["position"]
    assert len(seats.rows) == len(of_seat) == 4 * 108
    for row in seats.rows:
        each = of_seat[row.match, row.seat]
        assert (row.won, row.special, row.role) == (each["won"], each["special"], each["role"])
        assert (row.agent, row.tier, row.mode) == (each["agent"], each["tier"], each["mode"])
        assert row.position == positions[row.match, row.seat]


def test_tests_and_regressions_are_written_with_their_n(impostors: Path, tmp_path: Path) -> None:
    write_paper(impostors, "impostor", tmp_path / "out", figures=False)
    index = (tmp_path / "out" / "index.md").read_text(encoding="utf-8")
    made, _, missing = index.partition("## Not made")
    for name in ("table 2", "table 3", "table 10", "appendix B.3c"):
        assert f"| {name} |" in made
    assert "| figure 3 | Similarity of the two words by difficulty | 300 pairs |" in made
    assert "| section 3: Correlations over the agents | n too small: 3 values |" in missing
    assert "| appendix B.3, equation 1 | not estimable" in missing
    with (tmp_path / "out" / "table-2.csv").open(encoding="utf-8", newline="") as file:
        records = {record["row"]: record for record in csv.DictReader(file)}
    # Three agents alone and six pairs, twelve matches each. An agent is the impostor in those
    # alone and in those against each of two others: one of three has no size.
    size = records["Model size (per 10×)"]
    assert int(size["n"]) == 72
    assert size["note"].endswith(f"36 seats left out, without meta.size: {HOSTILE}")
    assert int(records["mode cross_play vs homogeneous"]["n"]) == 108
    outcomes = (tmp_path / "out" / "table-3.md").read_text(encoding="utf-8")
    assert "| Mode × outcome |" in outcomes
    assert "108 matches." in outcomes


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "name"), MISSING)
def test_a_preset_played_by_scripts_gives_its_paper(preset: str, name: str, tmp_path: Path) -> None:
    text = (PRESETS / f"{preset}.toml").read_text(encoding="utf-8")
    files = write_paper(finished(tmp_path, text), name, tmp_path / "out", figures=False)
    index = files[-1].read_text(encoding="utf-8").partition("| | Why |\n| --- | --- |\n")[2]
    missing = [row.removeprefix("| ").split(" | ")[0] for row in index.splitlines()]
    assert [each.partition(":")[0] for each in missing] == MISSING[preset, name]


def test_a_larger_group_is_no_part_of_the_papers_tests(tmp_path: Path) -> None:
    group = '[[games]]\nname = "impostor"\nplayers = 6\nprobes = "off"\nlimit = 1\n'
    path = finished(tmp_path, f'name = "six"\n{group}{scripted(Ada="random", Bob="random")}')
    index = write_paper(path, "impostor", tmp_path / "out", figures=False)[-1]
    assert "| appendix B.3a: " in index.read_text(encoding="utf-8").partition("| Why |")[2]


def test_words_are_as_similar_as_the_command_says(impostors: Path) -> None:
    exhibit = read_paper("impostor").similarity
    assert exhibit is not None
    with Save(impostors) as opened:
        figure = similarity_figure(exhibit, opened.tournament.games)
    tiers = {
        tier.tier: tier for tier in similarity_by_tier(find_game("impostor", ""), shipped_bank())
    }
    assert {cell.row: cell.value for cell in figure.cells} == {
        tier: of_tier.mean for tier, of_tier in tiers.items()
    }
    assert all(max(cell.each) == tiers[cell.row].most for cell in figure.cells)
    assert drawn(figure)["png"].startswith(b"\x89PNG")
    assert isinstance(similarity_figure(exhibit, []), NotMade)


def test_agents_are_grouped_by_kind(save: Path, tmp_path: Path) -> None:
    kinds = DONATION.replace('strategy = "eq', 'meta = { kind = "chat" }\nstrategy = "eq')
    more = '[[agents]]\nname = "Eve"\nstrategy = "random"\nmeta = { kind = "chat" }\n'
    grouped = finished(tmp_path, kinds + more)
    write_paper(grouped, "gossip", tmp_path / "out", figures=False)
    with (tmp_path / "out" / "table-4.csv").open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    assert list(dict.fromkeys((record["group"], record["row"]) for record in records)) == [
        *(("chat", "Ada"), ("chat", "Eve"), ("no kind", HOSTILE))
    ]
    # The tones of a group are those of all its agents.
    tones = {(row.condition, row.agent, row.role, row.measure): row for row in measures_of(grouped)}
    with (tmp_path / "out" / "figure-5a.csv").open(encoding="utf-8", newline="") as file:
        shares = {(each["row"], each["column"]): each for each in csv.DictReader(file)}
    own = [tones["default", agent, "on cooperation", "tone_praising"] for agent in ("Ada", "Eve")]
    praising = shares["chat", "praising"]
    assert float(praising["k"]) == sum(row.k or 0 for row in own) > 0
    assert float(praising["n"]) == sum(row.n or 0 for row in own)
    # Without kinds the figure has the agents.
    write_paper(save, "gossip", tmp_path / "plain", figures=False)
    plain = (tmp_path / "plain" / "figure-5a.md").read_text(encoding="utf-8")
    assert "| Agent | Matches | praising |" in plain


def test_gains_are_the_paired_differences_and_their_average(tmp_path: Path) -> None:
    with Save(finished(tmp_path)) as save:
        records = list(save.records())
    pairs = [compare(records, "Ada", "Rob"), compare(records, "Lin", "Rob")]
    report = gains_report("Figure 4: Gains", pairs)
    (table,) = report.tables
    both = chain(pairs[0].differences, pairs[1].differences)
    judgments = [each for each in both if each.measure == "judgment"]
    column = table.titles.index("Judgment")
    assert [row[0] for row in table.rows] == ["Ada", "Lin", "Average"]
    assert table.rows[0][column] == f"{100 * judgments[0].value:.1f}, n 4, n too small"
    average = 100 * (judgments[0].value + judgments[1].value) / 2
    assert table.rows[2][column] == f"{average:.1f}"
    assert len(report.records) == len(pairs[0].differences) + len(pairs[1].differences)


def test_abilities_with_and_without_are_those_of_table_1(tmp_path: Path) -> None:
    gains, whole = read_paper("magic").gains, read_paper("magic").exhibits[0]
    assert gains is not None
    with Save(finished(tmp_path)) as save:
        filler = Filler(MatchCounter().counted(save), ["Ada", "Lin", "Rob"])
    table, of_all = filler.fill(gains.abilities), filler.fill(whole)
    assert isinstance(table, FilledTable)
    improved = with_improvement(table, [("Rob", "Lin"), ("Ada", "Lin")])
    assert improved.rows == ["Rob", "Lin", "Ada", "Average improvement"]
    assert improved.columns[:2] == ["Win rate", "Judgment"]
    of = {(cell.row, cell.column): cell for cell in improved.cells}
    for cell in of_all.cells:
        assert of[cell.row, cell.column] == cell
    rates = [of[name, "Win rate"].value or 0 for name in ("Rob", "Lin", "Ada")]
    mean = (rates[0] + rates[2]) / 2 - rates[1]
    assert of["Average improvement", "Win rate"].value == pytest.approx(mean)
    assert improved.report().tables[0].rows[3][1] == "–"


def test_a_pair_differs_in_its_analysis_alone() -> None:
    def model(name: str, **keys: object) -> LLMConfig:
        return LLMConfig.model_validate({"name": name, "kind": "llm", "model": "m", **keys})

    analysing = model("A+PGM", deliberation="pgm_text")
    agents = [analysing, model("A"), model("hot", parameters={"temperature": 1})]
    agents.append(model("A+notes", deliberation="scratchpad"))
    agents.append(model("A+matrix", deliberation="pgm_matrix"))
    forms = pairs_by_analysis(agents, ("pgm_matrix",), "pgm_text")
    assert forms == [("A+matrix", "A+PGM")]
    assert pairs_by_analysis([*agents, model("B+PGM", deliberation="pgm_matrix", timeout=1)]) == [
        *(("A+PGM", "A"), ("A+matrix", "A"))
    ]

"""Tables of tests and regressions: the table of seats, and each kind of estimate made of it."""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from math import exp, log, log10
from random import Random
from typing import get_args

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import chi2_contingency, chisquare, f, kstest, pearsonr, t, trim_mean, ttest_ind
from statsmodels.stats.contingency_tables import Table2x2

from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Covariates, MatchRecord
from parlour.ratings.inference.randomised import intention_to_treat
from parlour.ratings.papers.inferring import LINES, EstimateLine, Inferred, infer, lines_of
from parlour.ratings.papers.paper import Correlated, Estimand, InferenceTable, Logit, read_paper
from parlour.ratings.papers.seats import SeatRow, SeatTable, seat_table
from parlour.ratings.reports.writers import as_csv, as_markdown
from tests.ratings.impostors import impostor

META = {
    "a": {"size": 10, "provider": "P", "family": "F"},
    "b": {"size": 100, "provider": "P", "family": "F"},
    "c": {"size": 1000, "provider": "Q", "family": "G"},
    "d": {"size": 1000, "provider": "R"},
}
OVERALL = "Overall, providers fixed, model size (per 10×)"
TIERS, MODES = ("easy", "hard"), ("homogeneous", "cross_play", "team_aware")


def in_order(record: MatchRecord, *order: int) -> MatchRecord:
    """The same match with its clues in the order of these seats."""
    clues = {answer.seat: answer for answer in record.answers if answer.kind == "clue"}
    asked = [replace(clues[Seat(seat)], ask=place) for place, seat in enumerate(order)]
    votes = tuple(answer for answer in record.answers if answer.kind == "vote")
    return replace(record, answers=(*asked, *votes))


def by_hand() -> list[MatchRecord]:
    """Three matches of one experiment, and one of another.

    In the first, b is the impostor in seat 2 and speaks first; two of the others name it. In the
    second it speaks last and declares itself, and one names it. In the third a is the impostor.
    """
    clues = ("one two", "one", "one two three", None)
    first = impostor("aaba", (2, 2, 0, 1), "convicted", seat=2, clues=clues)
    second = impostor("aaba", (2, 0, 0, 0), "escaped", seat=2, clues=clues, declared=[2])
    third = impostor("abbb", (1, 0, 0, 2), "escaped", seat=0, clues=clues)
    orders = ((first, 2, 0, 1, 3), (second, 0, 1, 3, 2), (third, 0, 1, 2, 3))
    records = [in_order(*each) for each in orders]
    other = replace(in_order(first, 1, 0, 2, 3), experiment="two", seed=7)
    return [
        replace(record, number=number, covariates=Covariates("easy", "cross_play"))
        for number, record in enumerate([*records, other], start=1)
    ]


def test_a_row_of_each_seat_has_what_happened_there() -> None:
    table = seat_table(by_hand(), META)
    assert len(table.rows) == 16
    impostors = table.where({"special": True})
    columns = ("match", "agent", "seat", "position", "won", "declared", "words")
    rows = list(zip(*map(impostors.column, columns), strict=True))
    assert rows == [
        (1, "b", 2, 1, False, False, 3),
        (2, "b", 2, 4, True, True, 3),
        (3, "a", 0, 1, True, False, 2),
        (4, "b", 2, 3, False, False, 3),
    ]
    assert impostors.column("half") == [1, 1, 2, 1]
    assert impostors.column("odd match") == [0, 1, 0, 0]
    assert impostors.column("odd seat") == [0, 0, 0, 0]
    assert impostors.column("draw") == ["match 1", "match 2", "match 3", "seed 7"]
    assert impostors.column("stratum") == ["one", "one", "one", "easy"]
    assert impostors.column("cluster") == impostors.column("draw")  # of one setting
    assert impostors.column("group") == ["one", "one", "one", "seed 7"]
    assert impostors.column("valid") == [True] * 4
    assert impostors.column("meta.size") == [100, 100, 10, 100]
    assert impostors.column("detected") == [None] * 4
    # Seats 0, 1 and 3 of the first match; the last one's clue was none, but it voted.
    others = table.where({"match": 1, "special": False})
    assert others.column("detected") == [True, True, False]
    assert others.column("words") == [2, 1, None]


def test_opponents_are_measured_in_other_experiments() -> None:
    # Experiment one: a named b in 3 of 6 votes (2 of 3, then 1 of 3), b named a in 2 of 3.
    # Experiment two: a named b in 2 of 3. Against b in experiment one a has 2 of 3 elsewhere, in
    # experiment two 3 of 6; b has no votes elsewhere, so the third match has no figure.
    opponents = seat_table(by_hand(), META).where({"special": True}).column("opponents")
    assert opponents == [pytest.approx(2 / 3), pytest.approx(2 / 3), None, pytest.approx(1 / 2)]


def test_rows_are_chosen_and_grouped_by_columns() -> None:
    table = seat_table(by_hand(), META)
    groups = {values: len(own.rows) for values, own in table.each(["agent", "special"])}
    assert groups == {("a", False): 9, ("a", True): 1, ("b", False): 3, ("b", True): 3}
    with pytest.raises(BadInput, match=r"meta\.licence: no agent has it; write meta = { licence"):
        table.column("meta.licence")


def simulated(
    matches: int,
    seed: int,
    *,
    size: float = 1.0,
    late: float = 1.0,
    aware: float = 1.0,
    opponents: float = 1.0,
    copies: int = 1,
    shared: bool = False,
) -> SeatTable:
    """Impostors' seats whose odds of winning have known ratios.

    They are ``size`` for ten times the size, ``late`` in the third and fourth position, ``aware``
    in mode team_aware, and ``opponents`` for 10 points more of the opponents' detection. With
    ``shared`` seeds each match occurs ``copies`` times, in as many experiments.
    """
    dice = Random(seed)
    rows: list[SeatRow] = []
    for number in range(matches):
        agent, mode = dice.choice("abcd"), dice.choice(MODES)
        position, detection = dice.randint(1, 4), dice.uniform(0.2, 0.8)
        score = log(size) * (log10(META[agent]["size"]) - 2)  # type: ignore[arg-type]
        score += log(late) * (position > 2) + log(aware) * (mode == "team_aware")
        score += log(opponents) * 10 * (detection - 0.5)
        won = dice.random() < 1 / (1 + exp(-score))
        declared, words = dice.random() < 0.3, dice.randint(5, 30)
        for copy in range(copies):
            experiment, setting = f"{number % 40} {copy}", f"{number % 60}"
            row = {
                **{"match": len(rows), "game": "impostor", "experiment": experiment},
                **{"setting": setting, "cluster": setting, "tier": TIERS[number % 2], "mode": mode},
                "draw": f"seed {number}" if shared else f"match {number} {copy}",
                "stratum": TIERS[number % 2] if shared else experiment,
                "group": setting if shared else experiment,
                **{"half": 1 + number % 2, "odd_match": number % 2},
                **{"seat": number // 2 % 4, "odd_seat": number // 2 % 2, "position": position},
                **{"agent": agent, "role": "impostor", "special": True, "counted": True},
                **{"valid": True, "won": won, "detected": None, "declared": declared},
                **{"words": words, "opponents": detection},
            }
            rows.append(SeatRow(**row))
    return SeatTable(rows, META)


@pytest.fixture(scope="module")
def seats() -> SeatTable:
    return simulated(4000, 1, size=1.5, late=0.6, aware=1.5)


def no_measure(_game: str, _measure: str, _half: int) -> dict[str, float]:
    """No agent has any measure."""
    return {}


def exhibit(name: str) -> InferenceTable:
    """The table of that name in the impostor paper."""
    (table,) = [each for each in read_paper("impostor").inferences if each.name == name]
    return table


def filled(name: str, seats: SeatTable) -> dict[str, EstimateLine]:
    """The lines of such a table by row; of several kinds of errors, the last."""
    result = infer(exhibit(name), seats, no_measure)
    return {line.row: line for line in result.lines}


def shows(line: EstimateLine, truth: float) -> bool:
    """True if the odds ratio of a line is within three of its errors of the true one."""
    error = log(line.high / line.low) / (2 * 1.96)
    return error < 0.2 and abs(log(line.value / truth)) < 3 * error


def test_known_odds_ratios_come_out_of_the_tables() -> None:
    # One effect at a time: odds ratios of a logit that leaves others out are nearer to 1.
    by_size = simulated(4000, 1, size=2.0)
    assert shows(filled("table 2", by_size)["Model size (per 10×)"], 2.0)
    assert shows(filled("table 2", by_size)["seat 2 vs 0"], 1.0)
    within = filled("table 10", by_size)
    assert shows(within["F: within the family, model size (per 10×)"], 2.0)
    assert within["F: within the family, model size (per 10×)"].n < 4000
    assert shows(within[OVERALL], 2.0)
    by_mode = filled("table 2", simulated(4000, 1, aware=1.5))
    assert shows(by_mode["mode team_aware vs homogeneous"], 1.5)
    assert shows(by_mode["mode cross_play vs homogeneous"], 1.0)
    positions = filled("appendix B.3c", simulated(4000, 1, late=0.6))
    assert shows(positions["Mode and difficulty fixed, position 3 vs 1"], 0.6)
    assert shows(positions["Mode and difficulty fixed, position 2 vs 1"], 1.0)
    opponents = filled("table 5", simulated(4000, 1, opponents=0.7))
    assert len(opponents) == 8
    assert all(shows(line, 0.7) for line in opponents.values())
    assert all(line.corrected >= line.p for line in opponents.values())  # type: ignore[operator]


def test_regressions_are_those_of_a_generalised_linear_model(seats: SeatTable) -> None:
    of_size = filled("table 2", seats)["Model size (per 10×)"]
    won = np.array(seats.column("won"), dtype=float)
    size = sm.add_constant(np.log10(np.array(seats.column("meta.size"), dtype=float)))
    names = {name: code for code, name in enumerate(dict.fromkeys(seats.column("experiment")))}
    groups = np.array([names[name] for name in seats.column("experiment")])
    robust = {"cov_type": "cluster", "cov_kwds": {"groups": groups}, "use_t": True}
    model = sm.GLM(won, size, family=sm.families.Binomial()).fit(**robust)
    assert of_size.value == pytest.approx(exp(model.params[1]), rel=1e-5)
    # The sandwich with its factor for few clusters is near the jackknife of 40 clusters.
    low, high = model.params[1] + np.array([-1, 1]) * t.ppf(0.975, 39) * model.bse[1]
    assert (of_size.low, of_size.high) == (
        pytest.approx(exp(low), rel=0.02),
        pytest.approx(exp(high), rel=0.02),
    )
    assert of_size.details["Number of clusters"] == len(names)
    # E-value: OR + √(OR (OR - 1)).
    ratio = of_size.value or 0
    assert of_size.details["E-value"] == pytest.approx(ratio + (ratio * (ratio - 1)) ** 0.5)


def test_a_factor_alone_has_the_odds_ratio_of_its_counts(seats: SeatTable) -> None:
    independent = [
        line
        for line in infer(exhibit("table 4"), seats, no_measure).lines  # type: ignore[union-attr]
        if line.details.get("Clusters") == "none" and line.row == "seat 3 vs 0"
    ]
    times = Counter((row.seat, row.won) for row in seats.rows)
    third, base = ((times[seat, True], times[seat, True] + times[seat, False]) for seat in (3, 0))
    (k, n), (base_k, base_n) = third, base
    table = Table2x2([[k, n - k], [base_k, base_n - base_k]])
    low, high = table.oddsratio_confint()
    (line,) = independent
    assert (line.value, line.low, line.high) == (
        pytest.approx(table.oddsratio, rel=1e-5),
        pytest.approx(low, rel=1e-4),
        pytest.approx(high, rel=1e-4),
    )


def test_associations_are_those_of_the_counts(seats: SeatTable) -> None:
    line = filled("table 3", seats)["Agent × outcome"]
    times = Counter((row.agent, row.won) for row in seats.rows)
    counts = [[times[agent, True], times[agent, False]] for agent in "abcd"]
    test = chi2_contingency(counts, correction=False)
    assert line.details["χ²"] == pytest.approx(test.statistic)
    assert line.details["df"] == "3, 57"
    # Matches are independent here, so that the test by clusters is near that of independent ones.
    assert line.p == pytest.approx(f.sf(line.details["F"], 3, 57))
    assert line.p == pytest.approx(test.pvalue, abs=0.1)
    assert line.value == pytest.approx((test.statistic / 4000) ** 0.5)
    positions = filled("appendix B.3a", seats)["Positions are equally frequent"]
    observed = Counter(seats.column("position"))
    assert positions.p == pytest.approx(chisquare(list(observed.values())).pvalue)


def test_effects_are_those_of_the_columns(seats: SeatTable) -> None:
    table = exhibit("table 6")
    pooled = lines_of(
        table.model_copy(update={"estimates": table.estimates[1:]}), seats, no_measure
    )[0]
    strata = [(row.tier, row.mode) for row in seats.rows]
    won, position = [row.won for row in seats.rows], [row.position for row in seats.rows]
    effect = intention_to_treat(won, position, [3, 4], seats.column("setting"), strata)
    assert (pooled.value, pooled.p) == (pytest.approx(100 * (effect.value or 0)), effect.p)
    # The p value is that of the interval: of the same statistic, with the same error.
    error = ((effect.high or 0) - (effect.low or 0)) / 2 / t.ppf(0.975, 59)
    assert effect.p == pytest.approx(2 * t.sf(abs(effect.value or 0) / error, 59))
    assert pooled.details["n of the arm"] == sum(each in {3, 4} for each in position)  # type: ignore[operator]
    # Odds of 1 in positions 1 and 2 and .6 in 3 and 4: chances of 50 % and 37.5 %, half of which
    # difference stands against the mix of both.
    assert pooled.low < -6.25 < pooled.high < 0
    differences = filled("appendix B.3b", seats)
    chosen = [row for row in seats.rows if row.position in {1, 4}]
    line = differences["position 4 vs 1"]
    # A linear fit with an effect of each experiment.
    of_experiment = np.array([row.experiment for row in chosen])
    fourth = np.array([row.position for row in chosen])[:, None] == 4
    design = np.hstack([fourth, of_experiment[:, None] == np.unique(of_experiment)])
    fitted = sm.OLS([float(row.won) for row in chosen], design.astype(float)).fit()
    assert line.value == pytest.approx(100 * fitted.params[0])
    assert line.p == pytest.approx(fitted.pvalues[0], abs=0.01)


def test_copies_of_a_draw_are_no_news() -> None:
    # 240 orders of speakers, each played once or in five experiments that share its seed.
    once = filled("table 6", simulated(240, 3, shared=True))
    often = filled("table 6", simulated(240, 3, shared=True, copies=5))
    for row in ("easy, cross_play", "all"):
        assert often[row].p == once[row].p
        assert often[row].value == pytest.approx(once[row].value)
        assert often[row].low == pytest.approx(once[row].low)
        assert often[row].n == 5 * once[row].n
    for name in ("appendix B.2a", "appendix B.3b"):
        alone, copied = (filled(name, simulated(240, 3, shared=True, copies=n)) for n in (1, 5))
        for row in (row for row in alone if "mode" not in row):
            assert copied[row] == alone[row]
    # The check of the randomisation counts each draw once.
    checked = filled("appendix B.3a", simulated(240, 3, shared=True, copies=5))
    assert checked["Positions are equally frequent"].n == 240


@pytest.mark.study(
    "ratings/inference", "ratings/papers", "ratings/statistics", "tests/ratings/impostors.py"
)
@pytest.mark.parametrize("shared", [False, True])
def test_players_without_an_effect_give_no_false_alarm(shared: bool) -> None:
    """Outcomes are drawn by draw: alike in four experiments with shared seeds, else by match."""
    values: dict[str, list[float]] = defaultdict(list)
    names = ("table 2", "table 3", "table 6", "appendix B.2a", "appendix B.3a", "appendix B.3b")
    for seed in range(100):
        seats = simulated(240 if shared else 480, seed, copies=4 if shared else 1, shared=shared)
        for table in (exhibit(name) for name in names):
            for line in lines_of(table, seats, no_measure):
                if line.p is not None:
                    values[f"{table.name} {line.row}"].append(line.p)
    assert len(values) > 25
    # Permutation tests of few matches have few p values, so that small ones may be too rare.
    alarms = {}
    for row, own in values.items():
        alarms[row] = kstest(own, "uniform", alternative="greater").pvalue
    assert min(alarms.values()) > 0.001, alarms
    every = np.concatenate(list(map(np.array, values.values())))
    assert 0.035 <= np.mean(every <= 0.05) <= 0.065


def test_other_estimates_are_those_of_scipy(seats: SeatTable) -> None:
    half = SeatTable([row._replace(special=row.match % 2 == 0) for row in seats.rows], META)
    lines = filled("appendix B.2d", half)
    groups: dict[bool, list[int]] = {True: [], False: []}
    for row in half.rows:
        groups[bool(row.special)].append(row.words or 0)
    d = lines["Words of descriptions, impostors less majority"]
    plain = ttest_ind(groups[True], groups[False])
    scale = sum(1 / len(group) for group in groups.values()) ** 0.5
    assert d.value == pytest.approx(plain.statistic * scale)
    assert d.p == pytest.approx(plain.pvalue, abs=0.1)
    trimmed = lines["Impostor wins, 10 % of experiments trimmed"]
    by_experiment = half.where({"special": True}).each(["experiment"])
    rates = [np.mean(own.column("won")) for _, own in by_experiment]
    assert trimmed.n == len(rates)
    assert trimmed.value == pytest.approx(100 * trim_mean(rates, 0.1))
    rate = filled("appendix B.2c", seats)["Impostor wins"]
    assert rate.value == pytest.approx(100 * np.mean([row.won for row in seats.rows]))
    assert (rate.low or 0) < (rate.value or 0) < (rate.high or 0)


def test_correlations_are_over_the_agents() -> None:
    measures = {
        "centrality": {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.5},
        "coalition_efficiency": {"a": 0.2, "b": 0.3, "c": 0.5, "d": 0.4},
    }
    table = exhibit("section 3")
    result = infer(table, simulated(4, 1), lambda _game, name, _half: measures.get(name, {}))
    pearson, of_halves = result.lines[:2]
    expected = pearsonr(*(list(own.values()) for own in measures.values()))
    assert (pearson.value, pearson.n) == (pytest.approx(expected.statistic), 4)
    # Only the correlation of halves, whose chance errors are apart, is tested.
    assert (pearson.p, of_halves.p) == (None, pytest.approx(expected.pvalue))
    assert (of_halves.low, of_halves.note) == (None, "too few values: 4")
    assert result.lines[4].problem == "n too small: 0 values"


def test_lines_without_a_value_say_why() -> None:
    few = simulated(30, 2)
    rows = [
        row._replace(mode="cross_play", agent="x" if row.agent == "a" else row.agent)
        for row in few.rows
    ]
    lines = filled("table 2", SeatTable(rows, META))
    assert (
        lines["mode"].problem
        == "mode: nothing has homogeneous; the others would be compared with it"
    )
    of_x = sum(row.agent == "x" for row in rows)
    assert f"{of_x} seats left out, without meta.size: x" in lines["Model size (per 10×)"].note
    texts = {**META, "b": {"size": "70B"}}
    problem = filled("table 2", SeatTable(few.rows, texts))["Model size (per 10×)"].problem
    assert problem == "meta.size: '70B' of b is no number; write a number"
    none = {**META, "b": {"size": 0}}
    problem = filled("table 2", SeatTable(few.rows, none))["Model size (per 10×)"].problem
    assert problem == "meta.size: is not above 0 everywhere; its logarithm is needed"
    one_size = filled("table 10", few)["G: within the family, model size (per 10×)"]
    assert one_size.problem == "model size (per 10×) has one value only"


def test_a_table_without_any_value_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    seats = simulated(40, 2)
    alone = SeatTable([row._replace(game="undercover") for row in seats.rows], META)
    result = infer(exhibit("table 3"), alone, no_measure)
    assert result.reason == "no finished match of impostor"
    monkeypatch.setitem(sys.modules, "statsmodels.api", None)
    result = infer(exhibit("table 2"), seats, no_measure)
    line = f"install it: {sys.executable} -m pip install statsmodels"
    assert result.reason == f"regressions: missing package statsmodels; {line}"
    assert isinstance(infer(exhibit("table 3"), seats, no_measure), Inferred)


def test_a_table_is_written_with_n_and_reasons() -> None:
    exhibit = InferenceTable(
        name="table 9", title="T", game="g", estimates=(), correction="bh", note="Note."
    )
    lines = [
        EstimateLine("x", "odds ratio", 1.5, 1.2, 1.875, 1e-9, 40, 2e-9, {"df": 3, "χ²": 1.234}),
        EstimateLine("y", "odds ratio", problem="no match"),
    ]
    report = Inferred(exhibit, lines, 20).report()
    titles = ["Estimate", "Odds ratio [95 %]", "p", "q (Benjamini-Hochberg)", "df", "χ²", "n"]
    assert report.tables[0].titles == [*titles, "Remarks"]
    assert report.tables[0].rows == [
        ["x", "1.500 [1.200, 1.875]", "1.0e-09", "2.0e-09", "3", "1.23", "40", ""],
        ["y", "–", "–", "–", "–", "–", "–", "no match"],
    ]
    assert as_markdown(report).startswith("# Table 9: T\n")
    assert as_csv(report).splitlines()[1] == "x,odds ratio,1.5,1.2,1.875,1e-09,2e-09,3,1.234,40,,"


def columns_of(table: InferenceTable) -> Iterator[str]:
    """Yields every column that a table names."""
    yield from table.where
    for estimand in table.estimates:
        if isinstance(estimand, Correlated):
            continue
        own = estimand.model_dump()
        yield from (*own["where"], *own["each"], own["outcome"])
        yield from (*own.get("strata", ()), *own.get("block", ()))
        names = ("column", "other", "unit")
        yield from (own[name] for name in names if own.get(name))
        clusters = own.get("clusters", ())
        yield from filter(None, [clusters] if isinstance(clusters, str) else clusters)
        if isinstance(estimand, Logit):
            yield from (term.column for term in estimand.terms)


def test_the_papers_name_columns_and_kinds_that_exist() -> None:
    seats = simulated(4, 1)
    for table in read_paper("impostor").inferences:
        for name in columns_of(table):
            assert len(seats.column(name)) == 4, table.name
    union, _discriminator = get_args(Estimand)
    kinds = {get_args(each.model_fields["kind"].annotation)[0] for each in get_args(union)}
    assert kinds == {*LINES, "correlation"}

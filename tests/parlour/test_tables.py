"""The exported tables: every figure of the leaderboard can be computed from them alone."""

import csv
import json
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain, product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from parlour.agents.base import Call, Reply
from parlour.api import tables
from parlour.api.columns import TABLES, Kind
from parlour.api.export import write_tables
from parlour.api.results import Results
from parlour.api.tables import SETTING
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask, Fault, FaultKind
from parlour.games.engine.registry import games
from parlour.ratings.measures.conditions import ALL_CONDITIONS
from parlour.ratings.measures.measures import Row, measures
from parlour.ratings.reports.leaderboard import column_titles
from parlour.ratings.reports.leaderboard_report import leaderboard_report
from parlour.ratings.reports.ranking import leaderboard
from parlour.ratings.reports.writers import as_csv
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import Progress
from tests.blocks import write_files
from tests.parlour.recomputed import READERS, Tables, figures
from tests.tournaments import called, environment, new_save, parlour, play, printed, refused, tamper

NINE = """
name = "nine"
seed = 11
games = [
    { name = "impostor", matches = 4, limit = 30, difficulty = "easy" },
    { name = "impostor", matches = 8, limit = 30, assignment = "team_aware", difficulty = "hard" },
    { name = "chameleon", limit = 4 },
    { name = "undercover", limit = 3 },
    { name = "cost_sharing", limit = 1 },
    { name = "prisoners_dilemma", limit = 1 },
    { name = "public_good", limit = 1 },
    { name = "donation", greedy_seats = 1 },
    { name = "donation", gossip = "binary_convention", agents_per_match = 4 },
    { name = "reciprocity" },
    { name = "investment" },
]
agents = [
    { name = "=Ada", strategy = ["bayesian", "equilibrium", "fair"], meta = { family = "=1+1" } },
    { name = "-Lin", strategy = ["literal", "tit_for_tat", "haggler"] },
    { name = "@Rob", strategy = "random" },
]
"""
"""All nine games, two of them under two conditions; names that a spreadsheet would run."""


class Clumsy:
    """An agent that answers at random, and of its answers one in eight cannot be used."""

    name = "@Rob"

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Any legal answer, or none."""
        if call.dice.chance(0.5):  # which two repairs seldom fix
            return Reply(Fault(FaultKind.EMPTY))
        return Reply(ask.sample(view.seat, call.dice), {"said": "-1+1"})


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All nine games, played by scripted agents; two matches are unfinished and one is frozen."""

    def begun(runner: Runner, _before: Progress) -> None:
        runner.agents["@Rob"] = Clumsy()

    path = new_save(tmp_path_factory.mktemp("nine"), NINE)
    assert play(path, on_start=begun, concurrency=64).progress.done
    tamper(path, "UPDATE matches SET outcome = NULL WHERE number IN (2, 40)")
    tamper(path, "UPDATE matches SET frozen = 'the rules have changed' WHERE number = 5")
    return path


@pytest.fixture(scope="module", params=READERS)
def exported(
    save: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> tuple[Path, str]:
    """The save as a folder of tables, in each form."""
    folder = tmp_path_factory.mktemp("out")
    write_tables(save, request.param, folder)
    return folder, request.param


@pytest.fixture(scope="module")
def rows(save: Path) -> list[Row]:
    with Save(save) as opened:
        return measures(opened.records())


def test_every_figure_of_the_leaderboard_can_be_computed_from_the_tables(
    exported: tuple[Path, str], rows: list[Row]
) -> None:
    by_key = figures(Tables(*exported))
    computed = {measure for *_, measure in by_key}
    assert {*column_titles(), "payoff", "welfare", "fault_rate"} <= computed
    # Over all games only what the leaderboard shows there; roles for win rates alone.
    expected = {
        (row.game, row.role, row.agent, row.measure): row.value
        for row in rows
        if row.condition == ALL_CONDITIONS
        and row.agent
        and row.measure in computed
        and (row.role is None or (row.game is not None and row.measure == "win_rate"))
    }
    assert {game for game, *_ in expected} == {None, *games()}
    of_games = {
        key: value for key, value in by_key.items() if key[0] is not None or key in expected
    }
    shown = {key: value for key, value in of_games.items() if key[3] not in PARTS}
    assert set(shown) == set(expected)
    assert shown == pytest.approx(expected, rel=1e-12)
    assert len(shown) > 200


PARTS = {"own_role", "deceived", "fooled"}
"""Rates that measures are composed of."""


def test_the_save_has_what_makes_counting_hard(save: Path, rows: list[Row]) -> None:
    faults = {row.agent: row.k for row in rows if (row.game, row.measure) == (None, "fault_rate")}
    assert faults["@Rob"] > 50
    assert faults["=Ada"] == faults["-Lin"] == 0
    guesses = [row for row in rows if (row.game, row.measure) == ("impostor", "guess_success")]
    assert guesses


def test_the_example_of_the_page_prints_the_win_rates_by_role(
    save: Path, rows: list[Row], tmp_path: Path
) -> None:
    assert write_files("docs/export.md", tmp_path) == ["rates.py"]
    write_tables(save, "csv", tmp_path / "tables")
    done = called(sys.executable, "rates.py", cwd=tmp_path, check=True)
    table = csv.DictReader(done.stdout.splitlines())
    win_rates = {
        (row["game"], row["role"], row["agent"].removeprefix("'")): float(row["win_rate"])
        for row in table
    }
    expected = {
        (row.game, row.role, row.agent): row.value
        for row in rows
        if row.measure == "win_rate" and row.role and row.condition == ALL_CONDITIONS
        if games()[str(row.game)].scoring.roles[row.role] is not None
    }
    assert win_rates == pytest.approx(expected)


OF_KIND: dict[Kind, Any] = {
    "whole": int,
    "number": (int, float),
    "text": str,
    "flag": bool,
    "json": (dict, list),
}


def test_every_cell_is_of_its_columns_kind(save: Path, tmp_path: Path) -> None:
    write_tables(save, "jsonl", tmp_path)
    every: set[tuple[str, str]] = set()
    seen: Counter[tuple[str, str]] = Counter()
    for name, columns in TABLES.items():
        every |= {(name, column) for column in columns}
        for line in (tmp_path / f"{name}.jsonl").open(encoding="utf-8"):
            row = json.loads(line)
            assert list(row) == list(columns)
            for column, kind in columns.items():
                if row[column] is not None:
                    assert isinstance(row[column], OF_KIND[kind]), (name, column)
                    seen[name, column] += 1
    empty = every - set(seen)
    of_models = {("calls", column) for column in TABLES["calls"]} | {("agents", "model")}
    assert empty == of_models  # no model has played


def test_what_is_unfinished_or_frozen_is_said_to_be_so(save: Path, tmp_path: Path) -> None:
    write_tables(save, "parquet", tmp_path)
    matches = pd.read_parquet(tmp_path / "matches.parquet").set_index("match")
    open_ones = matches[matches.ending.isna()]
    assert [*open_ones.index] == [2, 40]
    assert open_ones[["got_away", "welfare", "facts"]].isna().all(axis=None)
    assert dict(matches.frozen.dropna()) == {5: "the rules have changed"}
    seats = pd.read_parquet(tmp_path / "seats.parquet")
    assert seats[seats.match == 2][["role", "side", "payoff", "won"]].isna().all(axis=None)


def test_only_some_matches_are_held_at_a_time(save: Path) -> None:
    with Save(save) as opened:
        whole, last = [*_joined(opened, 1000)]
        *parts, last_part = [*_joined(opened, 20)]
        assert [len(part["matches"]) for part in parts] == [20] * 7 + [16]
    assert last == last_part
    assert last.keys() == {"agents", "conduct"}
    for name in TABLES.keys() - last.keys():
        assert list(chain.from_iterable(part[name] for part in parts)) == whole[name]


def _joined(opened: Save, at_once: int) -> Iterator[dict[str, list[Any]]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "MATCHES_PER_BATCH", at_once)
        yield from tables.batches(opened)


def test_parquet_has_the_same_types_whatever_the_rows(save: Path, tmp_path: Path) -> None:
    import pyarrow.parquet

    empty = new_save(tmp_path)
    for number, path in enumerate((empty, save)):
        words = ["--format", "parquet", "--out", tmp_path / str(number)]
        printed("export", path, *words, cwd=tmp_path)
    names = {"whole": "int64", "number": "double", "flag": "bool", "text": "string"}
    for name, columns in TABLES.items():
        for number in range(2):
            schema = pyarrow.parquet.read_schema(tmp_path / str(number) / f"{name}.parquet")
            types = {field.name: str(field.type) for field in schema}
            assert types == {column: names.get(kind, "string") for column, kind in columns.items()}


def test_without_its_package_parquet_is_refused_in_one_line_with_the_fix(
    save: Path, tmp_path: Path
) -> None:
    (tmp_path / "pyarrow.py").write_text("raise ImportError")
    env = environment()
    env["PYTHONPATH"] = f"{tmp_path}:{env['PYTHONPATH']}"
    words = ["export", save, "--format", "parquet", "--out", tmp_path / "out"]
    assert refused(*words, cwd=tmp_path, env=env) == (
        "parlour: --format parquet: missing package pyarrow;"
        f" install it: {sys.executable} -m pip install pyarrow"
    )
    assert not (tmp_path / "out").exists()


def test_an_export_that_fails_leaves_no_half_of_a_file(save: Path, tmp_path: Path) -> None:
    (tmp_path / "answers.csv").mkdir()  # in whose place no file can be put
    done = parlour("export", save, "--format", "csv", "--out", tmp_path, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"parlour: {tmp_path}/answers.csv")
    assert not [*tmp_path.glob("*.new")]


FORMULAS = ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", '=HYPERLINK("x")', "\r=1", "-")


def copied(save: Path, folder: Path) -> Path:
    """A copy of the save."""
    path = folder / "copy.db"
    with sqlite3.connect(save) as source, sqlite3.connect(path) as copy:
        source.backup(copy)
    return path


@pytest.fixture
def hostile(save: Path, tmp_path: Path) -> Path:
    """A save in which every text that it may hold begins like a formula."""
    path = copied(save, tmp_path)
    match = "CASE match % 8 " + " ".join(
        f"WHEN {number} THEN '{text}'" for number, text in enumerate(FORMULAS)
    )
    match += " END"
    of_match = match.replace("match %", "number %")
    tamper(path, f"UPDATE matches SET frozen = {of_match}, experiment = {of_match}")
    tamper(path, f"UPDATE matches SET condition = {of_match}")
    tamper(path, f"UPDATE answers SET kind = {match}, notes = json_quote({match})")
    tamper(path, f"UPDATE answers SET fault = {match}")
    tamper(
        path,
        "INSERT INTO calls (match, ask, seat, try, number, attempt, agent, model, prompt,"
        " templates, parameters, failure, message, text, thinking, finish, latency, provider_id)"
        f" SELECT match, ask, seat, 1, 1, 1, {', '.join([match] * 3)}, '[\"=1\"]',"
        f" json_object('=k', {match}), {', '.join([match] * 5)}, 0.5, {match} FROM answers",
    )
    tamper(
        path,
        "INSERT INTO calls (match, ask, seat, try, number, attempt, agent, model, prompt,"
        " templates, parameters, latency, served, fingerprint, host)"
        " SELECT match, ask, seat, 1, 1, 2, agent, model, prompt, templates, parameters, latency,"
        f" {', '.join([match] * 3)} FROM calls",
    )
    return path


def test_no_exported_cell_is_a_formula(hostile: Path, tmp_path: Path) -> None:
    write_tables(hostile, "csv", tmp_path / "out")
    texts: set[tuple[str, str]] = set()
    seen = Counter[tuple[str, str]]()
    for name, columns in TABLES.items():
        texts |= {(name, column) for column, kind in columns.items() if kind == "text"}
        with (tmp_path / "out" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                for column in columns:
                    assert _inert(row[column]), (name, column, row[column])
                    seen[name, column] += row[column].startswith("'")
    # What the games themselves say is no player's text.
    ours = {("matches", c) for c in ("game", "condition", "setting", "tier", "mode", "ending")}
    ours |= {("seats", c) for c in ("role", "side")} | {("agents", "kind"), ("agents", "model")}
    # Frozen matches have no pairs, and answers of an unknown kind are no clues.
    ours |= {(name, column) for name, column in texts if name in {"pairwise", "clues"}}
    ours |= {*product(("seats", "answers", "calls"), ("tier", "mode"))}
    assert {place for place, count in seen.items() if count} == texts - ours


def _inert(cell: str) -> bool:
    number = re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", cell)
    return bool(number) or not cell.startswith(("=", "+", "-", "@", "\t", "\r"))


def test_no_cell_of_a_leaderboard_or_of_measures_is_a_formula(save: Path, tmp_path: Path) -> None:
    with Save(save) as opened:
        board = leaderboard(opened.records())
    texts = [as_csv(leaderboard_report(board, by)) for by in ("overall", "game", "role")]
    texts.append(printed("leaderboard", save, "--view=measures", "--format", "csv", cwd=tmp_path))
    for text in texts:
        cells = list(chain.from_iterable(csv.reader(text.splitlines())))
        assert all(map(_inert, cells))
        assert {"'=Ada", "'-Lin", "'@Rob"} <= {*cells}


def test_every_row_of_a_match_has_its_tier_mode_and_special_seat(
    save: Path, tmp_path: Path
) -> None:
    write_tables(save, "jsonl", tmp_path)
    tables = {name: READERS["jsonl"](tmp_path / f"{name}.jsonl") for name in TABLES}
    matches = tables["matches"].set_index("match")
    own = matches[matches.game == "impostor"]
    assert set(zip(own.tier, own["mode"], strict=True)) == {
        ("easy", "cross_play"),
        ("hard", "team_aware"),
    }
    for setting, seat in zip(own.setting_fields, own.special_seat, strict=True):
        assert setting["impostor_seat"] == seat
    assert own.special_seat.nunique() == 4
    others = matches[matches.game != "impostor"]
    assert others.tier.isna().all()
    assert others["mode"].isna().all()
    assert set(others.game[others.special_seat.notna()]) == {"chameleon", "undercover"}
    for name in ("seats", "answers"):
        rows = tables[name]
        assert rows.match.nunique() == len(matches)
        of_match = matches.loc[rows.match, [*SETTING]].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows[[*SETTING]], of_match)
    # Where a match has ended, the special role was in the special seat.
    seats = tables["seats"][tables["seats"].special.notna()]
    assert (seats.special == (seats.seat == seats.special_seat)).all()


def test_clues_have_their_speaking_position(save: Path, tmp_path: Path) -> None:
    write_tables(save, "jsonl", tmp_path)
    answers = READERS["jsonl"](tmp_path / "answers.jsonl")
    clues = answers[answers.kind == "clue"]
    for _, of_round in clues.groupby(["match", "round"]):
        assert of_round.sort_values("ask").position.tolist() == [*range(1, len(of_round) + 1)]
    assert clues.position.max() == 4
    assert answers[answers.kind.isin({"vote", "beliefs"})].position.isna().all()


def test_calls_have_position_tier_mode_and_special_seat_of_their_answers(
    save: Path, tmp_path: Path
) -> None:
    path = copied(save, tmp_path)
    tamper(
        path,
        "INSERT INTO calls (match, ask, seat, try, number, attempt, agent, model, prompt,"
        " templates, parameters, latency)"
        " SELECT match, ask, seat, 1, 1, 1, 'Ada', 'model', '', '[]', '{}', 0.5 FROM answers",
    )
    opened = Results(path)
    of_answers, of_calls = (
        frame.set_index(["match", "ask", "player"])[["position", *SETTING]].sort_index()
        for frame in (opened.answers(), opened.calls())
    )
    pd.testing.assert_frame_equal(of_calls, of_answers)
    assert not of_calls.dropna().empty


def test_the_slices_of_impostor_can_be_computed_from_the_tables(
    exported: tuple[Path, str], rows: list[Row]
) -> None:
    tables = Tables(*exported)
    clues = tables.every_answer[tables.every_answer.kind == "clue"]
    spoke = clues[clues.seat == clues.special_seat][["match", "position"]]
    votes = tables.of_kind("vote").merge(spoke, on="match")
    votes = votes[(votes.game == "impostor") & (votes.seat != votes.special_seat)]
    votes["hit"] = votes.value.map(lambda value: value["suspect"]) == votes.special_seat
    votes["player"] = "impostor is Player " + (votes.special_seat + 1).map("{:.0f}".format)
    votes["spoke"] = "impostor speaks in position " + votes.position_y.map("{:.0f}".format)
    computed: dict[tuple[str, str], tuple[float, float]] = {}
    for column in ("tier", "mode", "player", "spoke"):
        for key, hits in votes.groupby(["agent", column]).hit:
            computed[key] = (hits.sum(), len(hits))
    expected = {
        (row.agent, row.role): (row.k, row.n)
        for row in rows
        if row.measure == "detection_accuracy"
        and row.condition == ALL_CONDITIONS
        and row.role is not None
    }
    assert computed == expected
    assert len({slice for _, slice in expected}) == 2 + 2 + 4 + 4

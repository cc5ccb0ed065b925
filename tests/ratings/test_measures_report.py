"""The report of measures: tidy rows whose keys are unique in every format."""

import csv
import io
import json
from itertools import product
from operator import itemgetter

import pytest

from parlour.games.engine.record import MatchRecord
from parlour.ratings.measures.measures import measures
from parlour.ratings.reports.measures_report import measures_report
from parlour.ratings.reports.report import Report
from parlour.ratings.reports.writers import as_csv, as_json
from tests.ratings.impostors import played_impostor
from tests.ratings.records import drawn, numbered, undercover, vote

KEY = ("game", "condition", "agent", "role", "measure")


def report(records: list[MatchRecord]) -> Report:
    return measures_report(measures(numbered(records)))


@pytest.fixture(scope="module")
def several_games() -> Report:
    """Three games, of which the impostor game has several conditions and rows without an agent."""
    games = ("undercover", "chameleon")
    records = [drawn(name, "aba", seed) for name, seed in product(games, range(6))]
    return report([*records, *played_impostor()])


def test_no_two_csv_rows_have_the_same_key(several_games: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(several_games))))
    keys = set(map(itemgetter(*KEY), rows))
    assert len(keys) == len(rows) > 500


def test_the_default_condition_and_all_conditions_have_names_in_csv_and_json() -> None:
    shown = report(
        [
            undercover("xyz", answers=[vote(0, 1)]),
            undercover("xyz", answers=[vote(0, 1)], condition="probes=off"),
        ]
    )
    for rows in (csv.DictReader(io.StringIO(as_csv(shown))), json.loads(as_json(shown))):
        judged = [
            (row["game"] or None, row["condition"], int(row["n"]))
            for row in rows
            if (row["agent"], row["measure"]) == ("x", "judgment")
        ]
        assert judged == [
            (None, "all", 2),
            ("undercover", "all", 2),
            ("undercover", "default", 1),
            ("undercover", "probes=off", 1),
        ]


def test_whole_numbers_are_written_without_a_fraction() -> None:
    (row,) = (
        row
        for row in json.loads(as_json(report([undercover("xyz", answers=[vote(0, 1)])])))
        if (row["game"], row["condition"], row["agent"], row["measure"])
        == ("undercover", "all", "x", "judgment")
    )
    assert [type(row[field]) for field in ("value", "n", "k")] == [int, int, int]
    assert row["low"] is None  # too few

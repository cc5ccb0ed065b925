"""Exports read by the libraries that they are for: datasets, offline, and DuckDB."""

import csv
import json
import os
from pathlib import Path

import pytest

from parlour.api.columns import COLUMNS
from parlour.api.export import write_tables
from tests.tournaments import SMALL, finished

os.environ["HF_HUB_OFFLINE"] = "1"  # before datasets is imported


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A save of two games that both ask for a vote, played by scripted agents."""
    with pytest.MonkeyPatch.context() as patched:
        folder = tmp_path_factory.mktemp("tables")
        patched.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        return finished(folder, SMALL + '\n[[games]]\nname = "chameleon"\nlimit = 1\n')


def rows(save: Path, folder: Path, table: str) -> list[dict[str, object]]:
    write_tables(save, "jsonl", folder, force=True)
    text = (folder / f"{table}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_datasets_loads_every_table_that_has_rows(save: Path, tmp_path: Path) -> None:
    import datasets

    datasets.config.HF_DATASETS_CACHE = tmp_path / "cache"
    counts = write_tables(save, "hf", tmp_path / "hf")
    tables = datasets.get_dataset_config_names(str(tmp_path / "hf"))
    assert tables == [table for table, count in counts.items() if count]
    assert "calls" not in tables
    for table in tables:
        loaded = datasets.load_dataset(str(tmp_path / "hf"), table)["train"]
        expected = rows(save, tmp_path / "jsonl", table)
        nested = {each.column for each in COLUMNS if (each.table, each.type) == (table, "json")}
        for own, row in zip(loaded, expected, strict=True):
            for column, value in row.items():
                is_text = column in nested and value is not None
                assert (json.loads(own[column]) if is_text else own[column]) == value


def test_duckdb_has_a_table_for_each_kind_of_answer_and_comments(
    save: Path, tmp_path: Path
) -> None:
    import duckdb

    counts = write_tables(save, "duckdb", tmp_path / "out")
    answers = rows(save, tmp_path / "jsonl", "answers")
    games = {each["match"]: each["game"] for each in rows(save, tmp_path / "jsonl", "matches")}
    with duckdb.connect(str(tmp_path / "out" / "tables.duckdb"), read_only=True) as database:
        comments = (
            "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE comment != ''"
        )
        declared = [(each[0], each[1], each[3]) for each in COLUMNS if each.table in counts]
        assert sorted(database.sql(comments).fetchall()) == sorted(declared)
        votes = "SELECT match, seat, suspect, reasoning FROM undercover_vote ORDER BY match, seat"
        expected = [
            (each["match"], each["seat"], each["value"]["suspect"], each["value"]["reasoning"])
            for each in answers
            if (games[each["match"]], each["kind"]) == ("undercover", "vote")
        ]
        assert database.sql(votes).fetchall() == sorted(expected)
        assert {"undercover_vote", "chameleon_vote", "chameleon_guess"} <= counts.keys()
        of_kinds = sum(count for table, count in counts.items() if "_" in table)
        assert of_kinds == counts["answers"] == len(answers)


def test_columns_csv_is_beside_them(save: Path, tmp_path: Path) -> None:
    tables = write_tables(save, "csv", tmp_path)
    with (tmp_path / "columns.csv").open(encoding="utf-8", newline="") as file:
        _head, *declared = map(tuple, csv.reader(file))
    assert declared == [each for each in COLUMNS if each.table in tables]

"""docs/measures.md says of every measure what the program does, and of no other."""

import re
from collections.abc import Sequence
from dataclasses import fields
from functools import cache

import pytest

from ratings.intervals import DRAWS
from ratings.leaderboard import COLUMNS
from ratings.magic import DECEPTION_SPAN
from ratings.measures import Row, measures
from tests.blocks import section, table_rows, text_of
from tests.ratings.records import (
    beliefs,
    donation,
    met,
    numbered,
    own_role,
    played,
    played_donation,
    undercover,
    vote,
)

DOCUMENT = "docs/measures.md"
FIELDS = [
    *("Estimand", "Unit", "Numerator", "Denominator", "Cluster", "Interval", "Slices"),
    *("Missing when", "Smallest n shown"),
]
MEASURES = re.findall(r"^### `(\w+)`$", text_of(DOCUMENT), re.MULTILINE)

SMALLEST = measures(
    [
        undercover(
            "xyz",
            answers=[
                *(vote(0, 1), own_role(0, "ordinary"), own_role(1, "special")),
                *(beliefs(0), beliefs(1, 0, 1, 0), beliefs(2)),
            ],
        ),
        undercover("uvw", answers=[vote(0, 1)], number=2),
        donation(
            "pq", [met(0, 1, "cooperate", report="cooperate", tone="praising")], (-1, 5), number=3
        ),
    ]
)
"""The least of everything: x has one vote, y one deduction due, u one answer, each one match.

p has one decision and one report, q one message.
"""


def described(measure: str) -> dict[str, str]:
    rows = table_rows(section(DOCUMENT, f"`{measure}`"))
    return {row[0]: row[1] for row in rows if row != ["", ""]}


@cache
def many() -> tuple[Row, ...]:
    """The measures of many matches."""
    words = [
        played("aba" if seed % 2 else "bab", seed % 3, seed % 3, seed, 0.1, 0) for seed in range(12)
    ]
    gossip = [played_donation("abab", seed, 0.1, 0, self_report=True) for seed in range(12)]
    return tuple(measures(numbered(words + gossip)))


def rows_of(measure: str, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.measure == measure]


def test_every_measure_is_described_and_every_described_one_exists() -> None:
    assert sorted(MEASURES) == sorted({row.measure for row in many()})
    assert set(COLUMNS) <= set(MEASURES)


@pytest.mark.parametrize("measure", MEASURES)
def test_each_description_is_whole(measure: str) -> None:
    found = described(measure)
    assert list(found) == FIELDS
    assert all(found.values())


@pytest.mark.parametrize("measure", MEASURES)
def test_the_interval_is_of_the_kind_described(measure: str) -> None:
    # A single cluster has no bootstrap interval, and always a Wilson one.
    wilson = {row.low is not None for row in rows_of(measure, SMALLEST)}
    found = described(measure)
    assert wilson == {found["Interval"].startswith("Wilson")}
    assert found["Interval"].startswith(("Wilson", "Bootstrap"))
    assert found["Cluster"] == ("none" if wilson == {True} else "setting or match")


@pytest.mark.parametrize("measure", MEASURES)
def test_the_slices_are_those_described(measure: str) -> None:
    rows, slices = rows_of(measure, many()), described(measure)["Slices"]
    assert any(row.role is not None for row in rows) == ("by role" in slices)
    assert any(row.role is None for row in rows) == ("all roles" in slices)
    assert any(row.game is None for row in rows) == ("all games" in slices)
    assert any(row.game is not None and row.condition is None for row in rows)
    assert any(row.condition is not None for row in rows)


@pytest.mark.parametrize("measure", MEASURES)
def test_k_is_missing_just_where_the_description_says_so(measure: str) -> None:
    found = described(measure)
    said = "`k` is null" in found["Numerator"] or "there is no `k`" in found["Denominator"]
    if measure == "win_rate":  # in a role only
        assert {row.k is None for row in rows_of(measure, many()) if row.role} == {False}
        assert {row.k is None for row in rows_of(measure, many()) if not row.role} == {True}
        assert "Over roles there is no `k`" in found["Denominator"]
    else:
        assert {row.k is None for row in rows_of(measure, many())} == {said}


@pytest.mark.parametrize("measure", MEASURES)
def test_the_smallest_n_shown_is_the_one_described(measure: str) -> None:
    smallest = min(row.n for row in rows_of(measure, SMALLEST))
    assert described(measure)["Smallest n shown"] == f"{smallest:.0f}"


def test_the_fields_of_a_row_are_those_described() -> None:
    described_fields = [
        name
        for row in table_rows(section(DOCUMENT, "Rows"))
        for name in re.findall(r"`(\w+)`", row[0])
    ]
    assert described_fields == [field.name for field in fields(Row)]


def test_numbers_in_the_prose_are_those_of_the_code() -> None:
    assert f"{DRAWS:,} seeded draws" in section(DOCUMENT, "Intervals")
    assert described("deception")["Denominator"].startswith(f"{DECEPTION_SPAN};")

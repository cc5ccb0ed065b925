"""docs/measures.md describes every measure as the program computes it, and no other."""

import re
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from itertools import chain, product
from typing import get_args

import pytest

from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Answered, Covariates
from parlour.games.impostor import rules as impostor_rules
from parlour.games.impostor.counting import HALVES, SLICED
from parlour.games.mechanisms.exclusion import Exclusion
from parlour.games.mechanisms.over import MECHANISMS
from parlour.ratings.comparison.comparison import (
    ALPHA,
    FLIPS_IN_FAMILY,
    MOST_CONTRASTS,
    POWER,
    SIGN_FLIPS,
    Difference,
)
from parlour.ratings.measures.conditions import ALL_CONDITIONS
from parlour.ratings.measures.formulas import FOOLED_WEIGHT, TOLD_WEIGHT
from parlour.ratings.measures.measures import Row, measures
from parlour.ratings.reports.leaderboard import column_titles
from parlour.ratings.skill.strength import Strengths
from parlour.ratings.skill.strength_model import AGENT_SD, GAME_SD, POSITION_SD, ROLE_SD, strengths
from parlour.ratings.statistics.clusters import FEWEST_SETTINGS
from parlour.ratings.statistics.intervals import FEWEST_CLUSTERS, Z
from parlour.ratings.statistics.simultaneous import MOST_DEGREES, RANK_DRAWS
from tests.blocks import codes, section, table_rows, text_of
from tests.ratings.impostors import BLIND, impostor, played_impostor, season
from tests.ratings.pairs import pair_match, trust
from tests.ratings.records import (
    beliefs,
    chameleon,
    donation,
    drawn,
    met,
    numbered,
    own_role,
    played,
    played_donation,
    single_seats,
    undercover,
    vote,
)

DOCUMENT = "docs/measures.md"
FIELDS = [
    *("Estimand", "Unit", "Numerator", "Denominator", "Cluster", "Interval", "Slices"),
    *("Missing when", "Smallest n shown"),
]
MEASURES = re.findall(r"^### `(\w+)`$", text_of(DOCUMENT), re.MULTILINE)

AGREED = {"setting": "A + B + C", "rounds": 1, "shares": [30, 30, 40], "authors": [0]}
SPLIT = ("propose", 0, {"shares": [30, 30, 40]})
POINTS = {"setting": "points 1/1/1/1"}
POOL = {"setting": "multiplier 2", "contributed": [100, 100, 100], "share": 200}
CHOICE = ("choose", 0, {"action": "defect"})
OF_MECHANISMS = [*dict.fromkeys(chain.from_iterable(each.measures for each in MECHANISMS))]
COUNTED = [["", 1, 0, each.counter, 1] for each in OF_MECHANISMS]
LAYERED = {**POINTS, "mechanism": {"counted": COUNTED}}
GIFT = ("contribute", 0, {"amount": 100})
CLUE = Answered(1, "clue", 1, Seat(0), {"text": "it roars, has a mane and eats zebras"})
GIVEN = donation("pq", [met(0, 1, "cooperate", report="cooperate", tone="praising")], (-1, 5))
HUMMED = impostor("abcd", (1, 0, 0, 1), "impostor_guessed", declared=[0], clues=["it hums"] * 4)
JESTED = undercover("TUV", answers=[vote(0, 2)], number=12)
SMALLEST_MATCHES = [
    undercover(
        "xyz",
        answers=[
            *(vote(0, 1), own_role(0, "ordinary"), own_role(1, "special")),
            *(beliefs(0), beliefs(1, 0, 1, 0), beliefs(2)),
        ],
    ),
    undercover("uvw", answers=[vote(0, 1)], number=2),
    replace(
        GIVEN,
        number=3,
        outcome=replace(GIVEN.outcome, facts={**GIVEN.outcome.facts, "returns": [[-1, 5]]}),
    ),
    single_seats("cost_sharing", "klm", (70, 70, 60), AGREED, [SPLIT], number=4),
    single_seats("prisoners_dilemma", "hij", (1, 1, 1), POINTS, [CHOICE], number=5),
    single_seats("public_good", "efg", (0, 0, 0), POOL, [GIFT], number=6),
    replace(HUMMED, condition=BLIND, number=7),
    pair_match("investment", "st", [trust(0, 1, 5.0, 5.0, 7.5)], (2.5, 7.5), number=8),
    replace(chameleon("NLO", ending="caught"), number=9),
    single_seats("prisoners_dilemma", "QRS", (1, 1, 1), LAYERED, [CHOICE], number=10),
    replace(
        undercover("BCD", answers=[CLUE, beliefs(0, 1, 1, 1), beliefs(0, 0, 0, 0, ask=12)]),
        covariates=Covariates(words=("lion",) * 3),
        number=11,
    ),
    replace(JESTED, outcome=replace(JESTED.outcome, roles=("civilian", "undercover", "jester"))),
]
SMALLEST = measures(SMALLEST_MATCHES)
"""The least of everything: x has one vote, y one deduction due, u one answer, each one match.

p has one decision and one report, q one message; k agreed once, h and e decided once, s invested
and t returned once; each of a to d has one seat, Q counted once whatever mechanisms count; B gave
one clue. V was named once as the jester.
"""
SMALLEST_SEASON = measures(numbered(season("tbbbb")))
"""One vote that spares the team mate, a betrayal after it, and three more votes."""
OF_SEASONS = {"betrayal_rate", "trust_recovery", "vulnerability", "resilience"}
IN_EXPERIMENTS = {"trust_formation", *OF_SEASONS}
"""Their clusters are whole experiments."""
AREA_MATCHES = [
    undercover("xxx", answers=[vote(0, 1), own_role(0, "ordinary"), beliefs(0, 1, 1, 1)]),
    single_seats("cost_sharing", "xyz", (70, 70, 60), AGREED, [SPLIT], number=2),
    single_seats("prisoners_dilemma", "xyz", (1, 1, 1), POINTS, [CHOICE], number=3),
]
SMALLEST_AREA = measures(AREA_MATCHES)
"""The least with which x has all seven capabilities: three matches, one of them in two roles."""


MAGIC = ("undercover", "chameleon", "cost_sharing", "prisoners_dilemma", "public_good")


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
    gossip += [drawn("donation", "abab", seed, generations=2) for seed in range(12)]
    gossip += [drawn("investment", "ababa", seed) for seed in range(12)]
    seated = [
        drawn(name, "aba" if seed % 2 else "bab", seed) for name, seed in product(MAGIC, range(9))
    ]
    layered = [
        drawn("public_good", "aba", seed, mechanism=each.name)
        if each is Exclusion
        else drawn("reciprocity", "ababa", seed, mechanism=each.name)
        for each, seed in product(MECHANISMS, range(9))
    ]
    seated += [drawn("undercover", "abab", seed, players=4, jester=True) for seed in range(9)]
    clues = [replace(SMALLEST_MATCHES[-2], agents=tuple("aba")), *played_impostor()]
    return tuple(measures(numbered(words + gossip + seated + layered + clues)))


def least(measure: str) -> list[Row]:
    """The rows of a measure that rest on the least there can be."""
    if measure == "radar_area":
        return rows_of(measure, SMALLEST_AREA)
    return rows_of(measure, SMALLEST_SEASON if measure in OF_SEASONS else SMALLEST)


def rows_of(measure: str, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.measure == measure]


def test_every_measure_is_described_and_every_described_one_exists() -> None:
    assert sorted(MEASURES) == sorted({row.measure for row in many()})
    assert set(column_titles()) <= set(MEASURES)


@pytest.mark.parametrize("measure", MEASURES)
def test_each_description_is_complete(measure: str) -> None:
    description = described(measure)
    assert list(description) == FIELDS
    assert all(description.values())


@cache
def five_alike() -> tuple[Row, ...]:
    """The least of everything five times, so that all clusters agree."""
    seasons = [
        replace(match, experiment=f"{number} {match.experiment}")
        for number, match in product(range(5), season("tbbbb"))
    ]
    return tuple(measures(numbered(SMALLEST_MATCHES * 5 + seasons)))


@pytest.mark.parametrize("measure", MEASURES)
def test_the_interval_is_of_the_kind_described(measure: str) -> None:
    # Where all clusters agree there is no interval by t, and always a Wilson one.
    alike = five_alike() if measure != "radar_area" else measures(numbered(AREA_MATCHES * 5))
    rows = [row for row in rows_of(measure, alike) if row.se == 0]
    assert rows
    description = described(measure)
    kinds = {"Wilson": {True}, "t": {False}, "Wilson for credits, else t": {True, False}}
    assert {row.low is not None for row in rows} == kinds[description["Interval"]]
    cluster = "experiment" if measure in IN_EXPERIMENTS else "setting or observation"
    assert description["Cluster"].split(";")[0] == cluster
    assert (description["Cluster"] != cluster) == (measure == "impostor_win")


@pytest.mark.parametrize("measure", MEASURES)
def test_the_slices_are_those_described(measure: str) -> None:
    rows, slices = rows_of(measure, many()), described(measure)["Slices"]
    assert any(row.role is not None for row in rows) == ("by role" in slices)
    assert any(row.role is None for row in rows) == ("all roles" in slices)
    assert any(row.game is None for row in rows) == ("all games" in slices)
    by_game = not slices.endswith("all games only")
    assert any(row.game is not None and row.condition == ALL_CONDITIONS for row in rows) == by_game
    assert any(row.condition != ALL_CONDITIONS for row in rows) == by_game


@pytest.mark.parametrize("measure", MEASURES)
def test_k_is_missing_only_where_the_description_says_so(measure: str) -> None:
    description, rows = described(measure), rows_of(measure, many())
    said = (
        "`k` is null" in description["Numerator"] or "there is no `k`" in description["Denominator"]
    )
    if measure == "win_rate":  # in a role only
        assert {row.k is None for row in rows if row.role} == {False}
        assert {row.k is None for row in rows if not row.role and not row.game} == {True}
        assert "Over several roles there is no `k`" in description["Denominator"]
    elif measure in {"self_awareness", "self_awareness_extended"}:  # over both games
        of_two = [row for row in rows if not row.game and row.agent in "ab"]
        assert {row.k is None for row in rows if row.game} == {False}
        assert {row.k is None for row in of_two} == {True}
        assert re.search(
            r"(Over both games|another game) there is no `k`", description["Denominator"]
        )
    elif measure == "deception_raw":  # where a word was guessed
        assert {row.k is None for row in rows if row.game == "undercover"} == {False}
        assert {row.k is None for row in rows if row.game == "chameleon"} == {True}
        assert "With guesses there is no `k`" in description["Denominator"]
    else:
        assert {row.k is None for row in rows} == {said}


@pytest.mark.parametrize("measure", MEASURES)
def test_the_smallest_n_shown_is_the_one_described(measure: str) -> None:
    smallest = min(row.n for row in least(measure))
    assert described(measure)["Smallest n shown"] == f"{smallest:.0f}"


@pytest.mark.parametrize("column", ["Strength", "Rank"])
def test_strength_and_rank_are_described_like_a_measure(column: str) -> None:
    rows = [row for row in table_rows(section(DOCUMENT, column)) if row != ["", ""]]
    assert [row[0] for row in rows] == FIELDS
    assert all(text for _, text in rows)


def test_the_section_on_strength_agrees_with_the_program() -> None:
    prose, card = section(DOCUMENT, "Strength"), dict(table_rows(section(DOCUMENT, "Strength")))
    assert AGENT_SD == POSITION_SD
    assert GAME_SD == ROLE_SD
    assert f"deviations of {AGENT_SD:g} for agents and positions and of {GAME_SD:g}" in prose
    assert f"± {Z:.2f} of the model's own" in prose
    assert f"{RANK_DRAWS:,} seeded draws" in section(DOCUMENT, "Rank")
    assert f"(at most {MOST_DEGREES})" in section(DOCUMENT, "Rank")
    # One match is the least, and of one alone there are strengths by role only if two had it.
    least = strengths([undercover("xyz")])
    assert {each.matches for each in least.overall.values()} == {int(card["Smallest n shown"])}
    assert {role for _, role, _ in least.by_role} == {"civilian"}
    assert strengths([undercover("xxx")]) == Strengths()


def test_the_slices_of_a_match_of_impostor_are_those_described() -> None:
    table = table_rows(section(DOCUMENT, "Slices of a match of impostor"))
    given = [codes(row[1]) for row in table]
    modes = get_args(impostor_rules.Variant.model_fields["assignment"].annotation)
    seats = range(1, 5)
    assert given == [
        [*get_args(impostor_rules.Tier)],
        [*modes],
        [f"impostor is Player {seat}" for seat in seats],
        [f"impostor speaks in position {seat}" for seat in seats],
    ]
    for measure in SLICED.values():
        assert "slices of a match" in described(measure)["Slices"]
        computed = {row.role for row in rows_of(measure, many())} - {None, *HALVES}
        assert computed <= {*chain.from_iterable(given)}
        assert all(computed & {*each} for each in given)
    sliced = {name for name in MEASURES if "slices of a match" in described(name)["Slices"]}
    assert sliced == {*SLICED.values()}


def test_the_fields_of_a_row_are_those_described() -> None:
    names = [re.findall(r"`(\w+)`", row[0]) for row in table_rows(section(DOCUMENT, "Rows"))]
    assert list(chain.from_iterable(names)) == [field.name for field in fields(Row)]


def test_the_fields_of_a_difference_are_those_described() -> None:
    names = [codes(row[0]) for row in table_rows(section(DOCUMENT, "Comparing two agents"))]
    assert sorted(chain.from_iterable(names)) == sorted(field.name for field in fields(Difference))


def test_numbers_in_the_prose_on_comparisons_are_those_of_the_code() -> None:
    text = section(DOCUMENT, "Comparing two agents")
    assert f"at least {FEWEST_SETTINGS} settings" in text
    assert f"{SIGN_FLIPS:,} seeded ones, or {FLIPS_IN_FAMILY} for each difference" in text
    assert 2**13 <= SIGN_FLIPS < 2**14  # "at most 13 clusters"
    assert f"{ALPHA} / (size of the family)" in text
    assert f"t({POWER})" in text
    assert MOST_CONTRASTS == 2  # "two for each measure"


def test_numbers_in_the_prose_are_those_of_the_code() -> None:
    assert f"at least {FEWEST_SETTINGS} different settings" in section(DOCUMENT, "Intervals")
    assert f"Fewer than {FEWEST_CLUSTERS} clusters" in section(DOCUMENT, "Intervals")
    weights = f"{TOLD_WEIGHT} of the rate in chameleon and {1 - TOLD_WEIGHT} of that"
    assert weights in described("self_awareness")["Numerator"]
    assert f"{FOOLED_WEIGHT} times" in described("deception_raw")["Numerator"]

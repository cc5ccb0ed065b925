"""Profiles side by side: the gain in radar area, and one value of each capability everywhere."""

import csv
import io
from itertools import product
from math import pi, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.engine.record import MatchRecord
from parlour.ratings.comparison.comparison import compare
from parlour.ratings.measures.capabilities import CAPABILITIES, DEFINITIONS, definitions
from parlour.ratings.measures.formulas import Profile, profile
from parlour.ratings.measures.measures import measures
from parlour.ratings.reports.agent import agent_report, page
from parlour.ratings.reports.leaderboard import Leaderboard
from parlour.ratings.reports.leaderboard_report import leaderboard_report
from parlour.ratings.reports.ranking import leaderboard
from parlour.ratings.reports.writers import WRITERS
from tests.ratings.records import drawn, numbered
from tests.ratings.test_magic import AREAS, TABLE_1

WHOLE = 7 / 2 * sin(2 * pi / 7)
"""The area of an agent whose capabilities are all 1: 2.736."""
MAGIC = ("chameleon", "undercover", "cost_sharing", "prisoners_dilemma", "public_good")


def of_rates(*rates: float) -> Profile:
    return profile([np.array([rate]) for rate in rates])


@pytest.mark.parametrize("name", AREAS)
def test_the_seven_scores_of_the_paper_have_its_areas(name: str) -> None:
    judgment, reasoning, deception, awareness, *rest = (v / 100 for v in TABLE_1[name])
    # Own roles of both kinds of game at the same rate give that rate.
    of_paper = of_rates(judgment, reasoning, deception, awareness, awareness, *rest)
    assert [float(value[0]) for value in of_paper.capabilities] == pytest.approx(
        [v / 100 for v in TABLE_1[name]]
    )
    assert round(float(of_paper.radar_area[0]), 3) == AREAS[name]


def test_own_roles_of_one_kind_of_game_are_enough_and_any_other_gap_is_none() -> None:
    assert of_rates(1, 1, 1, 1, np.nan, 1, 1, 1).radar_area[0] == pytest.approx(WHOLE)
    assert of_rates(1, 1, 1, np.nan, 1, 1, 1, 1).radar_area[0] == pytest.approx(WHOLE)
    assert np.isnan(of_rates(1, np.nan, 1, 1, 1, 1, 1, 1).radar_area[0])


def season(*names: str) -> list[MatchRecord]:
    """x and y in each other's place on eight settings of these games; x alone blunders."""
    return numbered(
        drawn(name, order, seed, 0.6 if order == "yxy" and seed % 2 else 0.05)
        for name, seed, order in product(names, range(8), ("xyx", "yxy"))
    )


def test_seen_from_the_other_agent_only_the_sign_changes() -> None:
    one, other = (compare(season(*MAGIC), *names) for names in ("xy", "yx"))
    gain, opposite = one.gain, other.gain
    assert gain.value == gain.one - gain.other == -opposite.value != 0
    assert (gain.one, gain.other) == (opposite.other, opposite.one)
    ends = (gain.low, gain.high, opposite.low, opposite.high)
    assert None not in ends
    assert ends[:2] == (-ends[3], -ends[2])  # type: ignore[operator]
    assert gain.low < gain.value < gain.high  # type: ignore[operator]
    # The two matches on each of eight settings of all five games hang together.
    assert gain.clusters == 5 * 8
    assert one.missing == other.missing == ()


def test_the_order_of_the_matches_does_not_matter() -> None:
    matches = season(*MAGIC)
    assert compare(matches[::-1], "x", "y").gain == compare(matches, "x", "y").gain


def test_the_gain_is_of_the_usual_family_alone_and_what_it_lacks_is_named() -> None:
    asked = compare(season(*MAGIC), "x", "y", ["judgment"])
    assert (asked.gain, asked.missing, asked.capabilities) == (None, (), ())
    comparison = compare(season(*MAGIC[:2], "public_good"), "x", "y")
    assert (comparison.gain, comparison.missing) == (None, ("cooperation", "coordination"))


def shown(board: Leaderboard, agent: str) -> dict[str, float | None]:
    """The seven and the area as the leaderboard has them."""
    (standing,) = [each for each in board.by("overall") if each.agent == agent]
    cells = standing.measures
    return {
        name: cells[name].value if name in cells else None for name in (*CAPABILITIES, "radar_area")
    }


casts = st.sampled_from(["xyx", "yxy", "xyy", "yyx", "xxx", "zxy"])


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(MAGIC), casts, st.integers(0, 40), st.sampled_from([0.0, 0.2])),
        max_size=10,
    )
)
def test_the_seven_and_the_area_are_the_same_to_the_last_digit_wherever_they_stand(
    drawn_matches: list[tuple[str, str, int, float]],
) -> None:
    always = [(name, cast, 1, 0.0) for name, cast in product(MAGIC, ("xyx", "yxy"))]
    records = numbered(drawn(*each) for each in [*always, *drawn_matches])
    board = leaderboard(records)
    rows = {(row.agent, row.measure): row.value for row in measures(records) if row.game is None}
    comparison = compare(records, "x", "y")
    body = leaderboard_report(board, "overall").body
    for agent, side in (("x", "one"), ("y", "other")):
        expected = shown(board, agent)
        assert {name: rows.get((agent, name)) for name in expected} == expected
        compared = {each.measure: getattr(each, side) for each in comparison.capabilities}
        area = None if comparison.gain is None else getattr(comparison.gain, side)
        assert compared | {"radar_area": area} == expected
        on_page = dict(zip(CAPABILITIES, page(board, agent).capabilities, strict=True))
        assert on_page == {name: expected[name] for name in CAPABILITIES}
        exported = agent_report(page(board, agent))
        written = csv.DictReader(io.StringIO(WRITERS["csv"](exported)))
        in_file = {row["measure"]: row["value"] for row in written if not row["game"]}
        for name, value in expected.items():
            assert (float(in_file[name]) if name in in_file else None) == value
        (standing,) = [each for each in body["standings"] if each["agent"] == agent]
        for name, value in expected.items():
            cell = standing["measures"].get(name)
            assert (cell and cell["value"]) == value


@pytest.mark.parametrize(
    ("games", "defined"),
    [
        (("undercover",), ["deception"]),
        (("impostor",), ["deception"]),
        (("cost_sharing",), ["coordination"]),
        (("public_good",), []),
        (("cost_sharing", "chameleon"), ["deception", "coordination"]),
    ],
)
def test_a_leaderboard_defines_the_capabilities_that_it_shows(
    games: tuple[str, ...], defined: list[str]
) -> None:
    casts = product(games, ("xyxy", "yxyx"))
    matches = [drawn(name, cast[: 4 if name == "impostor" else 3], 1) for name, cast in casts]
    board = leaderboard(numbered(matches))
    (standing, *_) = board.by("overall")
    shown = [name for name in DEFINITIONS if name in standing.measures]
    assert shown == defined
    words = definitions(shown)
    report = leaderboard_report(board, "overall")
    assert [name for name in DEFINITIONS if DEFINITIONS[name] in words] == defined
    assert (words in report.notes) == bool(defined)
    assert report.body["definitions"] == words  # type: ignore[index]
    assert Leaderboard.from_json(board.to_json()).definitions == words

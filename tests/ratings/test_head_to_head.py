"""Head to head: who came out above whom, counted by hand; then the matrix in its forms."""

import csv
import io
import json
from dataclasses import replace
from itertools import product

import pytest

from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.moves import Outcome
from parlour.games.engine.record import MatchRecord
from parlour.ratings.reports.head_to_head import both_ways, meetings
from parlour.ratings.reports.leaderboard import Leaderboard, Meeting
from parlour.ratings.reports.matrix import Matrix, matrix, matrix_report, matrix_table
from parlour.ratings.reports.ranking import leaderboard
from parlour.ratings.reports.writers import WRITERS
from parlour.ratings.statistics.intervals import wilson
from tests.ratings.records import dilemma, negotiation, numbered, undercover


def lines(matrix: Matrix) -> list[list[str]]:
    return matrix_table(matrix).rows


def titles(matrix: Matrix) -> list[str]:
    return matrix_table(matrix).titles


def as_text(matrix: Matrix, form: str) -> str:
    return WRITERS[form](matrix_report(matrix))


PAID = Outcome("over", (9, 1, 5, 4, 99), ("player",) * 5, ("players",) * 5)
"""Payoffs of five seats."""


def counted(*records: MatchRecord) -> dict[tuple[str | None, str, str], tuple[int, int, int]]:
    return {
        (m.game, m.agent, m.other): (m.wins, m.draws, m.losses) for m in meetings(numbered(records))
    }


def test_in_a_game_of_sides_those_on_different_sides_met_and_nobody_else() -> None:
    # Seat 1 is the undercover: y, then z, against the two others.
    results = counted(
        undercover("xyz", 1, "caught"),  # x and z above y
        undercover("xyz", 1, "escaped"),  # y above both
        undercover("xzy", 1, "tie"),  # z level with x and y
    )
    expected = {("x", "y"): (1, 0, 1), ("x", "z"): (0, 1, 0), ("y", "z"): (1, 1, 1)}
    overall = {(None, *pair): counts for pair, counts in expected.items()}
    in_game = {("undercover", *pair): counts for pair, counts in expected.items()}
    assert results == overall | in_game


def test_an_agent_on_both_sides_plays_for_the_one_where_it_has_more_seats() -> None:
    # x holds the undercover (all of that side) and one of two civilians: it plays as undercover.
    assert counted(undercover("xxy", 0, "escaped"))[None, "x", "y"] == (1, 0, 0)
    assert counted(undercover("xxx", 0, "escaped")) == {}


def test_in_a_game_of_payoffs_the_higher_mean_payoff_wins() -> None:
    # x earns (9 + 1) / 2 = 5 over its seats, y 5, z 4; what the rules' own seat earns is nobody's.
    agents = ("x", "x", "y", "z", BUILT_IN)
    results = counted(replace(dilemma("xyz", ["CCC"], (0, 0, 0)), agents=agents, outcome=PAID))
    assert results["prisoners_dilemma", "x", "y"] == (0, 1, 0)
    assert results["prisoners_dilemma", "x", "z"] == (1, 0, 0)
    assert results["prisoners_dilemma", "y", "z"] == (1, 0, 0)
    assert len(results) == 6  # the same three over all games


def test_a_game_without_winners_has_no_meetings() -> None:
    assert counted(negotiation("xyz", [[[40, 30, 30]] * 3], [40, 30, 30])) == {}


def test_games_are_counted_apart_and_together() -> None:
    results = counted(
        undercover("xyx", 1, "caught"),
        undercover("xyx", 1, "caught"),
        dilemma("xyx", ["CDC"], (1, 3, 1)),
    )
    assert results["undercover", "x", "y"] == (2, 0, 0)
    assert results["prisoners_dilemma", "x", "y"] == (0, 0, 1)
    assert results[None, "x", "y"] == (2, 0, 1)


def test_a_share_counts_draws_half_and_is_swapped_round_for_the_other() -> None:
    meeting = Meeting(None, "x", "y", 3, 2, 5, 10)
    assert (meeting.n, meeting.share) == (10, 0.4)  # (3 + 1) / 10
    # Wilson, 4 of 10: (0.4 + 1.96²/20 ± 1.96 √(0.024 + 1.96²/400)) / (1 + 1.96²/10).
    assert meeting.ends == pytest.approx((0.1682, 0.6873), abs=1e-4)
    swapped = meeting.swapped()
    assert (swapped.agent, swapped.other, swapped.share) == ("y", "x", 0.6)
    assert swapped.ends[0] == pytest.approx(1 - meeting.ends[1])
    both = both_ways([meeting], None)
    assert both == {("x", "y"): meeting, ("y", "x"): swapped}
    assert both_ways([meeting], "undercover") == {}


def on_twenty_settings(ending: str) -> Meeting:
    """Three matches on each: "caught" on half of the settings, ``ending`` on the others."""
    records = [
        replace(undercover("xyx", 1, ending if setting % 2 else "caught"), setting=str(setting))
        for setting, _ in product(range(20), range(3))
    ]
    return meetings(numbered(records))[0]


def test_matches_on_one_setting_carry_less_information_than_on_many() -> None:
    """On 20 settings, x wins all three matches of half of them and loses the others."""
    meeting = on_twenty_settings("escaped")
    assert (meeting.wins, meeting.n) == (30, 60)
    # Residuals ± 1.5: 20/19 × 20 × 2.25 = 900/19 between, 60/59 × 60 / 4 = 900/59 of single ones;
    # and t of 59 over t of 19 degrees of freedom, 2.0010 / 2.0930, squared.
    assert meeting.trials == pytest.approx(60 * 19 / 59 * (2.000995 / 2.093024) ** 2, rel=1e-5)
    assert meeting.ends == pytest.approx(wilson(meeting.trials / 2, meeting.trials)[1:])


def test_draws_count_as_half_wins_in_the_variance_between_settings() -> None:
    """On 20 settings, x wins all three matches of half of them and draws the others."""
    meeting = on_twenty_settings("tie")
    assert (meeting.wins, meeting.draws, meeting.share) == (30, 30, 0.75)
    # Residuals ± .75: 20/19 × 20 × 9/16 = 225/19 between, 60/59 × 60 × 3/16 = 675/59 of single
    # ones: 60 matches are worth 60 × 675/59 × 19/225 trials, less by t as above.
    assert meeting.trials == pytest.approx(60 * 57 / 59 * (2.000995 / 2.093024) ** 2, rel=1e-5)
    assert meeting.ends == pytest.approx(wilson(0.75 * meeting.trials, meeting.trials)[1:])


def board() -> Leaderboard:
    """x above y in three of four, z in nothing but an agreement with both."""
    return leaderboard(
        numbered(
            [
                *[undercover("xyx", 1, "caught")] * 2,
                undercover("yxy", 1, "escaped"),
                undercover("yxy", 1, "caught"),
                dilemma("xyx", ["CDC"], (1, 3, 1)),
                negotiation("xyz", [[[40, 30, 30]] * 3], [40, 30, 30]),
            ]
        )
    )


def test_a_leaderboard_keeps_the_meetings_when_it_is_stored() -> None:
    three_agents = board()
    assert len(three_agents.meetings) == 3
    assert Leaderboard.from_json(three_agents.to_json()) == three_agents


def test_the_matrix_lists_agents_best_first_and_marks_the_diagonal() -> None:
    three_agents = board()
    shown = matrix(three_agents, "undercover")
    assert titles(shown) == ["#", "Agent", "1 x", "2 y"]
    few = "[too few]"
    assert lines(shown) == [["1", "x", "·", f"0.75 (4) {few}"], ["2", "y", f"0.25 (4) {few}", "·"]]
    assert [row[2:] for row in lines(matrix(three_agents, None))] in (
        [["·", f"0.60 (5) {few}"], [f"0.40 (5) {few}", "·"]],
        [["·", f"0.40 (5) {few}"], [f"0.60 (5) {few}", "·"]],
    )
    many = replace(shown, meetings={("x", "y"): Meeting(None, "x", "y", 3, 2, 5, 10)})
    assert lines(many)[0][3] == "0.40 (10) [0.17, 0.69]"


def test_agents_that_never_met_have_a_dash() -> None:
    apart = leaderboard(numbered([undercover("xyx"), undercover("zyz"), undercover("xyx")]))
    shown = matrix(apart, None)
    by_agent = {row[1]: dict(zip(shown.agents, row[2:], strict=True)) for row in lines(shown)}
    assert by_agent["x"] == {"x": "·", "y": "1.00 (2) [too few]", "z": "–"}


def test_csv_and_json_have_every_pair_both_ways_with_counts_and_interval() -> None:
    shown = matrix(board(), "undercover")
    rows = list(csv.DictReader(io.StringIO(as_text(shown, "csv"))))
    first = {
        key: rows[0][key] for key in ("game", "agent", "other", "wins", "draws", "losses", "n")
    }
    assert list(first.values()) == ["undercover", "x", "y", "3", "0", "1", "4"]
    assert float(rows[0]["share"]) == 0.75
    assert rows[0]["low"] == ""  # four matches are too few
    body = json.loads(as_text(shown, "json"))
    assert body["agents"] == ["x", "y"]
    assert [(p["agent"], p["wins"], p["high"]) for p in body["pairs"]] == [
        ("x", 3, None),
        ("y", 1, None),
    ]


def test_a_narrow_matrix_has_a_row_a_pair_with_the_interval_of_its_share() -> None:
    narrow = matrix_table(matrix(board(), "undercover")).narrow
    assert narrow.titles == ["Agent", "Against", "Share", "Matches", "Won-drawn-lost"]
    assert narrow.rows == [
        ["x", "y", "0.750 [too few]", "4", "3-0-1"],
        ["y", "x", "0.250 [too few]", "4", "1-0-3"],
    ]


def test_names_are_inert_in_csv_and_escaped_in_markdown_and_latex() -> None:
    shown = matrix(leaderboard(numbered([undercover(["=x|1", "y_&", "=x|1"], 1)])), None)
    assert "'=x|1,y_&" in as_text(shown, "csv")
    assert "| 1 | =x\\|1 | · | 1.00 (1) \\[too few\\] |" in as_text(shown, "md")
    assert r"2 & y\_\& & 0.00 (1) [too few] & · \\" in as_text(shown, "latex")
    assert as_text(shown, "md").endswith(
        "Games: all games with winners. Too few: fewer than five clusters in a game.\n"
    )


def test_the_matches_may_come_in_any_order() -> None:
    cases = product(range(3), ("tie", "caught"))
    records = [undercover("xyz", seat, ending) for seat, ending in cases]
    assert meetings(records) == meetings(
        [replace(record, number=1) for record in reversed(records)]
    )

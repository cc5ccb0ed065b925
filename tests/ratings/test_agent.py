"""The page of an agent and its report; the figures are those of the leaderboard."""

import csv
import io
import json

from parlour.games.common.forms import NOTHING
from parlour.ratings.measures.capabilities import CAPABILITIES
from parlour.ratings.reports.agent import agent_report, overall_rank, page, tables
from parlour.ratings.reports.cells import counts, rank
from parlour.ratings.reports.leaderboard import Cell, Leaderboard
from parlour.ratings.reports.ranking import leaderboard
from parlour.ratings.reports.report import Report
from parlour.ratings.reports.writers import as_csv, as_json, as_latex, as_markdown
from tests.ratings.records import numbered, undercover, vote

Y = "y_|&"


def board() -> Leaderboard:
    """x, a civilian in two seats, catches y twice and misses with one vote of four; y catches x."""
    right = [vote(0, 1), vote(1, 0), vote(2, 1)]
    matches = [
        undercover(["x", Y, "x"], 1, "caught", right),
        undercover(["x", Y, "x"], 1, "caught", [vote(0, 1), vote(1, 0), vote(2, 0)]),
        undercover([Y, "x", Y], 1, "caught", right),
    ]
    return leaderboard(numbered(matches))


def report(agent: str) -> Report:
    return agent_report(page(board(), agent))


def test_the_seven_capabilities_have_a_line_each_with_a_dash_for_what_was_not_measured() -> None:
    shown = page(board(), "x")
    capabilities = tables(shown)[0]
    assert [row[1] for row in capabilities.rows] == [
        *("Judgment", "Reasoning", "Deception", "Self-awareness"),
        *("Cooperation", "Coordination", "Rationality", "Radar area"),
    ]
    lines = {row[1]: row[2:] for row in capabilities.rows}
    # Three of the four votes of a civilian, in too few matches for an interval.
    assert lines["Judgment"] == ["0.750 [too few]", "3/4"]
    assert lines["Deception"][1] == "0/1"  # once undercover, and caught
    for missing in ("Reasoning", "Cooperation", "Rationality", "Radar area"):
        assert lines[missing] == [NOTHING, NOTHING]
    assert shown.capabilities == [0.75, None, 0.0, None, None, None, None]
    assert len(shown.capabilities) == len(CAPABILITIES)


def test_games_are_followed_by_their_roles_with_win_rate_and_faults() -> None:
    rows = tables(page(board(), "x"))[1].rows
    assert [row[:2] for row in rows] == [
        ["all", "all"],
        ["undercover", "all"],
        ["undercover", "civilian"],
        ["undercover", "undercover"],
    ]
    matches = tables(page(board(), "x"))[1].titles.index("Matches")
    assert [row[matches] for row in rows] == ["3", "3", "2", "1"]
    won, faults = 3, 4
    assert rows[2][won].startswith("1.000")  # caught both times
    assert rows[3][won].startswith("0.000")
    # Two votes a match as civilian, one as undercover, and none of them a fault.
    assert [row[faults] for row in rows] == ["0/5", "0/5", "0/4", "0/1"]


def test_head_to_head_is_as_the_agent_sees_it() -> None:
    (line,) = tables(page(board(), "x"))[2].rows
    assert line == [Y, "0.667 [too few]", "3", "2-0-1"]
    (line,) = tables(page(board(), Y))[2].rows
    assert [line[0], line[3]] == ["x", "1-0-2"]


def test_the_rank_on_the_page_is_that_of_the_leaderboard() -> None:
    two_agents = board()
    ranks = [rank(standing.strength) for standing in two_agents.by("overall")]
    assert [overall_rank(two_agents, each.agent) for each in two_agents.by("overall")] == [
        f"rank {each} of 2" for each in ranks
    ]
    assert overall_rank(two_agents, "nobody") == "rank – of 2"


def test_an_agent_without_matches_has_an_empty_page() -> None:
    shown = page(board(), "nobody")
    assert (shown.standings, shown.capabilities) == ((), [None] * 7)
    assert [len(table.rows) for table in tables(shown)] == [8, 0, 0]
    # Counts are k of n, or the matches behind a mean.
    assert counts(Cell(0.5, 12.0, 6.0, None, None)) == "6/12"
    assert counts(Cell(0.5, 1234567.0, 1234566.0, None, None)) == "1234566/1234567"
    assert counts(Cell(0.5, 12.0, None, None, None)) == "of 12"
    assert counts(None) == NOTHING


def test_csv_has_a_line_a_measure_and_one_for_each_agent_met() -> None:
    two_agents = board()
    rows = list(csv.DictReader(io.StringIO(as_csv(report("x")))))
    (x,) = (standing for standing in two_agents.by("overall") if standing.agent == "x")
    cell = x.measures["judgment"]
    (judged,) = [row for row in rows if row["measure"] == "judgment" and not row["game"]]
    values = [float(judged[field]) for field in ("value", "k", "n")]
    assert values == [cell.value, cell.k, cell.n]
    assert (judged["low"], judged["high"]) == ("", "")  # too few
    (met,) = [row for row in rows if row["other"]]
    values = [met[field] for field in ("agent", "other", "measure", "k", "n")]
    assert values == ["x", Y, "share", "2.0", "3"]


def test_json_is_pure_and_has_the_standings_and_the_meetings() -> None:
    body = json.loads(as_json(report(Y)))
    assert body["agent"] == Y
    assert [(each["game"], each["role"]) for each in body["standings"]] == [
        (None, None),
        ("undercover", None),
        ("undercover", "civilian"),
        ("undercover", "undercover"),
    ]
    assert body["head_to_head"][0]["wins"] == 1


def test_markdown_and_latex_escape_names_and_have_all_three_tables() -> None:
    markdown, latex = as_markdown(report(Y)), as_latex(report(Y))
    assert markdown.startswith("# y\\_\\|&\n\n## Capabilities\n\n| # | Capability |")
    assert latex.startswith(
        "\\section*{y\\_|\\&}\n\\subsection*{Capabilities}\n\\begin{tabular}{llll}"
    )
    for text in (markdown, latex):
        assert all(heading in text for heading in ("Games and roles", "Head to head"))
    hostile = leaderboard([undercover(["=1", "y", "=1"])])
    assert "\n'=1," in as_csv(agent_report(page(hostile, "=1")))

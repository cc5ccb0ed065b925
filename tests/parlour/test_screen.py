"""Tables on the screen: on a narrow one, whole columns go rather than parts of numbers."""

import re

import pytest

from parlour.cli.console_tables import show
from parlour.ratings.reports.leaderboard import Cell, Leaderboard, Standing
from parlour.ratings.reports.leaderboard_report import leaderboard_report
from parlour.ratings.reports.report import Report
from parlour.ratings.skill.strength import Strength
from parlour.ratings.statistics.intervals import Interval
from parlour.tournament.reports.conduct import Conduct, conduct_report


def board(agent: str = "Ann [a]") -> Leaderboard:
    measures = {
        name: Cell(0.125, 8, 1, 0.023, 0.471)
        for name in ("win_rate", "judgment", "reasoning", "deception", "self_awareness")
    }
    strength = Strength(0.25, 0.1, 0.054, 0.446, 80, 1, 2)
    standing = Standing(None, None, agent, 80, strength, 26.5, 1.5, 22.0, measures)
    return Leaderboard((standing,), 80, 0, {"undercover": "match"})


CONDUCT = Conduct(
    "Ann [a]",
    answers=1234,
    faults={"illegal": 12, "empty": 3},
    calls=1250,
    prompt_tokens=1_234_567,
    completion_tokens=98_765,
    dollars=1.5,
    latency=(1.25, 3.5),
    interval=Interval(0.005, 0.004, 0.021),
)
REPORTS = {
    "leaderboard": leaderboard_report(board(), "overall"),
    "conduct": conduct_report([CONDUCT]),
}
ALWAYS = {
    "leaderboard": ("Ann [a]", "0.25 [0.05, 0.45]", "22.00", "0.125"),
    "conduct": ("Ann [a]", "1234", "1.5000"),
}
"""Texts of the row that stay at 60 columns; a bracket in a name is not an interval."""


def shown(
    report: Report,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    columns: int,
) -> list[str]:
    """The lines that a terminal of that width gets."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    show(report)
    without_colours = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    return without_colours.splitlines()


@pytest.mark.parametrize("columns", [70, 80, 100, 120, 140, 200])
@pytest.mark.parametrize("kind", REPORTS)
def test_every_number_shown_is_whole_and_what_is_left_out_is_said(
    kind: str, columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = shown(REPORTS[kind], capsys, monkeypatch, columns)
    assert all(len(line) <= columns for line in lines)
    assert not any("…" in line for line in lines)
    titles = next(line for line in lines if "Agent" in line)
    row = next(line for line in lines if "Ann" in line)
    for words in ALWAYS[kind]:
        assert f" {words} " in row
    text = " ".join(" ".join(lines).split())
    left_out = text.partition("Columns left out: ")[2].partition(". --format")[0].split(", ")
    assert (left_out == [""]) == (columns == 200)
    for title in REPORTS[kind].tables[0].titles:
        assert (f" {title} " in titles) != (title in left_out), title
    interval = {"leaderboard": "[0.023, 0.471]", "conduct": "[0.004, 0.021]"}[kind]
    assert (interval in row) != ("intervals" in left_out)


def test_strength_rating_and_win_rate_stay_on_the_narrowest_screen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = shown(REPORTS["leaderboard"], capsys, monkeypatch, 40)
    titles = next(line for line in lines if "Agent" in line)
    for title in ("Strength", "Rating", "Win rate"):
        assert title in titles


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        (None, "No match is finished yet.\n"),
        (0, "No match is finished yet.\n"),
        (2, "No match is left: 2 matches had a fault, and no other match is finished.\n"),
    ],
)
def test_where_no_line_is_left_it_says_why(
    left_out: int | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show(leaderboard_report(Leaderboard((), 0, 0, {}, left_out), "overall"))
    assert capsys.readouterr().out == said

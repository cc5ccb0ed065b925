"""Tables on the screen: on a narrow one, columns go below others."""

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
def test_every_number_is_shown_whole_below_others_on_a_narrow_screen(
    kind: str, columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = shown(REPORTS[kind], capsys, monkeypatch, columns)
    assert all(len(line) <= columns for line in lines)
    assert not any("…" in line for line in lines)
    titles = [f" {line} " for line in lines if "Agent " in line]
    rows = [f" {line} " for line in lines if "Ann [a]" in line]
    assert len(titles) == len(rows)
    assert (len(titles) == 1) == (columns == 200)
    table = REPORTS[kind].tables[0]
    for words, text in zip(table.titles, table.rows[0], strict=True):
        ((title, row),) = [pair for pair in zip(titles, rows, strict=True)
                           if f" {words} " in pair[0]][:1]  # fmt: skip
        assert f" {text} " in row, (title, row)


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

"""Tables on the screen: on a narrow one, whole columns go rather than parts of numbers."""

import re

import pytest

from parlour.cli.report_tables import print_conduct, print_leaderboard
from parlour.ratings.reports.leaderboard import Cell, Leaderboard, Standing
from parlour.ratings.reports.leaderboard_report import leaderboard_table
from parlour.ratings.skill.strength import Strength
from parlour.ratings.statistics.intervals import Interval
from parlour.tournament.reports.conduct import Conduct, conduct_table


def board(agent: str = "Ann [a]") -> Leaderboard:
    measures = {
        name: Cell(0.125, 8, 1, 0.023, 0.471)
        for name in ("win_rate", "judgment", "reasoning", "deception", "self_awareness")
    }
    strength = Strength(0.25, 0.1, 0.054, 0.446, 80, 1, 2)
    standing = Standing(None, None, agent, 80, strength, 26.5, 1.5, 22.0, measures)
    return Leaderboard((standing,), 80, 0, {"undercover": "match"})


def shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> list[str]:
    """The lines that a terminal of that width gets."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    print_leaderboard(board(), "overall")
    without_colours = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    return without_colours.splitlines()


@pytest.mark.parametrize("columns", [60, 80, 100, 120, 140, 200])
def test_every_number_shown_is_whole(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = shown(capsys, monkeypatch, columns)
    assert all(len(line) <= columns for line in lines)
    assert not any("…" in line for line in lines)
    row = next(line for line in lines if "Ann" in line)
    assert " Ann [a] " in row  # a bracket in a name is not an interval
    assert " 0.25 [0.05, 0.45] " in row
    assert " 22.00 " in row
    assert " 0.125 " in row


def test_what_is_left_out_is_said_and_what_is_not_is_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for columns in (60, 80, 100, 120, 200):
        lines = shown(capsys, monkeypatch, columns)
        titles = next(line for line in lines if "Agent" in line)
        text = " ".join(" ".join(lines).split())
        left_out = text.partition("Columns left out: ")[2].partition(". --format")[0].split(", ")
        for title in leaderboard_table(board(), "overall").titles:
            assert (title in titles) != (title in left_out), f"{title} at {columns} columns"
        assert any("[0.023, 0.471]" in line for line in lines) != ("intervals" in left_out)


def test_strength_rating_and_win_rate_stay_on_the_narrowest_screen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    titles = next(line for line in shown(capsys, monkeypatch, 40) if "Agent" in line)
    assert "Strength" in titles
    assert "Rating" in titles
    assert "Win rate" in titles


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
    print_leaderboard(Leaderboard((), 0, 0, {}, left_out), "overall")
    assert capsys.readouterr().out == said


@pytest.mark.parametrize("columns", [80, 100, 120, 200])
def test_conduct_keeps_names_and_numbers_whole_and_says_what_is_left_out(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    conduct = Conduct(
        "Anneliese",
        answers=1234,
        faults={"illegal": 12, "empty": 3},
        calls=1250,
        prompt_tokens=1_234_567,
        completion_tokens=98_765,
        dollars=1.5,
        latency=(1.25, 3.5),
        interval=Interval(0.005, 0.004, 0.021),
    )
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    table = conduct_table([conduct])
    print_conduct(table)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert all(len(line) <= columns for line in lines)
    text = " ".join(" ".join(lines).split())
    left_out = text.partition("Columns left out: ")[2].partition(". --format")[0].split(", ")
    assert (left_out == [""]) == (columns == 200)
    titles = next(line for line in lines if "Agent" in line)
    row = next(line for line in lines if "Anneliese" in line)
    assert " 1234 " in row
    assert " 1.5000 " in row
    assert ("[0.004, 0.021]" in row) == ("intervals" not in left_out)
    for title in table.titles:
        assert (f" {title} " in titles) == (title not in left_out), title

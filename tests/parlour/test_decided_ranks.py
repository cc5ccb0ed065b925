"""Decided ranks of adaptive saves: the same in every format; and notes wrapped for the screen."""

import csv
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import parlour as package
from parlour.cli.console_tables import print_note
from parlour.site.site import Site
from parlour.site.source import read_source
from parlour.tournament.reports.leaderboards import decided_ranks
from parlour.tournament.save.reader import Save
from tests.tournaments import SMALL, environment, finished, parlour, printed, printed_json

LADDER = SMALL.replace("seed = 7", 'seed = 7\nschedule = "adaptive"\nmatches = 200')


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished adaptive tournament, in which the order of some agents is decided."""
    return finished(tmp_path_factory.mktemp("decided"), LADDER)


@pytest.fixture(scope="module")
def expected(ladder: Path) -> dict[str, dict[str, Any]]:
    """The rank, score, interval and n of each agent as text of full precision."""
    with Save(ladder) as save:
        ranks = decided_ranks(save)
    return {
        place.agent: {
            "decided_rank": place.rank,
            "decided_last_rank": place.last_rank,
            "decided_score": place.score,
            "decided_score_n": place.rounds,
            "decided_score_low": place.low,
            "decided_score_high": place.high,
        }
        for place in ranks.places
    }


def test_json_has_ranks_scores_and_pairs(
    ladder: Path, expected: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    body = printed_json("leaderboard", ladder, cwd=tmp_path)["decided"]
    agents = {own.pop("agent"): own for own in body.pop("agents")}
    assert agents == expected
    assert list(agents) == list(expected)
    assert (body["pairs"], body["error"], body["level"]) == (3, 0.05, 0.95)
    assert 0 <= body["pairs_decided"] <= 3
    assert body["stop"]


def test_csv_and_data_frames_have_them_beside_each_agent(
    ladder: Path, expected: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    text = printed("leaderboard", ladder, "--format", "csv", cwd=tmp_path)
    frame = package.open(ladder).leaderboard().set_index("agent")
    assert frame.columns.is_unique
    for row in csv.DictReader(StringIO(text)):
        own = expected[row["agent"]]
        assert {name: float(row[name]) for name in own} == own
        assert {name: frame.loc[row["agent"], name] for name in own} == own
    for by in ("game", "role", "condition"):
        rows = printed("leaderboard", ladder, "--by", by, "--format", "csv", cwd=tmp_path)
        assert "decided_rank" not in rows


def test_markdown_and_the_site_have_the_table(
    ladder: Path, expected: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    markdown = printed("leaderboard", ladder, "--format", "md", cwd=tmp_path)
    assert "## Decided ranks" in markdown
    page = (Site(read_source(ladder)).page("data/") or b"").decode()
    section = page[page.index('<section id="decided"') : page.index('<section id="capabilities"')]
    for own in expected.values():
        interval = f"[{own['decided_score_low']:.2f}, {own['decided_score_high']:.2f}]"
        assert f"{own['decided_score']:.3f}" in markdown
        assert interval in section
        assert f"n {own['decided_score_n']}" in section
    assert "of 3 pairs of agents" in section


def test_other_schedules_have_none(tmp_path: Path) -> None:
    save = finished(tmp_path)
    body = printed_json("leaderboard", save, cwd=tmp_path)
    assert body["decided"] is None
    assert "decided_rank" not in printed("leaderboard", save, "--format", "csv", cwd=tmp_path)
    assert b'id="decided"' not in (Site(read_source(save)).page("data/") or b"")


def test_notes_are_wrapped_for_a_screen_and_whole_in_a_pipe(ladder: Path, tmp_path: Path) -> None:
    narrow = parlour("leaderboard", ladder, cwd=tmp_path, env=environment(COLUMNS="60")).stdout
    wide = printed("leaderboard", ladder, cwd=tmp_path)
    assert max(map(len, narrow.splitlines())) <= 60
    note = next(line for line in wide.splitlines() if line.startswith("Decided: "))
    assert len(note) > 240
    assert note in " ".join(narrow.split())


def test_a_path_is_never_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    path = "/a/very/long/folder/with/no/blank/save.db"
    print_note(f"Nothing is wrong with {path} and with [bold]others[/] :smile:")
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["Nothing is wrong", "with", path, "and with", "[bold]others[/]", ":smile:"]

"""The report: a page for every save that has a finished match, and one clear line for others."""

import json
import os
import shutil
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import get_args

import pytest

from parlour.api.results import board_of
from parlour.games.engine import talk
from parlour.games.engine.board import Board, Feed
from parlour.games.engine.moves import Seat
from parlour.games.engine.registry import games
from parlour.ratings.reports.leaderboard import column_titles
from parlour.ratings.statistics.intervals import Interval
from parlour.report.boards import DRAWN
from parlour.report.definitions import DEFINITIONS
from parlour.report.page import page_of, report_page
from parlour.report.repeat import FILE, repeat, stored_text
from parlour.report.source import read_source
from parlour.report.told import told_items
from parlour.tournament.plan.loader import read_preset
from parlour.tournament.reports.conduct import Conduct
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.reader import Save
from tests.hostile import hostile_save
from tests.parlour.pages import Page, structure_problems
from tests.tournaments import (
    contents,
    finished,
    new_save,
    parlour,
    play,
    printed,
    refused,
    tamper,
    tournament,
    written,
)

ALONE = """
name = "alone"
[[games]]
name = "donation"
limit = 1
lineup = "alone"
[[agents]]
name = "Ada"
strategy = "cooperate"
"""
HOSTILE = """
name = "<script>alert(1)</script>"
[[games]]
name = "donation"
limit = 1
agents_per_match = 4
[[agents]]
name = "<script>alert(2)</script>"
strategy = "cooperate"
[[agents]]
name = "</title></style><b onclick=x>"
strategy = "random"
[[agents]]
name = "\\" onload=\\"alert(3) {{ 7 * 7 }}"
strategy = "random"
"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished save of all nine games."""
    save = tmp_path_factory.mktemp("demo") / "demo.db"
    create_save(save, read_preset("demo"))
    assert play(save).progress.done
    return save


@pytest.fixture(scope="module")
def page(demo: Path) -> str:
    return report_page(demo)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished save of one game; the tests copy it before they change it."""
    return finished(tmp_path_factory.mktemp("small"))


def copied(save: Path, folder: Path) -> Path:
    """A copy of a finished save."""
    return Path(shutil.copy(save, folder / save.name))


def test_the_page_is_whole_and_every_figure_has_a_title_and_a_table(page: str) -> None:
    assert structure_problems(page) == []
    assert page.count("<figure") > 50


def test_the_page_is_small_enough_to_send(page: str) -> None:
    assert len(page.encode()) < 5_000_000


def test_the_page_has_every_section_and_every_game(page: str) -> None:
    tree = Page(page)
    sections = [each.attributes["id"] for each in tree.root.all("section")]
    assert sections == [
        *("standings", "capabilities", "games", "roles", "conditions", "race", "networks"),
        *("cooperation", "tones", "told", "conduct", "methods", "repeat"),
    ]
    linked = [each.attributes["href"] for each in tree.root.all("nav")[0].all("a")]
    assert linked == [f"#{name}" for name in sections]
    for game in games():
        assert tree.by_id(f"game-{game}").all("svg"), game
    for kind in ("accused", "helped", "gossip"):
        assert tree.by_id(f"ties-{kind}").all("svg"), kind
    assert {figure.attributes["id"] for figure in tree.by_id("cooperation").all("figure")} == {
        *("rounds-prisoners_dilemma", "rounds-donation", "rounds-reciprocity"),
        "rounds-investment",
    }


def test_a_match_of_each_game_is_told_with_its_board(demo: Path, page: str) -> None:
    matches = {each.match.game: each for each in read_source(demo).matches}
    assert matches.keys() == games().keys()
    tree = Page(page)
    for each in matches.values():
        story = tree.by_id(f"match-{each.match.number}")
        assert story.all("figure"), each.match.game
        assert len(story.all("li")) > 3
    paragraphs = tree.by_id("told").all("p")
    reasons = " · ".join(each.text for each in paragraphs if "why" in each.classes())
    # The order in which matches were over decides the swing, so that one may have two reasons.
    assert sorted(reasons.split(" · ")) == [
        *("The biggest swing of a rating", "The closest"),
        "The most surprising by the strength model",
    ]


def test_the_leaderboard_has_every_number_with_its_interval_and_n(demo: Path, page: str) -> None:
    rows = Page(page).by_id("leaderboard").all("tbody")[0].all("tr")
    standings = board_of(demo).by("overall")
    assert len(rows) == len(standings)
    for row, standing in zip(rows, standings, strict=True):
        strength = standing.strength
        assert strength is not None
        assert standing.agent in row.text
        ends = "[too few]" if strength.low is None else f"[{strength.low:.2f}, {strength.high:.2f}]"
        bounds = f"{ends}\nn {strength.matches}"
        assert f"{strength.value:.2f}{bounds}".replace("-", "−") in row.text
        won = standing.measures["win_rate"]
        ends = "[too few]\n" if won.low is None else f"[{won.low:.2f}, {won.high:.2f}]\n"
        assert f"{won.value:.2f}{ends}n {won.n:.0f}" in row.text
        assert row.text.endswith(f"{standing.matches}")


def test_the_same_save_gives_the_same_page_wherever_it_lies(
    demo: Path, page: str, tmp_path: Path
) -> None:
    assert report_page(copied(demo, tmp_path)) == page
    assert str(demo.parent) not in page


def test_a_save_of_markup_shows_it_as_text(tmp_path: Path) -> None:
    save = finished(tmp_path, HOSTILE)
    page = report_page(save)
    assert structure_problems(page) == []
    tree = Page(page)
    assert tree.root.all("h1")[0].text == "<script>alert(1)</script>"
    people = {
        each.text for each in tree.by_id("leaderboard").all("span") if "who" in each.classes()
    }
    assert people == {
        "<script>alert(2)</script>",
        "</title></style><b onclick=x>",
        '" onload="alert(3) {{ 7 * 7 }}',
    }


def test_words_of_markup_and_controls_show_as_text(small: Path) -> None:
    words = "<img src=x onerror=alert(1)> \x1b[31m Player 2\x07 & </li>"
    source = read_source(small)
    people = source.cast.seats(source.matches[0].match.agents)
    ballot = talk.Ballot((talk.Vote(Seat(1), None, words),), 2)
    items = list(told_items([talk.Said(Seat(0), words, reason=words), ballot], people))
    assert items[0].words.startswith("&lt;img src=x onerror=alert(1)&gt; [31m <span")
    assert f">{people[1].name}</span> &amp; &lt;/li&gt;" in items[0].words
    reasons = list(chain.from_iterable(item.reasons for item in items))
    assert len(reasons) == 2
    assert not any("<img" in reason for _, reason in reasons)


def test_two_hundred_hostile_agents_make_a_whole_page(tmp_path: Path) -> None:
    page = report_page(hostile_save(tmp_path / "hostile.db"))
    assert structure_problems(page) == []
    assert not {sign for sign in page if sign < " " and sign != "\n"}
    assert "\u202e" not in page


def test_the_page_of_a_save_in_play_says_so_and_has_what_is_over(
    small: Path, tmp_path: Path
) -> None:
    save = copied(small, tmp_path)
    tamper(save, "UPDATE matches SET outcome = NULL WHERE number > 5")
    tamper(save, "DELETE FROM leaderboards")
    tamper(save, "DELETE FROM counts")
    page = report_page(save)
    assert structure_problems(page) == []
    (warning,) = (each for each in Page(page).root.all("p") if "warning" in each.classes())
    assert "5 of 12 matches were finished" in warning.text
    assert "Snapshot" not in report_page(small)


def test_one_agent_alone_has_a_page_without_ranks(tmp_path: Path) -> None:
    page = report_page(finished(tmp_path, ALONE))
    assert structure_problems(page) == []
    assert "There is one agent only" in page
    assert "rounds-donation" in page


def test_calls_faults_and_money_are_shown_with_their_counts(small: Path) -> None:
    source = read_source(small)
    one = Conduct(
        "Ada",
        *(40, {"illegal": 3, "timeout": 1}, 6, 2, 50, 4, 5, 1, 120_000, 3_400, 1.25, 2),
        interval=Interval(0.05, 0.04, 0.23),
        latency=(0.8, 2.5),
    )
    spent = replace(source.spent, calls=50, dollars=1.25)
    page = page_of(replace(source, conducts=[one], spent=spent))
    assert structure_problems(page) == []
    tree = Page(page)
    faults = tree.by_id("faults").all("tbody")[0].text
    assert "10.0 %[0.040, 0.230]\n4/40" in faults
    assert "illegal 3, timeout 1" in faults
    cells = [cell.text for cell in tree.by_id("money").all("tbody")[0].all("td")]
    assert cells[1:3] == ["50", "4"]
    assert cells[3:5] == ["510 %", "1"]
    assert cells[5:] == ["120,000", "3,400", "1.2500+31.25 a thousand answers", "0.80", "2.50"]
    assert "In all 50 calls for $1.2500." in tree.by_id("money").text


def test_beliefs_noted_in_private_are_shown_with_the_match(small: Path, tmp_path: Path) -> None:
    save = copied(small, tmp_path)
    beliefs = [[0.0, 0.25, 0.75], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
    notes = {"heard": 3, "analysis": "a guess", "beliefs": beliefs, "target": 2}
    tamper(save, "UPDATE answers SET notes = ? WHERE seat = 0", json.dumps(notes))
    page = report_page(save)
    assert structure_problems(page) == []
    first = read_source(save).matches[0].match.number
    rows = Page(page).by_id(f"match-{first}-beliefs").all("tr")
    assert len(rows) == 2
    assert [cell.text for cell in rows[1].all("td")][1:] == ["·", "25 %", "75 %"]


def test_a_match_that_does_not_replay_is_named(small: Path, tmp_path: Path) -> None:
    save = copied(small, tmp_path)
    first = read_source(save).matches[0].match.number
    tamper(save, "UPDATE answers SET digest = 'other' WHERE match = ?", first)
    page = report_page(save)
    assert structure_problems(page) == []
    assert page.count("This match cannot be told") == 1


def test_a_save_without_a_finished_match_is_refused_in_one_line(tmp_path: Path) -> None:
    new_save(tmp_path)
    line = refused("report", "save.db", cwd=tmp_path)
    assert line.startswith("parlour: save.db: has no finished match yet")
    assert not (tmp_path / "save.html").exists()


def test_targets_that_cannot_be_written_are_refused_in_one_line(
    small: Path, tmp_path: Path
) -> None:
    save = copied(small, tmp_path)
    (tmp_path / "there.html").write_text("mine", encoding="utf-8")
    (tmp_path / "folder.html").mkdir()
    for target, problem in (
        ("there.html", "already exists"),
        ("folder.html", "is a folder"),
        ("nowhere/page.html", "cannot be written"),
        (save.name, "is a save and would be lost"),
    ):
        line = refused("report", save.name, "--out", target, cwd=tmp_path)
        assert problem in line, line
    assert (tmp_path / "there.html").read_text(encoding="utf-8") == "mine"
    line = refused("report", save.name, "--out", save.name, "--force", cwd=tmp_path)
    assert "is a save and would be lost" in line


def test_the_command_writes_the_page_and_opens_it(small: Path, tmp_path: Path) -> None:
    save, opened = copied(small, tmp_path), tmp_path / "opened"
    assert printed("report", save.name, cwd=tmp_path) == "Written: save.html\n"
    text = (tmp_path / "save.html").read_text(encoding="utf-8")
    assert text == report_page(save)
    browser = written(tmp_path, f'#!/bin/sh\nprintf %s "$1" > {opened}\n', "browser")
    browser.chmod(0o755)
    with_browser = {**os.environ, "BROWSER": f"{browser} %s"}
    parlour("report", save.name, "--force", "--open", cwd=tmp_path, env=with_browser)
    assert opened.read_text(encoding="utf-8") == (tmp_path / "save.html").as_uri()


def test_a_finished_run_in_a_pipe_names_the_command(tmp_path: Path) -> None:
    written(tmp_path)
    lines = printed("run", "tournament.toml", "--save", "save.db", cwd=tmp_path).splitlines()
    (line,) = (line for line in lines if " report " in line)
    assert line.startswith("Every figure on one page: ")
    assert line.endswith(" report save.db --open")


def test_the_file_on_the_page_plays_the_same_tournament(small: Path, tmp_path: Path) -> None:
    with Save(small) as save:
        shown = repeat(save.tournament)
    assert shown.command == f"parlour run {FILE}"
    assert shown.file in Page(report_page(small)).by_id("repeat").text
    again = finished(tmp_path, shown.file)
    assert contents(again) == contents(small)


def test_a_preset_is_repeated_by_its_name() -> None:
    for name in ("demo", "gossip-paper", "magic"):
        shown = repeat(read_preset(name, 3))
        assert (shown.command, shown.file) == (f"parlour run --preset {name} --seed 3", "")


def test_settings_of_a_user_are_no_part_of_a_file(tmp_path: Path) -> None:
    pairs = [{"civilian_word": "frog", "undercover_word": "toad", "undercover_seat": 0}]
    written(tmp_path, json.dumps(pairs), "own.json")
    text = """
name = "own"
[[games]]
name = "undercover"
settings = "own.json"
[[agents]]
name = "Ada"
strategy = "random"
[[agents]]
name = "Lin"
strategy = "random"
"""
    played = tournament(tmp_path, text)
    assert repeat(played).command == ""
    assert '"undercover_word": "toad"' in stored_text(played)


def test_addresses_and_folders_are_not_on_the_page(tmp_path: Path) -> None:
    text = """
name = "models"
[[games]]
name = "undercover"
limit = 1
[[agents]]
name = "Ada"
kind = "llm"
model = "some-model"
api_base = "http://10.1.2.3:9/v1"
api_key_env = "A_SECRET_PLACE"
[[agents]]
name = "Lin"
strategy = "random"
"""
    played = tournament(tmp_path, text)
    shown = repeat(played)
    assert 'model = "some-model"' in shown.file
    for place in ("10.1.2.3", "A_SECRET_PLACE", str(tmp_path)):
        assert place not in shown.file + stored_text(played)


def test_every_kind_of_board_is_drawn_and_every_measure_defined() -> None:
    assert DRAWN.keys() == set(get_args(Board)) - {Feed}
    assert {*column_titles(), "fault_rate"} <= DEFINITIONS.keys()

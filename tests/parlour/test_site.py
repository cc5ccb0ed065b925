"""The site: pages for every save, whole, small, the same each time, and safe from what is in it."""

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
from parlour.games.engine.registry import find_game, games
from parlour.ratings.reports.leaderboard import column_titles
from parlour.ratings.reports.leaderboard_report import SETTINGS_ONLY
from parlour.ratings.statistics.intervals import Interval
from parlour.site.addresses import file_of, link, slug, slugs
from parlour.site.boards import DRAWN
from parlour.site.methods import TEXTS
from parlour.site.numbers import FILES
from parlour.site.repeat import FILE, repeat, stored_text
from parlour.site.site import Site, files_of
from parlour.site.source import read_source
from parlour.site.told import told_items
from parlour.tournament.plan.loader import read_preset
from parlour.tournament.reports.conduct import Conduct
from parlour.tournament.save.provenance.alarms import Alarm
from parlour.tournament.save.provenance.remarks import Remark
from parlour.tournament.save.reader import Save
from tests.hostile import few_draws, hostile_save
from tests.parlour.pages import Page, structure_problems
from tests.tournaments import (
    MATCHES,
    contents,
    finished,
    parlour,
    printed,
    refused,
    scripted,
    tamper,
    tournament,
    written,
)

ALONE = 'name = "alone"\n[[games]]\nname = "donation"\nlimit = 1\nlineup = "alone"\n' + scripted(
    Ada="cooperate"
)
TWO = 'name = "two"\n[[games]]\nname = "prisoners_dilemma"\nlimit = 1\n' + scripted(
    Ada="cooperate", Lin="cooperate"
)
HOSTILE = (
    'name = "<script>alert(1)</script>"\n[[games]]\nname = "donation"\nlimit = 1\n'
    "agents_per_match = 4\n"
    + scripted(
        **{
            "<script>alert(2)</script>": "cooperate",
            "</title></style><b onclick=x>": "random",
            '\\" onload=\\"alert(3) {{ 7 * 7 }}': "random",
        }
    )
)


Files = dict[str, bytes]


@pytest.fixture(scope="module")
def site(demo: Path) -> Files:
    return dict(files_of([demo]))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished save of one game; the tests copy it before they change it."""
    return finished(tmp_path_factory.mktemp("small"))


def copied(save: Path, folder: Path) -> Path:
    """A copy of a finished save."""
    return Path(shutil.copy(save, folder / save.name))


def page_of(files: Files, address: str) -> Page:
    """A page of a site."""
    return Page(files[address].decode())


def problems_of(files: Files) -> dict[str, list[str]]:
    """The faults of all pages of a site by address."""
    pages = {address: text.decode() for address, text in files.items() if text[:1] == b"<"}
    pages = {address: text for address, text in pages.items() if not address.endswith(".svg")}
    faults = {each: structure_problems(text, each, files) for each, text in pages.items()}
    return {address: problems for address, problems in faults.items() if problems}


def test_every_page_is_whole_and_small_and_every_link_of_it_leads_somewhere(site: Files) -> None:
    assert problems_of(site) == {}
    pages = {each: len(text) for each, text in site.items() if not each.startswith("data/m")}
    assert max(pages.values()) < 1_000_000
    assert pages[""] < 150_000


def test_the_site_has_the_addresses_that_are_promised(site: Files) -> None:
    promised = {"", "agents/", "agent/bea/", "agent/bea/with/clara/", "meetings/", "matches/"}
    promised |= {"by/bluff/", "game/impostor/", "game/impostor/role/majority/", "data/", "method/"}
    promised |= {"meetings/by/bluff/", "matches/impostor/", "card/bea.svg", "badge/bea.svg"}
    promised |= {"card.svg", "badge.svg", "style.css", "site.js", "data/tournament.json"}
    for ending in ("csv", "json"):
        promised |= {f"data/{name}.{ending}" for name in FILES}
    promised |= {f"game/{game}/" for game in games()}
    assert promised <= site.keys()
    matches = [each for each in site if each.startswith("match/")]
    assert len(matches) > len(games())


def test_the_best_and_worst_matches_say_why(tmp_path: Path) -> None:
    matches = Site(read_source(finished(tmp_path))).matches
    for agent, (best, worst) in matches.extremes.items():
        for extremes, words in ((best, "all that"), (worst, "nothing of what")):
            record, seat = extremes[0]
            payoff, role = record.outcome.payoffs[seat], record.outcome.roles[seat]
            most = find_game("undercover", "").scoring.roles[role]
            why = f"As {role} it got {words} the role can pay."
            is_end = payoff in (0, most)
            assert matches.extreme(extremes[0])["why"] == (why if is_end else ""), agent


def test_all_matches_have_a_page_where_that_is_wanted(small: Path, tmp_path: Path) -> None:
    printed("site", small, "--matches", "all", cwd=tmp_path)
    pages = [path.parent.name for path in tmp_path.glob("site/match/*/index.html")]
    assert sorted(map(int, pages)) == [*range(1, MATCHES + 1)]
    listed = (tmp_path / "site" / "matches" / "undercover" / "index.html").read_text()
    assert listed.count("/match/") == MATCHES


def test_each_choice_of_a_filter_is_a_page_of_its_own(site: Files) -> None:
    chosen = {"": "All", "by/gossip/": "♥ Gossip", "game/donation/": "♥ Gossip"}
    for address, words in chosen.items():
        (filters,) = [
            each for each in page_of(site, address).root.all("div") if "filters" in each.classes()
        ]
        current = [each.text for each in filters.all("a") if "aria-current" in each.attributes]
        assert words in current, address
    # No match had a fault, so that there is nothing to leave out: the choice is grey.
    grey = [each.text for each in page_of(site, "").root.all("span")
            if "aria-disabled" in each.attributes]  # fmt: skip
    assert grey == ["left out"]
    assert not [each for each in site if each.startswith("without-faults")]


@pytest.mark.parametrize(
    ("address", "ids"),
    [
        ("data/", ["standings", "capabilities", "race", "conduct"]),
        ("data/", ["leaderboard", "strength-by-game", "heat", "faults", "race-overall"]),
        ("method/", ["methods", "definitions", "versions", "agents", "games-played"]),
        ("game/donation/", ["measures", "cooperation", "tones"]),
        ("game/prisoners_dilemma/", ["measures", "cooperation"]),
        ("meetings/", ["accused", "helped", "gossip", "head-to-head", "pair"]),
    ],
)
def test_what_the_save_tells_is_on_the_site(site: Files, address: str, ids: list[str]) -> None:
    page = page_of(site, address)
    for name in ids:
        assert page.by_id(name).all("td") or name == "pair", name


def test_the_standings_have_every_number_with_its_interval(demo: Path, site: Files) -> None:
    (table,) = [
        each for each in page_of(site, "").root.all("table") if "standings" in each.classes()
    ]
    rows = list(chain.from_iterable(body.all("tr") for body in table.all("tbody")))
    numbers = page_of(site, "data/").by_id("leaderboard").all("tbody")[0].all("tr")
    standings = board_of(demo).by("overall")
    assert len(rows) == len(standings) == len(numbers)
    for row, number, standing in zip(rows, numbers, standings, strict=True):
        strength = standing.strength
        assert standing.agent in row.text
        value = f"{strength.value:+.2f}".replace("-", "−")
        assert value in row.text
        assert value in number.text
        ends = "[too few]" if strength.low is None else f"[{strength.low:.2f}, {strength.high:.2f}]"
        assert f"{ends}n {strength.matches}".replace("-", "−") in number.text.replace("\n", "")
        won = standing.measures["win_rate"]
        assert f"{100 * won.value:.0f} %" in row.text
        assert f"n {won.n:.0f}" in number.text
        (forest,) = row.all("svg")
        assert "95 % interval from" in forest.attributes["aria-label"]
        heats = [cell.attributes.get("title", "") for cell in row.all("td")][5:]
        assert len(heats) == 7
        assert all(", 95 % interval [" in words for words in heats)


def test_figures_without_an_interval_and_settings_that_are_no_sample_are_named(site: Files) -> None:
    dots = [svg for svg in page_of(site, "").root.all("svg") if svg.all("circle")]
    sure = ["95 % interval from" in svg.attributes["aria-label"] for svg in dots]
    assert sure.count(True) == 8  # overall and in impostor, of four agents
    hollow = ["hollow" in svg.all("circle")[0].classes() for svg in dots]
    assert [not each for each in sure] == hollow
    for address in ("", "game/donation/", "agent/bea/", "meetings/", "data/", "method/"):
        assert SETTINGS_ONLY in page_of(site, address).root.text, address
    assert "12 of 300" in page_of(site, "method/").by_id("games-played").text


def test_a_game_is_the_best_of_an_agent_only_where_its_possible_ranks_tell(demo: Path) -> None:
    agents = Site(read_source(demo)).agents
    lead = b"Best in Undercover, weakest in "
    assert b"Best in" not in agents.page("Bea")
    own = agents._of["Bea"]
    (first,) = [each for each in own if each.game == "undercover" and not each.role]
    assert first.strength is not None
    own += [replace(first, strength=replace(first.strength, value=9.0, rank=1, last_rank=1))]
    for rank, is_apart in ((1, False), (2, True)):
        last = replace(first.strength, value=-9.0, rank=rank, last_rank=4)
        agents._of["Bea"] = [*own, replace(first, game="impostor", strength=last)]
        assert (lead + b"Impostor" in agents.page("Bea")) == is_apart


def test_the_same_save_gives_the_same_bytes_wherever_it_lies(
    demo: Path, site: Files, tmp_path: Path
) -> None:
    assert dict(files_of([copied(demo, tmp_path)])) == site
    assert not any(str(demo.parent).encode() in text for text in site.values())


def test_a_save_of_markup_shows_it_as_text(tmp_path: Path) -> None:
    files = dict(files_of([finished(tmp_path, HOSTILE)]))
    assert problems_of(files) == {}
    (name,) = [each for each in page_of(files, "").root.all("a") if "name" in each.classes()]
    assert name.text == "<script>alert(1)</script>"
    people = {each.text for each in page_of(files, "agents/").root.all("a") if "who" in
              each.classes()}  # fmt: skip
    assert people == {
        "<script>alert(2)</script>",
        "</title></style><b onclick=x>",
        '" onload="alert(3) {{ 7 * 7 }}',
    }
    for address in ("card.svg", "badge.svg", "card/script-alert-2-script.svg"):
        assert b"<script" not in files[address]


def test_words_of_markup_and_controls_show_as_text(small: Path) -> None:
    words = "<img src=x onerror=alert(1)> \x1b[31m Player 2\x07 & </li>"
    source = read_source(small)
    people = source.cast.seats(source.counted.records[0].agents)
    ballot = talk.Ballot((talk.Vote(Seat(1), None, words),), 2)
    items = list(told_items([talk.Said(Seat(0), words, reason=words), ballot], people))
    assert items[0].words.startswith("&lt;img src=x onerror=alert(1)&gt; [31m <span")
    assert f">{people[1].name}</span> &amp; &lt;/li&gt;" in items[0].words
    reasons = list(chain.from_iterable(item.reasons for item in items))
    assert len(reasons) == 2
    assert not any("<img" in reason for _, reason in reasons)


def test_two_hundred_hostile_agents_make_whole_pages(tmp_path: Path) -> None:
    with few_draws():
        site = Site(read_source(hostile_save(tmp_path / "hostile.db")))
        addresses = site.addresses()
        assert "page/5/" in addresses
        names = [each for each in addresses if each.startswith("agent/")]
        assert len(names) == len(site.source.tournament.agents)
        shown = ["", "page/5/", "agents/", "meetings/", "data/", "method/", *names[:10]]
        shown += [each for each in addresses if each.startswith("match")][:10]
        for address in shown:
            text = (site.page(address) or b"").decode()
            assert structure_problems(text, address, addresses) == [], address
            assert not {sign for sign in text if sign < " " and sign != "\n"}
            assert "\u202e" not in text
            assert len(text) < 1_000_000, address


@pytest.mark.parametrize(
    ("over", "line", "pill"),
    [(5, "Stopped at 5 of 12 matches.", "○ stopped"), (0, "No match is over yet.", "○ stopped")],
)
def test_a_save_in_play_says_so_and_has_what_is_over(
    small: Path, tmp_path: Path, over: int, line: str, pill: str
) -> None:
    save = copied(small, tmp_path)
    tamper(save, "UPDATE matches SET outcome = NULL WHERE number > ?", over)
    tamper(save, "DELETE FROM leaderboards")
    tamper(save, "DELETE FROM counts")
    files = dict(files_of([save]))
    assert problems_of(files) == {}
    text = files[""].decode()
    assert line in text
    assert Page(text).by_id("pill").text == pill
    assert f"parlour run {save.name}" in text
    assert (f"{over} of 12 matches" in text) == bool(over)
    assert all(agent.name in text for agent in read_source(save).tournament.agents)


@pytest.mark.parametrize(
    ("text", "line"),
    [(ALONE, "Ada played alone"), (TWO, "cannot be told apart.")],
    ids=["one agent", "two agents"],
)
def test_few_agents_have_a_page_without_ranks(tmp_path: Path, text: str, line: str) -> None:
    files = dict(files_of([finished(tmp_path, text)]))
    assert problems_of(files) == {}
    assert line in page_of(files, "").root.all("h1")[0].text
    (rank,) = {each.text for each in page_of(files, "").root.all("td") if "rank" in each.classes()}
    assert rank in ("–", "1–2")


def test_several_saves_have_a_first_page(small: Path, demo: Path, tmp_path: Path) -> None:
    files = dict(files_of([small, demo]))
    assert problems_of(files) == {}
    rows = page_of(files, "").root.all("tbody")[0].all("tr")
    assert [row.all("th")[0].text for row in rows] == ["small", "demo"]
    assert "lead" in rows[1].text
    assert {"save/", "demo/", "demo/agent/bea/"} <= files.keys()
    assert "demo/style.css" not in files


def test_a_match_that_does_not_replay_is_named(small: Path, tmp_path: Path) -> None:
    save = copied(small, tmp_path)
    first = read_source(save).choices[0].match
    tamper(save, "UPDATE answers SET digest = 'other' WHERE match = ?", first)
    files = dict(files_of([save]))
    assert problems_of(files) == {}
    assert b"This match cannot be told" in files[f"match/{first}/"]


def test_calls_faults_and_money_are_shown_with_their_counts(small: Path) -> None:
    source = read_source(small)
    one = Conduct(
        "Ada",
        *(40, {"illegal": 3, "timeout": 1}, 6, 2, 50, 4, 5, 1, 120_000, 3_400, 1.25, 2),
        interval=Interval(0.05, 0.04, 0.23),
        latency=(0.8, 2.5),
    )
    spent = replace(source.spent, calls=50, dollars=1.25)
    site = Site(replace(source, conducts=[one], spent=spent))
    tree = Page((site.page("data/") or b"").decode())
    faults = tree.by_id("faults").all("tbody")[0].text
    assert "10.0 %[0.040, 0.230]\n4/40" in faults
    assert "illegal 3, timeout 1" in faults
    cells = [cell.text for cell in tree.by_id("money").all("tbody")[0].all("td")]
    assert cells[:2] == ["50", "4"]
    assert cells[2:4] == ["510 %", "1"]
    assert cells[4:] == ["120,000", "3,400", "1.2500+31.25 a thousand answers", "0.80", "2.50"]
    assert "In all 50 calls for $1.2500." in tree.by_id("money").text


def test_beliefs_noted_in_private_are_shown_with_the_match(small: Path, tmp_path: Path) -> None:
    save = copied(small, tmp_path)
    beliefs = [[0.0, 0.25, 0.75], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
    notes = {"heard": 3, "analysis": "a guess", "beliefs": beliefs, "target": 2}
    tamper(save, "UPDATE answers SET notes = ? WHERE seat = 0", json.dumps(notes))
    first = read_source(save).choices[0].match
    page = page_of(dict(files_of([save])), f"match/{first}/")
    rows = page.by_id(f"match-{first}-beliefs").all("tr")
    assert len(rows) == 2
    assert [cell.text for cell in rows[1].all("td")] == ["·", "25 %", "75 %"]


def test_an_alarm_and_a_warning_stand_above_the_table(small: Path) -> None:
    source = read_source(small)
    agent = source.agents[0]
    alarm = Alarm("faults", "undercover", 31, 204, "undercover: 31 of 204 answers are faulty")
    remark = Remark("models", "warning", agent, 4, f"{agent} was served by 2 models")
    text = (Site(replace(source, alarms=[alarm], remarks=[remark])).page("") or b"").decode()
    lines = [each.text for each in Page(text).root.all("ul")[1].all("li")]
    assert lines[0].startswith("✗ Alarm undercover: 31 of 204 answers are faulty.")
    assert lines[1].startswith(f"! Warning {agent} was served by 2 models.")
    assert 'href="#r1" title="see above">!' in text


def test_addresses_are_plain_words_and_stay_when_agents_join() -> None:
    assert slug("Ærø & Bea 3.5/turbo") == "r-bea-3-5-turbo"
    assert slugs(["A b", "a-B", "c"]) == {"A b": "a-b", "a-B": "a-b-2", "c": "c"}
    assert link("agent/bea/", "match/6/#s7") == "../../match/6/index.html#s7"
    assert link("", "by/bluff/") == "by/bluff/index.html"


def test_folders_that_are_no_sites_are_never_replaced(small: Path, tmp_path: Path) -> None:
    save = copied(small, tmp_path)
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine", encoding="utf-8")
    for target, problem in (
        ("mine", "is a folder that is not a site, and not empty"),
        (save.name, "is a file"),
        ("nowhere/site", "cannot be written"),
    ):
        line = refused("site", save.name, "--out", target, cwd=tmp_path)
        assert problem in line, line
    assert (folder / "thesis.txt").read_text(encoding="utf-8") == "mine"


def test_the_command_writes_the_site_replaces_it_whole_and_opens_it(
    small: Path, tmp_path: Path
) -> None:
    save, opened = copied(small, tmp_path), tmp_path / "opened"
    assert printed("site", save.name, cwd=tmp_path).startswith("Written: site (")
    (tmp_path / "site/old.html").write_text("of the site before", encoding="utf-8")
    browser = written(tmp_path, f'#!/bin/sh\nprintf %s "$1" > {opened}\n', "browser")
    browser.chmod(0o755)
    with_browser = {**os.environ, "BROWSER": f"{browser} %s"}
    parlour("site", save.name, "--open", cwd=tmp_path, env=with_browser)
    assert not (tmp_path / "site/old.html").exists()
    for address, text in files_of([save]):
        assert (tmp_path / "site" / file_of(address)).read_bytes() == text
    assert opened.read_text(encoding="utf-8") == (tmp_path / "site/index.html").as_uri()
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


def test_the_file_on_the_page_plays_the_same_tournament(small: Path, tmp_path: Path) -> None:
    with Save(small) as save:
        shown = repeat(save.tournament)
    assert shown.command == f"parlour run {FILE}"
    files = dict(files_of([small]))
    assert shown.file in page_of(files, "method/").by_id("repeat").text
    assert files[f"data/{FILE}"].decode() == shown.file
    assert contents(finished(tmp_path, shown.file)) == contents(small)
    for name in ("demo", "gossip-paper", "magic"):
        shown = repeat(read_preset(name, 3))
        assert (shown.command, shown.file) == (f"parlour run --preset {name} --seed 3", "")


def test_settings_addresses_and_folders_of_a_user_are_no_part_of_a_file(tmp_path: Path) -> None:
    pairs = [{"civilian_word": "frog", "undercover_word": "toad", "undercover_seat": 0}]
    written(tmp_path, json.dumps(pairs), "own.json")
    game = 'name = "own"\n[[games]]\nname = "undercover"\n'
    own = f'{game}settings = "own.json"\n{scripted(Ada="random", Lin="random")}'
    played = tournament(tmp_path, own)
    assert repeat(played).command == ""
    assert '"undercover_word": "toad"' in stored_text(played)
    model = (
        '[[agents]]\nname = "Ada"\nkind = "llm"\nmodel = "some-model"\n'
        'api_base = "http://10.1.2.3:9/v1"\napi_key_env = "A_SECRET_PLACE"\n'
    )
    played = tournament(tmp_path, f"{game}limit = 1\n{model}{scripted(Lin='random')}")
    shown = repeat(played)
    assert 'model = "some-model"' in shown.file
    for place in ("10.1.2.3", "A_SECRET_PLACE", str(tmp_path)):
        assert place not in shown.file + stored_text(played)


def test_every_kind_of_board_is_drawn_and_every_measure_defined() -> None:
    assert DRAWN.keys() == set(get_args(Board)) - {Feed}
    assert {*column_titles(), "fault_rate"} <= TEXTS["measures"].keys()

"""The command rate: a newcomer against the reference pool, its figures, and what is refused."""

import asyncio
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from parlour.api.results import rating_of
from parlour.ratings.reference.scale import shipped_scale
from parlour.ratings.reports.rating_report import rating_report
from parlour.tournament.control.changes import grow_save
from parlour.tournament.plan import rating as plan_rating
from parlour.tournament.plan.additions import addition_of_file
from parlour.tournament.plan.rating import pool, rating, rating_matches
from parlour.tournament.plan.schedule import match_count
from parlour.tournament.reports.leaderboards import current_leaderboard
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.reader import Save
from tests.models import clean_environment, served
from tests.ratings.rated import NEWCOMER, of_strategy, rated
from tests.ratings.test_leaderboard import play
from tests.tournament.test_journal import rows
from tests.tournaments import parlour, printed, printed_json, printed_rows, refused, written

ONE_GAME = ("--effort", "small", "--game", "prisoners_dilemma")
MODEL = """
[[agents]]
name = "Mina"
kind = "llm"
model = "test"
api_base = "{base}"
prices = [1.0, 10.0]
retry_wait = 0.01
"""


@pytest.fixture(scope="module")
def greedy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which a strategy was rated, with small effort in one game."""
    folder = tmp_path_factory.mktemp("rated")
    shown = printed("rate", "scripted:greedy", *ONE_GAME, cwd=folder)
    assert "72 matches in 1 game against the 6 players of the reference pool" in shown
    assert "scripted:greedy on scale 2, on which random is 0 in every game" in shown
    assert "above greedy 95 %, the strongest" in shown
    return folder


def test_every_match_of_a_rating_has_a_seed_of_its_own() -> None:
    matches = list(rating_matches(rating("scripted:bayesian", repetitions=4)))
    assert len({match.seed for match in matches}) == len(matches) > 500


def test_a_rating_takes_the_keys_of_its_pool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pool().seeding == rating("scripted:bayesian").seeding == "independent"
    own = 'seeding = "independent"'
    text = plan_rating.POOL.read_text(encoding="utf-8")
    assert own in text
    changed = written(tmp_path, text.replace(own, 'seeding = "common"'))
    monkeypatch.setattr(plan_rating, "POOL", changed)
    made = rating("scripted:bayesian")
    assert (made.seeding, made.seed) == ("common", plan_rating.SEED)


def test_every_form_has_the_same_figures(greedy: Path) -> None:
    body = printed_json("rate", "rate-scripted-greedy", cwd=greedy)
    overall, in_game = printed_rows("rate", "rate-scripted-greedy", cwd=greedy)
    assert [each["game"] for each in body["strengths"]] == [None, "prisoners_dilemma"]
    assert in_game["strength"] == str(body["strengths"][1]["strength"])
    assert overall["strength"] == in_game["strength"]
    assert (in_game["scale"], in_game["anchor"], in_game["matches"]) == ("2", "random", "72")
    assert (in_game["weaker"], in_game["stronger"], in_game["faults"]) == ("greedy 95 %", "", "0")
    written = printed("rate", "rate-scripted-greedy", "--format", "md", cwd=greedy)
    assert written.startswith("# scripted:greedy on scale 2")


def test_the_same_command_prints_the_same_and_plays_nothing(greedy: Path) -> None:
    done = parlour("rate", "scripted:greedy", *ONE_GAME, "--format", "json", cwd=greedy)
    again = printed("rate", "rate-scripted-greedy", "--format", "json", cwd=greedy)
    assert (done.returncode, done.stdout) == (0, again)
    assert "finished, nothing left to play" in done.stderr
    assert [path.name for path in (greedy / "saves").glob("*.db")] == ["rate-scripted-greedy.db"]


def test_its_leaderboard_says_that_it_is_a_rating(greedy: Path) -> None:
    shown = printed("leaderboard", "rate-scripted-greedy", cwd=greedy)
    assert "A rating: scripted:greedy played the reference pool" in shown
    assert "OK" in printed("check", "rate-scripted-greedy", cwd=greedy)


def test_only_matches_against_the_pool_count_where_two_newcomers_are_rated(greedy: Path) -> None:
    save = greedy / "two.db"
    shutil.copyfile(greedy / "saves" / "rate-scripted-greedy.db", save)
    alone = rating_of(save).records
    other = '[[agents]]\nname = "Zoe"\nstrategy = "grim"\n'
    grow_save(save, addition_of_file(written(greedy, other, "zoe.toml")))
    early = rating_of(save)
    assert [table.heading for table in early.tables] == ["scripted:greedy"]
    assert {"Zoe: no match against the pool is finished yet.", "72 of 156 matches finished."} <= {
        *early.notes
    }
    play(save)
    both = rating_of(save)
    assert not any("matches finished" in note for note in both.notes)
    assert [record for record in both.records if record["agent"] == "scripted:greedy"] == alone
    (of_zoe, _) = [record for record in both.records if record["agent"] == "Zoe"]
    with Save(save) as opened:
        of_agent = {
            standing.agent: standing.measures["fault_rate"].n
            for standing in current_leaderboard(opened).by("overall")
        }
    # The leaderboard counts what the two did among themselves, too.
    assert alone[0]["answers"] < of_agent["scripted:greedy"]
    assert of_zoe["answers"] < of_agent["Zoe"]
    assert (alone[0]["matches"], of_zoe["matches"]) == (72, 72)


ANSWERS = "SELECT * FROM answers ORDER BY match, ask, seat"


def test_an_interrupted_rating_goes_on_and_a_larger_effort_adds_to_it(tmp_path: Path) -> None:
    (tmp_path / "saves").mkdir()
    save = tmp_path / "saves" / "rate-scripted-greedy.db"
    whole = rating("scripted:greedy", ["donation"], 1)
    create_save(save, whole, newcomers=["scripted:greedy"], against=shipped_scale().agents)
    with Save(save) as opened:
        assert opened.match_count().matches == len(list(rating_matches(whole))) == 72
        assert match_count(whole) > 72  # the pool does not play itself
    play(save, matches=5)
    before = rows(save, ANSWERS)
    arguments = ("--game", "donation", "--effort")
    shown = printed("rate", "scripted:greedy", *arguments, "small", cwd=tmp_path)
    assert "Finished: saves/rate-scripted-greedy.db" in shown
    first = rows(save, ANSWERS)
    assert 0 < len(before) < len(first)
    assert all(answer in first for answer in before)
    grown = printed("rate", "scripted:greedy", *arguments, "usual", cwd=tmp_path)
    assert "216 matches in 1 game" in grown
    assert [answer for answer in rows(save, ANSWERS) if answer["match"] <= 72] == first
    fewer = printed("rate", "scripted:greedy", *arguments, "small", cwd=tmp_path)
    assert "finished, nothing left to play" in fewer
    assert " 288 " in fewer


def test_a_model_is_asked_once_for_each_answer(tmp_path: Path) -> None:
    asyncio.run(_rate_twice(tmp_path))


async def _rate_twice(folder: Path) -> None:
    async with served(folder, "valid") as server:
        file = written(folder, MODEL.format(base=server.base), "mina.toml")

        def run() -> subprocess.CompletedProcess[str]:
            command = ("rate", file.name, *ONE_GAME, "--format", "json")
            return parlour(*command, cwd=folder, env=clean_environment(folder))

        done = await asyncio.to_thread(run)
        assert done.returncode == 0, done.stderr
        assert "Calls" in done.stderr
        assert len(server.requests) == 540
        (_overall, in_game) = json.loads(done.stdout)["strengths"]
        assert (in_game["agent"], in_game["matches"], in_game["answers"]) == ("Mina", 72, 540)
        assert not in_game["provisional"]
        again = await asyncio.to_thread(run)
        assert again.stdout == done.stdout
        assert len(server.requests) == 540


def test_figures_of_a_newcomer_with_words_of_its_own_are_provisional_in_word_games() -> None:
    newton = rated(of_strategy("bayesian", "greedy", seed=5, games=["undercover", "donation"]))
    report = rating_report([newton], 1, 1, own_words=[NEWCOMER])
    provisional = {(each["game"], each["role"]) for each in report.records if each["provisional"]}
    undercover = {("undercover", role) for role in (None, "civilian", "undercover")}
    assert provisional == {(None, None), *undercover}
    (note,) = (note for note in report.notes if "provisional" in note)
    assert note.startswith(f"{NEWCOMER}: provisional in undercover, and so over all games.")
    own = rating_report([newton], 1, 1)
    assert not any(each["provisional"] for each in own.records)
    assert not any("provisional" in note for note in own.notes)


def test_a_dry_run_prints_calls_and_plays_nothing(tmp_path: Path) -> None:
    written(tmp_path, MODEL.format(base="http://127.0.0.1:1/v1"), "mina.toml")
    shown = printed("rate", "mina.toml", "--effort", "small", "--dry-run", cwd=tmp_path)
    assert "600 matches in 8 games" in shown
    assert "Cost" in shown
    assert not (tmp_path / "saves").exists()


def test_the_pool_is_listed_with_its_strengths(tmp_path: Path) -> None:
    scale = shipped_scale()
    shown = printed("rate", "--list", cwd=tmp_path)
    assert all(agent in shown for agent in scale.agents)
    listed = printed_json("rate", "--list", cwd=tmp_path)["strengths"]
    in_games = [each for each in listed if each["role"] is None]
    assert len(in_games) == len(scale.agents) * len(scale.games)
    for each in in_games:
        assert each["strength"] == scale.games[each["game"]].strength(each["agent"])


def test_an_option_without_effect_on_a_save_is_refused(greedy: Path) -> None:
    words = ("--effort", "usual", "--game", "donation", "--budget", 1, "--save", "other.db")
    more = ("--dry-run", "--plain", "--concurrency", 2, "--workers", 1)
    for given in (words[:2], more + words):
        names = [word for word in (*words, *more) if str(word).startswith("--") and word in given]
        line = refused("rate", "rate-scripted-greedy", *given, cwd=greedy)
        assert line.startswith("parlour: rate-scripted-greedy: is the save of a rating, which is")
        listed = line.partition("leave out ")[2].removesuffix(", or name the newcomer to play more")
        assert {*listed.split(", ")} == {*names}


OTHERS = {
    ("scripted:random", "--game", "prisoners_dilemma"): (
        "is the rating of scripted:greedy; choose another file with --save"
    ),
    ("scripted:greedy", "--effort", "small"): (
        "is a rating in prisoners_dilemma; choose another file with --save, or give the same games:"
        " --game prisoners_dilemma"
    ),
}


@pytest.mark.parametrize("arguments", OTHERS)
def test_the_save_of_another_rating_is_named_with_what_it_is(
    greedy: Path, arguments: tuple[str, ...]
) -> None:
    save = "saves/rate-scripted-greedy.db"
    line = refused("rate", *arguments, "--save", save, cwd=greedy)
    assert line == f"parlour: {save}: {OTHERS[arguments]}"


def test_a_save_that_is_no_rating_is_refused(tmp_path: Path) -> None:
    save = tmp_path / "other.db"
    pool = rating("scripted:greedy", ["donation"], 1)
    create_save(save, replace(pool, agents=pool.agents[1:]))
    assert "is no rating on scale 2 of the reference pool" in refused("rate", save, cwd=tmp_path)

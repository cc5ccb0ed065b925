"""Ratings over nights: a store, its standings and history, and gates with exit codes."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from parlour.games.common.errors import BadInput
from parlour.ratings.reports.standings_report import (
    ComparableRatings,
    Entry,
    groups,
    judged,
    standings_report,
)
from tests.blocks import write_files
from tests.models import clean_environment
from tests.tournaments import (
    ROOT,
    called,
    environment,
    parlour,
    printed,
    printed_json,
    refused,
    written,
)

RATE = ("--store", "nights", "--game", "donation", "--effort", "small", "--plain")
DEAD = """[[agents]]
name = "dead"
kind = "llm"
model = "gone"
api_base = "http://127.0.0.1:1/v1"
silence = 0.2
retries = 0
"""
ENTRY = Entry("a.db", "mia", "2026-01-01", "1", "m", ("m-1",), 2, ("donation",), {"t": "1"}, 9, 9)


def rated(strength: float, night: int = 1, **more: object) -> Entry:
    """A whole rating on a night, with a standard error of 0.05."""
    figures = {"strength": strength, "strength_se": 0.05, "date": f"2026-01-{night:02}"}
    return replace(ENTRY, **(figures | more))  # type: ignore[arg-type]


def compared(*entries: Entry) -> list[ComparableRatings]:
    return groups(entries)


def night(folder: Path, *options: str) -> tuple[int, str]:
    """The exit code of the script of the docs and what it printed, with what cron gives it."""
    done = called(
        "env",
        "-i",
        f"HOME={folder}",
        "PATH=/usr/bin:/bin",
        "sh",
        "night.sh",
        *options,
        cwd=folder,
        timeout=120,
    )
    return done.returncode, done.stdout


def test_a_night_from_cron_with_a_dead_model_and_one_that_got_worse(tmp_path: Path) -> None:
    assert write_files("docs/rating.md", tmp_path) == ["night.sh"]
    program = tmp_path / ".venv" / "bin" / "parlour"
    for path in (program.parent, tmp_path / "models"):
        path.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m parlour "$@"\n')
    program.chmod(0o755)
    config = tmp_path / ".config" / "parlour"
    config.mkdir(parents=True)
    written(config, 'DEAD_KEY = "x"\n', "keys.toml").chmod(0o600)
    written(config, '[hooks]\non_finish = ["sh", "-c", "cat >> told"]\n', "config.toml")
    block = '[[agents]]\nname = "mine"\nstrategy = "{}"\n'
    options = (*RATE[2:], "--give-up-after", "5s")
    written(tmp_path, f'{DEAD}api_key_env = "DEAD_KEY"\n', "models/dead.toml")
    written(tmp_path, block.format("greedy"), "models/mine.toml")
    code, words = night(tmp_path, *options)
    assert code == 2  # nobody agreed to the file of the dead one
    assert "models/dead.toml: 2\n" in words
    assert "Gate passed: mine >= last: no earlier rating compares\nmodels/mine.toml: 0\n" in words
    env = {key: value for key, value in environment().items() if not key.startswith("XDG")}
    printed("trust", "models/dead.toml", cwd=tmp_path, env=env | {"HOME": str(tmp_path)})
    written(tmp_path, block.format("random"), "models/mine.toml")
    code, words = night(tmp_path, *options)
    assert code == 4
    assert "models/dead.toml: 3\n" in words
    assert "Gate failed: mine >= last: " in words
    assert "models/mine.toml: 4\n" in words
    assert (config / "told").read_text().count('"on_finish"') == 3
    assert "parlour_matches_finished{" in (tmp_path / "metrics" / "mine.prom").read_text()
    *_, pages = sorted(tmp_path.glob("pages/*-*-*/index.html"))  # of its date
    assert "<b>2</b> tournaments" in pages.read_text()

    env = clean_environment(tmp_path)
    done = parlour("rate", "models/mine.toml", *RATE, cwd=tmp_path, env=env)
    assert "finished, nothing left to play" in done.stdout
    unknown = refused("standings", "nights", "--agent", "mina", cwd=tmp_path)
    assert unknown.endswith("did you mean 'mine'? known: dead, mine")
    shown = printed("standings", "nights", cwd=tmp_path)
    assert "Scale 2, donation" in shown
    assert "dead: its rating of 20" in shown
    assert "has 0 of 72 matches finished" in shown
    body = printed_json("standings", "nights", "--history", cwd=tmp_path)
    of_mine = [each for each in body["history"] if each["agent"] == "mine"]
    assert [each["asked"] for each in of_mine] == ["greedy", "random"]
    assert of_mine[1]["change_high"] < 0
    assert [(each["agent"], each["planned"]) for each in body["unfinished"]] == [("dead", 72)]
    gate = ("standings", "nights", "--format", "csv", "--gate")
    for rule, code, words in (
        ("mine >= -1", 0, "Gate passed: mine >= -1: "),
        ("mine >= last - 0.1", 4, "Gate failed: mine >= last - 0.1: "),
        ("dead >= mine", 5, "Gate open: dead >= mine: 0 of 72 matches finished"),
    ):
        done = parlour(*gate, rule, cwd=tmp_path)
        assert (done.returncode, done.stderr.startswith(words)) == (code, True), done.stderr
        assert done.stdout.startswith("save,agent,")

    for figures in (tmp_path / "nights").glob("*.json"):
        figures.unlink()  # they are computed again
    assert printed("standings", "nights", cwd=tmp_path) == shown
    board = printed("leaderboard", "nights/rate-dead.db", cwd=tmp_path)
    assert "No match is finished yet" in board
    again = parlour("rate", "models/mine.toml", *RATE, "--again", cwd=tmp_path, env=env)
    assert again.returncode == 0
    assert len(list((tmp_path / "nights").glob("rate-mine*.db"))) == 3


@pytest.mark.parametrize(
    ("gate", "outcome"),
    [
        ("mia >= last - 0.1", "passed"),
        ("mia >= last", "failed"),
        ("mia >= last + 0.1", "failed"),
        ("mia >= 0.3", "failed"),
        ("mia >= 0.09", "passed"),
        ("mia >= zoe", "failed"),
        ("zoe >= mia", "passed"),
        ("zoe >= last", "passed"),
        ("ned >= last", "open"),
    ],
)
def test_a_gate_fails_where_the_whole_interval_lies_below(gate: str, outcome: str) -> None:
    entries = (
        rated(0.2),
        rated(0.0, 2),
        rated(0.5, agent="zoe"),
        rated(0, agent="ned", finished=3),
    )
    assert judged(gate, compared(*entries)).outcome == outcome


@pytest.mark.parametrize("gate", ["mia", "zoe >= last", "mia >= nobody", "mia < 3"])
def test_a_wrong_gate_is_one_line(gate: str) -> None:
    with pytest.raises(BadInput, match="--gate"):
        judged(gate, compared(rated(0.2)))


def test_scales_games_and_prompts_are_kept_apart() -> None:
    entries = [
        rated(0.1),
        rated(0.2, 2, prompts={"other": "1"}),
        rated(0.3, 3, prompts={"t": "2"}),
        rated(0.4, 4, scale=3),
        rated(0.5, 5, games=("donation", "chameleon")),
    ]
    made = compared(*entries)
    assert [len(group.entries) for group in made] == [2, 1, 1, 1]
    assert [group.standing()[0].strength for group in made] == [0.2, 0.3, 0.4, 0.5]
    assert [group.title for group in made][:2] == [
        "Scale 2, donation",
        "Scale 2, donation, prompts 2",
    ]
    report = standings_report(made)
    assert [len(table.items) for table in report.tables] == [1, 1, 1, 1]
    assert report.records[3]["change"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("standings", "nowhere"), "nowhere: is no folder with ratings"),
        (("rate", "scripted:greedy", "--again"), "--again: is for a store of ratings"),
        (("rate", "scripted:greedy", "--fail-if-worse", "last"), "--fail-if-worse: is for a store"),
        (("rate", "scripted:greedy", "--store", "s", "--save", "a.db"), "--store: names its saves"),
    ],
)
def test_misuse_is_one_line(tmp_path: Path, words: tuple[str, ...], problem: str) -> None:
    assert refused(*words, cwd=tmp_path).startswith(f"parlour: {problem}")

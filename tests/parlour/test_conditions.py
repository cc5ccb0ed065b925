"""Conditions as a user types them: `compare --conditions` and `leaderboard --by condition`."""

from pathlib import Path

import pytest

import parlour
from parlour.games.common.errors import BadInput
from tests.tournaments import (
    finished,
    printed,
    printed_json,
    printed_rows,
    refused,
    scripted,
    written,
)
from tests.tournaments import parlour as parlour_command

BLOCK = '[[games]]\nname = "donation"\nlineup = "alone"\nagents_per_match = 3\n'
ABLATION = f"""
name = "ablation"
seed = 3
repetitions = 4
{BLOCK}
{BLOCK}monitoring = "private"
""" + scripted(Ada="equilibrium", Bea="cooperate")
"""Theory has Ada help where there is gossip, and nowhere else. Bea always helps."""
KEYS = "agents_per_match=3"
CONDITIONS = [f"{KEYS},monitoring=gossip", f"{KEYS},monitoring=private"]


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished(tmp_path_factory.mktemp("ablation"), ABLATION)


def test_conditions_are_compared_in_every_format(save: Path) -> None:
    words = ["compare", save, "--conditions", *CONDITIONS, "--agent", "Ada"]
    words += ["--measure", "cooperation_ratio"]
    text = printed(*words, cwd=save.parent)
    assert text.startswith(f"A is {CONDITIONS[0]}, B is {CONDITIONS[1]}; Ada under both.\n")
    assert "pairs of the same setting and role" in text  # every match has a seed of its own
    body = printed_json(*words, cwd=save.parent)
    assert (body["one"], body["other"], body["agent"]) == (*CONDITIONS, "Ada")
    (difference,) = body["differences"]
    assert (difference["value"], difference["pairs"]) == (1.0, 4)
    (row,) = printed_rows(*words, cwd=save.parent)
    assert (row["one"], row["agent"], float(row["value"])) == (CONDITIONS[0], "Ada", 1.0)
    assert "| cooperation\\_ratio | 1.000 " in printed(*words, "--format", "md", cwd=save.parent)
    assert r"cooperation\_ratio & 1.000 " in printed(*words, "--format", "latex", cwd=save.parent)
    frame = parlour.open(save).compare(*CONDITIONS, ["cooperation_ratio"], agent="Ada")
    assert list(frame["value"]) == [1.0]


def test_who_does_not_differ_has_no_difference(save: Path) -> None:
    frame = parlour.open(save).compare(*CONDITIONS, agent="Bea").set_index("measure")
    assert set(frame["value"]) == {0.0}
    assert {"cooperation_ratio", "discounted_return"} <= set(frame.index)


BOTH = ["--conditions", *CONDITIONS]
REFUSED = {
    "--conditions: needs an agent; name it: --agent NAME": BOTH,
    "--agent: is for conditions; write --conditions": ["Ada", "Bea", "--agent", "Ada"],
    "there is no agent 'Eve'; the save has Ada, Bea": [*BOTH, "--agent", "Eve"],
    f"there is no condition 'monitoring=public'; it has {KEYS}; monitoring=private,{KEYS}": (
        ["--conditions", "monitoring=public", CONDITIONS[0], "--agent", "Ada"]
    ),
    f"{KEYS!r} and {CONDITIONS[0]!r} are one condition; name two to compare": (
        ["--conditions", KEYS, CONDITIONS[0], "--agent", "Ada"]
    ),
}


def test_conditions_that_cannot_be_compared_are_refused(save: Path) -> None:
    for line, words in REFUSED.items():
        assert line in refused("compare", save, *words, cwd=save.parent)
    with pytest.raises(BadInput, match="there is no condition 'private'"):
        parlour.open(save).compare("private", CONDITIONS[0], agent="Ada")


def test_a_leaderboard_by_condition_in_every_format(save: Path) -> None:
    words = ["leaderboard", save, "--by", "condition"]
    text = printed(*words, cwd=save.parent)
    assert "Condition" in text.splitlines()[1]
    body = printed_json(*words, cwd=save.parent)
    shown = {
        (each["agent"], each["condition"]): each["measures"]["cooperation_ratio"]["value"]
        for each in body["standings"]
    }
    conditions = {condition for _, condition in shown}
    (private,) = (condition for condition in conditions if "private" in condition)
    (gossip,) = conditions - {private}
    assert shown == {
        **{("Ada", gossip): 1.0, ("Ada", private): 0.0},
        **{("Bea", gossip): 1.0, ("Bea", private): 1.0},
    }
    rows = printed_rows(*words, cwd=save.parent)
    assert {(row["agent"], row["condition"]) for row in rows} == set(shown)
    assert "| Condition |" in printed(*words, "--format", "md", cwd=save.parent)
    assert "& Condition &" in printed(*words, "--format", "latex", cwd=save.parent)
    frame = parlour.open(save).leaderboard(by="condition")
    assert set(zip(frame["agent"], frame["condition"], strict=True)) == set(shown)
    assert body["matches"] == 16


def test_in_a_pipe_a_leaderboard_by_condition_has_all_columns_and_intervals(save: Path) -> None:
    text = printed("leaderboard", save, "--by", "condition", cwd=save.parent)
    assert "left out" not in text
    assert max(map(len, text.splitlines())) > 240
    assert "[no spread]" in text
    # Rules that are not there are not told.
    assert "None" not in printed("replay", save, 1, cwd=save.parent)


def test_a_game_that_was_not_played_under_both_conditions_is_named(tmp_path: Path) -> None:
    pool = '[[games]]\nname = "public_good"\nlineup = "alone"\nlimit = 1\n[[agents]]\nname = "Ada"'
    save = finished(tmp_path, ABLATION.replace('[[agents]]\nname = "Ada"', pool, 1))
    words = ["compare", save, "--conditions", *CONDITIONS, "--agent", "Ada"]
    said = parlour_command(*words, cwd=tmp_path)
    assert said.returncode == 0
    assert "left out, not played under both: public_good; `parlour leaderboard" in said.stderr


def test_a_plan_names_conditions_as_a_file_does_and_blocks_that_are_there_twice(
    tmp_path: Path,
) -> None:
    written(tmp_path, ABLATION + 2 * f"{BLOCK}self_report = true\n", name="twice.toml")
    text = printed("plan", "twice.toml", cwd=tmp_path)
    assert "(self_report=true,agents_per_match=3): 3 × Ada" in text
    assert "Twice: two blocks of donation (self_report=true,agents_per_match=3) are the" in text

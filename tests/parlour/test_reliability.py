"""The view reliability and `plan --detect` as a user types them, and the section on the site."""

from pathlib import Path

import pytest

import parlour
from parlour.site.site import Site
from parlour.site.source import read_source
from tests.tournaments import finished, printed, printed_json, printed_rows, scripted

FIVE = """
name = "five"
seed = 3
repetitions = 2
[[games]]
name = "undercover"
limit = 5
""" + scripted(Ada="bayesian", Bea="random", Cy="cautious", Dee="literal", Eve="random")


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished(tmp_path_factory.mktemp("five"), FIVE)


def test_every_format_has_the_same_estimates(save: Path) -> None:
    words = ["leaderboard", save, "--view=reliability"]
    body = printed_json(*words, cwd=save.parent)
    (judged,) = (m for m in body["measures"] if (m["game"], m["measure"]) == (None, "judgment"))
    assert judged["split_half"]["n"] == 5
    rows = printed_rows(*words, cwd=save.parent)
    keys = ("split_half", "", "judgment")
    (row,) = (row for row in rows if (row["kind"], row["game"], row["measure"]) == keys)
    assert float(row["value"]) == judged["split_half"]["value"]
    text = printed(*words, cwd=save.parent)
    assert f"{judged['split_half']['value']:.2f} [" in text
    assert "Variance components" in text
    frame = parlour.open(save).reliability()
    assert set(frame["kind"]) == {"component", "split_half", "retest", "correlation"}
    assert len(frame) == len(rows)


def test_the_site_has_a_section_from_five_agents_on(save: Path, folder: Path) -> None:
    for path, has_one in ((save, True), (folder / "saves/small.db", False)):
        page = Site(read_source(path)).page("data/") or b""
        assert (b'id="reliability"' in page) is has_one


def test_a_plan_says_what_it_detects_and_what_a_difference_takes(save: Path) -> None:
    (save.parent / "plan.toml").write_text(FIVE, encoding="utf-8")
    line = "Two agents, power 0.8 at level 0.05, default variances: can detect a difference of"
    assert line in " ".join(printed("plan", "plan.toml", cwd=save.parent).split())
    words = ["plan", "plan.toml", "--detect", "0.2", "--pilot", save]
    text = printed(*words, cwd=save.parent)
    assert "variances of the pilot: can detect" in " ".join(text.split())
    body = printed_json(*words, cwd=save.parent)
    roles = [(each["design"]["role"], each["design"]["matches"]) for each in body["power"]]
    # Four others, two sides, five settings, two repetitions, on each of three seats of the file.
    seats = body["seats"]["Ada"]
    assert {role for role, _ in roles} == {"undercover", "civilian"}
    assert sum(matches for _, matches in roles) <= seats
    assert all(each["from_pilot"] and each["wanted"] == 0.2 for each in body["power"])

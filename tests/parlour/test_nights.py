"""Ratings shown around: nights on an agent's page, cards and badges, by figures of a store."""

import json
import re
import shutil
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from parlour.api.store import read_store
from parlour.ratings.reports.standings_report import Entry, groups
from parlour.site.cards import rating_badge, rating_card
from parlour.site.nights import nights
from parlour.tui.look.cast import ShownIdentity
from tests.parlour.pages import Page, structure_problems
from tests.parlour.test_standings import rated
from tests.tournaments import finished, parlour, printed, refused

WHO = ShownIdentity("M", "mia", "p0")


def night(strength: float, day: int, **more: object) -> Entry:
    """A rating with its interval."""
    ends = {"strength_low": strength - 0.1, "strength_high": strength + 0.1}
    return rated(strength, day, **(ends | more))


@pytest.mark.parametrize(
    ("entries", "joined", "cuts", "words"),
    [
        ([night(0.1, 1), night(0.3, 2), night(0.2, 3)], [3], 0, "; 9 matches a night."),
        ([night(0.1, 1, scale=1), night(0.3, 2), night(0.2, 3)], [1, 2], 2, "cuts the drawing"),
        ([night(0.1, 1), night(0.3, 2, games=("impostor",))], [1, 1], 1, "over impostor."),
        ([night(0.1, 1), night(0.3, 2, prompts={"t": "2"})], [1, 1], 1, "cuts the drawing"),
        ([night(0.1, day, scale=day) for day in range(1, 6)], [1, 1, 1], 4, "3 of 5 parts"),
        ([rated(0.1), night(0.3, 2, finished=3)], [2], 0, "one version of the agent."),
    ],
)
def test_only_figures_that_compare_are_joined(
    entries: list[Entry], joined: list[int], cuts: int, words: str
) -> None:
    drawn = nights("mia", WHO, groups([*entries, night(0.9, 4, agent="zoe")]))
    assert words in drawn.words
    body = drawn.chart.body
    paths = re.findall(r'<path d="(M[^"]*)" class="line dotted p0"', body)
    assert [len(path.split()) for path in paths] == joined
    assert len(re.findall(r'y1="0" y2="[0-9.]+" class="zero"', body)) == cuts
    assert len(drawn.table.rows) == len(entries)
    # The pool of another scale does not ship: its part has no grey lines with names.
    on_today = any(entry.scale == 2 for entry in entries[-3:])
    assert ("bayesian/greedy 95 %" in body) == on_today
    assert ("from here" in body) == (len({entry.scale for entry in entries}) > 1)
    assert body.count("whisker") == sum(entry.strength_low is not None for entry in entries[-3:])


def test_an_agent_without_a_rating_has_no_nights() -> None:
    assert (
        nights("mia", WHO, groups([rated(0.1, agent="zoe"), replace(rated(0), strength=None)]))
        is None
    )


OVERALL = {"game": None, "role": None, "strength": 0.9, "strength_low": 0.8, "strength_high": 1.0}
IN_GAME = {**OVERALL, "game": "donation"}


@pytest.mark.parametrize(
    ("entry", "place", "badge", "on_card"),
    [
        (night(0.9, 1), {"alike": ["A", "B"]}, "+0.90 ±0.10", ["like A and 1 more of the pool"]),
        (night(-0.9, 1), {"stronger": "B"}, "−0.90 ±0.10", ["below B, the weakest", "rating on"]),
        (night(0.9, 1, provisional=True), {"weaker": "A"}, "+0.90 ±0.10", ["provisional rating"]),
        (night(0.9, 1, faults=2, answers=50), {"weaker": "A"}, "+0.90", ["2 of 50 answers", "m-1"]),
        (rated(0.9, finished=3), {"weaker": "A", "stronger": "B"}, "(too few)", ["3 of 9 matches"]),
        (replace(rated(0), strength=None), {"weaker": "A"}, "not rated", ["too few matches"]),
    ],
)
def test_a_figure_is_never_without_its_doubt(
    entry: Entry, place: dict[str, object], badge: str, on_card: list[str]
) -> None:
    overall = {**OVERALL, "alike": [], "weaker": None, "stronger": None} | place
    card = rating_card(entry, [overall, IN_GAME, {**IN_GAME, "role": "donor"}]).decode()
    assert badge in rating_badge(entry).decode()
    assert [words for words in on_card if words not in card] == []
    assert Page(card).complete
    assert card.count(">Donation<") == 1
    assert card.count("<circle") == 1 + (entry.strength is not None)
    assert all(f">{name}<" in card for name in ("95 %", "cautious", "random"))


def test_cards_badges_and_nights_of_a_store(tmp_path: Path) -> None:
    rate = ("rate", "scripted:greedy", "--game", "donation", "--effort", "small", "--plain")
    pictures = ("--card", "card.svg", "--badge", "badge.svg")
    printed(*rate, "--store", "nights", *pictures, cwd=tmp_path)
    first = [(tmp_path / name).read_bytes() for name in ("card.svg", "badge.svg")]
    (save,) = (tmp_path / "nights").glob("*.db")
    assert "card.svg: already exists" in refused("rate", save, *pictures, cwd=tmp_path)
    printed("rate", save, *pictures, "--force", cwd=tmp_path)
    assert first == [(tmp_path / name).read_bytes() for name in ("card.svg", "badge.svg")]
    assert b"72 matches against the reference pool" in first[0]

    played = finished(tmp_path)
    ((rating,), _) = read_store(tmp_path / "nights")
    named = replace(rating, agent="Ada", served=("<script>",))
    (tmp_path / "nights" / "ada.json").write_text(json.dumps([asdict(named)]))
    printed("site", played, "--store", "nights", cwd=tmp_path)
    for name in ("ada", "rob"):
        page = (tmp_path / "site" / "agent" / name / "index.html").read_text()
        files = [str(each.relative_to(tmp_path / "site")) for each in tmp_path.rglob("site/**/*")]
        assert structure_problems(page, f"agent/{name}/", files) == []
        assert ("Each night is one version" in page) == (name == "ada")
        assert ("The store has no rating of Rob" in page) == (name == "rob")

    # A save whose pool is no longer that of today is known by the figures beside it.
    old = tmp_path / "old.db"
    shutil.copy(played, old)
    old.with_suffix(".json").write_text(json.dumps([asdict(replace(rating, scale=1))]))
    assert "an older scale than 2" in printed("rate", old, *pictures, "--force", cwd=tmp_path)
    assert b"old scale 1" in (tmp_path / "card.svg").read_bytes()
    assert b"old scale 1" in (tmp_path / "badge.svg").read_bytes()
    assert parlour("rate", old, cwd=tmp_path).returncode == 2

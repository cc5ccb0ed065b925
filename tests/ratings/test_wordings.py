"""The audit of wordings on matches written out by hand."""

import random
from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations, product

import pytest

from parlour.games.engine.moves import FaultKind, Seat
from parlour.games.engine.record import Answered, MatchRecord
from parlour.ratings.inference.estimate import Estimate
from parlour.ratings.reliability.wordings import Finding, audit
from parlour.ratings.reports.audit_report import audit_report
from parlour.ratings.reports.writers import WRITERS
from tests.ratings.records import undercover

SETTINGS = [f"pair {number}" for number in range(6)]


def vote(seat: int, suspect: int, fault: str | None = None) -> Answered:
    """A vote with a reason of its own, as every vote has."""
    value = {"reasoning": f"{seat} {suspect} {fault}", "suspect": suspect}
    return Answered(9, "vote", 2, Seat(seat), value, fault)


def played(ends: dict[str, dict[str, str]]) -> list[MatchRecord]:
    """On each setting both agents in turn as the undercover; ``ends`` by wording and undercover.

    In every wording but again, the first seat votes for another player.
    """
    records = []
    for (wording, of), setting, special in product(ends.items(), SETTINGS, "xy"):
        agents = ("y", "x", "y") if special == "x" else ("x", "y", "x")
        votes = [vote(0, 1 if wording in {"plain", "again"} else 2), vote(1, 0)]
        match = undercover(
            agents,
            ending=of[special],
            answers=votes,
            number=len(records) + 1,
            setting=setting,
            condition="" if wording == "plain" else f"wording={wording}",
        )
        records.append(replace(match, seed=SETTINGS.index(setting)))
    return records


X_WINS = {"x": "escaped", "y": "caught"}
Y_WINS = {"x": "caught", "y": "escaped"}


@pytest.fixture(scope="module")
def turned() -> list[Finding]:
    return list(audit(played({"plain": X_WINS, "again": X_WINS, "neutral": Y_WINS})))


def of_kind(findings: Iterable[Finding], kind: str) -> dict[tuple[str, ...], Estimate]:
    """The figures of a kind by factor, agent and wording, as far as each has them."""
    return {
        tuple(filter(None, (each.factor, each.agent, each.wording))): each.estimate
        for each in findings
        if each.kind == kind
    }


def test_ranks_that_turn_round_are_flips_and_the_control_has_none(turned: list[Finding]) -> None:
    flips = of_kind(turned, "flips")
    assert flips.keys() == {("again",), ("neutral",)}
    assert (flips["neutral",].value, flips["neutral",].n) == (1, 1)
    assert flips["again",].value == 0
    # All settings agree, so nothing shows how far others may lie.
    assert {(each.low, each.note) for each in flips.values()} == {(None, "all clusters agree")}


def test_changes_are_those_by_hand(turned: list[Finding]) -> None:
    changes = of_kind(turned, "change")
    # x wins every match in the plain wording and none in the neutral one.
    assert (changes["x", "neutral"].value, changes["x", "neutral"].n) == (-1, 12)
    assert changes["y", "neutral"].value == 1
    assert changes["x", "again"].value == 0
    assert {each.game for each in turned} == {"undercover"}


def test_changed_choices_are_those_that_differ_but_for_their_reasons(turned: list[Finding]) -> None:
    changed = of_kind(turned, "choices")
    # Each agent has the first seat in 6 of 12 matches, the second in the others.
    assert (changed["x", "neutral"].value, changed["x", "neutral"].n) == (0.5, 12)
    # Wilson for 0 of six settings: 3.84 / (6 + 3.84).
    assert changed["x", "again"].value == 0
    assert changed["x", "again"].high == pytest.approx(0.39, abs=0.005)


def test_fallbacks_and_matches_without_counterpart_are_left_out() -> None:
    records = played({"plain": X_WINS, "neutral": X_WINS})
    faulty = (vote(0, 2, FaultKind.EMPTY), vote(1, 2))
    records[12] = replace(records[12], answers=faulty)  # of x as the undercover: y sits first
    records[13] = replace(records[13], seed=99)
    changed = of_kind(audit(records), "choices")
    assert (changed["y", "neutral"].n, changed["x", "neutral"].n) == (10, 11)
    assert changed["x", "neutral"].value == pytest.approx(6 / 11)


def test_all_that_agents_gain_and_lose_by_wording_is_their_interaction(
    turned: list[Finding],
) -> None:
    shares = of_kind(turned, "share")
    assert shares["agent × wording",].value == pytest.approx(1)
    assert shares["wording",].value == 0
    assert shares["wording",].n == 6 * 2 * 3 * 2


def test_too_few_clusters_have_no_interval_and_say_so() -> None:
    records = [each for each in played({"plain": X_WINS, "neutral": Y_WINS}) if each.seed in {0, 1}]
    (flips,) = of_kind(audit(records), "flips").values()
    assert (flips.value, flips.low) == (1, None)
    assert flips.note == "too few clusters: 2"


def test_conditions_besides_the_wording_are_audited_apart() -> None:
    records = played({"plain": X_WINS, "neutral": Y_WINS})
    other = []
    for each in records:
        condition = f"clue_rounds=1,{each.condition}".strip(",")
        other.append(replace(each, number=each.number + 100, condition=condition))
    names = {each.game for each in audit(records + other)}
    assert names == {"undercover", "undercover (clue_rounds=1)"}


def test_every_format_has_the_same_figures(turned: list[Finding]) -> None:
    report = audit_report(turned, [("x", 0, 40), ("y", 40, 40)])
    assert report.notes[-1].startswith("Many invalid answers: y (40/40 faults).")
    assert {record["kind"] for record in report.records} == {"share", "change", "choices", "flips"}
    markdown = WRITERS["md"](report)
    assert "-1.00 \\[no spread\\]" in markdown
    assert WRITERS["csv"](report).count("\n") == len(report.records) + 1


def by_chance(seed: int) -> list[MatchRecord]:
    """Matches of three agents in three wordings, which change nothing."""
    dice = random.Random(seed)
    records = []
    for wording, setting, (one, other) in product(
        ("plain", "neutral", "renamed"), SETTINGS, permutations("xyz", 2)
    ):
        ending = "escaped" if dice.random() < 0.5 else "caught"
        condition = "" if wording == "plain" else f"wording={wording}"
        number = len(records) + 1
        agents = (other, one, other)
        match = undercover(
            agents, ending=ending, number=number, setting=setting, condition=condition
        )
        records.append(replace(match, seed=SETTINGS.index(setting)))
    return records


@pytest.mark.study(
    "ratings/inference", "ratings/reliability", "ratings/statistics", "tests/ratings/records.py"
)
def test_changes_by_chance_are_within_their_intervals_and_wording_has_no_share() -> None:
    covered, wording = [], []
    for seed in range(6):
        result = list(audit(by_chance(seed)))
        changes = of_kind(result, "change").values()
        covered += [c.low <= 0 <= c.high for c in changes if None not in (c.low, c.high)]
        wording.append(of_kind(result, "share")["wording",].low or 0)
    assert len(covered) > 30
    assert sum(covered) >= 0.85 * len(covered)
    assert max(wording) < 0.01

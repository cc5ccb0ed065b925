"""Conditions: an agent compared under two, leaderboards by condition, standard errors by hand."""

from dataclasses import replace
from itertools import product
from math import sqrt

import pytest

from parlour.games.engine.record import MatchRecord
from parlour.ratings.comparison.comparison import Difference, compare
from parlour.ratings.measures.conditions import is_condition
from parlour.ratings.measures.measures import measures
from parlour.ratings.reports.comparison_report import comparison_report
from parlour.ratings.reports.ranking import leaderboard, leaderboard_by_condition
from tests.ratings.records import donation, find, met, numbered, undercover, vote

GOSSIP, PRIVATE = "monitoring=gossip", "monitoring=private"


def match(helped: int, condition: str, seed: int | None, agents: str = "xx") -> MatchRecord:
    """A match of four encounters, in so many of which the donor helps."""
    steps = [met(step % 2, 1 - step % 2, "cooperate" if step < helped else "") for step in range(4)]
    return replace(donation(agents, steps, (helped, helped), condition=condition), seed=seed)


def ablation(*helped: tuple[int, int, int]) -> list[MatchRecord]:
    """Seed, and encounters with help by gossip and in private."""
    gossip = [match(by_gossip, "", seed) for seed, by_gossip, _ in helped]
    return numbered([*gossip, *(match(private, PRIVATE, seed) for seed, _, private in helped)])


def the_difference(records: list[MatchRecord], one: str, other: str) -> Difference:
    compared = compare(records, one, other, ["cooperation_ratio"], agent="x")
    assert (compared.one, compared.other, compared.agent) == (one, other, "x")
    (difference,) = compared.differences
    return difference


@pytest.mark.parametrize(
    ("text", "condition", "named"),
    [
        ("default", "", True),
        (GOSSIP, "", True),
        (PRIVATE, PRIVATE, True),
        (GOSSIP, PRIVATE, False),
        ("default", PRIVATE, False),
        (PRIVATE, f"horizon=finite,{PRIVATE}", False),
        (f"{PRIVATE}, horizon=finite", f"horizon=finite,{PRIVATE}", True),
        *((f"self_report={it}", "self_report=True", True) for it in ("true", "True")),
        *((f"cost={it}", "cost=2.0", True) for it in ("2", "2.0")),
        ("cost=1, self_report=false", "", True),
        ("difficulty=hard", "", False),  # not a key of this game
    ],
)
def test_a_condition_is_named_by_the_keys_that_differ(
    text: str, condition: str, named: bool
) -> None:
    assert is_condition(text, "donation", condition) == named


def test_two_conditions_of_an_agent_are_paired_by_seed() -> None:
    # In quarters: 4 - 1, 3 - 1, 2 - 2 are 3, 2 and 0 more, 5/3 quarters in the mean.
    records = ablation((11, 4, 1), (12, 3, 1), (13, 2, 2))
    difference = the_difference(records, GOSSIP, PRIVATE)
    assert (difference.pairs, difference.clusters, difference.differing) == (3, 3, 2)
    assert difference.value == pytest.approx(5 / 12)
    # The pair that differs most are the first matches of either condition.
    apart = difference.apart[0]
    assert (apart.match, apart.value, apart.other_match, apart.other_value) == (1, 1.0, 4, 0.25)
    assert apart.condition == f"{GOSSIP} / {PRIVATE}"
    swapped = the_difference(records, PRIVATE, GOSSIP)
    assert swapped.value == -difference.value
    assert swapped.p == difference.p
    (note, *_) = comparison_report([compare(records, GOSSIP, PRIVATE, agent="x")]).notes
    assert "pairs of the same setting, seed and role" in note


def test_a_match_that_is_missing_leaves_its_seed_out() -> None:
    records = ablation((11, 4, 1), (12, 3, 1), (13, 2, 2))
    del records[0]
    # Where seeds are not shared, the first goes with the first: 3 - 1 and 2 - 1.
    own = [replace(record, seed=None) for record in records]
    # Other agents and other conditions do not enter.
    others = [match(4, PRIVATE, 11, "yy"), match(4, "horizon=finite", 11), match(0, "", 11, "xy")]
    beside = numbered([*ablation((11, 4, 1), (12, 3, 1)), *others])
    for matches, value in ((records, 2 / 8), (own, 3 / 8), (beside, 5 / 8)):
        difference = the_difference(matches, GOSSIP, PRIVATE)
        assert (difference.pairs, difference.value) == (2, pytest.approx(value))
    # A game with columns of its own is compared by these.
    compared = compare(beside, GOSSIP, PRIVATE, agent="x")
    assert "cooperation_ratio" in {difference.measure for difference in compared.differences}


def test_on_twenty_settings_conditions_are_paired_by_setting() -> None:
    records = [
        undercover("xyx", answers=[vote(0, right)], setting=f"s{n}", condition=condition)
        for (condition, right), n in product((("", 1), ("probes=off", 2)), range(20))
    ]
    compared = compare(numbered(records), "default", "probes=off", ["judgment"], agent="x")
    (difference,) = compared.differences
    assert (difference.value, difference.pairs, difference.clusters) == (1.0, 20, 20)


def test_a_leaderboard_by_condition_pools_nothing_over_conditions() -> None:
    records = ablation((11, 4, 0), (12, 3, 1), (13, 3, 2))
    pooled = leaderboard(records).by("game")
    (together,) = (standing.measures["cooperation_ratio"] for standing in pooled)
    assert (together.k, together.n) == (13, 24)
    board = leaderboard_by_condition(records)
    shown = {standing.condition: standing for standing in board.by("condition")}
    assert set(shown) == {"default", PRIVATE}
    for condition, k in (("default", 10), (PRIVATE, 3)):
        cell = shown[condition].measures["cooperation_ratio"]
        assert (cell.k, cell.n, shown[condition].matches) == (k, 12, 3)
        row = find(measures(records), "cooperation_ratio", game="donation", condition=condition)
        assert (cell.value, cell.low, cell.high) == (row.value, row.low, row.high)
    assert board.standings == tuple(board.by("condition"))


def test_strength_by_condition_is_of_its_own_matches() -> None:
    won = [undercover("yxy", special=1, ending="escaped", setting=f"s{n}") for n in range(3)]
    lost = [undercover("yxy", setting=f"s{n}", condition="probes=off") for n in range(3)]
    records = numbered([*won, *lost])
    first = {
        standing.condition: standing.agent
        for standing in leaderboard_by_condition(records).by("condition")
        if standing.strength is not None and standing.strength.value > 0
    }
    assert first == {"default": "x", "probes=off": "y"}
    alone = {s.agent: s for s in leaderboard(numbered(lost)).by("game")}
    for standing in leaderboard_by_condition(records).by("condition"):
        if standing.condition == "probes=off":
            assert standing.strength == alone[standing.agent].strength
            assert standing.mu == alone[standing.agent].mu


def test_a_leaderboard_by_condition_may_leave_faults_out() -> None:
    faulty = undercover("yxy", ending="escaped", answers=[vote(0, None)], condition="probes=off")
    board = leaderboard_by_condition(numbered([undercover(), faulty]), without_faults=True)
    assert (board.left_out, {s.condition for s in board.by("condition")}) == (1, {"default"})


def test_means_and_rates_of_gossip_have_the_error_of_a_sample_of_matches() -> None:
    # Payoffs 4, 3 and 2: s = 1. Rates 1, 3/4 and 1/2: s = 1/4.
    rows = measures(ablation((11, 4, 1), (12, 3, 1), (13, 2, 1)))
    for measure, s in (("payoff", 1.0), ("cooperation_ratio", 1 / 4)):
        row = find(rows, measure, game="donation", condition="default")
        assert row.se == pytest.approx(s / sqrt(3))
        assert row.low is None  # three matches are too few

"""Two agents compared: worked by hand, held to what chance alone does, the same from both sides."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, combinations, pairwise, product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t, ttest_1samp

from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import games
from parlour.games.mechanisms.over import MECHANISMS
from parlour.ratings.comparison.comparison import (
    Difference,
    compare,
    compare_pairs,
    least_p,
    sign_flip,
)
from parlour.ratings.measures.role_counts import CREDITS, paired_counters
from parlour.ratings.reports.ranking import leaderboard
from parlour.ratings.statistics.corrections import correct
from tests.ratings.impostors import impostor, played_impostor
from tests.ratings.records import (
    chameleon,
    dilemma,
    drawn,
    numbered,
    played_donation,
    undercover,
    vote,
)

study = pytest.mark.study("ratings", "tests/ratings/records.py")


def duel(setting: str, caught: str, company: str = "y") -> list[MatchRecord]:
    """x against ``company`` on one setting, sides swapped; ``caught`` names who is caught."""
    matches = []
    for special, other in (("x", company), (company, "x")):
        ending = "caught" if special in caught else "escaped"
        matches.append(undercover([special, other, other], 0, ending, setting=setting))
    return matches


def sizes(each: Difference) -> tuple[float, int, int]:
    return each.value, each.pairs, each.clusters


def duels(caught: Sequence[str]) -> list[MatchRecord]:
    """Duels on the settings 0, 1, 2, ...; ``caught`` names who is caught on each."""
    by_setting = [duel(f"{number}", names) for number, names in enumerate(caught)]
    return list(chain.from_iterable(by_setting))


def win_rate(*matches: MatchRecord) -> Difference:
    (difference,) = compare(numbered(matches), "x", "y", ["win_rate"]).differences
    return difference


# Pairs


def test_the_mean_of_the_differences_in_the_same_role_on_the_same_setting() -> None:
    # banjo: x gets away with it and y does not: as undercover 1 - 0, as civilian 1 - 0.
    # train: both get away with it: 1 - 1 and 0 - 0. The mean of 1, 1, 0, 0 is .5.
    difference = win_rate(*duel("banjo", caught="y"), *duel("train", caught=""))
    assert (difference.measure, difference.game) == ("win_rate", "undercover")
    assert (sizes(difference), difference.differing) == ((0.5, 4, 2), 1)
    # Two clusters are too few for an interval.
    assert (difference.low, difference.high) == (None, None)
    # One cluster that differs may as well have the other sign.
    assert difference.p == difference.corrected == 1


def test_on_few_settings_a_match_is_paired_with_its_like_and_with_no_other() -> None:
    # Both beat z as the undercover once; x once more, which y has nothing to set against.
    alike = [undercover("xzz", 0, "escaped"), undercover("yzz", 0, "escaped")]
    assert (win_rate(*alike).value, win_rate(*alike).pairs) == (0, 1)
    assert win_rate(*alike, undercover("xzz", 0, "escaped")).pairs == 1
    # Other company, another setting, another condition: nothing is the same.
    for unlike in (
        undercover("yqq", 0, "escaped"),
        undercover("yzz", 0, "escaped", setting="train"),
        undercover("yzz", 0, "escaped", condition="clue_rounds=1"),
    ):
        assert compare(numbered([alike[0], unlike]), "x", "y").differences == ()


def test_matches_that_are_repeated_are_paired_in_their_order() -> None:
    # x escapes, is caught; y is caught, escapes: 1 - 0 and 0 - 1, in clusters of their own.
    order = (("xzz", "escaped"), ("yzz", "caught"), ("xzz", "caught"), ("yzz", "escaped"))
    difference = win_rate(*(undercover(agents, 0, ending) for agents, ending in order))
    assert (sizes(difference), difference.differing, difference.p) == ((0, 2, 2), 2, 1)


def test_on_twenty_settings_all_matches_of_a_setting_are_one_pair_a_role() -> None:
    # On each setting x is the undercover twice and gets away once, y once and does not.
    results = (("xzz", "escaped"), ("xqq", "caught"), ("yqz", "caught"))
    matches = [
        undercover(agents, 0, ending, setting=f"{number}")
        for number, (agents, ending) in product(range(20), results)
    ]
    assert sizes(win_rate(*matches)) == (0.5, 20, 20)
    # With four settings matches are the clusters, and none of these is like another.
    assert compare(numbered(matches[:12]), "x", "y").differences == ()
    # All pairs of a setting hang together whatever their condition.
    others = [replace(match, condition="clue_rounds=1") for match in matches]
    assert sizes(win_rate(*matches, *others)) == (0.5, 40, 20)


def test_two_in_the_same_role_of_one_match_are_a_pair() -> None:
    difference = win_rate(
        dilemma("xyz", ["DCC"], (5, 0, 0)), dilemma("xyz", ["DCC"], (5, 0, 0), setting="other")
    )
    assert (difference.value, difference.pairs, difference.clusters) == (1, 2, 2)
    assert [(each.match, each.other_match) for each in difference.apart] == [(2, 2), (1, 1)]


def test_a_capability_takes_the_pairs_of_its_games_together_and_only_of_the_strict_ones() -> None:
    judged = [
        undercover("zxx", 0, "caught", [vote(1, 0), vote(2, 0)]),
        undercover("zyy", 0, "caught", [vote(1, 0), vote(2, 1)]),
        impostor("zxxx", (1, 0, 0, 0), "convicted"),
        impostor("zyyy", (1, 0, 0, 0), "convicted"),
    ]
    # x is right in 2 of 2 votes, y in 1 of 2: 1 - 1/2. The impostor game is not of the profile.
    (difference,) = compare(numbered(judged), "x", "y", ["judgment"]).differences
    assert (difference.game, difference.value, difference.pairs) == (None, 0.5, 1)


def test_the_usual_family_is_the_win_rate_of_each_game_and_the_capabilities_that_both_have() -> (
    None
):
    matches = [
        drawn(name, "xyx", seed) for name, seed in product(("cost_sharing", "public_good"), (1, 2))
    ]
    comparison = compare(numbered(matches), "x", "y")
    assert [(each.measure, each.game) for each in comparison.differences] == [
        ("win_rate", "cost_sharing"),
        ("win_rate", "public_good"),
        *product(CREDITS, ("cost_sharing", "public_good")),
        ("cooperation", None),
        ("coordination", None),
        ("rationality", None),
    ]


def test_every_measure_that_can_be_compared_is_one_that_two_agents_have() -> None:
    matches = [
        drawn(name, (order * 5)[: SEATS.get(name, 3)], seed)
        for name, seed, order in product(games(), range(12), ("xy", "yx"))
    ]
    matches += [replace(each, agents=tuple("xxyy")) for each in played_impostor()]
    matches += [played_donation("xyxy", seed, 0.1, 0, self_report=True) for seed in range(4)]
    for seed, agents in product(range(6), ("xyxy", "yxyx")):
        matches.append(drawn("undercover", agents, seed, players=4, jester=True))
    differences = compare(numbered(matches), "x", "y", [*paired_counters()]).differences
    # No mechanism is played here, so none of what one counts is compared.
    measures = chain.from_iterable(made.measures for made in MECHANISMS)
    of_mechanisms = {each.name for each in measures}
    assert {each.measure for each in differences} == {*paired_counters()} - of_mechanisms


SEATS = {"impostor": 4, "donation": 9, "reciprocity": 5, "investment": 5}


def test_what_is_not_counted_is_not_compared() -> None:
    matches = [replace(match, counted=(0,)) for match in duel("banjo", caught="y")]
    comparison = compare(numbered(matches), "x", "y", ["win_rate"])
    # Only the undercover of each match is counted: there is no pair of civilians.
    assert [each.pairs for each in comparison.differences] == [1]
    nobody = [replace(match, counted=()) for match in matches]
    assert compare(numbered(nobody), "x", "y").differences == ()


@pytest.mark.parametrize("game", ["undercover", "chameleon", "impostor"])
def test_deception_is_compared_in_each_game_with_a_special_role(game: str) -> None:
    matches = {
        "undercover": [undercover("xzz", 0, "escaped"), undercover("yzz", 0, "caught")],
        "chameleon": [chameleon("xzz", 0, "escaped"), chameleon("yzz", 0, "caught")],
        "impostor": [
            impostor("xzzz", (1, 0, 1, 0), "tie"),
            impostor("yzzz", (1, 0, 0, 0), "convicted"),
        ],
    }[game]
    (difference,) = compare(numbered(matches), "x", "y", ["deception"]).differences
    assert (difference.value, difference.pairs, difference.apart[0].game) == (1, 1, game)
    board = leaderboard(numbered(matches))
    shown = {each.agent: each.measures.get("deception") for each in board.by("overall")}
    assert shown["x"] is not None
    assert (shown["x"].k, shown["x"].n) == (1, 1)


# Families


def test_all_pairs_are_one_family_with_one_correction() -> None:
    matches = []
    for n in range(20):
        caught = {"w": False, "x": True, "y": n % 2 == 1}
        matches += [
            undercover(f"{who}zz", 0, "caught" if is_caught else "escaped", setting=f"{n}")
            for who, is_caught in caught.items()
        ]
    pairs = [("w", "x"), ("w", "y"), ("x", "y")]
    alone = [compare(numbered(matches), *pair, ["win_rate"]).differences[0] for pair in pairs]
    family = compare_pairs(numbered(matches), pairs, ["win_rate"])
    together = [comparison.differences[0] for comparison in family]
    assert [each.value for each in together] == [1, 0.5, -0.5]
    assert [each.p for each in together] == [each.p for each in alone]
    assert [each.corrected for each in together] == correct([each.p for each in alone], "holm")
    assert {comparison.family for comparison in family} == {3}


def test_a_role_is_compared_alone() -> None:
    matches = numbered(duels(["y", "", "xy"]))
    # As the undercover x alone escapes, both do, neither does; as civilians the other way round.
    for role in ("undercover", "civilian"):
        (alone,) = compare_pairs(matches, [("x", "y")], ["win_rate"], role=role)
        (difference,) = alone.differences
        assert (difference.value, difference.pairs) == (pytest.approx(1 / 3), 3)
    (specials,) = compare_pairs(matches, [("x", "y")], ["win_rate", "judgment"], role="undercover")
    assert [each.measure for each in specials.differences] == ["win_rate"]


def test_payoff_and_welfare_are_of_the_usual_family_where_payoffs_are_no_credits() -> None:
    matches = [undercover("xyy", 0), undercover("yxx", 0), dilemma("xyz", ["DCC"], (5, 0, 0))]
    differences = compare(numbered(matches), "x", "y").differences
    named = [(each.measure, each.game) for each in differences if each.measure in CREDITS]
    assert named == [(measure, "prisoners_dilemma") for measure in CREDITS]


@study
def test_a_large_family_has_flips_enough_for_its_correction() -> None:
    names = "abcdefghijklmnopqrstuvw"
    matches = [
        dilemma(f"{who}zz", ["CCC"], (pay, 0, 0), setting=f"{n}")
        for n, (pay, who) in product(range(20), enumerate(names))
    ]
    pairs = [*combinations(names, 2)][:130]
    family = compare_pairs(numbered(matches), pairs, ["payoff", "welfare"])
    differences = list(chain.from_iterable(comparison.differences for comparison in family))
    assert len(differences) == 260
    assert max(each.corrected for each in differences) < 0.03


# Clusters


def test_matches_that_are_one_observation_are_one_cluster() -> None:
    # Ten alike matches on one setting: under one shared seed they are one observation, and so are
    # copies; with seeds of their own they are ten.
    matches = [
        undercover(f"{who}{other}{other}", 0, ending)
        for (who, ending), other in product((("x", "escaped"), ("y", "caught")), "abcdefghij")
    ]
    shared = [replace(match, seed=7) for match in matches]
    copies = [replace(match, transcript=ord(match.agents[0])) for match in matches]
    for records, clusters in ((matches, 10), (shared, 1), (copies, 1)):
        difference = win_rate(*records)
        assert (difference.value, difference.pairs, difference.clusters) == (1, 10, clusters)


def test_the_interval_is_that_of_a_paired_t_test() -> None:
    matches = season(5, 1.0)
    (difference,) = compare(matches, "x", "y", ["payoff"]).differences
    paid = np.array([match.outcome.payoffs[0] for match in matches])
    interval = ttest_1samp(paid[::2] - paid[1::2], 0).confidence_interval()
    assert (difference.low, difference.high) == pytest.approx((interval.low, interval.high))
    assert difference.freedom == pytest.approx(9)


def test_the_error_of_clusters_of_several_sizes_is_the_jackknife_of_a_regression() -> None:
    dice, matches = Random(3), []
    for number in range(20):
        for condition in ("", "rounds=6", "rounds=7")[: 1 + number % 3]:
            matches += [
                replace(
                    dilemma(f"{who}zz", ["CCC"], (dice.gauss(0, 1), 0, 0), setting=f"{number}"),
                    condition=condition,
                )
                for who in "xy"
            ]
    (difference,) = compare(numbered(matches), "x", "y", ["payoff"]).differences
    paid = np.array([match.outcome.payoffs[0] for match in matches])
    y, group = paid[::2] - paid[1::2], np.array([int(match.setting) for match in matches[::2]])

    def fitted(rows: np.ndarray) -> float:
        return float(np.linalg.lstsq(np.ones((rows.sum(), 1)), y[rows], rcond=None)[0][0])

    whole = fitted(group >= 0)
    variance = 19 / 20 * sum((fitted(group != left_out) - whole) ** 2 for left_out in range(20))
    assert difference.error == pytest.approx(variance**0.5)
    half = t.ppf(0.975, 19) * variance**0.5
    assert (difference.low, difference.high) == pytest.approx((whole - half, whole + half))


def test_interval_and_p_value_agree_but_at_the_edge() -> None:
    agree = 0
    for seed in range(60):
        (each,) = compare(season(seed, 1.0), "x", "y", ["payoff"]).differences
        assert each.low is not None
        assert each.high is not None
        agree += (each.p < 0.05) == (each.low * each.high > 0)
    assert agree >= 54


# p values, corrections, what n allows


def test_a_p_value_by_hand() -> None:
    # ±3 ±1 ±1: 5, 3, 3, 1 and the same below 0; six of the eight are as far from 0 as 3.
    assert sign_flip(np.array([3.0, 1.0, -1.0])) == 6 / 8
    # ±1 ±1 ±1: two of the eight are as far as 3; what is 0 has no sign.
    assert sign_flip(np.array([1.0, 0.0, 1.0, 1.0])) == 2 / 8
    assert sign_flip(np.array([])) == sign_flip(np.array([0.0, 2.0])) == 1
    # 2 ** 30 changes cannot be tried; of 9,999 none is as far, and itself counts, both ways.
    assert sign_flip(np.ones(30)) == 2 / 10_000
    for clusters in (2, 5, 13, 14, 40):
        assert sign_flip(np.ones(clusters)) == pytest.approx(least_p(clusters))


def test_five_clusters_are_too_few_whatever_they_say_and_six_are_not() -> None:
    # 2 / 2⁵ = .0625 and 2 / 2⁶ = .03125. Settings that never differ do not make up for those
    # that do; where none differs, nothing is too small.
    for caught, figures in (
        (["y"] * 5, (5, 0.0625, True)),
        (["y"] * 5 + [""], (5, 0.0625, True)),
        (["y"] * 6, (6, 0.03125, False)),
        ([""] * 6, (0, 1, False)),
    ):
        each = win_rate(*duels(caught))
        assert (each.clusters, (each.differing, each.p, each.too_small)) == (len(caught), figures)
    assert (each.value, each.detectable, each.apart) == (0, None, ())
    assert win_rate(*duels(["y"] * 5)).needed == 6
    # Three measures with pairs: the least of them is held against .05 / 3, for which 7 are needed.
    matches = numbered(duels(["y"] * 6))
    comparison = compare(matches, "x", "y", ["win_rate", "payoff", "deception"])
    assert [(each.needed, each.too_small) for each in comparison.differences] == [(7, True)] * 3
    assert [each.corrected for each in comparison.differences] == [3 / 32] * 3


def test_what_is_found_was_not_too_little_though_a_first_step_takes_more() -> None:
    # Of two, the larger p is held against .05 itself once the smaller has passed .05 / 2.
    matches = duels(["y"] * 8)
    matches += [dilemma("xyz", ["DCC"], (5, 0, 0), setting=f"{n}") for n in range(6)]
    differences = compare(numbered(matches), "x", "y", ["win_rate"]).differences
    assert [(each.game, each.p, each.needed) for each in differences] == [
        ("prisoners_dilemma", 0.03125, 7),
        ("undercover", 0.0078125, 7),
    ]
    assert [each.corrected for each in differences] == [0.03125, 0.015625]
    assert not any(each.too_small for each in differences)


def test_the_detectable_difference_by_hand() -> None:
    # Clusters of two pairs with the means 1, 0, 1, 0: their spread is √(1/3), its error half of
    # that, .288675; times the quantiles .975 and .8 of t with 3 degrees, 3.182446 + .978472.
    matches = duels(["y", "", "y", ""])
    assert win_rate(*matches).detectable == pytest.approx(0.288675 * 4.160918, abs=1e-5)


def test_the_matches_that_differ_most_are_named() -> None:
    # 1, 2: both escape. 3: x escapes, 4: y is caught. 5: x is caught, 6: y escapes.
    difference = win_rate(
        *duel("banjo", caught=""), *duel("train", caught="y"), *duel("violin", caught="x")
    )
    civilian, special = difference.apart
    assert (civilian.setting, civilian.role) == ("train", "civilian")
    assert (civilian.match, civilian.value) == (4, 1)
    assert (civilian.other_match, civilian.other_value) == (3, 0)
    assert (special.role, special.match, special.other_match) == ("undercover", 3, 4)


@pytest.mark.parametrize("turned", [False, True])
def test_of_matches_that_went_alike_the_first_is_named(turned: bool) -> None:
    # On each setting the one is the undercover three times and gets away but the first time; the
    # other three times and is caught but the first time.
    well, badly = "yx" if turned else "xy"
    plan = [*product([well], ["zz", "zq", "qz"]), *product([badly], ["zz", "zq", "qz"])]
    endings = ["caught", "escaped", "escaped", "escaped", "caught", "caught"]
    matches = [
        undercover([who, *company], 0, ending, setting=f"{number:02}")
        for number, ((who, company), ending) in product(range(20), zip(plan, endings, strict=True))
    ]
    (difference,) = compare(numbered(matches), "x", "y", ["win_rate"]).differences
    assert difference.value == pytest.approx(-1 / 3 if turned else 1 / 3)
    named = [
        {(each.match, each.value), (each.other_match, each.other_value)}
        for each in difference.apart
    ]
    assert named == [{(2, 1), (5, 0)}, {(8, 1), (11, 0)}]


# Chance


def season(seed: int, edge: float = 0.0) -> list[MatchRecord]:
    """x and y each against z on ten settings, some richer than others; ``edge`` is x's."""
    dice = Random(seed)
    matches = []
    for number in range(10):
        level = dice.gauss(10, 5)
        matches += [
            dilemma(f"{who}zz", ["CCC"], (level + dice.gauss(more, 1), 0, 0), setting=f"{number}")
            for who, more in (("x", edge), ("y", 0))
        ]
    return numbered(matches)


def p_of(matches: list[MatchRecord]) -> float:
    (difference,) = compare(matches, "x", "y", ["payoff"]).differences
    return difference.p


@study
def test_between_equals_one_in_twenty_p_values_is_below_a_twentieth() -> None:
    # 300 tournaments: 15 ± 3 × √(300 × .05 × .95) = 15 ± 11.
    below = sum(p_of(season(seed)) < 0.05 for seed in range(300))
    assert 4 <= below <= 26


@study
def test_a_planted_difference_is_found_about_as_often_as_said() -> None:
    # The spread of a difference is √2, its error √2 / √10; the detectable edge is 3.15 of these.
    edge = 3.145561 * (2 / 10) ** 0.5
    significant = sum(p_of(season(seed, edge)) < 0.05 for seed in range(300, 400))
    assert 68 <= significant <= 92


# The same, however it is looked at


matches_drawn = st.lists(
    st.builds(
        drawn,
        st.sampled_from(["undercover", "chameleon", "public_good", "prisoners_dilemma"]),
        st.tuples(*[st.sampled_from("xyz")] * 3),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=12,
).map(numbered)
few = settings(max_examples=15, deadline=None)


@few
@given(matches_drawn, st.randoms(use_true_random=False))
def test_the_order_of_the_matches_does_not_matter(matches: list[MatchRecord], dice: Random) -> None:
    shuffled = dice.sample(matches, len(matches))
    assert compare(shuffled, "x", "y") == compare(matches, "x", "y")


def parts(each: Difference, sign: int = 1) -> tuple[object, ...]:
    """All of a difference, or of its mirror image."""
    bounds = (
        [] if each.low is None or each.high is None else sorted((sign * each.low, sign * each.high))
    )
    return (
        *(each.measure, each.game, sign * each.value, each.p, each.corrected, each.detectable),
        bounds,
        [(apart.match, apart.other_match)[::sign] for apart in each.apart],
    )


@few
@given(matches_drawn)
def test_seen_from_the_other_agent_only_the_signs_change(matches: list[MatchRecord]) -> None:
    one, other = compare(matches, "x", "y"), compare(matches, "y", "x")
    assert [parts(each, -1) for each in one.differences] == list(map(parts, other.differences))


@few
@given(matches_drawn)
def test_a_correction_makes_no_p_smaller_and_keeps_their_order(matches: list[MatchRecord]) -> None:
    for correction in ("holm", "bh", "bonferroni"):
        differences = compare(matches, "x", "y", correction=correction).differences  # type: ignore[arg-type]
        assert all(each.p <= each.corrected <= 1 for each in differences)
        ranked = sorted(differences, key=lambda each: each.p)
        assert all(a.corrected <= b.corrected for a, b in pairwise(ranked))

"""In each game but undercover and the gossip games the stronger end above the weaker.

The figures themselves stand in the games' pages, and are held to the same matches there.
"""

from collections import Counter
from itertools import chain, pairwise, product
from statistics import fmean

import pytest

from parlour.games.impostor import GAME as IMPOSTOR
from tests.agents.strength import (
    WORDS,
    Measured,
    above_fair,
    agreement_rate,
    challenges,
    credit_share,
    score,
    win_rate,
)

pytestmark = pytest.mark.study("games", "agents/scripted", "tests/agents/strength.py")

TIERS = {pair.majority_word: pair.difficulty for pair in IMPOSTOR.shipped()}


def rising(*measured: Measured) -> bool:
    """True if each interval lies wholly above the one before."""
    return all(worse.high < better.low for worse, better in pairwise(measured))


def test_in_chameleon_cautious_and_bayesian_take_more_than_half_from_the_two_others() -> None:
    for name, other in product(("cautious", "bayesian"), ("random", "literal")):
        assert credit_share(challenges("chameleon", name, other)).low > 1 / 2, (name, other)


def test_in_chameleon_random_is_below_literal_below_cautious_and_bayesian_over_all() -> None:
    # 800 matches each: the half width of a mean is at most half of that over 200.
    means = {}
    for name in WORDS:
        shares = [credit_share(challenges("chameleon", name, other)) for other in WORDS]
        half = max(each.high - each.value for each in shares) / 2
        mean = fmean(each.value for each in shares)
        means[name] = Measured(800, mean, mean - half, mean + half)
    assert rising(means["random"], means["literal"], means["cautious"]), means
    assert rising(means["literal"], means["bayesian"]), means
    # Taken together these two are level, and the page says so.
    assert not rising(means["cautious"], means["bayesian"]), means


def test_in_impostor_bayesian_wins_most_cautious_next_and_the_most_specific_clue_is_worst() -> None:
    def rate(name: str) -> Measured:
        """Win rate against all others."""
        against = [challenges("impostor", name, other) for other in WORDS if other != name]
        return win_rate(list(chain.from_iterable(against)))

    rates = {name: rate(name) for name in WORDS}
    assert {rate.n for rate in rates.values()} == {600}
    for worst in ("literal", "random"):
        assert rising(*(rates[name] for name in (worst, "cautious", "bayesian"))), rates
    assert not rising(rates["random"], rates["literal"]), rates
    for other in WORDS[:-1]:
        assert win_rate(challenges("impostor", "bayesian", other)).low > 1 / 2, other
    for other in ("random", "literal"):
        assert win_rate(challenges("impostor", "cautious", other)).low > 1 / 2, other


def test_in_impostor_every_difficulty_and_seat_is_played_from_both_sides() -> None:
    played = challenges("impostor", "bayesian", "random")
    places = Counter(
        (each.match.setting.impostor_seat, len(each.seats), TIERS[each.match.setting.majority_word])
        for each in played
    )
    assert {(seats, tier) for _, seats, tier in places} == set(
        product((1, 3), ("easy", "medium", "hard", "expert"))
    )
    assert Counter(len(each.seats) for each in played) == {1: 100, 3: 100}
    assert {seat for seat, _, _ in places} == {0, 1, 2, 3}


def test_in_cost_sharing_a_haggler_agrees_as_often_as_fair_and_pays_less() -> None:
    names = ("stubborn", "random", "fair", "haggler")
    against = {name: challenges("cost_sharing", name, "yielding") for name in names}
    rates = {name: agreement_rate(played) for name, played in against.items()}
    assert rising(rates["stubborn"], rates["random"], rates["fair"]), rates
    assert rates["fair"].value == rates["haggler"].value == 1
    assert rising(above_fair(against["haggler"]), above_fair(against["fair"]))
    # What a stubborn one saves does not make up for the agreements it lacks.
    assert rising(score(against["stubborn"]), score(against["random"]), score(against["fair"]))


def test_in_the_dilemma_whoever_defects_more_wins_more_against_random() -> None:
    names = ("cooperate", "random", "tit_for_tat", "grim", "greedy")
    rates = [win_rate(challenges("prisoners_dilemma", name, "random")) for name in names]
    assert rising(*rates), rates


def test_in_public_good_whoever_stops_giving_sooner_wins_more_against_random() -> None:
    names = ("cooperate", "random", "tit_for_tat", "grim")
    rates = [win_rate(challenges("public_good", name, "random")) for name in names]
    assert rising(*rates), rates
    greedy = win_rate(challenges("public_good", "greedy", "random"))
    assert greedy.value == 1
    assert rising(win_rate(challenges("public_good", "equilibrium", "random")), greedy)


@pytest.mark.parametrize("game", ["prisoners_dilemma", "public_good"])
def test_among_those_who_return_good_for_good_helping_earns_more_than_not(game: str) -> None:
    helping = score(challenges(game, "grim", "tit_for_tat"))
    assert rising(score(challenges(game, "greedy", "tit_for_tat")), helping)

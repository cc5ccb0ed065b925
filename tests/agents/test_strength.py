"""Scripted players of known strength come out in that order, for the reasons they should.

All seeds are fixed, so these are the same matches each time. Probes are off: they change no
clue and no vote. A match gives its seats credits out of 3; an agent's share of a match is the
mean over its seats.
"""

from collections.abc import Sequence
from copy import copy
from functools import cache
from itertools import combinations, pairwise
from math import hypot, sqrt
from pathlib import Path
from statistics import fmean, stdev

import pytest

from parlour.agents.registry import strategies
from parlour.agents.scripted.bayesian import BayesianPlayer
from parlour.agents.scripted.strategy import Strategy
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Frozen
from parlour.games.engine.table import Table
from parlour.games.families.clues.clue_bank import ClueBank, shipped_bank
from parlour.games.testing.playthrough import opened
from parlour.games.undercover import GAME
from parlour.ratings.statistics.intervals import Interval, wilson
from parlour.tournament.plan.schedule import schedule
from tests.agents.playing import WORD_STRATEGIES, play, table
from tests.tournaments import scripted, tournament

study = pytest.mark.study("games", "agents/scripted", "tests/agents/playing.py")

HELD_OUT = GAME.shipped()[-6:]
"""Settings whose words no strategy was ever tuned on."""


@cache
def player(name: str) -> Strategy:
    return strategies()[name](shipped_bank())


def shares(match: Table, names: Sequence[str]) -> dict[str, float]:
    """Each agent's share of the credits of a finished match."""
    of: dict[str, list[float]] = {}
    for name, payoff in zip(names, match.outcome.payoffs, strict=True):
        of.setdefault(name, []).append(payoff / 3)
    return {name: fmean(values) for name, values in of.items()}


@cache
def round_robin(pairs: tuple[Frozen, ...], repetitions: int) -> dict[str, Interval]:
    """Mean share with its 95 % interval: every setting, pair of strategies and way round."""
    by_strategy: dict[str, list[float]] = {name: [] for name in WORD_STRATEGIES}
    seed = 0
    for _ in range(repetitions):
        for pair in pairs:
            for one, two in combinations(WORD_STRATEGIES, 2):
                for odd, other in ((one, two), (two, one)):
                    seed += 1
                    names = [odd if seat == pair.undercover_seat else other for seat in range(3)]
                    match = table(pair, seed, probes="off")
                    play(match, [player(name) for name in names])
                    for name, share in shares(match, names).items():
                        by_strategy[name].append(share)
    return {name: _interval(values) for name, values in by_strategy.items()}


def _interval(values: Sequence[float]) -> Interval:
    se = stdev(values) / sqrt(len(values))
    return Interval(se, fmean(values) - 1.96 * se, fmean(values) + 1.96 * se)


def in_order(intervals: dict[str, Interval], *names: str) -> bool:
    """True if each interval lies wholly above the one before."""
    return all(intervals[worse].high < intervals[better].low for worse, better in pairwise(names))


@study
def test_over_all_settings_random_is_below_literal_below_cautious_below_bayesian() -> None:
    intervals = round_robin(GAME.shipped(), 36)
    assert in_order(intervals, "random", "literal", "cautious", "bayesian"), intervals


@study
def test_on_held_out_words_the_order_stays_and_so_does_the_advantage_over_random() -> None:
    intervals = round_robin(HELD_OUT, 120)
    for between in ("literal", "cautious"):
        assert in_order(intervals, "random", between, "bayesian"), intervals
    literal, random = intervals["literal"], intervals["random"]
    ahead = (literal.low + literal.high) / 2 - (random.low + random.high) / 2
    assert ahead > 1.96 * hypot(literal.se, random.se), intervals


def shuffled_bank(dice: Dice) -> ClueBank:
    """The shipped bank with the clues of each word dealt to another one."""
    bank = shipped_bank()
    dealt = dict(zip(bank.clues, dice.shuffled(list(bank.clues)), strict=True))
    other = ClueBank({word: bank.clues[name] for word, name in dealt.items()}, bank.topics)
    other.evidence = copy(bank.evidence)
    other.evidence.place = {word: bank.evidence.place[name] for word, name in dealt.items()}
    vars(other.evidence)["of"] = other.evidence._of_word  # what is kept has the right labels
    return other


def judged_rightly(matches: int, shuffle: bool) -> Interval:
    """Share of votes of a Bayesian civilian for the undercover, among Bayesian players.

    ``shuffle``: it plays from the bank with its labels shuffled for each match.
    """
    right = 0
    for seed in range(matches):
        pair = GAME.shipped()[seed % 20]
        civilians = [seat for seat in range(3) if seat != pair.undercover_seat]
        judge = civilians[seed // 20 % 2]
        players = [player("bayesian")] * 3
        if shuffle:
            players[judge] = BayesianPlayer(shuffled_bank(Dice("shuffle", seed)))
        match = table(pair, seed, probes="off")
        votes = [answer for answer in play(match, players) if f"{judge} vote" in answer]
        right += votes == [f"{judge} vote {3 - sum(civilians)}"]
    return wilson(right, matches)


@study
def test_with_shuffled_labels_a_bayesian_civilian_judges_no_better_than_chance() -> None:
    shuffled = judged_rightly(1600, shuffle=True)
    assert shuffled.low < 1 / 2 < shuffled.high
    assert judged_rightly(400, shuffle=False).low > shuffled.high


ROUND_ROBIN = 'name = "four"\nseed = 1\n[[games]]\nname = "undercover"\n'
ROUND_ROBIN += scripted(**dict(zip(WORD_STRATEGIES, WORD_STRATEGIES, strict=True)))


def test_a_round_robin_of_undercover_ranks_its_players_by_how_well_they_play(
    tmp_path: Path,
) -> None:
    four = tournament(tmp_path, ROUND_ROBIN)
    by_strategy: dict[str, list[float]] = {name: [] for name in WORD_STRATEGIES}
    for planned in schedule(four):
        entry = four.games[planned.entry]
        match = opened(entry.game, entry.records[planned.setting], entry.variant, planned.seed)
        play(match, [player(name) for name in planned.agents])
        for name, share in shares(match, planned.agents).items():
            by_strategy[name].append(share)
    means = {name: fmean(values) for name, values in by_strategy.items()}
    assert means["bayesian"] > means["cautious"] > max(means["literal"], means["random"])

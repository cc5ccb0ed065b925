"""Strength: a probit model of who stood above whom, worked by hand, by another solver, and held
against agents of known skill."""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, combinations, product
from math import sqrt
from statistics import NormalDist, fmean, stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize
from scipy.special import log_ndtr
from scipy.stats import spearmanr, t

from parlour.games.engine.dice import Dice
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.moves import Outcome, Seat
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game, games
from parlour.ratings.skill.paired_outcomes import paired_outcomes
from parlour.ratings.skill.strength import Strengths
from parlour.ratings.skill.strength_model import StrengthModel, strengths
from parlour.ratings.statistics.clusters import Clusters
from tests.ratings.records import donation, drawn, negotiation, numbered, pooling, undercover
from tests.ratings.simulated import ROLES, Truth, tournament, truth

study = pytest.mark.study(
    "ratings/skill", "ratings/statistics", "tests/ratings/simulated.py", "tests/ratings/records.py"
)

AGENT, PLACE, GAME, ROLE = 1.0, 1.0, 0.09, 0.09
"""Variances of the priors, copied by hand."""
NORMAL = NormalDist()


def slope_at_peak(variance: float, wins: int = 1) -> float:
    """Slope of the likelihood of so many wins at the posterior's peak.

    Where the advantage η has a normal prior of this variance, the peak is where the prior's pull
    η / variance is the pull of the wins, φ(η) / Φ(η) each.
    """

    def pulls(eta: float) -> float:
        return eta / variance - wins * NORMAL.pdf(eta) / NORMAL.cdf(eta)

    return brentq(pulls, 0, 10) / variance


def values(records: Sequence[MatchRecord]) -> dict[str, float]:
    return {agent: fitted.value for agent, fitted in strengths(records).overall.items()}


def test_one_win_worked_in_closed_form() -> None:
    # η = place civilian - place undercover + x - y + x as civilian - y as undercover; each
    # parameter ends at its variance times the slope. A skill is the agent's own part and half of
    # either role's, so x ends at slope × (1 + 0.09 / 2), and y as far below the mean of 0.
    slope = slope_at_peak(2 * PLACE + 2 * AGENT + 2 * ROLE)
    fitted = values([undercover("xyx")])
    assert fitted == pytest.approx({"x": slope * (1 + ROLE / 2), "y": -slope * (1 + ROLE / 2)})


def test_where_a_game_has_one_role_there_is_no_other_than_the_agents_part() -> None:
    # In donation, two seats are nobody's side: η = x - y.
    slope = slope_at_peak(2 * AGENT)
    assert values([donation("xy", [], (2, 1))]) == pytest.approx({"x": slope, "y": -slope})


def four_seats(agents: str, special_won: bool = True) -> MatchRecord:
    """Seat 0 against the other three, as the impostor game has it."""
    roles = ("impostor", "majority", "majority", "majority")
    winners = tuple(Seat(seat) for seat in range(4) if (seat == 0) == special_won)
    outcome = Outcome("over", (0.0,) * 4, roles, roles, winners)
    seats = tuple(map(Seat, range(4)))
    return MatchRecord(1, "impostor", "", "pair", tuple(agents), seats, outcome, ())


def test_an_agent_on_both_sides_plays_with_its_net_share() -> None:
    # x: the impostor, and a third of the majority; y: two thirds of the majority. So
    # η = places + 2/3 x - 2/3 y + x as impostor - 1/3 x as majority - 2/3 y as majority.
    slope = slope_at_peak(2 * PLACE + 8 / 9 * AGENT + (1 + 1 / 9 + 4 / 9) * ROLE)
    x = slope * (2 / 3 * AGENT + ROLE * (1 - 1 / 3) / 2)
    y = -slope * (2 / 3 * AGENT + ROLE * (2 / 3) / 2)
    middle = (x + y) / 2
    fitted = values([four_seats("xxyy")])
    assert fitted == pytest.approx({"x": x - middle, "y": y - middle})


def test_a_level_match_is_half_a_win_for_either() -> None:
    level = [undercover("xyx", ending="tie")] * 2
    both = [undercover("xyx", ending="caught"), undercover("xyx", ending="escaped")]
    assert values(numbered(level)) == values(numbered(both))
    assert values(level[:1])["x"] == pytest.approx(0)


def test_the_pairs_of_seats_of_a_match_weigh_as_much_as_one_match() -> None:
    # x above both seats of y: two pairs of half a match each.
    two_seats = values([donation("xyy", [], (3, 2, 1))])
    assert two_seats == pytest.approx(values([donation("xy", [], (2, 1))]))


def test_equal_payoffs_are_level_and_seats_of_the_rules_have_no_part() -> None:
    assert values([donation("xy", [], (2, 2))]) == pytest.approx({"x": 0, "y": 0})
    with_greedy = donation("xy", [], (2, 1, 9), greedy=1)
    assert strengths([with_greedy]) == strengths([donation("xy", [], (2, 1))])
    assert strengths([donation("xx", [], (1, 2, 9), greedy=1)]) == Strengths()
    # x earns 100 and 0 by its two seats, y 60: one pair won, one lost.
    match = pooling("xyx", [[100, 40, 0]], 0.0)
    assert match.outcome.payoffs == (0.0, 60.0, 100.0)
    assert values([match]) == pytest.approx({"x": 0, "y": 0})


def test_one_agent_in_all_seats_informs_the_places_and_has_no_strength() -> None:
    # When z against itself shows that civilians mostly win, the same win of x tells less of x.
    alone = [four_seats("zzzz", special_won=True)] * 10
    once = [four_seats("xyyy", special_won=True)]
    fitted = strengths(numbered(once + alone)).overall
    assert list(fitted) == ["x", "y"]
    assert 0 < fitted["x"].value < values(once)["x"]
    assert strengths(alone) == Strengths()


def test_without_matches_or_opponents_there_is_no_strength() -> None:
    assert strengths([]) == Strengths()
    assert strengths([undercover("xxx")]) == Strengths()
    splits = [[[30, 30, 40]] * 3]
    assert strengths([negotiation("xyz", splits, [30, 30, 40])]) == Strengths()


def test_a_role_that_one_agent_alone_had_is_no_comparison() -> None:
    fitted = strengths(numbered([undercover("xyx"), undercover("xzx")]))
    assert set(fitted.by_role) == {("undercover", "undercover", agent) for agent in "yz"}
    assert set(fitted.by_game) == {("undercover", agent) for agent in "xyz"}
    counted = {agent: each.matches for agent, each in fitted.overall.items()}
    assert counted == {"x": 2, "y": 1, "z": 1}
    # A match in which an agent met but itself tells nothing of it.
    fitted = strengths(numbered([donation("xy", [], (2, 1)), donation("xx", [], (2, 1))]))
    assert {agent: each.matches for agent, each in fitted.overall.items()} == {"x": 1, "y": 1}


def parameters(record: MatchRecord, several: bool, seat: int) -> list[tuple[str, ...]]:
    """Terms whose sum is the skill in a seat, written independently of the program."""
    game, agent, role = record.game, record.agents[seat], record.outcome.roles[seat]
    own = [("agent", agent)]
    own += [("game", game, agent)] if several else []
    return own + ([("role", game, role, agent)] if game in ("undercover", "impostor") else [])


def by_another_solver(records: Sequence[MatchRecord]) -> dict[str, float]:
    """The same posterior's peak, match by match, by BFGS."""
    names = sorted({record.game for record in records})
    several = len(names) > 1
    rows, won, lost = [], [], []
    for record in records:
        sides = record.outcome.sides
        if find_game(record.game, "test").scoring.rated == "sides":
            one, other = sorted(set(sides))
            row: dict[tuple[str, ...], float] = {
                ("place", record.game, one): 1.0,
                ("place", record.game, other): -1.0,
            }
            for seat, side in enumerate(sides):
                for each in parameters(record, several, seat):
                    share = (1 if side == one else -1) / sides.count(side)
                    row[each] = row.get(each, 0.0) + share
            winning = {sides[seat] for seat in record.outcome.winners}
            result = 0.5 if len(winning) != 1 else float(winning == {one})
            rows.append(row)
            won.append(result)
            lost.append(1 - result)
            continue
        seats = [seat for seat, agent in enumerate(record.agents) if agent != BUILT_IN]
        pairs = [(a, b) for a, b in combinations(seats, 2) if record.agents[a] != record.agents[b]]
        for a, b in pairs:
            score, other_score = (record.outcome.payoffs[seat] for seat in (a, b))
            row = dict.fromkeys(parameters(record, several, a), 1.0)
            row |= dict.fromkeys(parameters(record, several, b), -1.0)
            result = 0.5 if score == other_score else float(score > other_score)
            rows.append(row)
            won.append(result / len(pairs))
            lost.append((1 - result) / len(pairs))
    agents = set(chain.from_iterable(record.agents for record in records)) - {BUILT_IN}
    roles: defaultdict[str, set[str]] = defaultdict(set)
    for record in records:
        roles[record.game].update(record.outcome.roles)
    terms = set(chain.from_iterable(rows))
    for game in names:
        terms.update(product(["role"], [game], roles[game], agents))
    every = sorted(terms)

    def dense(row: dict[tuple[str, ...], float]) -> list[float]:
        return [row.get(each, 0.0) for each in every]

    table = np.array(list(map(dense, rows)))
    variances = {"agent": AGENT, "place": PLACE, "game": GAME, "role": ROLE}
    variance = np.array([variances[each[0]] for each in every])

    def loss(beta: np.ndarray) -> float:
        eta = table @ beta
        fit = np.array(won) @ log_ndtr(eta) + np.array(lost) @ log_ndtr(-eta)
        return float((beta**2 / variance).sum() / 2 - fit)

    peak = dict(zip(every, minimize(loss, np.zeros(len(every)), tol=1e-9).x, strict=True))

    def in_game(agent: str, game: str) -> float:
        in_roles = fmean(peak.get(("role", game, role, agent), 0.0) for role in roles[game])
        return peak["agent", agent] + peak.get(("game", game, agent), 0.0) + in_roles

    def over_games(agent: str) -> float:
        return fmean(in_game(agent, game) for game in names)

    skill = {agent: over_games(agent) for agent in agents}
    return {agent: each - fmean(skill.values()) for agent, each in skill.items()}


def mixed(count: int, seed: int, names: str = "abcd") -> list[MatchRecord]:
    """Matches of three games in any seating, some level, some with one agent on both sides."""
    dice = Dice("mixed", seed)
    records = []
    for number in range(count):
        seat = [dice.choice(tuple(names)) for _ in range(4)]
        kind = dice.below(3)
        if kind == 0:
            ending = dice.choice(("caught", "escaped", "tie"))
            records.append(undercover(seat[:3], dice.below(3), ending, setting=f"s{number % 3}"))
        elif kind == 1:
            records.append(four_seats("".join(seat), special_won=dice.chance(0.5)))
        else:
            records.append(donation(seat, [], [float(dice.below(4)) for _ in range(4)]))
    return numbered(records)


@pytest.mark.parametrize("seed", range(3))
def test_another_solver_finds_the_same_peak_over_several_games(seed: int) -> None:
    records = [record for record in mixed(60, seed) if len(set(record.agents)) > 1]
    assert {record.game for record in records} == {"undercover", "impostor", "donation"}
    assert values(records) == pytest.approx(by_another_solver(records), abs=1e-4)


def test_the_strengths_of_a_game_come_from_its_matches_alone() -> None:
    records = mixed(40, 0)
    fitted = strengths(records)
    for game in ("undercover", "impostor", "donation"):
        alone = strengths([record for record in records if record.game == game])
        assert {(game, agent): each for agent, each in alone.overall.items()} == alone.by_game
        in_game = {key: each for key, each in fitted.by_game.items() if key[0] == game}
        assert {key[1]: each.value for key, each in in_game.items()} == {
            agent: each.value for agent, each in alone.overall.items()
        }


@settings(max_examples=15, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 1000))
def test_any_order_of_the_matches_gives_the_same_to_the_last_bit(
    shuffling: random.Random, seed: int
) -> None:
    records = mixed(20, seed)
    shuffled = list(records)
    shuffling.shuffle(shuffled)
    assert strengths(shuffled) == strengths(records)
    # Not even another numbering moves the strengths, though it moves what is drawn.
    assert values(numbered(shuffled)) == values(records)


def with_seats_moved(record: MatchRecord, seats: Sequence[int]) -> MatchRecord:
    """The same match with its seats in another order."""
    outcome = record.outcome
    moved = replace(
        outcome,
        payoffs=tuple(outcome.payoffs[seat] for seat in seats),
        roles=tuple(outcome.roles[seat] for seat in seats),
        sides=tuple(outcome.sides[seat] for seat in seats),
        winners=tuple(Seat(seats.index(seat)) for seat in outcome.winners),
    )
    return replace(record, agents=tuple(record.agents[seat] for seat in seats), outcome=moved)


@settings(max_examples=15, deadline=None)
@given(st.permutations("abcd"), st.integers(0, 1000), st.integers(0, 1000))
def test_neither_other_names_nor_other_seats_change_anything(
    new: list[str], seed: int, moving: int
) -> None:
    records, name, dice = mixed(20, seed), dict(zip("abcd", new, strict=True)), Dice(moving)
    changed = [
        with_seats_moved(
            replace(record, agents=tuple(map(name.get, record.agents))),
            dice.shuffled(range(len(record.agents))),
        )
        for record in records
    ]
    before, after = strengths(records), strengths(changed)
    for old, fitted in before.overall.items():
        for part in ("rank", "last_rank", "matches", "value", "se", "low", "high"):
            again = getattr(after.overall[name[old]], part)
            assert again == pytest.approx(getattr(fitted, part), abs=1e-9)


def test_strengths_are_centred_in_their_intervals() -> None:
    fitted = strengths(mixed(60, 4)).overall
    assert fmean(each.value for each in fitted.values()) == pytest.approx(0, abs=1e-12)
    for each in fitted.values():
        assert each.high - each.value == pytest.approx(each.value - each.low)
        assert each.high - each.value >= 1.959963 * each.se


def test_a_few_wins_are_not_taken_for_certain() -> None:
    # All clusters of five wins agree: what is left open is what the model leaves open.
    five = strengths(numbered([donation("xy", [], (2, 1))] * 5)).overall
    eta = five["x"].value - five["y"].value
    assert eta == pytest.approx(2 * AGENT * slope_at_peak(2 * AGENT, wins=5))
    # Between x and y the prior's precision is 1/2, and five wins add 5 λ (λ + η).
    ratio = NORMAL.pdf(eta) / NORMAL.cdf(eta)
    variance = 1 / (1 / (2 * AGENT) + 5 * ratio * (ratio + eta))
    assert five["x"].se == pytest.approx(sqrt(variance) / 2)
    assert [(each.rank, each.last_rank) for each in five.values()] == [(1, 2), (1, 2)]
    # By t, since five matches show no more than a sign test of them, p = 1/16.
    half = five["x"].high - five["x"].value
    assert half == pytest.approx(t.ppf(0.975, 4) * five["x"].se)
    # Four clusters are too few for an interval, and leave all ranks open.
    for each in strengths(numbered([donation("xy", [], (2, 1))] * 4)).overall.values():
        assert (each.se, each.low, each.high) == (None, None, None)
        assert (each.rank, each.last_rank) == (1, 2)


def test_ranks_are_shared_where_the_difference_may_be_nothing() -> None:
    # a beats b and c 19 times in 20, b and c beat each other as often.
    records = []
    for other in "bc":
        records += [donation(["a", other], [], (2, 1))] * 38
        records += [donation(["a", other], [], (1, 2))] * 2
    records += [donation("bc", [], (2, 1))] * 20 + [donation("bc", [], (1, 2))] * 20
    fitted = strengths(numbered(records)).overall
    ranks = {agent: (each.rank, each.last_rank) for agent, each in fitted.items()}
    assert ranks == {"a": (1, 1), "b": (2, 3), "c": (2, 3)}


def on_settings(count: int, alike: bool) -> list[MatchRecord]:
    """400 matches of x and y of which each wins half; either all of a setting go the same way."""
    records = []
    for number in range(400):
        setting = number % count
        won = (setting if alike else number // count) % 2
        match = donation("xy", [], (won, 1 - won))
        records.append(replace(match, setting=f"word {setting}"))
    return numbered(records)


def test_matches_on_one_setting_count_as_one_cluster_where_there_are_five() -> None:
    # With 20 settings of 20 matches that all end alike, there are but 20 trials: the error is
    # √20 times that of 400. With four settings the matches are the clusters.
    apart, together = (strengths(on_settings(20, alike)).overall["x"].se for alike in (False, True))
    assert together > 3 * apart
    fewer = strengths(on_settings(4, True)).overall["x"].se
    assert fewer < 1.5 * apart
    for count, clusters in ((4, 400), (5, 5)):
        assert len(paired_outcomes(on_settings(count, True))["donation"].clusters) == clusters


def test_every_game_has_strengths_but_the_one_in_which_nobody_beats_anybody() -> None:
    for name, game in games().items():
        players = 4 if name == "impostor" else 3
        records = numbered(drawn(name, "babab"[seed % 2 :][:players], seed) for seed in range(12))
        fitted = strengths(records)
        assert bool(fitted.overall) == (game.scoring.rated != "none"), name
        assert {agent for _, agent in fitted.by_game} == {*fitted.overall}


def held_against_the_truth(
    runs: int, agents: int, settings: int, pairs: int
) -> tuple[float, float, float]:
    """The mean rank correlation, and the share of intervals and of ranks that hold the truth."""
    correlations, covered, ranked = [], [], []
    for seed in range(runs):
        true = truth(seed, agents)
        fitted = strengths(tournament(true, seed, settings, pairs)).overall
        skill = true.strength()
        pairs_of = [(skill[agent], fitted[agent].value) for agent in true.agents]
        correlations.append(float(spearmanr(*zip(*pairs_of, strict=True)).statistic))
        for agent in true.agents:
            rank = 1 + sum(other > skill[agent] for other in skill.values())
            covered.append(fitted[agent].low <= skill[agent] <= fitted[agent].high)
            ranked.append(fitted[agent].rank <= rank <= fitted[agent].last_rank)
    return fmean(correlations), fmean(covered), fmean(ranked)


@pytest.mark.parametrize("settings_of", [5, 20])
def test_one_step_without_a_cluster_is_near_the_whole_fit_without_it(settings_of: int) -> None:
    records = tournament(truth(0, 5), 0, settings=settings_of, pairs=20)
    games_of = paired_outcomes(records)
    model = StrengthModel(games_of)
    weights = model.all_matches()
    mode, covariance = model.fit(weights)
    skills = np.array([model.dense(skill) for skill in model.overall_skills().values()])
    skills -= skills.mean(axis=0)
    begin = 0
    for moves, count in model.left_out(mode, covariance):
        expected = np.zeros(len(skills))
        for kind in range(begin, begin + len(moves)):
            # The other clusters of the game stand for the one left out.
            left = weights.astype(float)
            left[kind] -= 1
            left[begin : begin + len(moves)] *= count / (count - 1)
            points = model.points(left[np.newaxis])
            refitted, _ = model.probit.mode(points, mode, 1e-9)
            moved = skills @ (refitted[0] - mode)
            expected += weights[kind] * (count - 1) / count * moved**2
        error = np.sqrt(((moves @ skills.T) ** 2).sum(axis=0))
        assert error == pytest.approx(np.sqrt(expected), rel=0.12 if settings_of == 5 else 0.05)
        begin += len(moves)


def test_with_one_binary_contrast_the_error_is_that_of_a_mean() -> None:
    """Two agents with the prior's pull taken away: the probit delta method around s / √clusters."""
    shares = [0.8, 0.7, 0.6, 0.75, 0.9, 0.65]
    records = []
    for setting, share in enumerate(shares):
        for number in range(200):
            won = float(number < 200 * share)
            match = donation("xy", [], (won, 1 - won))
            records.append(replace(match, setting=f"word {setting}"))
    fitted = strengths(numbered(records)).overall["x"]
    # Strength is half the probit of the share, which has the standard error s / √6.
    slope = NORMAL.pdf(NORMAL.inv_cdf(fmean(shares)))
    error = stdev(shares) / sqrt(6) / slope / 2
    assert fitted.se == pytest.approx(error, rel=0.01)
    assert fitted.high - fitted.value == pytest.approx(t.ppf(0.975, 5) * fitted.se, rel=1e-9)


@study
def test_level_matches_spread_less_than_wins_and_losses() -> None:
    """The error of independent matches is the spread of strengths over tournaments of them."""
    dice = np.random.default_rng(4)
    strengths_of_x, errors, posterior = [], [], []
    for _ in range(300):
        won, lost, level = dice.multinomial(60, (0.25, 0.15, 0.6))
        payoffs = [(1, 0)] * won + [(0, 1)] * lost + [(1, 1)] * level
        model = StrengthModel(
            paired_outcomes(numbered(donation("xy", [], each) for each in payoffs))
        )
        mode, covariance = model.fit(model.all_matches())
        row = model.dense(model.overall_skills()["x"]) - model.dense(model.overall_skills()["y"])
        strengths_of_x.append(row @ mode)
        errors.append(row @ model.error(mode, covariance) @ row)
        posterior.append(row @ covariance @ row)
    assert sqrt(fmean(errors)) == pytest.approx(stdev(strengths_of_x), rel=0.1)
    assert sqrt(fmean(posterior)) > 1.4 * stdev(strengths_of_x)


def test_matches_of_several_seats_spread_by_their_shares_of_pairs() -> None:
    """Two agents with two seats each: a match is one trial, worth its share of won pairs."""
    halves = [donation("xyxy", [], (2, 1, 0, 1)), donation("xyxy", [], (1, 0, 1, 2))]
    (game,) = paired_outcomes(numbered(halves * 5)).values()
    # In both matches x is above y in two of four pairs: half a win each, with nothing by chance.
    assert game.within == dict.fromkeys(game.outcomes, 10 * 4 * 1 / 4)


@study
def test_in_small_tournaments_the_intervals_hold_the_truth() -> None:
    correlation, covered, ranked = held_against_the_truth(20, 5, settings=5, pairs=20)
    assert correlation > 0.8
    assert 0.9 <= covered <= 1
    assert ranked >= 0.9


def _mean_skill(true: Truth, game: str, agent: str) -> float:
    return fmean(true.skill[game, role, agent] for role in ROLES[game])


@study
@pytest.mark.parametrize(("spread", "least", "most"), [(1.0, 0.92, 0.97), (0.0, 0.95, 1.0)])
@pytest.mark.parametrize("game", ["undercover", "impostor"])
def test_intervals_of_18_matches_hold_on_average_over_the_prior(
    game: str, spread: float, least: float, most: float
) -> None:
    """With agents that are as the prior says. Where all are equal, nothing is pulled away."""
    covered = []
    for seed in range(120):
        true = truth(seed, agents=6, spread=spread, apart=0.2 * spread)
        records = [each for each in tournament(true, seed, 1, 0) if each.game == game]
        chosen = [records[at] for at in random.Random(seed).sample(range(len(records)), 18)]
        fitted = strengths(chosen, Clusters({game: "match"})).by_game
        agents = [agent for _, agent in fitted]
        skills = [_mean_skill(true, game, agent) for agent in agents]
        for skill, fit in zip(skills, fitted.values(), strict=True):
            if fit.low is not None:
                covered.append(fit.low <= skill - fmean(skills) <= fit.high)
    assert least <= fmean(covered) <= most, fmean(covered)


@pytest.mark.soak
def test_in_tournaments_of_10_080_matches_ranks_and_intervals_are_right() -> None:
    assert len(tournament(truth(0), 0)) == 10_080
    correlation, covered, ranked = held_against_the_truth(40, agents=12, settings=20, pairs=720)
    assert correlation >= 0.97
    assert 0.90 <= covered <= 0.98
    assert ranked >= 0.95

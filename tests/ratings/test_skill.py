"""TrueSkill: matches against the package, then what must hold."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, product
from operator import itemgetter
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trueskill import Rating, TrueSkill

from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Outcome, Seat
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import games
from parlour.ratings.skill import trueskill_ladders as ladders
from parlour.ratings.skill.trueskill_ladders import (
    Part,
    RankedEncounter,
    Skill,
    arithmetic_of,
    net_shares,
)
from tests.ratings.laddered import rate
from tests.ratings.records import donation, numbered, undercover

MU, SIGMA = 25.0, 25 / 3
DRAW = 0.25
"""Share of undercover matches assumed to end level; the package's draw probability."""


def plain(ending: str, agents: str = "xyx", special: int = 1) -> MatchRecord:
    return undercover(agents, special, ending)


def test_a_series_of_matches_is_what_the_package_makes_of_the_same_groups_and_weights() -> None:
    # Seat 1, 0 and 2 is the undercover in turn.
    records = numbered(
        [plain("caught", "xyx", 1), plain("escaped", "yxx", 0), plain("tie", "xzy", 2)]
    )
    package = TrueSkill(tau=0, draw_probability=DRAW)
    civilians, special, x, y, z = (package.create_rating() for _ in range(5))
    # Civilians x (both seats, weight 1) beat undercover y, then undercover y beats them.
    for ranks in ([0, 1], [1, 0]):
        (civilians, x), (special, y) = package.rate([(civilians, x), (special, y)], ranks=ranks)
    # Civilians x and z, half a side each, are level with undercover y.
    (civilians, x, z), (special, y) = package.rate(
        [(civilians, x, z), (special, y)], ranks=[0, 0], weights=[(1, 0.5, 0.5), (1, 1)]
    )
    skills = rate(records).overall
    for name, own in (("x", x), ("y", y), ("z", z)):
        assert (skills[name].mu, skills[name].sigma) == pytest.approx((own.mu, own.sigma), abs=1e-6)
    assert {name: skills[name].matches for name in skills} == {"x": 3, "y": 3, "z": 1}


def parts(drawn: Sequence[tuple[float, float, float]]) -> list[Part]:
    return [(Skill(mu, sigma), weight) for mu, sigma, weight in drawn]


def rating(part: Part) -> Rating:
    return Rating(part[0].mu, part[0].sigma)


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from([(0, 1), (1, 0), (0, 0)]), st.floats(0.001, 0.9))
def test_two_sides_are_rated_as_the_package_rates_them(
    data: st.DataObject, ranks: tuple[int, int], draw_probability: float
) -> None:
    package = arithmetic_of(draw_probability)
    number = st.floats(-20, 60), st.floats(0.2, 12), st.floats(0.25, 1)
    side = st.lists(st.tuples(*number), min_size=1, max_size=4)
    groups = [parts(data.draw(side)), parts(data.draw(side))]
    encounter = RankedEncounter(package, groups, ranks)
    players = [rated for rated, _ in chain(*groups)]
    before = [(rated.mu, rated.sigma) for rated in players]
    try:
        of_package = package.rate(
            [list(map(rating, group)) for group in groups],
            ranks=ranks,
            weights=[list(map(itemgetter(1), group)) for group in groups],
        )
    except FloatingPointError:
        assert not encounter.play()
        assert [(rated.mu, rated.sigma) for rated in players] == before
        return
    assert encounter.play()
    assert {rated.matches for rated in players} == {1}
    for rated, expected in zip(players, chain(*of_package), strict=True):
        assert rated.mu == pytest.approx(expected.mu, abs=1e-9)
        assert rated.sigma == pytest.approx(expected.sigma, abs=1e-9)


def test_a_long_series_is_what_the_package_makes_of_it() -> None:
    # 400 matches of three out of five agents, so that meetings come again with other ratings.
    records = random_matches(400, "abcde")
    seatings = {(record.agents, record.outcome.sides, record.outcome.winners) for record in records}
    assert len(seatings) < 300
    package = arithmetic_of(DRAW)
    known: defaultdict[str, Rating] = defaultdict(package.create_rating)
    for record in records:
        sides = record.outcome.sides
        groups: dict[str, list[str]] = {side: [side] for side in sorted(set(sides))}
        for agent, side in zip(record.agents, sides, strict=True):
            groups[side].append(agent)
        winning = {sides[seat] for seat in record.outcome.winners} or set(sides)
        after = package.rate(
            [list(map(known.__getitem__, group)) for group in groups.values()],
            ranks=[side not in winning for side in groups],
            weights=[[1.0] + [1 / len(names)] * len(names) for _, *names in groups.values()],
        )
        known.update(zip(chain(*groups.values()), chain(*after), strict=True))
    ours = rate(records).overall
    assert set(ours) == set("abcde")
    for name, rated in ours.items():
        assert rated.mu == pytest.approx(known[name].mu, abs=1e-9)
        assert rated.sigma == pytest.approx(known[name].sigma, abs=1e-9)


def test_kept_meetings_of_one_ladder_are_not_those_of_another() -> None:
    first = rate(numbered([plain("caught")] * 3)).overall
    assert rate(numbered([plain("caught")] * 3)).overall == first
    assert rate(numbered([plain("caught")] * 4)).overall["x"].mu > first["x"].mu


def four_seats(agents: str, special: int, special_won: bool) -> MatchRecord:
    """A match of one against three, as the impostor game has it."""
    sides = tuple("impostor" if seat == special else "majority" for seat in range(4))
    winning = "impostor" if special_won else "majority"
    winners = tuple(Seat(seat) for seat in range(4) if sides[seat] == winning)
    outcome = Outcome("over", (0.0,) * 4, sides, sides, winners)
    seats = tuple(Seat(seat) for seat in range(4))
    return MatchRecord(1, "undercover", "", "s", tuple(agents), seats, outcome, ())


@pytest.mark.parametrize(
    ("agents", "special", "for_impostor", "for_majority"),
    [
        # x: all of the impostor side, 1/3 of the majority: 1 - 1/3 = 2/3 for the impostor.
        # y: 2/3 of the majority.
        ("xxyy", 0, {"x": 2 / 3}, {"y": 2 / 3}),
        ("xxyz", 2, {"y": 1.0}, {"x": 2 / 3, "z": 1 / 3}),
        # x as the impostor and one of the majority, y and z the rest: 2/3 against 1/3 and 1/3.
        ("xxyz", 0, {"x": 2 / 3}, {"y": 1 / 3, "z": 1 / 3}),
    ],
)
def test_an_agent_on_both_sides_plays_with_its_net_share(
    agents: str, special: int, for_impostor: dict[str, float], for_majority: dict[str, float]
) -> None:
    shares = net_shares(four_seats(agents, special, special_won=True))
    assert shares["impostor"] == pytest.approx(for_impostor)
    assert shares["majority"] == pytest.approx(for_majority)


def test_one_agent_in_all_seats_moves_nobody() -> None:
    assert net_shares(plain("caught", agents="xxx")) == {"civilian": {}, "undercover": {}}
    with_it = rate(numbered([plain("caught", agents="xxx"), plain("caught")]))
    assert with_it == rate([plain("caught")])
    assert rate([plain("caught", agents="xxx")]).overall == {}
    assert rate([donation("xxx", [], (1, 2, 3, 9), greedy=1)]).overall == {}


def test_each_role_has_a_ladder_of_its_own() -> None:
    # x wins as civilian; then x as the undercover is caught by y.
    skills = rate(numbered([plain("caught", "xyx"), plain("caught", "yxy")])).by_role
    assert set(skills) == set(product(["undercover"], ["civilian", "undercover"], "xy"))
    assert (
        skills["undercover", "civilian", "x"].mu > MU > skills["undercover", "undercover", "x"].mu
    )
    # Both civilians and both undercovers met fresh opponents, but the second match met sides
    # whose pseudo-players had moved: the win was to be expected, so it is worth less.
    gain_x = skills["undercover", "civilian", "x"].mu - MU
    gain_y = skills["undercover", "civilian", "y"].mu - MU
    assert 0 < gain_y < gain_x


def test_each_game_has_a_ladder_of_its_own(other_game: str) -> None:
    first, second = plain("caught"), replace(plain("escaped"), game=other_game)
    skills = rate(numbered([first, second]))
    assert skills.by_game["undercover", "x"] == rate([first]).by_game["undercover", "x"]
    assert skills.by_game[other_game, "x"] == rate([second]).by_game[other_game, "x"]
    assert skills.overall["x"].matches == 2


def test_a_game_sets_how_likely_a_level_match_is(other_game: str) -> None:
    game = games()[other_game]
    games()[other_game] = replace(game, scoring=replace(game.scoring, draw_probability=0.001))
    tied = rate([plain("tie")]).overall["x"].sigma
    surprised = rate([replace(plain("tie"), game=other_game)]).overall["x"].sigma
    assert surprised < tied  # the rarer a tie, the closer the two must be


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_new_names_change_no_rating(seed: int) -> None:
    new = dict(zip("abcd", "wzyx", strict=True))
    records = random_matches(15, "abcd", seed)
    renamed = [replace(r, agents=tuple(map(new.get, r.agents))) for r in records]
    before, after = rate(records).overall, rate(renamed).overall
    assert {new[name]: skills for name, skills in before.items()} == after


def random_matches(count: int, names: str, seed: int = 0) -> list[MatchRecord]:
    """Three different agents a match, any ending."""
    dice = Dice("matches", seed)
    return numbered(
        plain(
            dice.choice(("caught", "escaped", "tie")),
            "".join(dice.shuffled(names)[:3]),
            dice.below(3),
        )
        for _ in range(count)
    )


def lopsided_roles(seed: int) -> list[MatchRecord]:
    """Equally good agents where the civilians win 80 % of all matches, whoever they are.

    "easy" is always a civilian, "hard" always the undercover; a, b and c play both sides.
    """
    dice = Dice("easy role", seed)
    records = []
    for _ in range(200):
        others = dice.shuffled("abc")
        civilian, special = dice.choice(
            [(others[0], others[1]), ("easy", others[0]), (others[0], "hard")]
        )
        ending = "caught" if dice.chance(0.8) else "escaped"
        records.append(replace(plain(ending), agents=(civilian, special, civilian)))
    return numbered(records)


def without_pseudo_players(records: list[MatchRecord]) -> dict[str, Rating]:
    """Ratings by the package of the agents alone."""
    package = TrueSkill(tau=0, draw_probability=DRAW)
    skills: dict[str, Rating] = {}
    for record in records:
        civilian, special = (
            skills.get(name, package.create_rating()) for name in record.agents[:2]
        )
        ranks = [0, 1] if record.outcome.ending == "caught" else [1, 0]
        (civilian,), (special,) = package.rate([(civilian,), (special,)], ranks=ranks)
        skills.update(zip(record.agents[:2], (civilian, special), strict=True))
    return skills


def test_winning_with_an_easy_role_earns_no_skill() -> None:
    # One tournament of 200 matches leaves about 3 points of chance between two equal agents, the
    # mean of eight about 1.
    tournaments = [lopsided_roles(seed) for seed in range(8)]
    ours = [rate(records).overall for records in tournaments]
    without = [without_pseudo_players(records) for records in tournaments]
    assert abs(fmean(skills["easy"].mu - skills["hard"].mu for skills in ours)) < 2.5
    # It is the pseudo-players that do it: without them the easy side is taken for skill.
    assert fmean(skills["easy"].mu - skills["hard"].mu for skills in without) > 10


def test_a_match_too_lopsided_for_the_arithmetic_is_skipped_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # With the usual chance in a single match (β = 4.17) no series of matches gets two agents
    # far enough apart, so the real package is set to next to no chance (β = 0.001). Then x beats
    # y once, and each becomes well known by going back and forth with a partner: the deviations
    # shrink while the distance stays. When x and y meet again they are some hundred deviations
    # apart, where the package finds nothing to divide by.
    monkeypatch.setattr(
        ladders, "arithmetic_of", lambda p: TrueSkill(beta=0.001, tau=0, draw_probability=p)
    )
    records = [plain("caught", "xyx")]
    for _ in range(20):
        for pair in ("xax", "yby"):
            records += [plain("caught", pair), plain("escaped", pair)]
    records = numbered(records)
    before = rate(records)
    assert before.skipped == 0
    distance = before.overall["x"].mu - before.overall["y"].mu
    assert distance > 38 * (before.overall["x"].sigma + before.overall["y"].sigma)
    after = rate(numbered([*records, plain("escaped", "xyx")]))
    assert after.skipped == 1
    assert after.overall == before.overall


def test_a_match_of_payoffs_is_the_packages_free_for_all_of_mean_payoffs() -> None:
    # x has 4 and 0, mean 2; y has 3; z has 2, level with x. The greedy seat's 9 counts for nobody.
    match = donation("xyxz", [], (4, 3, 0, 2, 9), greedy=1)
    package = TrueSkill(tau=0, draw_probability=games()["donation"].scoring.draw_probability)
    fresh = package.create_rating
    expected = package.rate([(fresh(),), (fresh(),), (fresh(),)], ranks=[1, 0, 1])
    skills = rate([match])
    assert list(skills.overall) == ["x", "y", "z"]
    for (one,), agent in zip(expected, "xyz", strict=True):
        for skill_ in (
            skills.overall[agent],
            skills.by_game["donation", agent],
            skills.by_role["donation", "player", agent],
        ):
            assert (skill_.mu, skill_.sigma) == pytest.approx((one.mu, one.sigma))
            assert skill_.matches == 1
    mu = {agent: each.mu for agent, each in skills.overall.items()}
    assert mu["y"] > MU > max(mu["x"], mu["z"])
    assert mu["x"] == pytest.approx(mu["z"], abs=0.01)  # the package's messages pass in an order

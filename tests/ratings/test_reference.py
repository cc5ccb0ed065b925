"""The reference pool: its file is what its definition gives, and newcomers find their place."""

from dataclasses import replace
from functools import cache
from itertools import product
from statistics import fmean

import pytest

from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import games
from parlour.ratings.counting.blocks import COUNTS
from parlour.ratings.reference.placing import Placement, Rating, placed
from parlour.ratings.reference.scale import scale_of, shipped_scale
from parlour.tournament.plan.rating import newcomers, pool_names, rating_matches
from tests.blocks import section
from tests.ratings import reference
from tests.ratings.coverage import NEWCOMERS, coverage, frozen, places, rows
from tests.ratings.pool_file import fingerprint, fitted, outcomes_on_file, points_of
from tests.ratings.rated import NEWCOMER, newcomer_like, of_strategy, played, rated

SCALE = shipped_scale()
POOL = SCALE.agents
AGAIN = "raise VERSION in tests/ratings/reference.py, then: python -m tests.ratings.reference"


def test_the_pool_on_file_is_that_of_the_preset() -> None:
    file = reference.on_file()
    assert file["definition"] == reference.definition(reference.pool()), AGAIN
    assert file["version"] == reference.VERSION
    assert file["counts"] == COUNTS, AGAIN
    for name, game in file["games"].items():
        assert game["version"] == games()[name].version, AGAIN
    assert (file["repetitions"], file["seed"]) == (reference.REPETITIONS, reference.pool().seed)


def test_another_version_of_a_game_is_another_pool() -> None:
    pool = reference.pool()
    first, *others = pool.games
    newer = replace(first, version=first.game.version + 1)
    changed = replace(pool, games=(newer, *others))
    assert reference.definition(changed) != reference.on_file()["definition"]


def test_the_parameters_on_file_are_the_fit_of_its_outcomes() -> None:
    for name, game in reference.on_file()["games"].items():
        again = fitted(name, outcomes_on_file(game))
        assert [each[:-1] for each in again] == [each[:-1] for each in game["parameters"]]
        for new, old in zip(again, game["parameters"], strict=True):
            assert new[-1] == pytest.approx(old[-1], abs=2e-5), AGAIN


@pytest.mark.study("games", "agents/scripted", "tournament/plan", "tests/ratings/reference.py")
def test_the_first_repetition_gives_the_outcomes_on_file() -> None:
    on_file = reference.on_file()["games"]
    for name, game in reference.outcomes(reference.pool(1)).items():
        assert fingerprint(points_of(game)) == on_file[name]["first_repetition"], AGAIN


@pytest.mark.soak
def test_the_whole_pool_gives_its_file() -> None:
    assert reference.text(reference.body()) == reference.FILE.read_text(encoding="utf-8")


def test_the_file_is_small() -> None:
    assert reference.FILE.stat().st_size < 200_000


def test_the_anchor_is_0_in_every_role_and_the_levels_spread() -> None:
    for game in SCALE.games.values():
        for role in (None, *game.roles):
            assert game.strength(SCALE.anchor, role) == 0
        strengths = sorted(game.strength(agent) for agent in POOL)
        # Narrowest in undercover and chameleon, where all but random listen alike.
        assert strengths[-1] - strengths[0] > 0.6
        assert len({round(value, 1) for value in strengths}) >= 4


@cache
def records_like(agent: str) -> list[MatchRecord]:
    """The matches of a newcomer that plays as an agent of the pool, with small effort."""
    tournament = newcomer_like(agent, seed=17)
    return played(tournament, rating_matches(tournament))


@cache
def like(agent: str) -> Rating:
    """The rating of such a newcomer."""
    return placed(records_like(agent), NEWCOMER, SCALE)


def in_games() -> list[tuple[str, Placement]]:
    """The place in each game of a newcomer like each agent of the pool."""
    places = []
    for agent in POOL:
        places += [(agent, place) for place in like(agent).by_game.values()]
    return places


@pytest.mark.study("ratings", "games", "agents/scripted", "tests/ratings/rated.py")
@pytest.mark.parametrize("agent", POOL)
def test_a_newcomer_like_an_agent_of_the_pool_gets_its_strength(agent: str) -> None:
    overall = like(agent).overall
    assert overall.low <= frozen(agent, overall) <= overall.high
    assert overall.matches == sum(place.matches for place in like(agent).by_game.values())
    assert list(like(agent).by_game) == list(SCALE.games)


def test_intervals_in_games_contain_the_frozen_strengths() -> None:
    assert len(in_games()) == len(POOL) * len(SCALE.games)
    assert coverage(in_games()) >= 0.9


def test_a_newcomer_is_not_placed_at_another_strength() -> None:
    for agent, other in product(POOL, POOL):
        overall = like(agent).overall
        assert overall is not None
        if abs(frozen(agent, overall) - frozen(other, overall)) > 0.25:
            assert not overall.low <= frozen(other, overall) <= overall.high


def test_a_wrong_scale_is_found_out() -> None:
    good, poor = "bayesian/greedy 80 %", "literal/cooperate"
    exchanged = {good: poor, poor: good}
    body = reference.on_file()
    for game in body["games"].values():
        for parameter in game["parameters"]:
            parameter[:-1] = [exchanged.get(part, part) for part in parameter[:-1]]
    wrong = scale_of(body)
    for agent in exchanged:
        overall = placed(records_like(agent), NEWCOMER, wrong).overall
        assert not overall.low <= frozen(agent, overall, wrong) <= overall.high


def named(record: MatchRecord, name: str) -> MatchRecord:
    """A match of the newcomer under another name."""
    agents = tuple(name if agent == NEWCOMER else agent for agent in record.agents)
    return replace(record, agents=agents)


def test_another_newcomer_moves_nothing() -> None:
    tournament = of_strategy("greedy", seed=5, games=["prisoners_dilemma"])
    own = played(tournament, rating_matches(tournament))
    other = [named(record, "Ada") for record in own]
    alone, beside = placed(own, NEWCOMER, SCALE), placed([*other, *own], NEWCOMER, SCALE)
    assert alone == beside
    assert alone.by_role == {}  # a game of one role
    assert placed(other, NEWCOMER, SCALE).overall is None


def test_a_pure_strategy_stands_above_its_trembling_self() -> None:
    place = rated(of_strategy("greedy", seed=5, games=["public_good"])).by_game["public_good"]
    assert place.stronger is None
    assert place.weaker == "greedy 95 %"


def test_roles_are_placed_by_themselves() -> None:
    rating = like("cautious/tit_for_tat")
    roles = [place for (game, _), place in rating.by_role.items() if game == "undercover"]
    assert [place.role for place in roles] == ["civilian", "undercover"]
    whole = rating.by_game["undercover"]
    assert fmean(place.value for place in roles) == pytest.approx(whole.value)


def test_only_a_tournament_of_the_whole_pool_is_a_rating() -> None:
    tournament = newcomer_like("random", seed=1)
    assert newcomers(tournament) == (NEWCOMER,)
    assert set(pool_names()) == {agent.name for agent in reference.pool().agents}
    assert newcomers(replace(tournament, agents=tournament.agents[1:])) == ()
    weaker = tournament.agents[3].model_copy(update={"tremble": 0.9})
    agents = (*tournament.agents[:3], weaker, *tournament.agents[4:])
    assert newcomers(replace(tournament, agents=agents)) == ()
    shorter = replace(tournament.games[0], records=tournament.games[0].records[:2])
    assert newcomers(replace(tournament, games=(shorter,))) == ()
    assert newcomers(replace(tournament, games=tournament.games[:2])) == (NEWCOMER,)


@pytest.mark.soak
def test_intervals_hold_their_level_in_every_game() -> None:
    measured = places()
    assert set(measured) == {*SCALE.games, "all games"}
    for game, each in measured.items():
        assert len(each) == NEWCOMERS * len(POOL)
        assert 0.9 <= coverage(each) <= 0.99, game
    table = section("docs/rating.md", "Coverage")
    assert [line for line in table.splitlines() if line in set(rows(measured))] == [*rows(measured)]

"""A tremble: the share of answers that a scripted player draws as `random` would."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from parlour.agents.base import Call
from parlour.agents.registry import make_agent
from parlour.agents.scripted.strategy import ScriptedAgent
from parlour.games.common.errors import BadInput
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Seat
from parlour.games.engine.table import Table
from parlour.tournament.plan.loader import tournament_of
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import schedule


def against_greedy(tremble: float) -> Tournament:
    """A greedy player with a tremble against one without."""
    agents = [
        {"name": "Ada", "strategy": "greedy", "tremble": tremble},
        {"name": "Bob", "strategy": "greedy"},
    ]
    games = [{"name": "prisoners_dilemma"}]
    return tournament_of({"name": "t", "games": games, "agents": agents}, Path(), "t")


@pytest.mark.parametrize(("tremble", "expected"), [(0.0, 0.0), (0.5, 0.25), (1.0, 0.5)])
def test_half_of_the_trembling_choices_cooperate(tremble: float, expected: float) -> None:
    tournament = against_greedy(tremble)
    (entry,) = tournament.games
    table = Table(entry.game, entry.setting(0), entry.game.seats(entry.setting(0)), seed=0)
    agent = make_agent(tournament.agents[0])
    ask, view = table.pending, table.view(Seat(0))
    assert isinstance(agent, ScriptedAgent)
    assert ask is not None
    answers = [agent.decide(ask, view, Call(Dice("tremble", n))) for n in range(2000)]
    chosen = [ask.judge(Seat(0), answer).model_dump()["action"] for answer in answers]
    assert chosen.count("cooperate") / len(chosen) == pytest.approx(expected, abs=0.03)


def test_a_save_has_a_tremble_only_where_there_is_one() -> None:
    stored = json.loads(against_greedy(0.5).to_json())["agents"]
    assert [agent.get("tremble") for agent in stored] == [0.5, None]


def test_a_tremble_is_a_probability() -> None:
    with pytest.raises(BadInput, match="tremble"):
        against_greedy(1.5)


def test_independent_matches_share_no_seed_and_keep_theirs_as_the_plan_grows() -> None:
    small = replace(against_greedy(0.5), seeding="independent")
    again = small.agents[1].model_copy(update={"name": "Cy"})
    large = replace(small, agents=(*small.agents, again), repetitions=2)
    seeds = {(m.setting, m.agents): m.seed for m in schedule(small)}
    assert len(set(seeds.values())) == len(list(schedule(small)))
    grown = {m.seed for m in schedule(large)}
    assert set(seeds.values()) < grown
    assert len(grown) == len(list(schedule(large)))

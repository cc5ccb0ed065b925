"""TextArena's loop over Parlour's tables, and its agents in a run of Parlour."""

import json
from pathlib import Path
from typing import Any

import pytest
import textarena

import parlour
from parlour.doors.textarena import Table, player
from parlour.env import Environment
from parlour.games.engine.registry import games
from tests.doors.policies import POLICIES, ROLLOUTS, Policy, payoffs


@pytest.fixture(autouse=True)
def _registered() -> Any:
    textarena.register("Parlour-v0", Table, [textarena.wrappers.LLMObservationWrapper])
    yield
    textarena.envs.registration.ENV_REGISTRY.pop("Parlour-v0")


def play(env: Any, seed: int, policy: Policy) -> Any:
    """A match in TextArena's own loop."""
    env.reset(num_players=len(env.env.env.players), seed=seed)
    over = False
    while not over:
        number, observation = env.get_observation()
        core: Environment = env.env.env
        who = core.players[number]
        assert core.prompt(who).question.split("\n\n")[-1] in observation
        over, info = env.step(json.dumps(policy(core, who)))
        assert info == {}
    return env.close()


@pytest.mark.parametrize("policy", POLICIES)
def test_rewards_are_the_payoffs(policy: Policy) -> None:
    env = textarena.make("Parlour-v0", game="prisoners_dilemma")
    for seed in range(ROLLOUTS):
        rewards, info = play(env, seed, policy)
        assert list(rewards.values()) == list(payoffs("prisoners_dilemma", seed, policy).values())
        assert {each["turn_count"] for each in info.values()} == {5}


@pytest.mark.parametrize("game", games())
def test_every_game_is_played(game: str) -> None:
    env = textarena.make("Parlour-v0", game=game, others={2: "random"})
    rewards, info = play(env, 4, POLICIES[0])
    expected = payoffs(game, 4, POLICIES[0], others={2: "random"})
    assert list(rewards.values()) == list(expected.values())
    assert not any(each["invalid_move"] for each in info.values())


def test_a_fault_is_told_and_another_number_of_players_refused() -> None:
    env = textarena.make("Parlour-v0", game="prisoners_dilemma")
    with pytest.raises(
        parlour.BadInput, match="2 do not play prisoners_dilemma; give num_players=3"
    ):
        env.reset(num_players=2)
    env.reset(num_players=3)
    _, info = env.step("Let me think.")
    assert info["fault"].startswith("unparsable: no JSON object was found")


class Defector(textarena.Agent):
    """An agent of TextArena that answers in a sentence."""

    def __call__(self, observation: str) -> str:
        assert '"required": ["reasoning", "action"]' in observation
        return 'I choose this: {"reasoning": "It pays", "action": "defect"}'


def test_its_agents_sit_at_seats_of_parlour(tmp_path: Path) -> None:
    tournament = {
        "name": "theirs",
        "games": [{"name": "prisoners_dilemma"}],
        "agents": [{"name": "Theirs", "kind": "python"}, {"name": "Kind", "strategy": "cooperate"}],
    }
    save = parlour.run(tournament, tmp_path / "theirs.db", agents={"Theirs": player(Defector())})
    for number in range(1, 7):
        match = save.match(number)
        for event in match.events:
            if event.player is not None:
                wanted = "defect" if match.agents[event.player] == "Theirs" else "cooperate"
                assert (event.record["action"], event.fault) == (wanted, None)
    env = Environment("prisoners_dilemma", others={2: player(Defector()), 3: "cooperate"})
    env.step({1: {"action": "cooperate"}})
    assert env.match.events[-1].record["actions"] == ["cooperate", "defect", "cooperate"]

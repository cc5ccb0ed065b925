"""PettingZoo's own tests of environments, and rollouts with Parlour's payoffs."""

import warnings
from itertools import product
from typing import Any

import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from parlour.doors import pettingzoo
from parlour.games.engine.registry import games
from tests.doors.policies import POLICIES, ROLLOUTS, Policy, payoffs

CASES = list(product(games(), ("text", "data")))


@pytest.mark.parametrize(("game", "observe"), CASES)
def test_a_game_passes_the_tests_of_pettingzoo(game: str, observe: Any) -> None:
    def one_by_one() -> Any:
        return pettingzoo.env(game, None, observe=observe)

    def at_once() -> Any:
        return pettingzoo.parallel_env(game, None, observe=observe)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they expect arrays
        api_test(one_by_one(), num_cycles=100)
        seed_test(one_by_one, num_cycles=100)
        parallel_api_test(at_once(), num_cycles=100)
        parallel_seed_test(at_once, num_cycles=100)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("rewards", ["end", "round"])
def test_rewards_add_up_to_the_payoffs(policy: Policy, rewards: Any) -> None:
    env = pettingzoo.env("prisoners_dilemma", rewards=rewards, others={3: "tit_for_tat"})
    for seed in range(ROLLOUTS):
        env.reset(seed)
        earned = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            _, reward, over, _, info = env.last()
            earned[agent] += reward
            assert info == {}
            env.step(None if over else policy(env.env, env.players[agent]))
        expected = payoffs("prisoners_dilemma", seed, policy, others={3: "tit_for_tat"})
        assert {env.players[agent]: reward for agent, reward in earned.items()} == expected


@pytest.mark.parametrize("policy", POLICIES)
def test_rewards_of_all_at_once_add_up_to_the_payoffs(policy: Policy) -> None:
    env = pettingzoo.parallel_env("donation", rewards="round", agents_per_match=4)
    for seed in range(ROLLOUTS):
        env.reset(seed)
        earned = dict.fromkeys(env.possible_agents, 0.0)
        while env.agents:
            asked = [agent for agent in env.agents if env.players[agent] in env.env.asked]
            actions = {agent: policy(env.env, env.players[agent]) for agent in asked}
            for agent, reward in env.step(actions)[1].items():
                earned[agent] += reward
        expected = payoffs("donation", seed, policy, agents_per_match=4)
        assert {env.players[each]: reward for each, reward in earned.items()} == pytest.approx(
            expected, abs=1e-9
        )


def test_an_answer_that_is_missing_is_a_fault() -> None:
    env = pettingzoo.parallel_env("prisoners_dilemma")
    env.reset(0)
    infos = env.step({"player_0": '{"action": "defect"}', "player_1": "I will not say"})[4]
    assert infos["player_0"] == {}
    assert infos["player_1"]["fault"].startswith("refusal: ")
    assert infos["player_2"]["fault"] == "empty: nothing came"

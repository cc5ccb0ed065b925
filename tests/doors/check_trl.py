"""Seats as TRL's environments: its tools and rewards, and a step of its trainer."""

import inspect
import json

import pytest
from transformers.utils import get_json_schema

import parlour
from parlour.doors.trl import Seat, environment_factory
from tests.doors.policies import POLICIES, ROLLOUTS, Policy, payoffs

OTHERS = {2: "tit_for_tat", 3: "random"}


def test_the_one_tool_is_the_answer() -> None:
    seat = environment_factory("prisoners_dilemma", others=OTHERS)()
    names = [name for name, _ in inspect.getmembers(Seat, inspect.isfunction) if name[0] != "_"]
    assert names == ["answer", "get_reward", "reset"]
    schema = get_json_schema(seat.answer)["function"]
    assert schema["description"] == "Answers the question that the game asks now."
    assert schema["parameters"]["required"] == ["answer"]


@pytest.mark.parametrize("policy", POLICIES)
def test_rewards_are_the_payoffs(policy: Policy) -> None:
    seat = environment_factory("prisoners_dilemma", others=OTHERS)()
    for seed in range(ROLLOUTS):
        text = seat.reset(prompt="Play.", seed=seed)
        assert text.startswith("You are Player 1, one of 3 players in a prisoner's dilemma")
        while text != "The match is over.":
            assert "Answer with one JSON object and nothing else." in text
            text = seat.answer(json.dumps(policy(seat._env, "Player 1")))
        expected = payoffs("prisoners_dilemma", seed, policy, others=OTHERS)
        assert seat.get_reward() == expected["Player 1"]


def test_a_fault_is_told_and_the_match_goes_on() -> None:
    seat = environment_factory("prisoners_dilemma", others=OTHERS)()
    seat.reset(seed=1)
    text = seat.answer('{"action": "wait"}')
    assert text.startswith("The answer could not be used: action: ")
    assert "It is round 2 of 5." in text
    assert seat.get_reward() == 0.0


def test_more_than_one_seat_is_refused() -> None:
    with pytest.raises(
        parlour.BadInput, match="Player 1 and Player 3 would be played; give others"
    ):
        environment_factory("prisoners_dilemma", others={2: "random"})

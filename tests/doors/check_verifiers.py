"""Rollouts of verifiers with a model server on this machine, and Parlour's payoffs as rewards."""

import asyncio
import json
import sys
from types import ModuleType
from typing import Any

import httpx
import pytest
import verifiers.v1 as vf
from aiohttp import web

from parlour.doors import verifiers as door
from parlour.env import Environment
from tests.doors.policies import POLICIES, ROLLOUTS, Policy, payoffs

OTHERS = {3: "tit_for_tat"}


class InProcess(vf.Harness[vf.HarnessConfig]):
    """A harness that runs nothing: it sends the conversation and is done."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self, ctx: Any, trace: Any, runtime: Any, endpoint: str, secret: str, urls: Any, data: Any
    ) -> vf.ProgramResult:
        system, prompt = self.resolve_prompt(data)
        turns = [{"role": each.role, "content": each.content} for each in prompt]
        messages = [{"role": "system", "content": system}, *turns]
        async with httpx.AsyncClient(timeout=60) as client:
            reply = await client.post(
                f"{endpoint}/chat/completions",
                json={"model": ctx.model, "messages": messages},
                headers={"Authorization": f"Bearer {secret}"},
            )
            reply.raise_for_status()
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


def plugin(name: str, **members: Any) -> str:
    """A module of a user that verifiers loads by its name."""
    module = ModuleType(name)
    module.__dict__.update(members, __all__=list(members))
    sys.modules[name] = module
    return name


class Recorded(Environment):
    """An environment that the model server finds, to answer by a policy."""

    last: "Recorded"

    def __init__(self, *arguments: Any, **keys: Any) -> None:
        super().__init__(*arguments, **keys)
        Recorded.last = self


class Model:
    """A model server that answers by a policy, and checks what it is asked."""

    def __init__(self, policy: Policy) -> None:
        self.policy, self.asked = policy, 0

    async def complete(self, request: web.Request) -> web.Response:
        messages = (await request.json())["messages"]
        system, news = messages[0]["content"], messages[-1]["content"]
        who = " ".join(system.split()[2:4]).strip(",")
        env = Recorded.last
        assert env.prompt(who).system == system
        text = "\n".join(each["content"] for each in messages[1:] if each["role"] == "user")
        assert text.count("- round 1:") == (len(messages) > 2), "the history stands there once"
        assert env.prompt(who).question.split("\n\n")[-1] in news
        self.asked += 1
        content = f"I say: {json.dumps(self.policy(env, who))}"
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        head = {"id": "1", "object": "chat.completion", "created": 1, "model": "policy"}
        return web.json_response({**head, "choices": [choice], "usage": usage})


async def episodes(policy: Policy, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The episodes of a hundred seeds of the dilemma."""
    made = door.environment("prisoners_dilemma", others=OTHERS)
    plugin("parlour_check", Seeds=door.Seeds, Made=made)
    plugin("in_process", InProcess=InProcess)
    monkeypatch.setattr(door, "Environment", Recorded)
    monkeypatch.setenv("NO_KEY", "none")
    model, app = Model(policy), web.Application()
    app.router.add_post("/v1/chat/completions", model.complete)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    seat = {"harness": {"id": "in_process"}, "runtime": {"type": "subprocess"}}
    config = made.config_type.model_validate(
        {
            "taskset": {"id": "parlour_check", "matches": ROLLOUTS},
            "seat1": seat,
            "seat2": seat,
            "max_concurrent_agents": None,
        }
    )
    client = vf.EvalClientConfig(base_url=f"http://127.0.0.1:{port}/v1", api_key_var="NO_KEY")
    context = vf.ModelContext("policy", client)
    env = made(config)
    async with env.serving():
        slots = [env.slots(task)[0] for task in env.taskset]
        played = [await env.run_slot(slot, context) for slot in slots]
    await runner.cleanup()
    assert model.asked == 2 * 5 * ROLLOUTS
    return played


@pytest.mark.parametrize("policy", POLICIES)
def test_rewards_of_the_traces_are_the_payoffs(
    policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed, episode in enumerate(asyncio.run(episodes(policy, monkeypatch))):
        assert episode.ok, episode.errors
        expected = payoffs("prisoners_dilemma", seed, policy, others=OTHERS)
        rewards = {
            f"Player {trace.agent.name[-1]}": trace.rewards["payoff"].score
            for trace in episode.traces
        }
        assert rewards == expected
        assert {trace.metrics["faults"] for trace in episode.traces} == {0.0}
        assert {trace.num_turns for trace in episode.traces} == {5}

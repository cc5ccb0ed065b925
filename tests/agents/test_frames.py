"""Frames: what they send and read is what ``acompletion`` sends and reads, for each provider."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from parlour.agents.llm import litellm_client
from parlour.agents.llm.client import Usage
from parlour.agents.llm.frames import FRAMED
from parlour.agents.llm.litellm_client import LiteLLMClient
from parlour.agents.model_calls import Completion, ProviderFailure, Request
from tests.models import QUESTION, config
from tests.provider import hosted

study = pytest.mark.study("agents/llm", "agents/model_calls.py", "requirements/run.txt")

MODELS = (
    *("anthropic/claude-sonnet-4-5", "anthropic/claude-3-5-haiku-20241022"),
    *("cerebras/llama3.1-8b", "deepseek/deepseek-chat", "deepseek/deepseek-reasoner"),
    "fireworks_ai/accounts/fireworks/models/deepseek-v3",
    *("gemini/gemini-2.5-flash", "gemini/gemini-2.0-flash"),
    *("groq/llama-3.3-70b-versatile", "groq/openai/gpt-oss-20b", "hosted_vllm/x"),
    *("mistral/mistral-small-latest", "nvidia_nim/meta/llama3-8b-instruct"),
    *("openai/gpt-4o", "openai/gpt-3.5-turbo", "openai/gpt-5-mini", "openai/o3-mini"),
    *("openai/unknown", "openrouter/openai/gpt-4o", "openrouter/anthropic/claude-sonnet-4.5"),
    *("openrouter/auto", "perplexity/sonar", "together_ai/meta-llama/Llama-3-70b-chat-hf"),
    *("xai/grok-3", "xai/grok-3-mini"),
)
BY_PROVIDER = {model.partition("/")[0]: model for model in reversed(MODELS)}
ODD_TEXTS = (
    ("system", 'Rules: "a\\b"\n\ttabs, caf\u00e9, \u732b, \U0001f600, \x7f and </tags> {}'),
    ("user", "\u2028 parlour puts text 0 here \\u00e9 \\n"),
)
ALONE = (("user", "Are you ready?"),)
SHAPES: list[Request] = [
    replace(QUESTION, messages=messages, parameters=parameters, form=form, strict=strict)
    for messages, parameters, form, strict in (
        (ODD_TEXTS, {}, "schema", False),
        (ODD_TEXTS, {"temperature": 0.5, "max_tokens": 300, "seed": 3}, "schema", True),
        (ALONE, {"max_tokens": 20, "top_p": 0.9, "stop": ["\n"]}, "text", False),
        (ODD_TEXTS, {"reasoning_effort": "low"}, "object", False),
        (ODD_TEXTS, {"extra_body": {"think": False, "top_k": 4}}, "object_schema", False),
    )
]
DIFFERENT = {"host", "content-length", "accept-encoding", "connection"}
"""Headers that say nothing of the request."""


def of_request(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers without those by which OpenAI's library counts its users."""
    counting = ("user-agent", "x-stainless-")
    return {name: value for name, value in headers.items() if not name.startswith(counting)}


class Recorder:
    """A server that keeps the requests it gets, and gives one answer to all."""

    def __init__(self, status: int = 200, body: object = None, **headers: str) -> None:
        self.got: list[tuple[str, str, Mapping[str, str], bytes]] = []
        self._status, self._headers = status, headers
        self._text = body if isinstance(body, str) else json.dumps(body)

    async def answer(self, request: web.Request) -> web.Response:
        """Keeps a request."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        own = {name: value for name, value in headers.items() if name not in DIFFERENT}
        self.got.append((request.method, request.path_qs, own, await request.read()))
        return web.Response(
            status=self._status,
            text=self._text,
            content_type="application/json",
            headers=self._headers,
        )


def both(
    monkeypatch: pytest.MonkeyPatch, model: str, requests: list[Request], server: Recorder
) -> list[Any]:
    """Results of the requests by frames, then by ``acompletion``."""

    async def results() -> list[Any]:
        results: list[Any] = []
        async with hosted(server.answer) as port:
            own = {"model": model, "api_key_env": "KEY_OF_ADA"}
            client = LiteLLMClient(config(f"http://127.0.0.1:{port}/v1", "litellm", **own))
            for request in requests:
                try:
                    results.append(await client.complete(request))
                except ProviderFailure as failure:
                    results.append(failure)
            await client.close()
        return results

    monkeypatch.setenv("KEY_OF_ADA", "key-of-ada-01")
    lean = asyncio.run(results())
    by_library_alone(monkeypatch)
    return lean + asyncio.run(results())


def by_library_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets ``acompletion`` send every request."""
    monkeypatch.setattr(litellm_client, "FRAMED", frozenset())
    monkeypatch.setattr("parlour.agents.llm.routes.routed_frame", lambda *_: None)


def test_each_framed_provider_is_tested() -> None:
    assert BY_PROVIDER.keys() == FRAMED


@study
@pytest.mark.parametrize("routed", [True, False])
@pytest.mark.parametrize("model", MODELS)
def test_the_bytes_on_the_wire_are_those_of_the_library(
    monkeypatch: pytest.MonkeyPatch, model: str, routed: bool
) -> None:
    if not routed:
        monkeypatch.setattr("parlour.agents.llm.routes.routed_frame", lambda *_: None)
    server = Recorder(200, {})
    both(monkeypatch, model, SHAPES, server)
    assert len(server.got) == 2 * len(SHAPES)
    for lean, whole in zip(server.got[: len(SHAPES)], server.got[len(SHAPES) :], strict=True):
        assert (*lean[:2], lean[3]) == (*whole[:2], whole[3])
        parts = of_request if routed else dict
        assert parts(lean[2]) == parts(whole[2])
        assert any("key-of-ada-01" in value for value in lean[2].values())


ERRORS: list[tuple[int, object, dict[str, str]]] = [
    (400, {"error": {"message": "This model's maximum context length is 9 tokens"}}, {}),
    *((status, {"error": {"message": "no"}}, {}) for status in (400, 401, 402, 403, 404, 408)),
    *((status, {"error": {"message": "no"}}, {}) for status in (409, 413, 422, 429, 500, 529)),
    (429, {"error": {"message": "slowly"}}, {"Retry-After": "7"}),
    (503, "<html>Bad gateway</html>", {}),
    (307, "", {"Location": "http://localhost:9/elsewhere"}),
    (200, "<html>", {}),
    (200, [], {}),
]


@study
@pytest.mark.parametrize("model", BY_PROVIDER.values(), ids=BY_PROVIDER)
def test_an_error_is_of_the_kind_that_it_is_by_the_library(
    monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    for status, body, headers in ERRORS:
        with monkeypatch.context() as patch:
            lean, whole = both(patch, model, [QUESTION], Recorder(status, body, **headers))
        assert isinstance(lean, ProviderFailure), (status, lean)
        results = [(each.kind, each.retry_after, each.free) for each in (lean, whole)]
        if status == 422 and whole.kind == "server":  # the library leaves the error out
            results[1] = ("refused", None, True)
        assert results[0] == results[1], (status, body, lean.message, whole.message)
        if status == 429:
            assert lean.retry_after == (7.0 if headers else None)


def chat(message: object, finish: str = "stop", **usage: object) -> dict[str, Any]:
    """An answer of the OpenAI protocol."""
    choice = {"index": 0, "message": message, "finish_reason": finish}
    counts = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, **usage}
    whole: dict[str, Any] = {"id": "x-1", "object": "chat.completion", "created": 1, "model": "m-1"}
    whole["service_tier"] = "default"
    return {**whole, "choices": [choice], "usage": counts}


def said(text: str | None, **more: object) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **more}


def calling(name: str, arguments: str) -> list[dict[str, Any]]:
    """The tool calls of a message."""
    return [{"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}]


DETAILS = {
    "prompt_tokens_details": {"cached_tokens": 30},
    "completion_tokens_details": {"reasoning_tokens": 5},
}
CHATS = [
    chat(said('{"a": "caf\u00e9"}')),
    chat(said("cut"), "length"),
    chat(said("x"), **DETAILS),
    chat(said("", reasoning_content="I think"), total_tokens=400),
    chat(said(None, refusal="I will not")),
    chat(said(""), "content_filter"),
    chat(said(None, tool_calls=calling("answer", '{"a": 1}')), "tool_calls"),
]


def messages(content: object, stop: str = "end_turn", **usage: object) -> dict[str, Any]:
    """An answer of Anthropic's protocol."""
    counts = {"input_tokens": 100, "output_tokens": 20, **usage}
    whole = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x"}
    return {**whole, "content": content, "stop_reason": stop, "usage": counts}


def part(kind: str, **more: object) -> dict[str, Any]:
    return {"type": kind, **more}


CACHE = {"cache_read_input_tokens": 40, "cache_creation_input_tokens": 7}
ANSWERS: dict[str, list[dict[str, Any]]] = {
    "anthropic": [
        messages([part("text", text='{"a": '), part("text", text="1}")]),
        messages([part("text", text="cut")], "max_tokens"),
        messages([part("text", text="no")], "refusal"),
        messages(
            [part("thinking", thinking="Hm.", signature="s"), part("text", text="x")],
            output_tokens_details={"thinking_tokens": 4},  # else the library makes up a number
        ),
        messages([part("text", text="x")], "stop_sequence", **CACHE),
        messages([], "refusal"),
        messages([part("tool_use", id="t", name="json_tool_call", input={"a": 1})], "tool_use"),
        messages([part("tool_use", id="t", name="other", input={"a": 1})], "tool_use"),
    ],
    "gemini": [],
}


def generated(parts: list[Any] | None, finish: str = "STOP", **usage: int) -> dict[str, Any]:
    """An answer of Gemini's protocol."""
    counts = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120, **usage}
    candidate = {"index": 0, "finishReason": finish}
    if parts is not None:
        candidate["content"] = {"role": "model", "parts": parts}
    whole = {"responseId": "r-1", "modelVersion": "gemini-x", "usageMetadata": counts}
    return {**whole, "candidates": [candidate]}


ANSWERS["gemini"] = [
    generated([{"text": '{"a": '}, {"text": "1}"}]),
    generated([{"text": "cut"}], "MAX_TOKENS"),
    generated(None, "MAX_TOKENS"),
    generated(None, "SAFETY"),
    generated([{"text": "Hm.", "thought": True}, {"text": "x"}]),
    generated([{"text": "x"}], thoughtsTokenCount=50, totalTokenCount=170),
    generated([{"text": "x"}], thoughtsTokenCount=15),
    generated([{"text": "x"}], cachedContentTokenCount=64),
    {
        "promptFeedback": {"blockReason": "SAFETY"},
        "usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 9},
    },
]


@study
@pytest.mark.parametrize("model", MODELS)
def test_an_answer_is_read_as_the_library_reads_it(
    monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    for body in ANSWERS.get(model.partition("/")[0], CHATS):
        with monkeypatch.context() as patch:
            lean, whole = both(patch, model, [QUESTION], Recorder(200, body))
        assert isinstance(lean, Completion), (body, lean)
        assert isinstance(whole, Completion), (body, whole)
        if not whole.price:  # the library looks some models of Fireworks up by another name
            lean = replace(lean, price=whole.price)
        results = [_compared(each) for each in (lean, whole)]
        assert results[0] == results[1], body


def _compared(answer: Completion) -> Completion:
    """An answer without what differs each time, and with what the library leaves out or adds."""
    return replace(
        answer,
        latency=0.0,
        provider_id="",
        served="",
        host=answer.host.partition(":")[0],
        cached_tokens=answer.cached_tokens or 0,
        written_tokens=answer.written_tokens or 0,
        reasoning_tokens=answer.reasoning_tokens or 0,
        price=pytest.approx(answer.price) if answer.price else answer.price,
    )


def test_prices_are_looked_up_again_since_some_depend_on_the_time_of_the_day(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    costs, clock = iter([0.001] * 4 + [0.002] * 4), iter((900.0, 901.0, 1800.0))
    monkeypatch.setattr(LiteLLMClient, "_cost", lambda *_arguments: next(costs))
    client = LiteLLMClient(config(None, "litellm"))
    with monkeypatch.context() as patch:
        patch.setattr("time.time", lambda: next(clock))
        prices = [client._price_of(Usage(1000, 1000), None) for _ in range(3)]
    assert prices == [0.002, 0.002, 0.004]

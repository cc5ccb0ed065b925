"""Cost of failed calls and token counts, over a real connection."""

import asyncio
import json
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import Any, get_args

import pytest
from aiohttp import web

from parlour.agents.llm.client import failure_of_status, usage_of
from parlour.agents.model_calls import FAILURES, Completion, FailureKind, ProviderFailure
from tests.models import CLIENTS, QUESTION, config
from tests.provider import hosted

TurnRunner = Callable[[web.Request], Awaitable[web.StreamResponse]]

MODELS = {
    model.partition("/")[0]: model
    for model in (
        *("anthropic/claude-3-5-haiku-20241022", "deepseek/deepseek-chat", "groq/x"),
        *("gemini/gemini-2.0-flash", "hosted_vllm/x", "mistral/mistral-small-latest"),
        *("openai/gpt-4o", "openrouter/openai/gpt-4o", "together_ai/x", "xai/grok-3"),
    )
}
"""One model of each way in which litellm speaks to a provider, and tells of its errors."""
WAYS = [("openai", "test"), *(("litellm", model) for model in MODELS.values())]
each = pytest.mark.parametrize(("carrier", "model"), WAYS, ids=["own", *MODELS])
both = pytest.mark.parametrize(("carrier", "model"), [WAYS[0], ("litellm", MODELS["openai"])])


@pytest.fixture(autouse=True)
def _no_key_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_OF_ADA", "not-needed")


def result_of(
    answer: TurnRunner, carrier: str, model: str, **more: Any
) -> tuple[Completion | ProviderFailure, list[str]]:
    """Result of one call, and the requests that the server received."""
    got: list[str] = []

    async def kept(request: web.Request) -> web.StreamResponse:
        await request.read()
        got.append(f"{request.method} {request.path}")
        return await answer(request)

    async def story() -> tuple[Completion | ProviderFailure, list[str]]:
        async with hosted(kept) as port:
            own = {"model": model, "api_key_env": "KEY_OF_ADA", **more}
            client = CLIENTS[carrier](config(f"http://127.0.0.1:{port}/v1", carrier, **own))
            try:
                return await client.complete(QUESTION), got
            except ProviderFailure as failure:
                return failure, got
            finally:
                await client.close()

    return asyncio.run(story())


async def drop(request: web.Request) -> web.StreamResponse:
    """No answer, and the connection closed."""
    request.transport.abort()
    return web.Response()


async def reset(request: web.Request) -> web.StreamResponse:
    """No answer, and the connection reset: what is lost on the way or thrown off by a proxy."""
    at_once = struct.pack("ii", 1, 0)
    wire = request.transport.get_extra_info("socket")
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
    request.transport.abort()
    return web.Response()


async def half(request: web.Request) -> web.StreamResponse:
    """An answer that breaks off in its middle, when the model has done its work."""
    response = web.StreamResponse(headers={"Content-Length": "5000"})
    response.content_type = "application/json"
    await response.prepare(request)
    await response.write(b'{"id": "x", "choi')
    request.transport.abort()
    return response


def said(status: int, text: str, kind: str = "application/json", **headers: str) -> TurnRunner:
    """A whole answer."""

    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, text=text, content_type=kind, headers=headers)

    return answer


@each
@pytest.mark.parametrize("way", [drop, reset, half])
def test_a_connection_that_breaks_off_may_be_billed_and_is_not_sent_again(
    carrier: str, model: str, way: TurnRunner
) -> None:
    result, got = result_of(way, carrier, model)
    assert (result.kind, result.free, result.temporary) == ("connection", False, True)
    assert len(got) == 1


@each
@pytest.mark.parametrize("status", [200, 201])
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<html>hello</html>", "text/html"),
        ("", "application/json"),
        ('{"error": {"message": "no"}}', "application/json"),
    ],
    ids=["page", "nothing", "error"],
)
def test_an_answer_that_cannot_be_read_may_be_billed_and_is_asked_for_again(
    carrier: str, model: str, status: int, text: str, kind: str
) -> None:
    result, _got = result_of(said(status, text, kind), carrier, model)
    assert (result.kind, result.free, result.temporary) == ("server", False, True)


def test_each_kind_of_failure_is_declared_with_a_fix() -> None:
    assert set(FAILURES) == set(get_args(FailureKind))
    for kind, declared in FAILURES.items():
        failure = ProviderFailure(kind, "no")
        assert failure.temporary != declared.permanent
        assert failure.fix("MY_KEY")
        assert not (declared.permanent and declared.down), "a provider that is down is tried again"


@each
@pytest.mark.parametrize(
    ("status", "kind"), [(401, "auth"), (404, "refused"), (429, "rate_limit"), (500, "server")]
)
def test_an_error_that_the_server_did_answer_with_is_free(
    carrier: str, model: str, status: int, kind: str
) -> None:
    answer = said(status, '{"error": {"message": "no"}}', **{"Retry-After": "7"})
    result, _got = result_of(answer, carrier, model)
    assert (result.kind, result.free, result.retry_after) == (kind, True, 7.0)


@each
def test_a_server_that_is_not_there_is_free(carrier: str, model: str) -> None:
    async def story() -> ProviderFailure:
        gone = config("http://127.0.0.1:9/v1", carrier, model=model, api_key_env="KEY_OF_ADA")
        client = CLIENTS[carrier](gone)
        with pytest.raises(ProviderFailure) as met:
            await client.complete(QUESTION)
        await client.close()
        return met.value

    failure = asyncio.run(story())
    assert (failure.kind, failure.free) == ("connection", True)


def test_what_the_library_refuses_by_itself_is_lasting_and_free() -> None:
    result, got = result_of(drop, "litellm", "nobody/knows")
    assert (result.kind, result.free, got) == ("refused", True, [])


def test_only_a_status_from_400_on_is_free() -> None:
    kinds = {201: "server", 204: "server", 302: "refused", 308: "refused", 400: "refused"}
    for status, kind in {**kinds, 429: "rate_limit", 503: "server"}.items():
        failure = failure_of_status(status, "no", None)
        assert (failure.kind, failure.free) == (kind, status >= 400)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_but_said(status: int) -> None:
    answer = said(status, "moved", Location="https://example.org/v1")
    result, got = result_of(answer, "openai", "test")
    assert result.message == (
        f"HTTP {status}: the address redirects elsewhere: https://example.org/v1"
    )
    assert (result.kind, got) == ("refused", ["POST /v1/chat/completions"])


def answered(usage: dict[str, Any]) -> TurnRunner:
    """A good answer that took so many tokens."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "{}"}}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "usage": usage}
    return said(200, json.dumps({**body, "choices": [{**choice, "finish_reason": "stop"}]}))


THOUGHT: dict[str, Any] = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 1120,
    "completion_tokens_details": {"reasoning_tokens": 1000},
}


@both
def test_thinking_that_is_counted_in_the_total_alone_is_paid_for(carrier: str, model: str) -> None:
    result, _got = result_of(answered(THOUGHT), carrier, model, prices=(1.0, 10.0))
    assert (result.prompt_tokens, result.completion_tokens) == (100, 1020)
    assert result.price == pytest.approx((100 * 1.0 + 1020 * 10.0) / 1_000_000)


def test_the_library_s_list_prices_that_thinking_too() -> None:
    within = {**THOUGHT, "completion_tokens": 1020}
    prices = []
    for usage in (THOUGHT, within):
        result, _got = result_of(answered(usage), "litellm", MODELS["openai"])
        assert result.price is not None
        prices.append(result.price)
    assert prices[0] == pytest.approx(prices[1])


def test_a_total_counts_only_where_it_makes_sense() -> None:
    outs = {120: 20, 1120: 1020, 90: 20, 0: 20, None: 20, "many": 20, 10**30: 20}
    cases = [(100, 20, total, out) for total, out in outs.items()]
    for prompt, completion, total, out in [*cases, (None, 20, 1120, 20), (100, None, 1120, None)]:
        usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}
        assert usage_of(usage).completion_tokens == out


IN, OUT = {"prompt_tokens": 1000}, {"completion_tokens": 100}
CACHED = {"prompt_tokens_details": {"cached_tokens": 600, "cache_creation_tokens": 300}}


# Anthropic's names, and more tokens of the cache than the prompt has.
CACHE = {"cache_read_input_tokens": 5000, "cache_creation_input_tokens": 7}
REASONED = {"completion_tokens_details": {"reasoning_tokens": 70}}
ODD = {"prompt_tokens_details": "?", "completion_tokens_details": []}


@pytest.mark.parametrize(
    ("more", "prices", "parts", "millionths"),
    [
        ({}, (1.0, 10.0), (None, None, None), 2000),
        (CACHED, (1.0, 10.0), (600, 300, None), 2000),  # no prices of their own: as all
        (CACHED, (1.0, 10.0, 0.1), (600, 300, None), 2000 - 540),
        (CACHED, (1.0, 10.0, 0.1, 1.25), (600, 300, None), 2000 - 540 + 75),
        (CACHE, (1.0, 10.0, 0.1, 9.0), (1000, 0, None), 1100),
        (REASONED, (1.0, 10.0), (None, None, 70), 2000),
        (ODD, None, (None,) * 3, None),
    ],
)
def test_tokens_of_a_cache_and_of_reasoning_are_parts_with_prices_of_their_own(
    more: dict[str, Any], prices: Any, parts: tuple[Any, ...], millionths: float | None
) -> None:
    usage = usage_of({**IN, **OUT, **more})
    assert (usage.cached_tokens, usage.written_tokens, usage.reasoning_tokens) == parts
    price = usage.price(prices)
    assert price == (None if millionths is None else pytest.approx(millionths / 1e6))


@pytest.mark.parametrize("name", ["n", "best_of", "stream", "model", "messages"])
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("place", ["parameters", "for_ask"])
def test_what_would_ask_for_more_than_one_answer_is_refused_wherever_it_stands(
    name: str, nested: bool, place: str
) -> None:
    wanted = {"extra_body": {name: 5}} if nested else {name: 5}
    with pytest.raises(ValueError, match=f"{name} is not allowed in parameters"):
        config("http://x/v1", **{place: wanted if place == "parameters" else {"vote": wanted}})


@pytest.mark.parametrize(
    "wanted",
    [
        {"fallbacks": ["openai/other"]},
        {"context_window_fallback_dict": ["openai/other"]},
        {"candidate_count": 3},  # Gemini's spelling
        {"extra_body": {"generationConfig": {"candidateCount": 3}}},
    ],
)
def test_no_other_model_and_no_more_than_one_answers(wanted: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is not allowed in parameters: a call gets one"):
        config(None, "litellm", parameters=wanted)


def test_other_parameters_of_the_server_s_own_stay_allowed() -> None:
    own = config("http://x/v1", parameters={"extra_body": {"min_p": 0.1}, "top_k": 5})
    assert own.parameters_for("vote") == {"extra_body": {"min_p": 0.1}, "top_k": 5}

"""Routes: the table, held to the pinned litellm for models of each provider."""

import asyncio
import json
import os
import sys
from dataclasses import replace
from itertools import chain, product
from typing import Any

import pytest

from parlour.agents.llm import prices, routes
from parlour.agents.llm.client import Usage
from parlour.agents.llm.destinations import providers
from parlour.agents.llm.frames import finish_of
from parlour.agents.llm.litellm_client import LiteLLMClient
from parlour.agents.llm.litellm_patch import Caught, catching, library
from parlour.agents.llm.prices import known_tariff
from parlour.agents.llm.routes import listed, routed_frame, routed_price
from parlour.agents.model_calls import Request
from parlour.agents.registry import refuse_keyless
from parlour.games.common.errors import BadInput
from parlour.tui.models.offered import key_state
from tests.agents.test_frames import ALONE, ODD_TEXTS, of_request
from tests.models import QUESTION, config
from tests.tournaments import ROOT, called, environment

study = pytest.mark.study("agents/llm", "agents/model_calls.py", "requirements/run.txt")

PROVIDERS = tuple(routes.routes())
SPECIAL = {
    "fireworks_ai": ["accounts/me/models/new"],
    "openrouter": ["auto", "openai/gpt-4o", "anthropic/claude-sonnet-4.5", "deepseek/deepseek-r1"],
    "openai": ["gpt-4o-new", "gpt-4.1-new", "gpt-3.5-turbo-new", "gpt-4-turbo-new"],
}
"""Further models, some of which the list does not have."""
PARAMETERS: tuple[dict[str, Any], ...] = (
    {"temperature": 0.5, "top_p": 0.9, "stop": ["\n"], "max_tokens": 300, "seed": 3},
    {"temperature": 0, "top_p": 1, "stop": "x", "max_tokens": 1},
    *({name: value} for name, value in (("temperature", 0.7), ("max_tokens", 9), ("seed", 0))),
)
NESTED = {
    "type": "object",
    "$defs": {"a": {"type": "string", "maxLength": 3}},
    "properties": {
        "x": {"$ref": "#/$defs/a"},
        "y": {"type": "array", "items": {"type": ["number", "null"], "minimum": 0}},
    },
    "required": ["x"],
    "additionalProperties": False,
}
REQUESTS: list[Request] = [
    *(replace(QUESTION, messages=ODD_TEXTS, parameters=given, form="text") for given in PARAMETERS),
    replace(QUESTION, messages=ODD_TEXTS, parameters=PARAMETERS[1]),
    replace(QUESTION, messages=ALONE, schema=NESTED, strict=True),
    replace(QUESTION, messages=ODD_TEXTS, form="object"),
    replace(QUESTION, messages=ODD_TEXTS, form="object_schema"),
]


def models(provider: str) -> list[str]:
    """Some of the provider's models in litellm's list, with unknown ones."""
    own = [
        name.removeprefix(f"{provider}/")
        for name, entry in library().model_cost.items()
        if entry.get("litellm_provider") == provider and entry.get("mode") == "chat"
    ]
    some = own[:: len(own) // 30 + 1]
    return [f"{provider}/{name}" for name in (*some, "unknown", *SPECIAL.get(provider, ()))]


def caught(model: str, request: Request) -> Any:
    """The request as ``acompletion`` would send it."""
    client = LiteLLMClient(config(None, "litellm", model=model))
    client._library = library()
    texts = [text for _role, text in request.messages]

    async def made() -> Any:
        try:
            with catching():
                await client._asked(request, texts)
        except Caught as sent:
            return sent.request
        raise AssertionError(model)

    return asyncio.run(made())


@pytest.fixture
def keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every key that litellm may look for, each with another value."""
    for name in chain.from_iterable(providers()[provider].keys for provider in PROVIDERS):
        monkeypatch.setenv(name, f"key-of-{name.lower()}")


@study
@pytest.mark.usefixtures("keyed")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_a_route_sends_is_what_the_library_sends(
    monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    names = providers()[provider].keys
    routed = 0
    for model, request in product(models(provider), REQUESTS):
        own = routed_frame(config(None, "litellm", model=model), request)
        if own is None:
            continue
        sent, routed = caught(model, request), routed + 1
        assert own.url == str(sent.url)
        assert own.filled(text for _role, text in request.messages) == sent.content, model
        given = of_request(dict(sent.headers))
        assert {**given, **own.headers} == given
        assert given.keys() - own.headers.keys() <= {"host", *_OF_THE_CONNECTION}
    assert routed >= 2
    for name in names:  # the next key is taken where the one before is not set
        model = next(model for model in models(provider) if _is_routed(model))
        sent = caught(model, REQUESTS[3])
        own = routed_frame(config(None, "litellm", model=model), REQUESTS[3])
        assert own.headers["authorization"] == sent.headers["authorization"]
        monkeypatch.delenv(name)
    assert routed_frame(config(None, "litellm", model=model), REQUESTS[3]) is None


_OF_THE_CONNECTION = {"content-length", "connection", "accept-encoding"}


def _is_routed(model: str) -> bool:
    return routed_frame(config(None, "litellm", model=model), REQUESTS[3]) is not None


@pytest.mark.usefixtures("keyed")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_parameter_that_the_library_changes_is_left_to_it(provider: str) -> None:
    values = {"seed": 3, "stop": ["\n"]}
    for name in routes.routes()[provider].changed:
        for model in models(provider):
            request = replace(QUESTION, parameters={name: values[name]}, form="text")
            assert routed_frame(config(None, "litellm", model=model), request) is None
        bodies = [json.loads(caught(model, request).content) for model in models(provider)]
        assert not all(name in body for body in bodies)  # else the table could let it through
    odd = ({"top_k": 4}, {"extra_body": {"a": 1}}, {"temperature": None}, {"reasoning_effort": "x"})
    model = next(model for model in models(provider) if _is_routed(model))
    for parameters in odd:
        request = replace(REQUESTS[3], parameters=parameters)
        assert routed_frame(config(None, "litellm", model=model), request) is None


@pytest.mark.usefixtures("keyed")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_variable_that_the_library_reads_for_a_request_is_known(
    monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    model = next(model for model in models(provider) if _is_routed(model))
    caught(model, REQUESTS[3])
    kind, read = type(os.environ), set[str]()
    plain = kind.__getitem__

    def noted(self: Any, name: str) -> str:
        read.add(name)
        return plain(self, name)

    with monkeypatch.context() as patch:
        patch.setattr(kind, "__getitem__", noted)
        caught(model, REQUESTS[3])
    moving = {*routes._MOVED_BY, *routes.routes()[provider].moved_by}
    assert read - {*providers()[provider].keys, *_HARMLESS} <= moving
    assert set(routes.routes()[provider].moved_by) <= read
    for name in moving:
        with monkeypatch.context() as patch:
            patch.setenv(name, "x")
            assert not _is_routed(model)
    monkeypatch.setenv("HTTPS_PROXY", "http://localhost:9")
    assert not _is_routed(model)


_HARMLESS = {"PYDANTIC_DISABLE_PLUGINS", "PYTHONASYNCIODEBUG", "SSL_CERT_FILE"} | {
    *("DISABLE_AIOHTTP_TRANSPORT", "AIOHTTP_TRUST_ENV", "LITELLM_HTTP2", "LITELLM_USER_AGENT"),
    *("OPENAI_WEBHOOK_SECRET", "OPENAI_ADMIN_KEY"),
}
"""Variables that change neither a request nor where it goes, or that hold for a route too."""
USAGES = (
    Usage(1000, 500),
    Usage(1000, 500, cached_tokens=300),
    Usage(1000, 500, reasoning_tokens=200),
    Usage(1000, 500, 300, 100, 200),
    Usage(99_999, 10),
    Usage(0, 0),
)


@study
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_price_from_the_file_is_the_librarys(provider: str) -> None:
    priced = 0
    for model in models(provider):
        client = LiteLLMClient(config(None, "litellm", model=model))
        client._library = library()
        for usage, tier in product(USAGES, (None, "default")):
            own = routed_price(client._config, usage, tier)
            if own is not None:
                priced += 1
                assert own == pytest.approx(client._cost(usage, tier), rel=1e-9), (model, usage)
    assert (priced > 0) == bool(routes.routes()[provider].prices)


def test_what_may_cost_otherwise_is_left_to_the_library() -> None:
    block = config(None, "litellm", model="xai/grok-4.3")
    assert routed_price(block, Usage(1000, 500), None)
    assert routed_price(block, Usage(1000, 500, reasoning_tokens=1), None) is None
    assert routed_price(block, Usage(100_000, 500), None) is None
    assert routed_price(block, Usage(1000, 500), "priority") is None


@study
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_tariff_from_the_file_is_the_librarys(
    monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    blocks = [config(None, "litellm", model=model) for model in models(provider)]
    own = list(map(known_tariff, blocks))
    monkeypatch.setattr(prices, "routes", dict)
    assert own == list(map(known_tariff, blocks))


def test_a_reason_to_end_is_translated_as_the_library_does() -> None:
    helpers = library().litellm_core_utils.core_helpers
    for reason in (*helpers._FINISH_REASON_MAP, "unknown"):
        assert finish_of(reason) == helpers.map_finish_reason(reason)
    assert finish_of(None) == "stop"


CALL = """
import asyncio, sys
from parlour.agents.llm.litellm_client import LiteLLMClient
from parlour.agents.llm.prices import tariff_of
from tests.models import QUESTION, config
from parlour.tui.models.offered import key_state
from tests.agents.test_frames import CHATS, Recorder
from tests.provider import hosted

async def main():
    async with hosted(Recorder(200, CHATS[0]).answer) as port:
        more = {"api_key_env": "KEY_OF_ADA", "parameters": {"max_tokens": 300}}
        base, model = f"http://127.0.0.1:{port}/v1", "groq/openai/gpt-oss-20b"
        block = config(base, "litellm", model=model, **more)
        print(tariff_of(block).prompt > 0)
        client = LiteLLMClient(block)
        print((await client.complete(QUESTION)).price > 0)
        await client.close()
    print(sorted({"litellm", "openai", "httpx"} & set(sys.modules)))

asyncio.run(main())
"""


@pytest.mark.really_started
def test_a_call_on_a_route_with_its_price_and_tariff_loads_no_library() -> None:
    own = environment(KEY_OF_ADA="key-of-ada-01")
    done = called(sys.executable, "-c", CALL, cwd=ROOT, env=own, check=True)
    assert done.stdout.split("\n")[:3] == ["True", "True", "[]"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_missing_key_is_named_as_the_library_names_it(
    monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    names = providers()[provider].keys
    for name in names:
        monkeypatch.delenv(name, raising=False)
    block = config(None, "litellm", model=f"{provider}/x")
    state, fix = key_state(block)
    assert (state, names[0] in fix) == ("missing", True)
    with pytest.raises(BadInput, match=f"key {names[0]}: is not set; set it in the environment"):
        refuse_keyless(block)
    assert set(library().validate_environment(block.model)["missing_keys"]) <= set(names)
    monkeypatch.setenv(names[-1], "key-of-ada-01")
    assert key_state(block) == ("set", "")
    refuse_keyless(block)


def test_a_key_that_may_come_from_elsewhere_is_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for more in (
        {"model": "azure/x"},
        {"model": "ollama/x"},
        {"model": "openai/x", "parameters": {"extra_headers": {"x-team": "ours"}}},
    ):
        refuse_keyless(config(None, "litellm", **more))
    refuse_keyless(config("http://localhost:1/v1", "litellm", model="openai/x"))
    with pytest.raises(BadInput, match="OPENAI_API_KEY"):
        refuse_keyless(config(None, "litellm", model="openai/x"))


def test_a_model_that_nothing_lists_has_no_entry() -> None:
    assert listed("groq/unknown") == {}
    assert listed("groq/gpt-4o") == {}  # another provider's
    assert listed("openai/gpt-4o")["supports_response_schema"]

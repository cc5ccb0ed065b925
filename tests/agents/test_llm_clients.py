"""Both clients against a real server: every way to answer, and every way to fail."""

import asyncio
import json
import sys
import time
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from parlour.agents.llm.answer_parser import ParsedAnswer, read_answer
from parlour.agents.llm.client import seconds_to_wait
from parlour.agents.llm.litellm_patch import library
from parlour.agents.model_calls import Completion, ProviderFailure, Request
from parlour.games.common.errors import BadInput
from tests.models import CLIENTS, QUESTION, SCHEMA, clean_environment, config, served
from tests.provider import ANSWER_FAULTS, ODD_ANSWERS, OTHER_MODEL, PROVIDER_FAULTS, hosted
from tests.tournaments import ROOT, called

both = pytest.mark.parametrize("carrier", CLIENTS)


@pytest.fixture(autouse=True)
def _no_key_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-needed")


def asked(
    tmp_path: Path, carrier: str, mode: str, request: Request = QUESTION, **more: Any
) -> tuple[Completion | ProviderFailure, dict[str, Any]]:
    """Result of one request, and the server's log line for it."""

    async def story() -> tuple[Completion | ProviderFailure, dict[str, Any]]:
        async with served(tmp_path, mode) as server:
            client = CLIENTS[carrier](config(server.base, carrier, **more))
            try:
                result: Completion | ProviderFailure = await client.complete(request)
            except ProviderFailure as failure:
                result = failure
            finally:
                await client.close()
            (line,) = server.requests  # one request, one try
            return result, line

    return asyncio.run(story())


@both
@pytest.mark.parametrize("mode", ["good", *ODD_ANSWERS])
def test_a_good_answer_comes_through_however_it_comes(
    tmp_path: Path, carrier: str, mode: str
) -> None:
    result, line = asked(tmp_path, carrier, mode, prices=(1.0, 10.0))
    parsed = read_answer(result)
    assert parsed.data["suspect"] in {"Player 2", "Player 3"}
    assert (result.finish, result.provider_id) == ("stop", "chatcmpl-1")
    assert (result.prompt_tokens, result.completion_tokens) == (100, 20)
    assert result.price == pytest.approx((100 * 1.0 + 20 * 10.0) / 1_000_000)
    assert 0 < result.latency < 20
    assert (line["mode"], line["form"]) == (mode, "json_schema")
    if mode == "huge":
        assert len(result.text) > 1_000_000
    tiers = {"fenced": "embedded", "broken_json": "repaired"}
    assert parsed.tier == tiers.get(mode, "json")


@both
@pytest.mark.parametrize(("mode", "model"), [("good", "test"), ("other_model", OTHER_MODEL)])
def test_an_answer_has_the_name_of_the_model_that_gave_it(
    tmp_path: Path, carrier: str, mode: str, model: str
) -> None:
    assert asked(tmp_path, carrier, mode)[0].served == model


@both
@pytest.mark.parametrize("mode", ANSWER_FAULTS)
def test_a_faulty_answer_is_an_answer_of_its_class(tmp_path: Path, carrier: str, mode: str) -> None:
    result, _line = asked(tmp_path, carrier, mode)
    assert isinstance(result, Completion)
    parsed = read_answer(result)
    if mode == "wrong_schema":  # a proper object, only not the one that was asked for
        assert parsed == ParsedAnswer({"colour": "green"}, "json")
    else:
        assert parsed.kind == ANSWER_FAULTS[mode]
    assert (result.prompt_tokens, result.completion_tokens) == (100, 20)  # it is paid all the same


@both
@pytest.mark.parametrize("mode", PROVIDER_FAULTS)
def test_a_failure_of_the_provider_is_of_its_kind(
    tmp_path: Path, carrier: str, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.provider.HANG_SECONDS", 1.0)
    timeout = 0.3 if mode == "hang" else 60.0
    library()  # loading it takes seconds
    begun = time.monotonic()
    result, _line = asked(tmp_path, carrier, mode, timeout=timeout)
    assert result.kind == PROVIDER_FAULTS[mode]
    assert result.temporary
    assert result.retry_after == (0.05 if mode == "rate_limit" else None)
    assert len(result.message) <= 300
    if mode == "hang":
        assert time.monotonic() - begun < 4


def answered(carrier: str, **how: Any) -> Completion | ProviderFailure:
    """Result of a client for one HTTP response."""

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(**how)

    async def story() -> Completion | ProviderFailure:
        async with hosted(answer) as port:
            client = CLIENTS[carrier](config(f"http://127.0.0.1:{port}/v1", carrier))
            try:
                return await client.complete(QUESTION)
            except ProviderFailure as failure:
                return failure
            finally:
                await client.close()

    return asyncio.run(story())


STATUSES = {
    **dict.fromkeys((400, 404, 413), "refused"),
    **{401: "auth", 403: "auth", 408: "timeout", 429: "rate_limit"},
    **dict.fromkeys((409, 425, 500, 503), "server"),
}


@both
@pytest.mark.parametrize("status", STATUSES)
def test_a_status_says_whether_to_try_again(carrier: str, status: int) -> None:
    body = json.dumps({"error": {"message": "no", "type": "x", "code": "y"}})
    result = answered(carrier, status=status, text=body, content_type="application/json")
    assert result.kind == STATUSES[status]
    assert result.temporary == (result.kind not in {"auth", "refused"})


@both
def test_how_long_to_wait_is_read_in_seconds_and_as_a_date(carrier: str) -> None:
    for value, wait in (("7.5", 7.5), ("soon", None), ("inf", None)):
        result = answered(carrier, status=429, text="{}", headers={"Retry-After": value})
        assert result.retry_after == wait
    date = formatdate(time.time() + 20, usegmt=True)
    result = answered(carrier, status=429, text="{}", headers={"Retry-After": date})
    assert 15 < result.retry_after <= 20
    for value in ("-5", "Thu, 01 Jan 1970 00:00:00 GMT"):
        assert seconds_to_wait(value) == 0


CHOICES = ("{}", "[]", "[null]", '["x"]', '[{"message": "x"}]')
NO_ANSWERS = [b"", b"[]", b"null", b"[" * 100_000, b"\xff\xfe\x00"]


@pytest.mark.parametrize(
    "body", [*NO_ANSWERS, *(f'{{"choices": {choices}}}'.encode() for choices in CHOICES)]
)
def test_a_body_that_is_no_answer_is_a_failure_of_the_server(body: bytes) -> None:
    result = answered("openai", body=body)
    assert result.kind == "server"


@pytest.mark.parametrize("choice", [b'{"message": []}', b"{}"])
def test_a_choice_without_a_message_is_an_empty_answer(choice: bytes) -> None:
    result = answered("openai", body=b'{"choices": [%s]}' % choice)
    assert result.text == ""


@pytest.mark.parametrize(
    ("message", "usage", "text", "finish"),
    [
        ({"content": None, "refusal": {"why": "x"}}, {}, "", "refusal"),
        ({"content": 5}, {}, "", "stop"),
        ({"content": "{}"}, {"prompt_tokens": "many"}, "{}", "stop"),
        ({"content": "{}"}, {"prompt_tokens": 10**30}, "{}", "stop"),
        ({"content": "{}"}, {"prompt_tokens": -1}, "{}", "stop"),
        ({"content": "{}"}, [], "{}", "stop"),
        (None, None, "", "stop"),
    ],
)
def test_odd_parts_of_an_answer_are_left_out(
    message: Any, usage: Any, text: str, finish: str
) -> None:
    body = {"choices": [{"message": message}], "usage": usage}
    result = answered("openai", text=json.dumps(body))
    assert (result.text, result.finish, result.prompt_tokens) == (text, finish, None)


@both
def test_a_tool_call_in_place_of_a_text_is_an_answer(carrier: str) -> None:
    function = {"name": "vote", "arguments": '{"suspect": "Player 2"}'}
    call = {"id": "1", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call], "reasoning": "hm"}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    whole = {"id": "x", "object": "chat.completion", "created": 1, "model": "test"}
    body = json.dumps({**whole, "choices": [choice]})
    result = answered(carrier, text=body, content_type="application/json")
    assert read_answer(result) == ParsedAnswer({"suspect": "Player 2"}, "json")
    assert result.thinking == "hm"


@both
@pytest.mark.parametrize(
    ("form", "sent"), [("schema", "json_schema"), ("object", "json_object"), ("text", "text")]
)
def test_the_form_of_the_answer_is_asked_for_as_the_server_can(
    tmp_path: Path, carrier: str, form: Any, sent: str
) -> None:
    request = Request(QUESTION.messages, {}, SCHEMA, form)
    result, line = asked(tmp_path, carrier, "good", request)
    assert (type(result), line["form"]) == (Completion, sent)


@both
@pytest.mark.parametrize(
    "wanted",
    [{"temperature": 0.5, "max_tokens": 64, "seed": 7}, {"min_p": 0.1}],  # one of the server's own
)
def test_the_parameters_that_are_kept_are_those_that_were_sent(
    tmp_path: Path, carrier: str, wanted: dict[str, Any]
) -> None:
    result, line = asked(tmp_path, carrier, "good", Request(QUESTION.messages, wanted, SCHEMA))
    assert result.parameters == line["parameters"] == wanted


def test_a_parameter_that_the_library_drops_is_not_kept(tmp_path: Path) -> None:
    wanted = {"temperature": 0.5, "top_p": 0.5, "seed": 7}
    request = Request(QUESTION.messages, wanted, SCHEMA)
    result, line = asked(tmp_path, "litellm", "good", request, model="openai/o1")
    assert result.parameters == line["parameters"]
    assert "top_p" not in line["parameters"]
    assert line["parameters"]["seed"] == 7


def test_parameters_of_one_kind_of_ask_go_before_those_of_all() -> None:
    own = config(
        "http://x/v1",
        parameters={"temperature": 1.0, "top_p": 0.9},
        for_ask={"vote": {"temperature": 0.0}},
    )
    assert own.parameters_for("vote") == {"temperature": 0.0, "top_p": 0.9}
    assert own.parameters_for("clue") == {"temperature": 1.0, "top_p": 0.9}


@both
def test_the_key_is_sent_and_no_key_is_made_up(
    tmp_path: Path, carrier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY_OF_ADA", "sk-ada-0123456789")
    result, line = asked(tmp_path, carrier, "good", api_key_env="KEY_OF_ADA")
    assert line["key"] == "Bearer sk-ada-0123456789"
    assert "sk-ada" not in repr(result)


def test_a_server_without_keys_gets_none(tmp_path: Path) -> None:
    assert asked(tmp_path, "openai", "good")[1]["key"] == ""


@both
def test_a_key_that_cannot_stand_in_a_header_is_not_shown(
    carrier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY_OF_ADA", "sk-canary\r\nX-More: 1")

    async def story() -> None:
        gone = config("http://127.0.0.1:9/v1", carrier, api_key_env="KEY_OF_ADA")
        client = CLIENTS[carrier](gone)
        with pytest.raises(ProviderFailure) as failed:
            await client.complete(QUESTION)
        await client.close()
        assert "canary" not in failed.value.message

    asyncio.run(story())


def test_a_key_that_is_not_set_is_said_by_its_name() -> None:
    from parlour.agents.registry import make_agent

    with pytest.raises(BadInput, match="key NO_SUCH_KEY: is not set"):
        make_agent(config("http://x/v1", api_key_env="NO_SUCH_KEY"))


LAZY = """
import asyncio, sys
from pathlib import Path
from parlour.agents.model_calls import ProviderFailure
from parlour.agents.registry import make_agent
from tests.models import QUESTION, config
import parlour.tournament.session

async def story(carrier):
    agent = make_agent(config("http://127.0.0.1:9/v1", carrier))
    assert "litellm" not in sys.modules
    try:
        await agent.client.complete(QUESTION)
    except ProviderFailure:
        pass
    await agent.client.close()
    print(carrier, "litellm" in sys.modules)

asyncio.run(story("openai"))
asyncio.run(story("litellm"))
"""


def test_the_large_library_is_loaded_with_its_first_call_and_for_nobody_else(
    tmp_path: Path,
) -> None:
    done = called(sys.executable, "-c", LAZY, cwd=ROOT, env=clean_environment(tmp_path), timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "openai False\nlitellm True\n", "")


@both
def test_only_what_was_surely_never_sent_or_was_refused_is_known_to_be_free(
    carrier: str, tmp_path: Path
) -> None:
    async def story() -> None:
        free = {}
        async with served(tmp_path, lambda number: modes[number - 1]) as server:
            client = CLIENTS[carrier](config(server.base, carrier))
            for mode in modes:
                with pytest.raises(ProviderFailure) as met:
                    await client.complete(QUESTION)
                free[mode] = met.value.free
            await client.close()
        gone = CLIENTS[carrier](config(server.base, carrier))  # nobody listens there any more
        with pytest.raises(ProviderFailure) as met:
            await gone.complete(QUESTION)
        await gone.close()
        assert (met.value.kind, met.value.free) == ("connection", True)
        assert free == {"drop": False, "no_choice": False, "server_error": True, "wrong_key": True}

    modes = ["drop", "no_choice", "server_error", "wrong_key"]
    asyncio.run(story())

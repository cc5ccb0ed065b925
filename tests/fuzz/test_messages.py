"""Messages from outside: to a runner, from a runner, and from models, with anything in them."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parlour.agents.llm.agent import missing_field
from parlour.agents.llm.answer_parser import ParsedAnswer, read_answer, without_keys
from parlour.agents.llm.http_clients import read_completion
from parlour.agents.model_calls import Completion, ProviderFailure
from parlour.games.engine.moves import Fault
from parlour.tournament.calls.dispatch import storable
from parlour.tournament.control.client import ControlFailed, _checked
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.save.lock import holder, last_run, listening, locked, runner_file
from tests.fuzz.budget import at_length, budgeted
from tests.fuzz.commands import refusal_of, refused_or_done
from tests.fuzz.values import DEEP, changed, changes, damaged_bytes
from tests.models import SCHEMA
from tests.runners import QUICK, session
from tests.tournament.test_control import line
from tests.tournaments import new_save

DEEPLY = b"[" * DEEP + b"]" * DEEP


def fuzzed(*messages: Any) -> st.SearchStrategy[bytes]:
    """One of some messages as JSON, with odd values in it or with damaged bytes."""

    def of(message: Any) -> st.SearchStrategy[bytes]:
        whole = json.dumps(message).encode()
        odd = st.builds(lambda made: json.dumps(changed(message, made)).encode(), changes)
        return st.one_of(odd, odd, damaged_bytes(whole))

    return st.one_of([of(message) for message in messages])


REQUESTS = (
    {"do": "status", "match": 1},
    {"do": "pause", "more": 1},
    {"do": "pace", "per_second": 5.0},
    {"do": "step", "unit": "turn", "match": 99},
    {"do": "budget", "dollars": 5.0, "agent": "Ada"},
    {"do": "sit", "agent": "Ann"},
    {"do": "answer", "match": 1, "ask": 0, "seat": 0, "value": {"text": "a"}},
)
TOGETHER = 60
"""Messages on one connection."""
requests = given(messages=st.lists(fuzzed(*REQUESTS), min_size=TOGETHER, max_size=TOGETHER))


@budgeted(4)
@example(messages=[DEEPLY, b"", b"\xff\xfe", b"null", b'{"do": []}', b'"' + b"x" * 5000])
@requests
def test_a_runner_answers_every_message_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, messages: list[bytes]
) -> None:
    save = new_save(tmp_path_factory.mktemp("control"), QUICK)

    async def told() -> None:
        async with session(save) as running, line(save) as connection:
            for message in messages:
                await connection.send(re.sub(rb"[\r\n]", b" ", message) + b"\n")
                reply = await connection.hears()
                assert "error" in reply or reply["state"] in {"pausing", "paused"}, message
            assert not running.ended.done()

    asyncio.run(told())


test_a_runner_answers_at_length = at_length(
    test_a_runner_answers_every_message_in_one_line, requests, 4
)


STATUS = RunnerStatus(
    state="running", pid=1, matches=4, parked={2: "a"}, waiting={1: [0]}, failed=["x"]
).model_dump(mode="json")
replies = given(reply=fuzzed(STATUS, {"error": "no"}, {"state": "running"}))


@budgeted(100)
@example(reply=DEEPLY)
@example(reply=b"5")
@example(reply=b"null")
@replies
def test_a_reply_is_a_status_or_an_error(reply: bytes) -> None:
    refusal = refusal_of(lambda: _checked(Path("save.db"), reply), ControlFailed)
    assert refusal.startswith("save.db: ") or not refusal


test_a_reply_at_length = at_length(test_a_reply_is_a_status_or_an_error, replies, 100)
RUNNER = {"pid": 1, "started": "2026-01-01", "socket": "/tmp/none.sock"}
runner_files = given(body=fuzzed(RUNNER, {"stopped_because": "budget"}))


@budgeted(20)
@example(body=DEEPLY)
@example(body=json.dumps({**RUNNER, "socket": "a\x00b"}).encode())
@example(body=b'{"stopped_because": []}')
@runner_files
def test_a_strange_runner_file_stops_nobody(
    tmp_path_factory: pytest.TempPathFactory, body: bytes
) -> None:
    save = new_save(tmp_path_factory.mktemp("runner"), QUICK, "save.db")
    runner_file(save).write_bytes(body)
    assert holder(save) is None
    assert isinstance(last_run(save), dict)
    assert isinstance(listening(save), Path)
    refused_or_done(["status", "save.db"], save.parent, "save.db")
    with locked(save):
        runner_file(save).write_bytes(body)
        refused_or_done(["status", "save.db"], save.parent, "save.db")
        refused_or_done(["pause", "save.db"], save.parent, "save.db")


test_a_strange_runner_file_at_length = at_length(
    test_a_strange_runner_file_stops_nobody, runner_files, 20
)

RESPONSE = {
    "id": "chatcmpl-1",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": json.dumps({"suspect": "Player 2", "reason": "odd"}),
                "reasoning_content": "hm",
                "refusal": None,
                "tool_calls": [{"function": {"name": "answer", "arguments": "{}"}}],
            },
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
}
ANSWERS = (
    {"reason": "odd", "suspect": "Player 2"},
    {"answer": {"suspect": "Player 2"}},
    [{"suspect": "Player 2"}],
)
responses = given(raw=fuzzed(RESPONSE), text=fuzzed(*ANSWERS), around=st.text(max_size=30))


@budgeted(150)
@example(raw=DEEPLY, text=DEEPLY, around="")
@example(raw=b"{}", text=b'{"a":' * DEEP, around="```json")
@responses
def test_a_models_reply_is_an_answer_or_a_fault(raw: bytes, text: bytes, around: str) -> None:
    refusal = refusal_of(lambda: storable(Completion(**read_completion(raw))), ProviderFailure)
    assert refusal in {"", "the response does not follow the OpenAI protocol"}
    words = around + text.decode("utf-8", "surrogateescape") + around
    parsed = read_answer(storable(Completion(words)), SCHEMA)
    if isinstance(parsed, ParsedAnswer):
        data = without_keys(parsed)
        fault = data if isinstance(data, Fault) else missing_field(data, SCHEMA)
        assert fault is None or isinstance(fault, Fault)
    else:
        assert isinstance(parsed, Fault)


test_a_models_reply_at_length = at_length(
    test_a_models_reply_is_an_answer_or_a_fault, responses, 150
)

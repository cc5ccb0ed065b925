"""Probes: what a server can do is found out, stored, and never taken from what it claims alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from parlour.agents.llm.endpoint_facts import Facts, facts_file, keep_facts, known_facts
from parlour.agents.llm.http_clients import OpenAIClient
from parlour.agents.llm.probes import probed
from tests.models import config
from tests.provider import Provider, hosted

LLAMA = {
    "props": {"default_generation_settings": {"n_ctx": 2048}, "total_slots": 3},
    "v1/models": {"data": [{"id": "test", "meta": {"n_ctx_train": 8192}}]},
}
VLLM = {"v1/models": {"data": [{"id": "other", "max_model_len": 40960}]}}
LIAR: dict[str, Any] = {
    "props": {"default_generation_settings": [], "total_slots": -4},
    "v1/models": {"data": "none"},
}


@pytest.fixture(autouse=True)
def _own_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.mark.parametrize(
    ("pages", "context", "slots", "line"),
    [
        (LLAMA, 2048, 3, "slots: 3"),
        (VLLM, 40960, None, "model: it answers as 'other', not 'test'"),
        (LIAR, None, None, "context: not named"),
        ({}, None, None, "context: not named"),
    ],
)
async def test_a_server_s_own_words_and_what_it_enforces(
    tmp_path: Path, pages: dict[str, Any], context: int | None, slots: int | None, line: str
) -> None:
    provider = Provider(tmp_path / "log", lambda _number: "good")
    provider.pages = pages
    async with hosted(provider.app()) as port:
        block = config(f"http://127.0.0.1:{port}/v1")
        client = OpenAIClient(block)
        findings = await probed(block, client)
        await client.close()
    facts = findings.facts
    assert (facts.context, facts.slots) == (context, slots)
    assert (facts.mode, facts.strict, facts.enforced, facts.tools) == ("schema", False, True, False)
    assert (facts.seeded, facts.logprobs) == (True, False)
    assert any(each.startswith(line) for each in findings.lines)
    assert 'json_object: not enforced (it wrote "Spring is mild, as None shows.")' in findings.lines
    keep_facts(block, facts)
    assert known_facts(block) == facts
    assert known_facts(config("http://127.0.0.1:1/v1")) is None


@pytest.mark.parametrize(
    ("mode", "form"), [("prose", ("schema", False)), ("unknown_model", ("text", False))]
)
async def test_a_server_that_enforces_nothing_or_refuses_every_form(
    tmp_path: Path, mode: str, form: tuple[str, bool]
) -> None:
    async with hosted(Provider(tmp_path / "log", lambda _number: mode).app()) as port:
        block = config(f"http://127.0.0.1:{port}/v1")
        client = OpenAIClient(block)
        facts = (await probed(block, client)).facts
        await client.close()
    assert (facts.mode, facts.enforced) == form


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"http://x/v1 test": {"slots": "many"}}', '{"http://x/v1 test": 3}']
)
def test_a_damaged_file_of_facts_counts_for_nothing_and_is_written_anew(content: str) -> None:
    facts_file().parent.mkdir(parents=True)
    facts_file().write_text(content, encoding="utf-8")
    block = config("http://x/v1")
    assert known_facts(block) is None
    keep_facts(block, Facts(slots=2))
    assert known_facts(block) == Facts(slots=2)
    assert set(json.loads(facts_file().read_text(encoding="utf-8"))) >= {"http://x/v1 test"}

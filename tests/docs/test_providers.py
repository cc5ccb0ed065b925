"""Every provider's page has a block that its library, or a server of ours, takes as it stands."""

import asyncio
import json
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from parlour.agents.llm.answer_parser import ParsedAnswer, read_answer
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoint_facts import enforcement_of
from parlour.agents.llm.http_clients import OpenAIClient
from tests.blocks import ROOT, blocks, codes, section, table_rows, text_of
from tests.models import QUESTION, served
from tests.tournaments import called, environment

PAGES = sorted(f"docs/providers/{path.name}" for path in (ROOT / "docs/providers").glob("*.md"))
LITELLM = {
    "openai": "openai",
    "anthropic": "anthropic",
    "google": "gemini",
    "openrouter": "openrouter",
    "azure": "azure",
    "bedrock": "bedrock",
}
"""The pages of providers that litellm carries, and what it calls them."""
ASK = """
import json, os, sys
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm

found = {}
for page, model, base, parameters in json.load(sys.stdin):
    name, provider, _key, _base = litellm.get_llm_provider(model, api_base=base)
    known = litellm.get_supported_openai_params(model=name, custom_llm_provider=provider)
    try:
        info = litellm.get_model_info(model)
        price = info["input_cost_per_token"]
    except Exception:
        price = None
    schema = "response_format" in known
    found[page] = [provider, sorted(set(parameters) - set(known)), price, schema]
print(json.dumps(found))
"""
"""Asks the library in a process of its own, since it takes seconds and much memory to load."""


def block(page: str) -> LLMConfig:
    """The one agent block of a page."""
    (text,) = blocks(page, "toml")
    (agent,) = tomllib.loads(text)["agents"]
    return LLMConfig.model_validate(agent)


def test_every_page_is_in_the_list_and_the_other_way_round() -> None:
    listed = [
        row[0].split("](")[1].rstrip(")") for row in table_rows(text_of("docs/providers.md"))[:10]
    ]
    assert sorted(f"docs/{path}" for path in listed) == PAGES
    for page in PAGES:
        assert block(page).carrier in {"litellm", "openai"}


@pytest.mark.slow
def test_litellm_knows_each_provider_and_takes_its_parameters() -> None:
    asked = []
    for name in LITELLM:
        config = block(f"docs/providers/{name}.md")
        assert config.carrier == "litellm"
        asked.append([name, config.model, config.api_base, list(config.parameters)])
    done = called(sys.executable, "-c", ASK, input=json.dumps(asked), env=environment(), check=True)
    known = json.loads(done.stdout.splitlines()[-1])
    own = {"azure": ["api_version"], "bedrock": ["aws_region_name"]}  # for litellm, not the model
    for name, provider in LITELLM.items():
        carried, unknown, price, schema = known[name]
        assert (carried, unknown) == (provider, own.get(name, []))
        config = block(f"docs/providers/{name}.md")
        assert schema or config.structured == "text"
        assert price is not None or config.prices is not None, f"{name}: what does it cost?"


@pytest.mark.parametrize("page", [p for p in PAGES if block(p).carrier == "openai"])
def test_the_block_of_a_server_of_ones_own_reaches_one(page: str, tmp_path: Path) -> None:
    async def story() -> tuple[Any, dict[str, Any]]:
        async with served(tmp_path, "good") as server:
            config = block(page).model_copy(update={"api_base": server.base})
            client = OpenAIClient(config)
            try:
                completion = await client.complete(
                    replace(
                        QUESTION, parameters=config.parameters, form=enforcement_of(config).mode
                    )
                )
            finally:
                await client.close()
            return completion, server.requests[0]

    completion, request = asyncio.run(story())
    assert isinstance(read_answer(completion), ParsedAnswer)
    config = block(page)
    assert (request["model"], request["parameters"]) == (config.model, config.parameters)
    assert request["form"] == "json_schema"


def test_the_ways_to_ask_for_a_form_are_those_of_the_block() -> None:
    rows = table_rows(section("docs/providers.md", "Structured answers"))
    annotation = LLMConfig.model_fields["structured"].annotation
    assert [codes(row[0])[0] for row in rows] == list(getattr(annotation, "__args__", ()))

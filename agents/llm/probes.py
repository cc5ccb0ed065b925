"""Probes of an endpoint: what it says of itself, and which forms of an answer it enforces.

A probe asks for one form and puts a question whose natural answer breaks it. An answer that fits
was held to the form by the server.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from parlour.agents.llm.client import label
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoint_facts import MOST, Facts
from parlour.agents.llm.http_clients import OpenAIClient
from parlour.agents.llm.keys import from_outside
from parlour.agents.model_calls import Client, Mode, ProviderFailure, Request
from parlour.games.common.text import clean

QUESTION = "Say in one short sentence what spring is like. Use plain words only, no JSON."
COLOURS = ["teal-7", "ochre-9"]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": COLOURS}},
    "required": ["colour"],
    "additionalProperties": False,
}
_TOOL = {"type": "function", "function": {"name": "answer", "parameters": SCHEMA}}


def _schema(strict: bool) -> dict[str, Any]:
    named = {"name": "answer", "schema": SCHEMA, "strict": strict}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


FORMS: dict[str, tuple[dict[str, Any], tuple[Mode, bool] | None]] = {
    "JSON schema": (_schema(strict=False), ("schema", False)),
    "JSON schema with strict": (_schema(strict=True), ("schema", True)),
    "json_object with a schema inside": (
        {"response_format": {"type": "json_object", "schema": SCHEMA}},
        ("object_schema", False),
    ),
    "json_object": ({"response_format": {"type": "json_object"}}, ("object", False)),
    "tools": ({"tools": [_TOOL], "tool_choice": "required"}, None),
}
"""The forms that are probed, the better first: what is sent for each, the way of asking that it is,
and whether that needs ``strict``."""
_WINDOWS = ("max_model_len", "loaded_context_length", "context_length", "max_context_length")
"""Names of a model's window in a list of models: vLLM, LM Studio, OpenRouter."""
LONGEST_SHOWN = 80
"""Characters that are shown of an answer or an error."""


@dataclass(slots=True)
class Findings:
    """The facts on an endpoint, and lines for the user: what holds, and what does not."""

    facts: Facts = field(default_factory=Facts)
    lines: list[str] = field(default_factory=list)


async def probed(config: LLMConfig, client: Client) -> Findings:
    """Everything that can be found out of a model that answers."""
    findings = Findings()
    if isinstance(client, OpenAIClient):
        await _ask_of_itself(config, client, findings)
    accepted = [name for name in FORMS if await _probe_form(name, config, client, findings)]
    facts = findings.facts
    if not facts.enforced:
        left = [way for name in accepted if (way := FORMS[name][1])]
        mode, strict = left[0] if left else ("text", False)
        findings.facts = replace(facts, mode=mode, strict=strict)
    await _probe_seed(config, client, findings)
    if isinstance(client, OpenAIClient):
        await _probe_logprobs(config, client, findings)
    return findings


def _request(config: LLMConfig, question: str, **more: Any) -> Request:
    parameters = {**config.parameters_for("doctor"), **more}
    return Request((("user", question),), parameters, form="text")


def shown(text: str) -> str:
    """An excerpt of what a server wrote, in quotation marks."""
    excerpt = " ".join(from_outside(text).split())[:LONGEST_SHOWN]
    return f'"{excerpt}"' if excerpt else "nothing"


async def _probe_form(name: str, config: LLMConfig, client: Client, findings: Findings) -> bool:
    """Notes whether one form is enforced; False if it is refused."""
    sent, way = FORMS[name]
    try:
        answer = await client.complete(_request(config, QUESTION, **sent))
    except ProviderFailure as failure:
        findings.lines.append(f"{name}: refused ({clean(failure.message, LONGEST_SHOWN)})")
        return False
    try:
        value = json.loads(answer.text)
    except (ValueError, RecursionError):
        value = None
    fits = isinstance(value, dict)
    if name != "json_object":
        fits = fits and value.keys() == {"colour"} and value["colour"] in COLOURS
    if not fits:
        findings.lines.append(f"{name}: not enforced (it wrote {shown(answer.text)})")
        return True
    findings.lines.append(f"{name}: enforced")
    if way is None:
        findings.facts = replace(findings.facts, tools=True)
    elif name != "json_object" and not findings.facts.enforced:
        mode, strict = way
        findings.facts = replace(findings.facts, mode=mode, strict=strict, enforced=True)
    return True


async def _probe_seed(config: LLMConfig, client: Client, findings: Findings) -> None:
    """Notes whether one seed gives one answer, and another seed another one."""
    texts = []
    for seed in (7, 7, 8):
        wish = "Name three random animals, nothing else."
        request = _request(config, wish, seed=seed, temperature=1.5)
        try:
            texts.append((await client.complete(request)).text)
        except ProviderFailure as failure:
            findings.lines.append(f"seed: refused ({clean(failure.message, LONGEST_SHOWN)})")
            return
    same, other = texts[0] == texts[1], texts[1] == texts[2]
    said = "does not repeat an answer"
    if same:
        said = "has no effect: every answer is the same" if other else "repeats an answer"
    findings.facts = replace(findings.facts, seeded=same and not other)
    findings.lines.append(f"seed: {said}")


async def _probe_logprobs(config: LLMConfig, client: OpenAIClient, findings: Findings) -> None:
    body = {
        "model": config.model,
        "messages": [{"role": "user", "content": "Say yes."}],
        **config.parameters_for("doctor"),
        "logprobs": True,
    }
    try:
        answer = json.loads((await client.post(client.address("chat/completions"), body)).body)
        given = bool(answer["choices"][0]["logprobs"]["content"])
    except (ProviderFailure, ValueError, KeyError, IndexError, TypeError, RecursionError):
        given = False
    findings.facts = replace(findings.facts, logprobs=given)
    findings.lines.append(f"log probabilities: {'given' if given else 'not given'}")


async def _ask_of_itself(config: LLMConfig, client: OpenAIClient, findings: Findings) -> None:
    """Notes context, slots and name from the pages of llama.cpp, vLLM, LM Studio and Ollama."""
    props = await _page(client, client.root("props"))
    models = await _page(client, client.address("models"))
    show = await _page(client, client.root("api/show"), {"model": config.model})
    entries = [each for each in _list(models, "data") if isinstance(each, dict)]
    own = [each for each in entries if each.get("id") == config.model]
    [entry] = own[:1] or (entries if len(entries) == 1 else [{}])
    settings, meta = _mapping(props, "default_generation_settings"), _mapping(entry, "meta")
    named = [entry.get(name) for name in _WINDOWS]
    windows = _whole(settings.get("n_ctx"), *named, *_of_ollama(show), meta.get("n_ctx"))
    context = next(windows, None)
    slots = next(_whole(props.get("total_slots")), None)
    served = label(entry.get("id"))
    findings.facts = replace(findings.facts, context=context, slots=slots, served=served)
    known = f"{context:,} tokens" if context else "not named: give context in its block"
    findings.lines.append(f"context: {known}")
    if slots:
        findings.lines.append(f"slots: {slots}")
    if served and not own:
        fix = "start the server with --alias, or give this name as model"
        findings.lines.append(f"model: it answers as {served!r}, not {config.model!r}: {fix}")


async def slots_of(client: OpenAIClient) -> int | None:
    """The answers that llama-server writes at once; None if the server does not say."""
    return next(_whole((await _page(client, client.root("props"))).get("total_slots")), None)


async def _page(
    client: OpenAIClient, url: str, body: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A page of a server as JSON; an empty one if it has none."""
    try:
        content = json.loads((await client.post(url, body)).body)
    except (ProviderFailure, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _mapping(content: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = content.get(name)
    return value if isinstance(value, dict) else {}


def _list(content: Mapping[str, Any], name: str) -> list[object]:
    value = content.get(name)
    return value if isinstance(value, list) else []


def _of_ollama(show: Mapping[str, Any]) -> Iterator[object]:
    """Yields the window that Ollama is set to; what the model could hold says nothing of it."""
    parameters = show.get("parameters")
    for line in parameters.splitlines() if isinstance(parameters, str) else ():
        name, _space, value = line.partition(" ")
        if name == "num_ctx" and value.strip().isdigit():
            yield int(value)


def _whole(*values: object) -> Iterator[int]:
    """Yields the values that are a number of tokens or slots."""
    for value in values:
        if type(value) is int and 0 < value < MOST:
            yield value

"""A language model as an agent: the prompt has all that its seat knows, and the answer is JSON."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from parlour.agents.base import Call, Reply
from parlour.agents.llm.answer_parser import ParsedAnswer, read_answer, split_thinking
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.keys import from_outside_all
from parlour.agents.llm.own_templates import fill
from parlour.agents.model_calls import Client, Request
from parlour.agents.question import question
from parlour.games.common.role_tokens import defused
from parlour.games.engine.events import View
from parlour.games.engine.moves import REASONS, Ask, Fault, FaultKind
from parlour.games.engine.prompts import Prompt, render
from parlour.games.engine.registry import find_game

MOST_SHOWN = 2000
"""Characters of a faulty answer that are sent back to the model with the problem."""


class Advice(NamedTuple):
    """A text that is added to a question, and its templates as (name, text)."""

    text: str = ""
    templates: tuple[tuple[str, str], ...] = ()


NO_ADVICE = Advice()


class LLMAgent:
    """An agent that a model plays; it keeps no state between asks."""

    def __init__(self, config: LLMConfig, client: Client) -> None:
        self.name, self.config, self.client = config.name, config, client

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Asks the model once; after faulty tries the request shows them and their problems."""
        return await self.answered(self.request(ask, view, call), call)

    async def answered(self, request: Request, call: Call) -> Reply:
        """The parsed answer to one request, with the model's thinking as notes."""
        completion = await call.complete(self.client, request)
        parsed = read_answer(completion, request.schema)
        thinking = split_thinking(completion)[1]
        notes = {"thinking": thinking} if thinking else {}
        if isinstance(parsed, ParsedAnswer) and parsed.tier != "json":
            notes["read_as"] = parsed.tier
        # Once more: JSON escapes can hide a key from the search in the text.
        value = without_keys(parsed) if isinstance(parsed, ParsedAnswer) else parsed
        if self.config.carrier != "http" and not isinstance(value, Fault):
            value = missing_field(value, request.schema) or value
        return Reply(value, notes, completion.text)

    @property
    def own_prompts(self) -> Path | None:
        """The user's folder of templates, which take precedence."""
        return Path(self.config.prompts) if self.config.prompts else None

    def prompt(self, ask: Ask[Any], view: View) -> Prompt:
        """The system prompt (role and rules) and the question."""
        game = find_game(view.game, view.game)
        return render(game, view, ask.kind, self.own_prompts, self.config.rounds_kept, fill)

    def request(self, ask: Ask[Any], view: View, call: Call, advice: Advice = NO_ADVICE) -> Request:
        """The request for this try; ``advice`` is added to the question."""
        prompt = self.prompt(ask, view)
        schema = ask.schema(view.seat)
        text = "\n\n".join(filter(None, (prompt.question, advice.text)))
        messages = [("system", prompt.system), ("user", in_form(text, schema))]
        for answer, fault in call.earlier:
            messages.append(("assistant", defused(_shown(answer))))
            messages.append(("user", defused(_again(fault))))
        return Request(
            tuple(messages),
            self.config.parameters_for(ask.kind),
            schema,
            self.config.structured,
            prompt.templates + advice.templates,
            question(ask, view, call, prompt) if self.config.client == "http" else {},
        )


def in_form(question: str, schema: Mapping[str, Any]) -> str:
    """A question with the JSON schema of its answer, whose fields are in the order of thought."""
    return (
        f"{question}\n\nAnswer with one JSON object and nothing else. It must fit this"
        f" JSON schema:\n{json.dumps(schema)}"
    )


def missing_field(data: Mapping[str, Any], schema: Mapping[str, Any]) -> Fault | None:
    """The fault of an answer without a required field, or with a blank reason, else None.

    Games are less strict: people and programs, endpoints too, need not give reasons.
    """
    for name in schema.get("required", ()):
        is_blank = name in REASONS and not str(data.get(name, "")).strip()
        if name not in data or is_blank:
            return Fault(FaultKind.UNPARSABLE, f"{name}: is missing")
    return None


def without_keys(parsed: ParsedAnswer) -> dict[str, Any] | Fault:
    """The data of an answer without any key."""
    try:
        return dict(from_outside_all(parsed.data))
    except RecursionError:
        return Fault(FaultKind.UNPARSABLE, "the answer is nested too deeply")


def _shown(text: str) -> str:
    """A faulty answer as it is sent back to the model, cut if it is very long."""
    if len(text) <= MOST_SHOWN:
        return text or "(nothing)"
    return f"{text[:MOST_SHOWN]}\n[cut here: {len(text):,} characters in all]"


def _again(fault: Fault) -> str:
    return (
        f"That answer cannot be used: {fault.message}. Answer the same question again, with one"
        " JSON object of the same schema and nothing else."
    )

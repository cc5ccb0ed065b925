"""A language model as an agent: it is told what its seat knows, and answers in JSON."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from parlour.agents.base import Call, Reply
from parlour.agents.llm.answer_parser import Found, read_answer, split_thinking
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.keys import scrubbed_all
from parlour.agents.model_calls import Client, Request
from parlour.agents.question import question
from parlour.games.engine.moves import Ask, Fault, FaultKind
from parlour.games.engine.prompts import Prompt, render
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import View

MOST_SHOWN = 2000
"""Characters of a faulty answer that are sent back to the model with what was wrong."""


class Advice(NamedTuple):
    """A text that goes beneath a question, and the templates that it was made from."""

    text: str = ""
    templates: tuple[tuple[str, str], ...] = ()


NO_ADVICE = Advice()


class LLMAgent:
    """A contestant that a model plays; it keeps nothing between asks."""

    def __init__(self, config: LLMConfig, client: Client) -> None:
        self.name, self.config, self.client = config.name, config, client

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Asks the model once. After a faulty try the model is shown it and told what was wrong."""
        return await self.answered(self.request(ask, view, call), call)

    async def answered(self, request: Request, call: Call) -> Reply:
        """The answer to one request, read, with what the model thought as notes."""
        completion = await call.complete(self.client, request)
        found = read_answer(completion)
        thinking = split_thinking(completion)[1]
        notes = {"thinking": thinking} if thinking else {}
        if isinstance(found, Found) and found.tier != "json":
            notes["read_as"] = found.tier
        # Struck out once more: in JSON a key can be written in ways that the text does not show.
        value = without_keys(found) if isinstance(found, Found) else found
        return Reply(value, notes, completion.text)

    @property
    def own_prompts(self) -> Path | None:
        """The user's folder of templates that go before ours."""
        return Path(self.config.prompts) if self.config.prompts else None

    def prompt(self, ask: Ask[Any], view: View) -> Prompt:
        """Who the model is, how the game goes, and the question at hand."""
        game = find_game(view.game, view.game)
        return render(game, view, ask.kind, self.own_prompts, self.config.rounds_kept)

    def request(self, ask: Ask[Any], view: View, call: Call, advice: Advice = NO_ADVICE) -> Request:
        """What the model is sent for this try; ``advice`` goes beneath the question."""
        prompt = self.prompt(ask, view)
        schema = ask.schema(view.seat)
        told = "\n\n".join(filter(None, (prompt.question, advice.text)))
        messages = [("system", prompt.system), ("user", in_form(told, schema))]
        for text, fault in call.earlier:
            messages.append(("assistant", _shown(text)))
            messages.append(("user", _again(fault)))
        return Request(
            tuple(messages),
            self.config.parameters_for(ask.kind),
            schema,
            self.config.structured,
            prompt.templates + advice.templates,
            question(ask, view, call, prompt) if self.config.client == "http" else {},
        )


def in_form(question: str, schema: Mapping[str, Any]) -> str:
    """A question with the form in which it is to be answered."""
    return (
        f"{question}\n\nAnswer with one JSON object and nothing else. It must fit this"
        f" JSON schema:\n{json.dumps(schema, sort_keys=True)}"
    )


def without_keys(found: Found) -> dict[str, Any] | Fault:
    """The data of an answer with every key struck out."""
    try:
        return dict(scrubbed_all(found.data))
    except RecursionError:
        return Fault(FaultKind.UNPARSABLE, "the answer is nested too deeply")


def _shown(text: str) -> str:
    """What the model wrote, as it is sent back to it: not all of it where it is very long."""
    if len(text) <= MOST_SHOWN:
        return text or "(nothing)"
    return f"{text[:MOST_SHOWN]}\n[cut here: {len(text):,} characters in all]"


def _again(fault: Fault) -> str:
    return (
        f"That answer cannot be used: {fault.message}. Answer the same question again, with one"
        " JSON object of the same schema and nothing else."
    )

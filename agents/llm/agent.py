"""A language model as an agent: the prompt has all that its seat knows, and the answer is JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from parlour.agents.base import Call, Reply
from parlour.agents.llm.answer_parser import read_reply
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoint_facts import enforcement_of
from parlour.agents.llm.own_templates import fill
from parlour.agents.llm.prices import most_tokens
from parlour.agents.llm.window import REPAIR_TOKENS, WindowedClient, answer_tokens, fitted
from parlour.agents.model_calls import Client, Request
from parlour.agents.question import question, wanted_form
from parlour.games.common.role_tokens import defused
from parlour.games.engine.events import View
from parlour.games.engine.moves import REASONS, Ask, Fault, FaultKind
from parlour.games.engine.prompts import Filled, Prompt, render
from parlour.games.engine.registry import find_game
from parlour.games.engine.wordings import Labels, labels_of, wording_of

NO_ADVICE = Filled((), ())


class LLMAgent:
    """An agent that a model plays; it keeps no state between asks."""

    def __init__(self, config: LLMConfig, client: Client) -> None:
        self.name, self.config = config.name, config
        self.client = client
        self.fitting = client if config.is_agent else WindowedClient(client, config)

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Asks the model once; after a faulty try the request names its problem."""
        reply = await self.answered(self.request(ask, view, call), call)
        return replace(reply, value=_labels(view).read(reply.value))

    async def answered(self, request: Request, call: Call) -> Reply:
        """The parsed answer to one request, with the model's thinking as notes."""
        completion = await call.complete(self.fitting, request)
        reply = read_reply(completion, request.schema)
        if not self.config.is_agent and isinstance(reply.value, dict):
            return replace(reply, value=missing_field(reply.value, request.schema) or reply.value)
        return reply

    @property
    def own_prompts(self) -> Path | None:
        """The user's folder of templates, which take precedence."""
        return Path(self.config.prompts) if self.config.prompts else None

    def _order(self, view: View, call: Call) -> int | None:
        """The order of choices: the usual one with a cache, or no question would come again."""
        if call.order is None or self.config.cache != "off":
            return None
        return ~call.order if wording_of(view) == "reversed" else call.order

    def prompt(self, ask: Ask[Any], view: View, call: Call) -> Prompt:
        """The system prompt (role and rules) and the question."""
        game, config = find_game(view.game, view.game), self.config
        how = config.rounds_kept, self._order(view, call), config.wording
        return render(game, view, ask.kind, self.own_prompts, *how, fill)

    def request(self, ask: Ask[Any], view: View, call: Call, advice: Filled = NO_ADVICE) -> Request:
        """The request for this try; ``advice`` is added to the question."""
        prompt = self.prompt(ask, view, call)
        labels = _labels(view)
        schema = labels.schema(ask.schema(view.seat, self._order(view, call)))
        text = "\n\n".join(filter(None, (prompt.question, *advice.texts)))
        asked = question(ask, view, call, prompt) if self.config.is_agent else {}
        templates = prompt.templates + advice.templates
        request = self.in_form(
            *(prompt.system, text, schema, ask.kind, templates, call.earlier, view.language)
        )
        if not (asked or labels.words or labels.answers):
            return request
        messages = tuple((who, labels.sent(text)) for who, text in request.messages)
        return replace(request, messages=messages, question=asked)

    def in_form(
        self,
        system: str,
        question: str,
        schema: Mapping[str, Any],
        kind: str,
        templates: tuple[tuple[str, str], ...],
        earlier: Sequence[tuple[str, Fault]] = (),
        language: str | None = None,
    ) -> Request:
        """The request for an answer of this schema, which the prompt has unless it is enforced.

        A later try names the problem of the last one. It does not quote the faulty answer, which
        helps no more and would make it outgrow the window that the first try fits.
        """
        parameters, how = self.config.parameters_for(kind), enforcement_of(self.config)
        schema = fitted(schema, most_tokens(parameters))
        text = f"{question}\n\n{wanted_form(schema, how.enforced, language)}"
        if earlier:
            text += f"\n\n{defused(_again(earlier[-1][1]))}"
        room = answer_tokens(schema, most_tokens(parameters)) + (0 if earlier else REPAIR_TOKENS)
        messages = (("system", system), ("user", text))
        return Request(messages, parameters, schema, how.mode, how.strict, templates, room=room)


def _labels(view: View) -> Labels:
    return labels_of(find_game(view.game, view.game), wording_of(view), view.seats)


def missing_field(data: Mapping[str, Any], schema: Mapping[str, Any]) -> Fault | None:
    """The fault of an answer without a required field, or with a blank reason, else None.

    Games are less strict: people and programs, endpoints too, need not give reasons.
    """
    for name in schema.get("required", ()):
        is_blank = name in REASONS and not str(data.get(name, "")).strip()
        if name not in data or is_blank:
            return Fault(FaultKind.UNPARSABLE, f"{name}: is missing")
    return None


def _again(fault: Fault) -> str:
    return (
        f"You have answered this before, and that answer could not be used: {fault.message}. Give"
        " another one."
    )

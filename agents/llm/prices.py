"""Tokens of a request, estimated for limits, and its highest possible price."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from parlour.agents.base import CallingBlock
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.routes import listed, route_of, routes
from parlour.agents.model_calls import Request
from parlour.games.common.errors import BadInput

CHARACTERS_OF_A_TOKEN = 3.4
"""Measured characters per token of prompts; no token has less than one byte."""
USUAL_TOKENS_OF_A_MESSAGE = 8
"""Average overhead of a message."""
USUAL_ANSWER = 300
"""Tokens of an answer before a model's first answer."""
TOKENS_OF_A_REQUEST, TOKENS_OF_A_MESSAGE = 1000, 32
"""The most tokens that a provider may add: for the response format, and around each message. The
text itself has no more tokens than bytes."""
NOT_BY_DEFAULT = ("_batches", "_flex", "_priority")
"""Suffixes of prices that apply only to requests that ask for them."""


def sent_bytes(request: Request) -> int:
    """Bytes of everything that the model is sent: messages, question and response format."""
    form = request.response_format()
    texts = sum(len(role) + len(text.encode(errors="replace")) for role, text in request.messages)
    asked = len(json.dumps(request.question)) if request.question else 0
    return texts + asked + (len(json.dumps(form)) if form else 0)


def likely_prompt_tokens(request: Request) -> int:
    """Estimated tokens of the prompt."""
    return int(sent_bytes(request) / CHARACTERS_OF_A_TOKEN) + USUAL_TOKENS_OF_A_MESSAGE * len(
        request.messages
    )


def likely_tokens(request: Request, answer: float = USUAL_ANSWER) -> int:
    """Estimated tokens of prompt and answer, given the average answer."""
    most = most_tokens(request.parameters)
    return likely_prompt_tokens(request) + round(min(answer, most or answer))


def most_tokens(parameters: Mapping[str, Any]) -> int | None:
    """The limit of answer tokens in the parameters, None without one."""
    more = parameters.get("extra_body")
    places = [parameters, more if isinstance(more, Mapping) else {}]
    names = ("max_tokens", "max_completion_tokens")
    given = [place.get(name) for place, name in product(places, names)]
    limits: list[int] = [limit for limit in given if limit is not None]
    if not limits or not all(type(limit) is int and limit > 0 for limit in limits):
        return None
    return max(limits)


@dataclass(frozen=True, slots=True)
class Tariff:
    """The highest price of a model, in dollars for a million tokens in and out.

    ``answer`` is the most that one answer can cost, None where tokens tell it.
    """

    prompt: float
    completion: float
    answer: float | None = None

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Dollars for these numbers of tokens."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1_000_000


def tariff_of(agent: CallingBlock, *, own: bool = True) -> Tariff:
    """The tariff of an agent under a budget. May load litellm, which takes seconds.

    BadInput if no budget can be enforced: the price is unknown, or answers have no limit. Code of
    the user that does not say what it costs is free, unless the budget is its ``own``.
    """
    if agent.worst_case is not None:
        sent, answered, *_of_the_cache = agent.prices or (0.0, 0.0)
        return Tariff(sent, answered, agent.worst_case)
    is_model = isinstance(agent, LLMConfig)
    if not (is_model or own or agent.prices):
        return Tariff(0.0, 0.0, answer=0.0)
    if not isinstance(agent, LLMConfig) or agent.client == "a2a":
        raise BadInput(
            f"agent {agent.name!r}",
            "nothing says what its answers can cost, so no budget can be enforced",
            "set worst_case in its block: the most dollars of one answer, such as 0.02",
        )
    for parameters in (agent.parameters, *map(agent.parameters_for, agent.for_ask)):
        if most_tokens(parameters) is None or not _reaches(agent):
            raise BadInput(
                f"agent {agent.name!r}",
                "its answers have no token limit, so no budget can be enforced",
                "set parameters.max_tokens in its block, such as { max_tokens = 2000 }",
            )
    tariff = known_tariff(agent)
    if tariff is None:
        raise BadInput(
            f"agent {agent.name!r}",
            f"the price of {agent.model!r} is unknown, so no budget can be enforced",
            "set prices in its block: dollars per million tokens in and out, as [0.15, 0.60]",
        )
    return tariff


def known_tariff(agent: LLMConfig) -> Tariff | None:
    """The agent's own prices, else the highest in litellm's list; None where neither is known."""
    if agent.prices:
        sent, answered, *of_the_cache = agent.prices
        return Tariff(max((sent, *of_the_cache)), answered)
    return _listed(agent.model) if agent.carrier == "litellm" else None


def _listed(model: str) -> Tariff | None:
    """The highest prices in litellm's list, whatever the length of the prompt."""
    from parlour.agents.llm.litellm_patch import library

    entry = listed(model) if model.partition("/")[0] in routes() else None
    try:
        entry = entry or library().model_cost[library().get_model_info(model)["key"]]
    except Exception:  # it does not know the model
        return None
    if any("per_request" in name and price for name, price in entry.items()):
        return None  # not by tokens alone

    def highest(*starts: str) -> float | None:
        prices = [
            price
            for name, price in entry.items()
            if name.startswith(starts)
            and not name.endswith(NOT_BY_DEFAULT)
            and isinstance(price, int | float)
        ]
        return 1_000_000 * max(prices) if prices else None

    prompt = highest("input_cost_per_token", "cache_creation_input_token_cost")
    completion = highest("output_cost_per_token", "output_cost_per_reasoning_token")
    return None if prompt is None or completion is None else Tariff(prompt, completion)


def _reaches(agent: LLMConfig) -> bool:
    """True if the provider gets ``max_tokens``: litellm drops what a provider does not support."""
    route = route_of(agent)
    if agent.carrier != "litellm" or (route is not None and "max_tokens" not in route.changed):
        return True
    from parlour.agents.llm.litellm_patch import library

    litellm = library()
    try:
        model, provider, *_ = litellm.get_llm_provider(model=agent.model, api_base=agent.api_base)
        taken = litellm.get_supported_openai_params(model=model, custom_llm_provider=provider)
    except Exception:  # each call will report it
        return True
    return bool({"max_tokens", "max_completion_tokens"} & set(taken or ()))


def worst_case(request: Request, tariff: Tariff) -> float:
    """The most dollars that a request can cost. ValueError if its answer has no limit."""
    if tariff.answer is not None:
        return tariff.answer
    most = most_tokens(request.parameters)
    if most is None:
        raise ValueError("the request has no token limit")
    around = TOKENS_OF_A_REQUEST + TOKENS_OF_A_MESSAGE * len(request.messages)
    return tariff.of(sent_bytes(request) + around, most)

"""Tokens of a request: an estimate for limits, and an upper bound for prices."""

import json
from collections.abc import Mapping
from itertools import product
from typing import Any

from parlour.agents.model_calls import Request

BYTES_OF_A_TOKEN = 4
"""Average bytes per token of ordinary text; no token has less than one byte."""
TOKENS_OF_A_MESSAGE = 8
"""Average overhead of a message."""
USUAL_ANSWER = 300
"""Tokens of an answer before a model's first answer."""


def sent_bytes(request: Request) -> int:
    """Bytes of everything that the model is sent: messages, question and response format."""
    form = request.response_format()
    texts = sum(len(role) + len(text.encode(errors="replace")) for role, text in request.messages)
    asked = len(json.dumps(request.question)) if request.question else 0
    return texts + asked + (len(json.dumps(form)) if form else 0)


def likely_prompt_tokens(request: Request) -> int:
    """Estimated tokens of the prompt."""
    return sent_bytes(request) // BYTES_OF_A_TOKEN + TOKENS_OF_A_MESSAGE * len(request.messages)


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

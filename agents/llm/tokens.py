"""How many tokens a request takes: a guess for limits, and the most that it can be for money."""

import json
from collections.abc import Mapping
from typing import Any

from parlour.agents.model_calls import Request

BYTES_OF_A_TOKEN = 4
"""Of ordinary text, about; no token has less than one."""
TOKENS_OF_A_MESSAGE = 8
"""What stands around a message, about."""
USUAL_ANSWER = 300
"""Tokens of an answer while nothing is known of a model's answers."""


def sent_bytes(request: Request) -> int:
    """The size of all that the model is sent: the messages, and the form where it is sent too."""
    form = request.response_format()
    texts = sum(len(role) + len(text.encode(errors="replace")) for role, text in request.messages)
    asked = len(json.dumps(request.question)) if request.question else 0
    return texts + asked + (len(json.dumps(form)) if form else 0)


def likely_prompt_tokens(request: Request) -> int:
    """What a request is likely to send."""
    return sent_bytes(request) // BYTES_OF_A_TOKEN + TOKENS_OF_A_MESSAGE * len(request.messages)


def likely_tokens(request: Request, answer: float = USUAL_ANSWER) -> int:
    """What a request is likely to take, where answers have so many tokens on the average."""
    most = most_tokens(request.parameters)
    return likely_prompt_tokens(request) + round(min(answer, most or answer))


def most_tokens(parameters: Mapping[str, Any]) -> int | None:
    """How long an answer may be by its parameters, None if there is no limit."""
    more = parameters.get("extra_body")
    places = [parameters, more if isinstance(more, Mapping) else {}]
    limits: list[int] = [
        place[name]
        for place in places
        for name in ("max_tokens", "max_completion_tokens")
        if place.get(name) is not None
    ]
    if not limits or not all(type(limit) is int and limit > 0 for limit in limits):
        return None
    return max(limits)

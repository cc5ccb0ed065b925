"""The window of a model: a prompt and its answer are counted against it before they are sent."""

from collections.abc import Mapping
from typing import Any

from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.prices import CHARACTERS_OF_A_TOKEN, USUAL_TOKENS_OF_A_MESSAGE, most_tokens
from parlour.agents.model_calls import Client, Completion, ProviderFailure, Request

REPAIR_TOKENS = 140
"""Tokens that are kept free for the problem that a later try names: 300 characters at most."""
CHARACTERS_OF_AN_ANSWER = 2.5
"""Characters per token of an answer: fewer than of a prompt, since small models write odd texts."""
SHORTEST_TEXT = 40
"""Characters that a text of an answer may have, however few tokens there are."""
ALMOST = 0.9
"""Share of its limit above which an answer counts as having reached it: servers count unlike."""
_FEWEST_CHARACTERS = 2
"""Characters of a token where the estimate must not be too low."""


def fitted(schema: Mapping[str, Any], most: int | None) -> dict[str, Any]:
    """The schema of an answer, its texts short enough for so many tokens (None: no limit)."""
    texts = _texts(schema)
    if most is None or not texts:
        return dict(schema)
    left = int(most * CHARACTERS_OF_AN_ANSWER) - _around(schema)
    shorter = {}
    for place, name in enumerate(sorted(texts, key=lambda name: texts[name])):
        shorter[name] = max(SHORTEST_TEXT, min(texts[name], left // (len(texts) - place)))
        left -= shorter[name]
    properties = {
        name: {**part, "maxLength": shorter[name]} if name in shorter else part
        for name, part in schema["properties"].items()
    }
    return {**schema, "properties": properties}


def answer_tokens(schema: Mapping[str, Any], most: int | None) -> int:
    """Tokens of the longest answer that a schema accepts, or the limit if that is lower."""
    longest = int((_around(schema) + sum(_texts(schema).values())) / CHARACTERS_OF_AN_ANSWER)
    return min(longest, most or longest)


def _texts(schema: Mapping[str, Any]) -> dict[str, int]:
    """The longest length of each text of an answer."""
    properties = schema.get("properties", {})
    return {name: part["maxLength"] for name, part in properties.items() if "maxLength" in part}


def _around(schema: Mapping[str, Any]) -> int:
    """Characters of an answer beside its texts: names and choices, by the size of their schema."""
    names = sum(len(name) + 6 for name in schema.get("properties", {}))
    inner = [part for part in schema.get("properties", {}).values() if "properties" in part]
    return 2 + names + 12 * len(schema.get("properties", {})) + 2 * sum(map(_around, inner))


def likely_tokens_of(request: Request, characters: float = CHARACTERS_OF_A_TOKEN) -> int:
    """Estimated tokens of the messages of a request."""
    texts = sum(len(text) for _role, text in request.messages)
    return int(texts / characters) + USUAL_TOKENS_OF_A_MESSAGE * len(request.messages)


class WindowedClient:
    """A client that sends no request which its model's window cannot hold.

    An answer that the window cut off is a failure of the provider, not a fault of the agent.
    """

    def __init__(self, client: Client, config: LLMConfig) -> None:
        self._client, self._context = client, config.context

    async def complete(self, request: Request) -> Completion:
        """The client's answer. ProviderFailure of the kind "window" if it does not fit."""
        if self._context is not None:
            await self._refuse_longer(request, self._context)
        completion = await self._client.complete(request)
        if completion.finish == "length" and self._is_full(completion, request):
            prompt, answer = completion.prompt_tokens or 0, completion.completion_tokens or 0
            message = f"a prompt of {prompt} tokens left room for an answer of {answer} alone"
            raise ProviderFailure("window", message)
        return completion

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()

    async def _refuse_longer(self, request: Request, context: int) -> None:
        """ProviderFailure if the prompt leaves too little room for its answer."""
        if likely_tokens_of(request, _FEWEST_CHARACTERS) + request.room <= context:
            return
        tokens = await self._counted(request)
        if tokens + request.room > context:
            message = (
                f"a prompt of {tokens} tokens and {request.room} for its answer do not fit the"
                f" window of {context}"
            )
            raise ProviderFailure("window", message, free=True)

    async def _counted(self, request: Request) -> int:
        """Tokens of a prompt, by the server's own tokenizer where it has one."""
        count = getattr(self._client, "count_tokens", None)
        texts = "".join(text for _role, text in request.messages)
        own = await count(texts) if count is not None else None
        if own is None:
            return likely_tokens_of(request)
        return int(own) + USUAL_TOKENS_OF_A_MESSAGE * len(request.messages)

    def _is_full(self, completion: Completion, request: Request) -> bool:
        """True if an answer that was cut off had not yet reached the limit that it was given."""
        answer, prompt = completion.completion_tokens, completion.prompt_tokens
        if answer is None or prompt is None or completion.thinking:
            return False
        if self._context is not None and answer + prompt >= self._context:
            return True
        most = most_tokens(request.parameters)
        return most is not None and answer < ALMOST * most

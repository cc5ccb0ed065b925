"""The window of a model: what is not sent, what is asked for, and what an answer cut off means."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from parlour.agents.base import Call
from parlour.agents.llm.agent import LLMAgent
from parlour.agents.llm.endpoint_facts import Facts, as_found, enforcement_of, keep_facts
from parlour.agents.llm.http_clients import OpenAIClient
from parlour.agents.llm.window import (
    REPAIR_TOKENS,
    WindowedClient,
    answer_tokens,
    fitted,
    likely_tokens_of,
)
from parlour.agents.model_calls import Completion, Enforcement, ProviderFailure, Request
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Fault, FaultKind
from parlour.games.engine.registry import games
from parlour.games.families.gossip_games import ToneGossip
from parlour.games.testing.playthrough import openings
from tests.models import QUESTION, SCHEMA, config

BASE = "http://127.0.0.1:9/v1"


class Stub:
    """A client with a tokenizer of its own, or none; it keeps what it was sent."""

    def __init__(self, completion: Completion, tokens: int | None = None) -> None:
        self.completion, self.tokens, self.sent = completion, tokens, 0

    async def complete(self, request: Request) -> Completion:
        self.sent += 1
        return self.completion

    async def count_tokens(self, text: str) -> int | None:
        return self.tokens

    async def close(self) -> None:
        """Nothing to close."""


def ended(stub: Stub, context: int | None, room: int = 100, **more: Any) -> Completion:
    """The answer to a request of 3,400 characters through the window."""
    client = WindowedClient(stub, config(BASE, context=context))
    request = replace(QUESTION, messages=(("user", "x" * 3400),), room=room, parameters=more)
    return asyncio.run(client.complete(request))


GOOD = Completion("{}", prompt_tokens=1000, completion_tokens=20)


@pytest.mark.parametrize(
    ("context", "tokens", "sent"),
    [
        (None, None, True),
        (4096, None, True),  # by any count
        (1108, None, True),  # 1,000 tokens, 8 of the message, 100 of the answer
        (1107, None, False),
        (1107, 900, True),  # the server's own count is lower
        (1108, 1001, False),
    ],
)
def test_a_prompt_that_leaves_no_room_for_its_answer_is_not_sent(
    context: int | None, tokens: int | None, sent: bool
) -> None:
    stub = Stub(GOOD, tokens)
    if sent:
        assert ended(stub, context) == GOOD
    else:
        with pytest.raises(ProviderFailure) as refused:
            ended(stub, context)
        assert refused.value.kind == "window"
        assert refused.value.free
        named = f"a prompt of {(tokens or 1000) + 8} tokens and 100 for its answer"
        assert refused.value.message == f"{named} do not fit the window of {context}"
        assert "--memory last:3" in refused.value.fix(None)
    assert stub.sent == sent


@pytest.mark.parametrize(
    ("context", "answer", "most", "thinking", "charged"),
    [
        (768, 69, 250, "", False),  # 699 + 69 = 768
        (None, 69, 250, "", False),  # less than it was allowed
        (768, 69, None, "", False),
        (None, 69, None, "", True),  # nothing says why
        (4096, 250, 250, "", True),
        (None, 250, 250, "", True),
        (None, 69, 250, "hm", True),  # some servers do not count thinking
    ],
)
def test_an_answer_that_the_window_cut_off_is_not_charged_to_the_agent(
    context: int | None, answer: int, most: int | None, thinking: str, charged: bool
) -> None:
    cut = Completion('{"te', thinking, "length", prompt_tokens=699, completion_tokens=answer)
    stub, more = Stub(cut, 500), {} if most is None else {"max_tokens": most}
    if charged:
        assert ended(stub, context, **more) == cut
    else:
        with pytest.raises(ProviderFailure, match="699 tokens left room for an answer of 69"):
            ended(stub, context, **more)


def test_texts_are_asked_for_no_longer_than_the_limit_of_tokens_allows() -> None:
    table = next(openings(games()["donation"], games()["donation"].variant(), seeds=1))
    while table.pending is not None and table.pending.answer is not ToneGossip:
        ask = table.pending
        table.answer({seat: ask.sample(seat, Dice(0)) for seat in ask.seats})
    schema = table.pending.schema(table.pending.seats[0])
    assert fitted(schema, None) == schema
    assert answer_tokens(schema, None) > 2000 / 2.5
    for most in (120, 250, 400):
        shorter = fitted(schema, most)
        lengths = [part.get("maxLength") for part in shorter["properties"].values()]
        assert lengths[0] == pytest.approx(lengths[2], abs=1)
        assert answer_tokens(shorter, None) <= most
        assert shorter.keys() == schema.keys()


@pytest.mark.parametrize("name", games())
def test_a_later_try_needs_no_more_room_than_the_first_has_kept(name: str) -> None:
    own = config(BASE, enforced=True)
    agent = LLMAgent(own, OpenAIClient(own))  # nothing is sent
    table = next(openings(games()[name], games()[name].variant(), seeds=1))
    ask = table.pending
    fault = Fault(FaultKind.UNPARSABLE, "word " * 60)
    view, bad = table.view(ask.seats[0]), "[" * 100_000
    first = agent.request(ask, view, Call(Dice(0), order=7))
    later = agent.request(ask, view, Call(Dice(1), ((bad, fault),) * 2, order=7))
    assert later.messages[1][1].startswith(first.messages[1][1])
    assert fault.message in later.messages[1][1]
    whole = [likely_tokens_of(each) + each.room for each in (first, later)]
    assert whole[1] <= whole[0]
    assert first.room - later.room == REPAIR_TOKENS
    assert "JSON schema" not in first.messages[1][1]


STRICT = Enforcement("schema", strict=True, enforced=True)


@pytest.mark.parametrize(
    ("block", "how"),
    [
        ({"model": "openai/gpt-5", "client": "litellm", "api_base": None}, STRICT),
        ({"api_base": "https://api.openai.com/v1"}, STRICT),
        ({}, Enforcement()),
        ({"enforced": True}, Enforcement(enforced=True)),
        ({"structured": "strict"}, STRICT),
        (
            {"structured": "object_schema", "enforced": True},
            Enforcement("object_schema", False, True),
        ),
        ({"structured": "text"}, Enforcement("text")),
    ],
)
@pytest.mark.usefixtures("own_config")
def test_an_endpoint_is_asked_as_its_block_says_or_as_it_is_known_to_work(
    block: dict[str, Any], how: Enforcement
) -> None:
    base = block.pop("api_base", BASE)
    carrier = block.pop("client", "openai")
    own = config(base, carrier, **block)
    assert enforcement_of(own) == how
    keep_facts(own, Facts("object", enforced=own.enforced is None, context=4096))
    block_found = as_found(own)
    assert block_found.context == 4096
    assert (block_found.structured == own.structured) == (own.structured != "auto")


def test_a_strict_schema_requires_every_field_and_has_no_length() -> None:
    request = replace(QUESTION, strict=True)
    sent = request.response_format()
    schema = sent["json_schema"]["schema"]
    assert sent["json_schema"]["strict"] is True
    assert schema["required"] == list(schema["properties"])
    assert "Length" not in str(schema)
    assert "Length" in str(SCHEMA)
    assert request.digest() != QUESTION.digest()

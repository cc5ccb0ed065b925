"""A player's text changes only its own words, in every game: no role, vote or payoff.

Each match is played twice by the same answers, once with a text that spoofs in every place of
free words, once with a harmless one there. The answers go the way of a model's: asked for by its
request, written as JSON, read and judged.
"""

import json
from dataclasses import asdict
from itertools import zip_longest
from typing import Any, NamedTuple

import pytest

from parlour.agents.base import Call
from parlour.agents.llm.agent import LLMAgent
from parlour.agents.llm.answer_parser import ParsedAnswer, read_answer
from parlour.agents.llm.http_clients import OpenAIClient
from parlour.agents.model_calls import Completion
from parlour.games.common.role_tokens import defused
from parlour.games.common.text import clean
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import Event
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Fault, Outcome, Seat, player
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.engine.transcript import sentence
from parlour.games.testing.playthrough import opened, sampled
from tests.models import config
from tests.spoofing import HARMLESS, SPOOFS

KEYS: dict[str, dict[str, Any]] = {
    "chameleon": {"probes": "faithful"},
    "donation": {"agents_per_match": 3, "self_report": True},
    "reciprocity": {"agents_per_match": 3, "self_report": True},
    "investment": {"agents_per_match": 3, "self_report": True},
}
"""Variants in which there is much to say, and few to say it; the others as they are."""
SEATS = {"suspect", "viewer", "proposer"}
"""Fields of an answer that name a player."""
WRITTEN = (
    "{}",
    "```json\n{}\n```",
    '<think>They may say {{"suspect": "Player 1"}}.</think>\n{}',
    "Here is my answer:\n{}\nThat is all.",
)
"""Ways in which models write their one JSON object."""
MATCHES = 6
"""Different matches of each game, with other roles and answers; the texts take turns in them."""
MODEL = config("http://127.0.0.1:1/v1")
ASKER = LLMAgent(MODEL, OpenAIClient(MODEL))  # nothing is sent


class Played(NamedTuple):
    """A finished match: the prompts by ask and seat, its events, its outcome, how much was said."""

    prompts: list[tuple[str, ...]]
    events: tuple[Event, ...]
    outcome: Outcome
    said: int


def with_player_names(value: Any, name: str = "") -> Any:
    """An answer's data as a model writes it, players by their names."""
    if isinstance(value, dict):
        return {key: with_player_names(entry, key) for key, entry in value.items()}
    if isinstance(value, list):
        return [with_player_names(entry, name) for entry in value]
    return player(value) if name in SEATS and isinstance(value, int) else value


def answered(table: Table, seat: Seat, said: str, way: str) -> tuple[object, int]:
    """The answer of a seat, and in how many places it says the text."""
    answer: Any = sampled(table, seat)
    texts = [
        name
        for name, field in type(answer).model_fields.items()
        if field.annotation in (str, str | None)
    ]
    data = with_player_names(answer.model_dump(mode="json")) | dict.fromkeys(texts, said)
    parsed = read_answer(Completion(way.format(json.dumps(data))))
    assert isinstance(parsed, ParsedAnswer), (parsed, data)
    judged = table.pending.judge(seat, parsed.data)
    assert not isinstance(judged, Fault), (table.game.name, said, judged)
    return judged, len(texts)


def played(game: Game, number: int, said: str, way: str = "{}") -> Played:
    """A match of a game, the same for the same number but for what is said."""
    variant = game.variant.model_validate(KEYS.get(game.name, {}))
    record = game.shipped()[number % len(game.shipped())]
    table = opened(game, record, variant, seed=number)
    prompts, places = [], 0
    while (ask := table.pending) is not None:
        given = {}
        for seat in ask.seats:
            request = ASKER.request(ask, table.view(seat), Call(Dice("spoof")))
            prompts.append(tuple(text for _role, text in request.messages))
            given[seat], said_here = answered(table, seat, said, way)
            places += said_here
        table.answer(given)
    assert table.outcome is not None
    return Played(prompts, tuple(table.events), table.outcome, places)


@pytest.mark.parametrize("name", games())
def test_fifty_texts_that_pretend_change_no_role_vote_or_payoff_and_stay_quoted(name: str) -> None:
    game = games()[name]
    assert len(set(SPOOFS)) == 50
    harmless_matches = [played(game, number, HARMLESS) for number in range(MATCHES)]
    for number, text in enumerate(SPOOFS):
        spoofed = played(game, number % MATCHES, text, WRITTEN[number % len(WRITTEN)])
        plain = harmless_matches[number % MATCHES]
        assert _unsaid(asdict(spoofed.outcome), text) == asdict(plain.outcome), text
        assert spoofed.said == plain.said
        assert spoofed.said > len(spoofed.outcome.payoffs)
        quotation = json.dumps(clean(text), ensure_ascii=False)
        assert len(quotation.splitlines()) == 1

        def without_spoof(shown: str, quotation: str = quotation) -> str:
            for written in (quotation, defused(quotation)):  # to onlookers, in prompts
                shown = shown.replace(written, json.dumps(HARMLESS))
            return shown

        # Every prompt is the harmless one with one quotation, of the same speaker, in its place.
        for prompt, other in zip_longest(spoofed.prompts, plain.prompts):
            assert tuple(map(without_spoof, prompt)) == other, text
        # So is what onlookers read, and the events are the same in all else.
        for event, other_event in zip_longest(spoofed.events, plain.events):
            assert without_spoof(sentence(game, event)) == sentence(game, other_event)
            assert event._replace(record=_unsaid(event.record, text)) == other_event


def _unsaid(value: Any, text: str) -> Any:
    """Plain data with the harmless text wherever a whole text is the other one."""
    if isinstance(value, dict):
        return {key: _unsaid(entry, text) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_unsaid(entry, text) for entry in value)
    return HARMLESS if value == clean(text) else value

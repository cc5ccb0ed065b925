"""The schemas that models get: legal answers only, as far as a schema can say."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from parlour.games.engine.game import Game
from parlour.games.engine.moves import Fault, Seat, player
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.families.word_games import Vote, ballot, beliefs, own_role
from parlour.games.testing.playthrough import openings, play, variants
from tests.provider import filled

SEATS = (Seat(0), Seat(1), Seat(2))
TEXTS = ("a", "ab " * 149, "x" * 5000)
"""Free words: few, as many as fit into a message, and more than fit anywhere."""


def parts(schema: object) -> Iterator[dict[str, Any]]:
    """Yields every part of a schema that says what a value is."""
    if isinstance(schema, dict):
        if "type" in schema:
            yield schema
        for value in schema.values():
            yield from parts(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from parts(value)


@pytest.mark.parametrize("name", games())
def test_a_schema_has_every_bound_and_accepts_legal_answers_only(name: str) -> None:
    game: Game = games()[name]
    dice, asked = random.Random(name), set()

    def watch(table: Table) -> None:
        ask = table.pending
        asked.add(ask.kind)
        for seat in table.waiting:
            schema = ask.schema(seat, dice.randrange(2**32))
            text = json.dumps(schema)
            assert not any(word in text for word in ("description", "pattern", "title")), text
            for part in parts(schema):
                bounds = {
                    "string": {"minLength", "maxLength"},
                    "integer": {"minimum", "maximum"},
                    "number": {"minimum", "maximum"},
                    "array": {"minItems", "maxItems"},
                    "object": {"required", "additionalProperties"},
                }.get(part["type"], set())
                assert "enum" in part or bounds <= part.keys(), part
            for words in TEXTS:
                answer = filled(schema, dice, words, most=10**9)
                judged = ask.judge(seat, answer)
                no_shares = name == "cost_sharing" and not any(answer.get("shares", [1]))
                assert no_shares or not isinstance(judged, Fault), (answer, judged)

    for variant in variants(game):
        for table in openings(game, variant, seeds=2):
            play(table, watch=watch)
    assert asked


def test_the_order_of_choices_is_drawn_and_every_order_comes() -> None:
    question, votes = own_role(SEATS, 1), ballot(SEATS, 1, Vote)
    usual = question.schema(SEATS[0])["properties"]["role"]["enum"]
    assert usual == ["special", "ordinary", "unsure"]
    roles = [question.schema(SEATS[0], order)["properties"]["role"]["enum"] for order in range(600)]
    firsts = [role[0] for role in roles]
    assert all(150 <= firsts.count(role) <= 250 for role in usual)
    voted = [votes.schema(SEATS[1], order)["properties"]["suspect"] for order in range(20)]
    assert {" ".join(each["enum"]) for each in voted} == {"Player 1 Player 3", "Player 3 Player 1"}


def test_a_ballot_names_the_others_and_each_of_them_is_legal() -> None:
    question = ballot(SEATS, 1, Vote)
    for seat in SEATS:
        suspect = question.schema(seat)["properties"]["suspect"]
        judged = {p: question.judge(seat, {"suspect": p}) for p in map(player, range(4))}
        legal = [name for name, answer in judged.items() if not isinstance(answer, Fault)]
        assert suspect == {"type": "string", "enum": legal}
        assert legal == [player(other) for other in SEATS if other != seat]
    question.schema(Seat(0))["properties"].clear()  # each caller has a schema of its own
    assert question.schema(Seat(0))["properties"]


def test_beliefs_have_a_field_for_each_viewer_that_is_asked_for() -> None:
    informed = beliefs(SEATS, 1, knows=(Seat(2),)).schema(Seat(2))["properties"]["beliefs"]
    everybody = {"type": "string", "enum": ["Player 1", "Player 2", "Player 3"]}
    suspect = {"anyOf": [everybody, {"type": "null"}]}
    assert informed["properties"] == {"Player 1": suspect, "Player 2": suspect}
    assert informed["required"] == ["Player 1", "Player 2"]

"""The schemas that models get: no docstrings of the code, and the legal players by name."""

import json

import pytest

from parlour.games.engine.game import Game
from parlour.games.engine.moves import Fault, Seat, player
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.families.word_games import Vote, ballot, beliefs
from parlour.games.testing.playthrough import openings, play, variants

SEATS = (Seat(0), Seat(1), Seat(2))


@pytest.mark.parametrize("name", games())
def test_no_schema_of_a_game_holds_a_docstring_or_a_pattern_of_players(name: str) -> None:
    game: Game = games()[name]
    asked = set()

    def watch(table: Table) -> None:
        assert table.pending is not None
        for seat in table.waiting:
            schema = table.pending.schema(seat)
            asked.add(table.pending.kind)
            text = json.dumps(schema)
            assert "description" not in text, text
            assert "pattern" not in text, text

    for variant in variants(game):
        for table in openings(game, variant, seeds=2):
            play(table, watch=watch)
    assert asked


def test_a_ballot_names_the_others_and_each_of_them_is_legal() -> None:
    question = ballot(SEATS, 1, Vote)
    suspect = question.schema(Seat(1))["properties"]["suspect"]
    assert suspect == {"title": "Suspect", "type": "string", "enum": ["Player 1", "Player 3"]}
    for seat in SEATS:
        names = question.schema(seat)["properties"]["suspect"]["enum"]
        legal = [p for p in map(player, range(4)) if _accepts(question, seat, {"suspect": p})]
        assert names == legal


def _accepts(question: object, seat: Seat, answer: object) -> bool:
    return not isinstance(question.judge(seat, answer), Fault)  # type: ignore[attr-defined]


def test_beliefs_name_the_viewers_that_are_asked_for() -> None:
    informed = beliefs(SEATS, 1, knows=Seat(2)).schema(Seat(2))
    of_belief = informed["$defs"]["Belief"]["properties"]
    assert of_belief["viewer"]["enum"] == ["Player 1", "Player 2"]
    everybody = {"type": "string", "enum": ["Player 1", "Player 2", "Player 3"]}
    assert of_belief["suspect"]["anyOf"] == [everybody, {"type": "null"}]


def test_schemas_of_two_seats_are_apart() -> None:
    question = ballot(SEATS, 1, Vote)
    first = question.schema(Seat(0))
    first["properties"].clear()
    assert question.schema(Seat(0))["properties"]["suspect"]["enum"] == ["Player 2", "Player 3"]

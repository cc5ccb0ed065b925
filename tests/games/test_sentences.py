"""Sentences belong to a game; an event that fits none of them is shown with its fields."""

from dataclasses import replace
from typing import Any

import pytest

from parlour.games.engine.events import Event
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Seat
from parlour.games.engine.registry import games
from parlour.games.engine.transcript import sentence, transcript
from parlour.games.undercover import GAME


def vote(**record: Any) -> Event:
    return Event("vote", 1, record, None, by=Seat(0), ask=0)


def saying(words: Any) -> Game:
    """Undercover with one sentence, for votes."""
    return replace(GAME, texts=replace(GAME.texts, sentences={"vote": words}))


def test_a_game_says_its_events_in_its_own_words() -> None:
    game = saying(lambda event: f"points at {event.record['suspect']}")
    assert sentence(game, vote(suspect=2)) == "Player 1: points at 2"
    assert sentence(GAME, vote(suspect=2)) == "Player 1: votes for Player 3"


@pytest.mark.parametrize(
    "record",
    [
        {"pages": 3},  # no such field
        {"suspect": "nobody", "confidence": 0.5},  # a field of another type
        {"suspect": [1], "confidence": "sure"},
    ],
)
def test_a_record_of_another_form_is_shown_with_its_fields(record: dict[str, Any]) -> None:
    shown = sentence(GAME, vote(**record))
    assert shown.startswith("Player 1: vote: ")
    assert all(key in shown for key in record)


@pytest.mark.parametrize("error", [KeyError, IndexError, TypeError, ValueError, AttributeError])
def test_a_sentence_that_fails_gives_way_to_the_fields(error: type[Exception]) -> None:
    def failing(event: Event) -> str:
        raise error("no such thing")

    assert sentence(saying(failing), vote(suspect=2)) == "Player 1: vote: suspect Player 3"


@pytest.mark.parametrize("name", games())
def test_a_kind_without_a_sentence_is_shown_with_its_fields(name: str) -> None:
    event = Event("weather", 1, {"wind": "west", "speaker": None}, None)
    assert sentence(games()[name], event) == 'Table: weather: wind "west", speaker nobody'


def test_an_answer_that_an_event_repeats_is_left_out_unless_it_has_a_reason() -> None:
    clue = Event("clue", 1, {"text": "warm"}, (Seat(0),), by=Seat(0), ask=0)
    with_reason = clue._replace(record={"text": "warm", "reasoning": "vague"})
    assert list(transcript(GAME, [clue, with_reason])) == [with_reason]
    other = replace(GAME, texts=replace(GAME.texts, published=frozenset()))
    assert list(transcript(other, [clue])) == [clue]

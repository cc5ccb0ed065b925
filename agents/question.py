"""An ask as plain data, which functions and HTTP endpoints of users get."""

import json
from collections.abc import Mapping
from typing import Any

from parlour.agents.base import Call
from parlour.games.common.role_tokens import defused
from parlour.games.common.text import ENGLISH, languages
from parlour.games.engine.events import Event, View, plain_copy
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Ask, player
from parlour.games.engine.prompts import Prompt
from parlour.games.engine.registry import find_game
from parlour.games.engine.transcript import sentence


def question(ask: Ask[Any], view: View, call: Call, prompt: Prompt) -> dict[str, Any]:
    """An ask as plain JSON values, with all that the seat knows.

    ``events`` are those that the seat saw, its own answers included, each as a record (seats
    count from 0) and as a line of text. ``system`` and ``question`` are the prompts of a model,
    ``schema`` the JSON schema of the answer. ``mistakes`` are the faulty tries of this ask.
    ``dice`` is a random number from 0 to 2³² - 1 for this try: an agent that uses it as its seed
    is reproducible.
    """
    game = find_game(view.game, view.game)
    return {
        "game": view.game,
        "player": player(view.seat),
        "players": [player(seat) for seat in view.seats],
        "kind": ask.kind,
        "round": ask.round,
        "events": [as_data(game, event) for event in view.events],
        "system": prompt.system,
        "question": prompt.question,
        "schema": ask.schema(view.seat, call.order),
        "mistakes": [{"answer": text, "problem": fault.message} for text, fault in call.earlier],
        "dice": call.dice.below(2**32),
    }


def as_data(game: Game, event: Event) -> dict[str, Any]:
    """An event that a seat saw, as plain data and as a line of text."""
    return {
        "kind": event.kind,
        "round": event.round,
        "own": event.by is not None,
        "record": plain_copy(event.record),  # the user's code may change it
        "text": defused(sentence(game, event)),
    }


def wanted_form(
    schema: Mapping[str, Any], enforced: bool = False, language: str | None = None
) -> str:
    """The words that ask a model for an answer of a schema, which only an enforced one may lack.

    Names of fields and players, and values to choose from, are the same in every language.
    """
    words = languages()[language or ENGLISH]
    if enforced:
        return f"{words.answer} {words.fields.format(', '.join(schema['properties']))}"
    return f"{words.answer} {words.form}\n{json.dumps(schema)}"

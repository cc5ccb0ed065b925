"""An ask as plain data, and the players that are functions of a user's own and get it so."""

import asyncio
import inspect
from typing import Any

from agents.base import Call, Reply
from agents.own import FunctionConfig, find_function
from games.moves import Ask, player
from games.prompts import Prompt, render
from games.registry import find_game
from games.table import View
from games.telling import sentence


class FunctionAgent:
    """A contestant that a function plays; what the function keeps is its own affair."""

    def __init__(self, config: FunctionConfig) -> None:
        self.name = config.name
        self._function = find_function(config.function, f"agent {config.name!r}")

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Hands the function the question. One that is not async works in a thread of its own."""
        asked = question(ask, view, call, render(find_game(view.game, view.game), view, ask.kind))
        if inspect.iscoroutinefunction(self._function):
            return Reply(await self._function(asked))
        return Reply(await asyncio.to_thread(self._function, asked))


def question(ask: Ask[Any], view: View, call: Call, prompt: Prompt) -> dict[str, Any]:
    """An ask as plain JSON values, with all that the seat knows.

    ``events`` are what the seat was told and what it answered itself, each as a record (where
    seats count from 0) and as a line of text. ``system`` and ``question`` are the prompts that a
    model would get, ``schema`` the JSON schema of the answer. ``mistakes`` are this ask's faulty
    tries so far. ``dice`` is a number from 0 to 2³² - 1 that is drawn for this try: a player that
    draws from it plays the same way again.
    """
    return {
        "game": view.game,
        "player": player(view.seat),
        "players": [player(seat) for seat in view.seats],
        "kind": ask.kind,
        "round": ask.round,
        "events": [
            {
                "kind": event.kind,
                "round": event.round,
                "own": event.by is not None,
                "record": dict(event.record),
                "text": sentence(event),
            }
            for event in view.events
        ],
        "system": prompt.system,
        "question": prompt.question,
        "schema": ask.answer.model_json_schema(),
        "mistakes": [{"answer": text, "problem": fault.message} for text, fault in call.earlier],
        "dice": call.dice.below(2**32),
    }

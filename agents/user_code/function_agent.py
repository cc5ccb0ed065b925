"""Agents that are functions of the user."""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from parlour.agents.base import AgentBlock, Call, Reply
from parlour.agents.question import question
from parlour.agents.user_code.user_function import (
    FunctionConfig,
    as_error,
    find_function,
    in_a_thread,
    is_async,
    note_line,
)
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask
from parlour.games.engine.prompts import render
from parlour.games.engine.registry import find_game


class FunctionAgent:
    """An agent that a user's function plays; any state between asks is the function's own."""

    def __init__(self, config: AgentBlock, function: Callable[[Any], Any] | None = None) -> None:
        """``function`` is that of an agent made in Python; others name it in their block."""
        self.name, self._file = config.name, ""
        if isinstance(config, FunctionConfig):
            self._file = config.function.rpartition(":")[0]
            function = find_function(config, f"agent {config.name!r}")
        assert function is not None
        self._function = function
        self._is_async = is_async(function)

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Calls the function with the question; one that is not async runs in its own thread."""
        asked = _question(ask, view, call)
        with self._noting_line():
            if self._is_async:
                return Reply(await self._function(asked))
            answer = await in_a_thread(self._function, asked)
            return Reply(await answer if inspect.isawaitable(answer) else answer)

    @contextmanager
    def _noting_line(self) -> Iterator[None]:
        """Adds the line of the function's file to an error that it raises."""
        try:
            yield
        except Exception as error:
            note_line(error, self._function, self._file)
            raise
        except (SystemExit, asyncio.CancelledError) as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():  # the task is cancelled, not the function
                raise
            wrong = as_error(error)
            note_line(wrong, self._function, self._file)
            raise wrong from error


class PureFunctionAgent(FunctionAgent):
    """A quick agent: its function answers at once and from the question alone."""

    def decide(self, ask: Ask[Any], view: View, call: Call) -> object:
        """Calls the function here and now, so all matches wait for a slow one."""
        asked = _question(ask, view, call)
        with self._noting_line():
            return self._function(asked)


def _question(ask: Ask[Any], view: View, call: Call) -> dict[str, Any]:
    return question(ask, view, call, render(find_game(view.game, view.game), view, ask.kind))

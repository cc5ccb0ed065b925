"""Agents made in Python: objects that a script or notebook passes to a run."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from parlour.agents.base import Agent, AgentBlock, Call, Reply
from parlour.agents.user_code.user_function import in_a_thread, note_line
from parlour.games.common.errors import BadInput
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask


class PythonConfig(AgentBlock):
    """An agent block of kind "python": the object behind it is given at run time, by its name."""

    kind: Literal["python"]


def made_in_python(config: PythonConfig, players: Mapping[str, object]) -> Agent:
    """The agent behind a block. BadInput if none was given, or if the object cannot play.

    An object with ``act(ask, view, call)`` plays as every agent inside does; one with
    ``decide(ask, view, dice)`` as scripted strategies do; anything callable gets one question as
    plain data, as functions of user files do.
    """
    place, name = f"agent {config.name!r}", config.name
    if name not in players:
        problem = "is a Python object that was not given"
        fix = f"run it from Python: parlour.run(tournament, save, agents={{{name!r}: ...}})"
        raise BadInput(place, problem, fix)
    player = players[name]
    if inspect.isclass(player):
        fix = f"give an instance: {{{name!r}: {player.__name__}()}}"
        raise BadInput(place, f"the class {player.__name__} was given", fix)
    if callable(act := getattr(player, "act", None)):
        _refuse_signature(act, ("ask", "view", "call"), f"{place}, act")
        return _Acting(name, player)
    if callable(decide := getattr(player, "decide", None)):
        _refuse_signature(decide, ("ask", "view", "dice"), f"{place}, decide")
        return _Deciding(name, player)
    if callable(player):
        _refuse_signature(player, ("question",), place)
        from parlour.agents.user_code.function_agent import FunctionAgent  # loads templates

        return FunctionAgent(config, player)
    fix = "give a function, or an object with decide(ask, view, dice) or act(ask, view, call)"
    raise BadInput(place, f"a {type(player).__name__} cannot play", fix)


def _refuse_signature(function: Callable[..., Any], wanted: tuple[str, ...], place: str) -> None:
    """BadInput for a function or bound method that cannot be called with these arguments."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # of a function written in C
        return
    try:
        signature.bind(*wanted)
    except TypeError:
        fix = f"let it take ({', '.join(wanted)})"
        if inspect.ismethod(function):
            fix = f"write def {function.__name__}(self, {', '.join(wanted)})"
        raise BadInput(place, f"takes ({', '.join(signature.parameters)})", fix) from None


@contextmanager
def _noting_line(function: Callable[..., Any]) -> Iterator[None]:
    """Adds the line of the function's file to an error that it raises."""
    try:
        yield
    except Exception as error:
        note_line(error, function)
        raise


class _Acting:
    """An object with the whole interface of an agent, under the name of its block."""

    def __init__(self, name: str, player: Any) -> None:
        self.name, self._player = name, player

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Returns the object's reply; a bare answer becomes a reply without notes."""
        with _noting_line(self._player.act):
            answer = await self._player.act(ask, view, call)
        return answer if isinstance(answer, Reply) else Reply(answer)


class _Deciding:
    """An object with ``decide``. It runs in a thread, so a slow one delays its match alone."""

    def __init__(self, name: str, player: Any) -> None:
        self.name, self._player = name, player

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Returns what the object decides."""
        with _noting_line(self._player.decide):
            answer = await in_a_thread(self._player.decide, ask, view, call.dice)
            return Reply(await answer if inspect.isawaitable(answer) else answer)

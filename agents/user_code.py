"""Agents that are code of the user: a function in a file, or an object of a script or notebook."""

import ast
import asyncio
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from runpy import run_path
from threading import Thread
from traceback import extract_tb
from typing import Any, Literal

from pydantic import field_validator

from parlour.agents.base import Agent, AgentBlock, Call, Reply
from parlour.games.common.errors import BadInput
from parlour.games.common.plain_files import read_plain
from parlour.games.engine.events import View, plain_copy
from parlour.games.engine.moves import Ask
from parlour.games.engine.registry import find_game


class FunctionConfig(AgentBlock):
    """An agent block of kind "function".

    ``function`` is a Python file and the name of a function in it: ``players.py:answer``. It is
    ``pure`` if it answers at once and from the question alone.
    """

    kind: Literal["function"]
    function: str
    pure: bool = False

    @field_validator("function")
    @classmethod
    def _a_file_and_a_name(cls, function: str) -> str:
        if not re.fullmatch(r".+\.py:\w+", function):
            raise ValueError(f"{function!r} is not a function: write 'players.py:answer'")
        return function

    @property
    def file(self) -> Path:
        """The file that defines the function."""
        return Path(self.function.rpartition(":")[0])


def refuse_unreadable(config: FunctionConfig, place: str) -> None:
    """BadInput if the file of a block is missing or is not Python. Runs nothing of it."""
    if not config.file.is_file():
        problem = f"there is no file {config.file.absolute()}"
        raise BadInput(f"{place}.function", problem, "put it there, or correct its path")
    file = str(config.file)
    try:
        compile(read_plain(config.file.resolve()), file, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _failing(file, error) from None


def defines_function(config: FunctionConfig) -> bool:
    """False if the file of a block surely does not define its function. Runs nothing of it.

    Raises BadInput if the file is missing or is not Python.
    """
    refuse_unreadable(config, "agents")
    bound = set()
    for node in ast.walk(ast.parse(read_plain(config.file.resolve()))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
    # Names from a star import or from exec are not seen.
    return bool({config.function.rpartition(":")[2], "*"} & bound)


def find_function(config: FunctionConfig, place: str) -> Callable[[dict[str, Any]], Any]:
    """Returns the function of a block, whose file is run.

    BadInput if it is missing, the file fails, or a pure function is async.
    """
    refuse_unreadable(config, place)
    file, _, name = config.function.rpartition(":")
    try:
        function_or_none = _names_in(file).get(name)
    except (Exception, SystemExit) as error:  # a user's file may raise anything
        raise _failing(file, error) from None
    if not callable(function_or_none):
        fix = f"write def {name}(question): ..."
        raise BadInput(f"{place}.function", f"{file} has no function {name!r}", fix)
    player: Callable[[dict[str, Any]], Any] = function_or_none
    if config.pure and is_async(player):
        fix = "leave pure out, or write def in place of async def"
        raise BadInput(f"{place}.pure", f"{name} is an async function, which waits", fix)
    return player


def _failing(file: str, error: BaseException) -> BadInput:
    """The refusal of a file that cannot be run, with the line at fault."""
    message = " ".join(str(error).split())
    line = last_line(file, error)
    where = file if line is None else f"{file}:{line}"
    return BadInput(where, f"fails with {type(error).__name__}: {message}", "fix it")


def is_async(function: Callable[..., Any]) -> bool:
    """True for an async function, and for an object that is called as one."""
    called = getattr(function, "__call__", None)  # noqa: B004 - of an object
    return any(map(inspect.iscoroutinefunction, (function, called)))


def last_line(file: str, error: BaseException) -> int | None:
    """The last line of a file in the traceback of an error or of its cause."""
    line = None
    for each in (error.__cause__, error):
        if each is not None:
            for frame in extract_tb(each.__traceback__):
                line = frame.lineno if frame.filename == file else line
    return line


def note_line(error: BaseException, function: Any, file: str = "") -> None:
    """Adds a note with the last line of the user's file in the traceback.

    If the function could not even be called, with the line where it begins. ``file`` is by
    default the one that defines the function.
    """
    called = function if hasattr(function, "__code__") else type(function).__call__
    code = getattr(called, "__code__", None)
    defined_in = code.co_filename if code is not None else ""
    file = file or defined_in
    line = last_line(file, error)
    if line is None and code is not None and defined_in == file:
        line = code.co_firstlineno
    if line is not None:
        error.add_note(f"{Path(file).name}, line {line}")


@cache
def _names_in(file: str) -> dict[str, Any]:
    """The names that a Python file defines; it runs once, even for several agents."""
    with redirect_stdout(sys.stderr):  # keeps its output out of the command's
        return run_path(file)


async def in_a_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a function that may block, or never return.

    The thread is a daemon: unlike asyncio's own threads, it does not delay the end of the process.
    """
    loop = asyncio.get_running_loop()
    result: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: Exception | None) -> None:
        if not result.done():
            result.set_exception(error) if error is not None else result.set_result(value)

    def work() -> None:
        value, wrong = None, None
        try:
            value = function(*arguments)
        except BaseException as error:  # a user's function may raise anything
            wrong = as_error(error)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, value, wrong)

    Thread(target=work, daemon=True).start()
    return await result


def as_error(error: BaseException) -> Exception:
    """The error as an Exception, which stops one match; exits and StopIteration are wrapped."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    said = f" with {error}" if str(error) else ""
    return RuntimeError(f"it ended by {type(error).__name__}{said}").with_traceback(
        error.__traceback__
    )


@contextmanager
def _noting_line(function: Callable[..., Any], file: str = "") -> Iterator[None]:
    """Adds the line of the user's file to an error that its code raises."""
    try:
        yield
    except Exception as error:
        note_line(error, function, file)
        raise
    except (SystemExit, asyncio.CancelledError) as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():  # the task is cancelled, not the function
            raise
        wrong = as_error(error)
        note_line(wrong, function, file)
        raise wrong from error


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
        with _noting_line(self._function, self._file):
            if self._is_async:
                return Reply(await self._function(asked))
            answer = await in_a_thread(self._function, asked)
            return Reply(await answer if inspect.isawaitable(answer) else answer)


class PureFunctionAgent(FunctionAgent):
    """A quick agent: its function answers at once and from the question alone."""

    def decide(self, ask: Ask[Any], view: View, call: Call) -> object:
        """Calls the function here and now, so all matches wait for a slow one."""
        asked = _question(ask, view, call)
        with _noting_line(self._function, self._file):
            return self._function(asked)


def _question(ask: Ask[Any], view: View, call: Call) -> dict[str, Any]:
    # Here, since templates take long to load.
    from parlour.agents.question import question
    from parlour.games.engine.prompts import render

    return question(ask, view, call, render(find_game(view.game, view.game), view, ask.kind))


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


class _Acting:
    """An object with the whole interface of an agent, under the name of its block."""

    def __init__(self, name: str, player: Any) -> None:
        self.name, self._player = name, player

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Returns the object's reply; a bare answer becomes a reply without notes."""
        with _noting_line(self._player.act):
            own = call._replace(notes=plain_copy(call.notes))
            answer = await self._player.act(ask, view.copied(), own)
        return answer if isinstance(answer, Reply) else Reply(answer)


class _Deciding:
    """An object with ``decide``. It runs in a thread, so a slow one delays its match alone."""

    def __init__(self, name: str, player: Any) -> None:
        self.name, self._player = name, player

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Returns what the object decides."""
        with _noting_line(self._player.decide):
            answer = await in_a_thread(self._player.decide, ask, view.copied(), call.dice)
            return Reply(await answer if inspect.isawaitable(answer) else answer)

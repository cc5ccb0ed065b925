"""Agents that are code of the user: a function in a file, or an object of a script or notebook."""

import asyncio
import inspect
import json
import re
import sys
import time
import warnings
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from dataclasses import replace
from functools import cache, partial
from math import inf
from pathlib import Path
from runpy import run_path
from threading import Thread
from typing import Any

from pydantic import BaseModel

from parlour.agents.base import Call, CallingBlock, Reply
from parlour.agents.code_blocks import (
    FunctionConfig,
    PythonConfig,
    failing,
    last_line,
    refuse_unreadable,
)
from parlour.agents.model_calls import Completion, ProviderFailure, Request
from parlour.games.common.errors import BadInput
from parlour.games.engine.events import View, plain_copy
from parlour.games.engine.moves import Ask, Fault, FaultKind
from parlour.games.engine.registry import find_game


def find_function(config: FunctionConfig, place: str) -> Callable[[dict[str, Any]], Any]:
    """Returns the function of a block, whose file is run.

    BadInput if it is missing, the file fails, or a pure function is async.
    """
    refuse_unreadable(config, place)
    file, _, name = config.function.rpartition(":")
    try:
        function_or_none = _names_in(file).get(name)
    except (Exception, SystemExit) as error:  # a user's file may raise anything
        raise failing(file, error) from None
    if not callable(function_or_none):
        fix = f"write def {name}(question): ..."
        raise BadInput(f"{place}.function", f"{file} has no function {name!r}", fix)
    player: Callable[[dict[str, Any]], Any] = function_or_none
    if config.pure and is_async(player):
        fix = "leave pure out, or write def in place of async def"
        raise BadInput(f"{place}.pure", f"{name} is an async function, which waits", fix)
    return player


def is_async(function: Callable[..., Any]) -> bool:
    """True for an async function, and for an object that is called as one."""
    called = getattr(function, "__call__", None)  # noqa: B004 - of an object
    return any(map(inspect.iscoroutinefunction, (function, called)))


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


_OTHER_LOOP = re.compile("Event loop is closed|different (?:event )?loop")


@contextmanager
def _noting_line(function: Callable[..., Any], file: str = "") -> Iterator[None]:
    """Adds the line of the user's file to an error that its code raises."""
    try:
        yield
    except Exception as error:
        note_line(error, function, file)
        if isinstance(error, RuntimeError) and _OTHER_LOOP.search(str(error)):
            error.add_note(
                "its connections are of an earlier run: give a class, or a function that makes it"
            )
        raise
    except (SystemExit, asyncio.CancelledError) as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():  # the task is cancelled, not the function
            raise
        wrong = as_error(error)
        note_line(wrong, function, file)
        raise wrong from error


Answering = Callable[[Ask[Any], View, Call], Awaitable[object]]
"""Code of the user that is asked: it returns an answer, or a Reply with one."""
LONGEST_ANSWER = 8_000_000
"""Characters of the longest answer, as of an endpoint; a longer one is a server failure."""


class UserAgent:
    """An agent that is code of the user; its answers are calls, as those of models are.

    Any state between asks is the code's own.
    """

    def __init__(self, config: CallingBlock, answering: Answering) -> None:
        self.name, self._config, self._answering = config.name, config, answering

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Asks the code, unless the journal has its answer. A text is read as that of a model."""
        asked = _AskClient(self._config, partial(self._answering, ask, view, call))
        completion = await call.complete(asked, Request((), fingerprint=call.digest))
        reply = asked.reply or _journaled(completion)
        text = reply.text or completion.text
        if not isinstance(reply.value, str | list):
            return replace(reply, text=text)
        # Here, since it takes long to load, and most code gives plain data.
        from parlour.agents.llm.answer_parser import read_reply

        read = read_reply(Completion(completion.text), ask.schema(view.seat, call.order))
        return replace(reply, value=read.value, notes={**read.notes, **reply.notes}, text=text)


class _AskClient:
    """The client of one ask to code of the user; ``reply`` is what it has just answered."""

    def __init__(self, config: CallingBlock, answer: Callable[[], Awaitable[object]]) -> None:
        self._config, self._answer = config, answer
        self.reply: Reply | None = None

    async def complete(self, request: Request) -> Completion:
        """Asks once. ProviderFailure if no answer comes in time, or the code's provider fails."""
        begun = time.monotonic()
        answer = asyncio.ensure_future(self._answer())
        try:
            await asyncio.wait({answer}, timeout=self._config.timeout)
            if not answer.done():
                reason = f"no answer in {self._config.timeout:g} s"
                raise ProviderFailure("timeout", reason)
            value = answer.result()
        except Exception as error:
            failure = _failure_behind(error)
            if failure is None:
                raise
            raise failure from error
        finally:
            answer.cancel()
            answer.add_done_callback(_forget)
        self.reply = value if isinstance(value, Reply) else Reply(value)
        return _completion(self.reply, self._config, time.monotonic() - begun)

    async def close(self) -> None:
        """Nothing to close: the agent has the connections."""


def _forget(late: asyncio.Future[object]) -> None:
    """Drops the answer, or the error, of code that ends too late."""
    if not late.cancelled():
        late.exception()


def _failure_behind(error: Exception) -> ProviderFailure | None:
    """The failure of a provider that made the user's code fail; None for an error of its own."""
    from parlour.agents.llm.client import causes, failure_of_status, pause_asked
    from parlour.agents.llm.keys import from_outside

    for cause in causes(error):
        if isinstance(cause, ProviderFailure):
            return cause
        response = getattr(cause, "response", None)
        status = getattr(cause, "status_code", getattr(response, "status_code", None))
        said = from_outside(str(cause) or type(cause).__name__)
        if type(status) is int and 400 <= status < 600:
            return failure_of_status(status, said, pause_asked(getattr(response, "headers", {})))
        if isinstance(cause, TimeoutError):
            return ProviderFailure("timeout", said)
        if isinstance(cause, ConnectionError):
            return ProviderFailure("connection", said)
    return None


def _completion(reply: Reply, config: CallingBlock, seconds: float) -> Completion:
    """A reply as the journal keeps it: the answer as text, and the notes as JSON.

    ProviderFailure if it is too long; ValueError for a cost that is none.
    """
    from parlour.agents.llm.client import Usage

    tokens = reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens
    usage = Usage(*tokens, reasoning_tokens=reply.reasoning_tokens)
    costs = {**usage._asdict(), "dollars": reply.dollars, "latency": reply.latency}
    for name, cost in costs.items():
        if cost is not None and not (isinstance(cost, int | float) and 0 <= cost < inf):
            raise ValueError(f"its Reply has {name}={cost!r}: give a number from 0 on, or None")
    value = reply.value
    text = value.message if isinstance(value, Fault) else _as_text(value)
    if len(text) > LONGEST_ANSWER:
        raise ProviderFailure("server", f"the answer is longer than {LONGEST_ANSWER} characters")
    return Completion(
        text,
        json.dumps(dict(reply.notes)) if reply.notes else "",
        value.kind.value if isinstance(value, Fault) else "stop",
        **usage._asdict(),
        price=usage.price(config.prices) if reply.dollars is None else reply.dollars,
        latency=seconds if reply.latency is None else reply.latency,
    )


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        whole = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
        return json.dumps(whole, default=repr)
    except (TypeError, ValueError, RecursionError):  # no answer, as the game will find
        return ""


def _journaled(completion: Completion) -> Reply:
    """The reply that a ``_completion`` keeps."""
    notes = json.loads(completion.thinking) if completion.thinking else {}
    if completion.finish in set(FaultKind):
        return Reply(Fault(FaultKind(completion.finish), completion.text), notes)
    return Reply(completion.text, notes)


class FunctionAgent(UserAgent):
    """An agent that a function in a user's file plays."""

    def __init__(self, config: FunctionConfig) -> None:
        function = find_function(config, f"agent {config.name!r}")
        super().__init__(config, partial(_questioned, function, str(config.file)))


class PureFunctionAgent:
    """A quick agent: its function answers at once and from the question alone."""

    def __init__(self, config: FunctionConfig) -> None:
        self.name, self._file = config.name, str(config.file)
        self._function = find_function(config, f"agent {config.name!r}")

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """The decision as a reply."""
        return Reply(self.decide(ask, view, call))

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


def made_in_python(config: PythonConfig, players: Mapping[str, object]) -> "PythonAgent":
    """The agent behind a block. BadInput if none was given, or if the object cannot play."""
    place, name = f"agent {config.name!r}", config.name
    if name not in players:
        problem = "is a Python object that was not given"
        fix = f"run it from Python: parlour.run(tournament, save, agents={{{name!r}: ...}})"
        raise BadInput(place, problem, fix)
    return PythonAgent(config, players[name])


class PythonAgent(UserAgent):
    """An agent that an object plays.

    An object with ``act(ask, view, call)`` plays as every agent inside does; one with
    ``decide(ask, view, dice)`` as scripted strategies do; anything else that is called with one
    argument gets a question as plain data, as functions of user files do. A class, or a function
    without arguments, makes the object of a run; an asynchronous context manager is entered for
    it, and gives the object.
    """

    def __init__(self, config: PythonConfig, player: object) -> None:
        self._place = f"agent {config.name!r}"
        self.client = _Life(player, self._place)
        is_ready = not _makes_players(player, self._place) and not _enters_first(player)
        super().__init__(config, _answering(player, self._place) if is_ready else _unopened)

    async def open(self) -> None:
        """Begins the run of the object. BadInput if it fails, or if what it gives cannot play."""
        self._answering = _answering(await self.client.begin(), self._place)


async def _unopened(ask: Ask[Any], view: View, call: Call) -> object:
    raise RuntimeError("the run of the object has not begun")


def _enters_first(player: object) -> bool:
    """True for a context manager that cannot play itself."""
    plays = callable(player) or any(hasattr(player, name) for name in ("act", "decide"))
    return hasattr(player, "__aenter__") and not plays


def _makes_players(player: object, place: str) -> bool:
    """True for a factory. BadInput for a class that needs arguments."""
    if not callable(player) or any(
        callable(getattr(player, name, None)) and not inspect.isclass(player)
        for name in ("act", "decide")
    ):
        return False
    try:
        signature = inspect.signature(player)
    except ValueError:  # written in C
        return False
    if inspect.isclass(player) and not _takes(signature):
        fix = "give an instance, or a class that needs no arguments"
        raise BadInput(place, f"the class {player.__name__} takes {signature}", fix)
    return inspect.isclass(player) or (_takes(signature) and not _takes(signature, "question"))


def _takes(signature: inspect.Signature, *arguments: str) -> bool:
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


class _Life:
    """The run of an object: it is made, entered and left by one task, as connections need it."""

    def __init__(self, player: object, place: str) -> None:
        self._player, self._place = player, place
        self._task: asyncio.Task[None] | None = None
        self._over = asyncio.Event()

    async def begin(self) -> object:
        """The object that plays. BadInput if it cannot be had."""
        opened: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._live(opened))
        return await opened

    async def close(self) -> None:
        """Ends the run of the object; an error is only told, since nothing is lost."""
        self._over.set()
        if self._task is not None:
            await self._task

    async def _live(self, opened: asyncio.Future[object]) -> None:
        try:
            made: Any = self._player
            if callable(made) and _makes_players(made, self._place):
                made = made()
            made = await made if inspect.isawaitable(made) else made
            around = made if hasattr(made, "__aenter__") else nullcontext(made)
            async with around as entered:
                opened.set_result(made if entered is None else entered)
                await self._over.wait()
        except BaseException as error:  # the user's code may raise anything
            said = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            if opened.done():
                warnings.warn(f"{self._place} did not end well: {said}", stacklevel=1)
            else:
                opened.set_exception(BadInput(self._place, f"cannot begin: {said}", "fix it"))


def _answering(player: object, place: str) -> Answering:
    """The way in which an object is asked. BadInput if it cannot play."""
    ways: tuple[tuple[str, Any, tuple[str, ...]], ...] = (
        ("act", _acted, ("ask", "view", "call")),
        ("decide", _decided, ("ask", "view", "dice")),
    )
    for name, way, wanted in ways:
        if callable(method := getattr(player, name, None)):
            _refuse_signature(method, wanted, f"{place}, {name}")
            return partial(way, method)
    if callable(player):
        _refuse_signature(player, ("question",), place)
        return partial(_questioned, player, "")
    fix = "give a function, or an object with decide(ask, view, dice) or act(ask, view, call)"
    raise BadInput(place, f"a {type(player).__name__} cannot play", fix)


def _refuse_signature(function: Callable[..., Any], wanted: tuple[str, ...], place: str) -> None:
    """BadInput for a function or bound method that cannot be called with these arguments."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # of a function written in C
        return
    if not _takes(signature, *wanted):
        fix = f"let it take ({', '.join(wanted)})"
        if inspect.ismethod(function):
            fix = f"write def {function.__name__}(self, {', '.join(wanted)})"
        raise BadInput(place, f"takes ({', '.join(signature.parameters)})", fix)


async def _acted(
    act: Callable[..., Awaitable[object]], ask: Ask[Any], view: View, call: Call
) -> object:
    with _noting_line(act):
        return await act(ask, view.copied(), call._replace(notes=plain_copy(call.notes)))


async def _decided(decide: Callable[..., Any], ask: Ask[Any], view: View, call: Call) -> object:
    with _noting_line(decide):
        return await _result(decide, ask, view.copied(), call.dice)


async def _questioned(
    function: Callable[..., Any], file: str, ask: Ask[Any], view: View, call: Call
) -> object:
    asked = _question(ask, view, call)
    with _noting_line(function, file):
        return await _result(function, asked)


async def _result(function: Callable[..., Any], *arguments: Any) -> object:
    """The result of a function; one that is not async runs in a thread, and delays nobody."""
    if is_async(function):
        return await function(*arguments)
    answer = await in_a_thread(function, *arguments)
    return await answer if inspect.isawaitable(answer) else answer

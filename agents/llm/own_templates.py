"""The process in which a user's templates are filled: apart from the table, the keys and the time.

A template of a stranger may loop for ever or make a text of gigabytes, and no sandbox of Jinja
bounds that. One process for all prompts is started when the first one is needed.
"""

import atexit
import json
import pickle
import resource
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from parlour.agents.llm.keys import keyless_environment
from parlour.games.common.errors import BadInput
from parlour.games.engine import prompts
from parlour.games.engine.events import View
from parlour.games.engine.game import Game
from parlour.games.engine.prompts import LONGEST_PROMPT, Filled
from parlour.games.engine.registry import find_game

SECONDS = 2.0
"""Seconds of a core that the templates of one prompt may take."""
MEMORY = 1_000_000_000
"""Bytes of memory that the process may have."""
_LONGEST_REPLY = 100 * LONGEST_PROMPT


class _Process:
    """The process, which is started again after a template has ended it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._one_by_one = Lock()
        atexit.register(self.close)

    def reply(self, *request: Any) -> dict[str, Any]:
        """The reply to a request. EOFError if the process ended over it."""
        with self._one_by_one:
            if self._process is None:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "parlour.agents.llm.own_templates"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    # Not the user's folder, which may hold a package with the name of a library.
                    cwd=Path(__file__).parents[3],
                    env=keyless_environment(),
                )
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            try:
                pickle.dump(request, self._process.stdin)
                self._process.stdin.flush()
                reply: dict[str, Any] = json.loads(self._process.stdout.readline(_LONGEST_REPLY))
            except (OSError, ValueError):
                self.close()
                raise EOFError from None
            return reply

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            with self._process as process:
                process.kill()
            self._process = None


@cache
def _process() -> _Process:
    return _Process()


def fill(game: Game, view: View, names: tuple[str, ...], own: Path | None, *more: Any) -> Filled:
    """``fill`` of the prompts, in the process where there are templates of a user's own."""
    if own is None:
        return prompts.fill(game, view, names, own, *more)
    try:
        reply = _process().reply(game.name, view, names, own.absolute(), *more)
    except EOFError:
        problem = f"takes more than {SECONDS:g} s or {MEMORY / 1e9:g} GB to be filled"
        place = f"prompt {game.name}/{' or '.join(names)}"
        raise BadInput(place, problem, "fix that template") from None
    if "trouble" in reply:
        raise BadInput(*reply["trouble"])
    return Filled(reply["texts"], tuple((name, text) for name, text in reply["templates"]))


def _filled(game: str, *request: Any) -> dict[str, Any]:
    rules = find_game(game, game)  # before the clock, since it is loaded
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # its signal ends the process, also within C
    try:
        texts, templates = prompts.fill(rules, *request)
    except BadInput as error:
        return {"trouble": [error.place, error.problem, error.fix]}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return {"texts": texts, "templates": templates}


def main() -> None:
    """Serves requests until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    for limit, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_FSIZE, 0)):
        resource.setrlimit(limit, (most, most))
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        print(json.dumps(_filled(*request)), flush=True)


if __name__ == "__main__":
    main()

"""The leaderboard of a save: the stored one while it is current, else computed again.

For a large save a separate process computes it, so that play and screens stay responsive and their
memory small. The process reads a JSON line per request (``path``; ``known``, the input of the
leaderboard that the caller has; ``without_faults``) and writes one per reply (``input`` and
``board``, or ``trouble``). It ends with its input.
"""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from parlour.games.common.errors import ParlourError
from parlour.tournament.save.fork import refuse_fork
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import raise_if_damaged

if TYPE_CHECKING:
    from parlour.ratings.reports.leaderboard import Leaderboard

FEW = 300
"""Finished matches up to which computing is quicker than starting a process."""
POLITE = 10
"""Niceness of the process: play and screens come first."""


def current_leaderboard(save: Save, *, without_faults: bool = False) -> "Leaderboard":
    """Returns the stored leaderboard if it is current, else computes it.

    A leaderboard ``without_faults`` is never stored. BadInput for a fork.
    """
    # Loaded late, here and below: what computes it takes longer to load than most commands run.
    from parlour.ratings.reports.leaderboard import Leaderboard, leaderboard

    refuse_fork(save.path, save.tournament)
    stored = None if without_faults else save.stored_leaderboard()
    if stored is not None and stored[0] == _input(save):
        with suppress(ValueError, RecursionError):  # a damaged one is computed again
            return Leaderboard.from_json(stored[1])
    with raise_if_damaged(save):
        return leaderboard(save.records(), without_faults=without_faults)


def condition_leaderboard(save: Save, *, without_faults: bool = False) -> "Leaderboard":
    """Computes the leaderboard by condition, which is never stored. BadInput for a fork."""
    from parlour.ratings.reports.leaderboard import leaderboard_by_condition

    refuse_fork(save.path, save.tournament)
    with raise_if_damaged(save):
        return leaderboard_by_condition(save.records(), without_faults=without_faults)


def _input(save: Save) -> str:
    from parlour.ratings.reports.leaderboard import layout

    return f"{layout()} {save.fingerprint()}"


def _computed(path: Path, known: str, without_faults: bool) -> dict[str, str]:
    """The input of the save's leaderboard and its JSON; {} if the known one is current."""
    with Save(path) as save:
        made_from = _input(save)
        if made_from == known:
            return {}
        board = current_leaderboard(save, without_faults=without_faults)
        return {"input": made_from, "board": board.to_json()}


class Computer:
    """Computes leaderboards; starts the separate process when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._one_by_one = Lock()

    def computed(
        self, path: Path, known: str, *, without_faults: bool = False
    ) -> tuple[str, str] | None:
        """Returns the input of a save's leaderboard and its JSON; None if the known one is current.

        Also None if the process was ended meanwhile. Raises ParlourError if the save cannot be
        read.
        """
        with Save(path) as save:
            few = save.match_count().finished <= FEW
        with self._one_by_one:
            compute = _computed if few else self._elsewhere
            reply = compute(path, known, without_faults)
        if "trouble" in reply:
            raise ParlourError(reply["trouble"])
        return (reply["input"], reply["board"]) if reply else None

    def _elsewhere(self, path: Path, known: str, without_faults: bool) -> dict[str, Any]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "parlour.tournament.reports.leaderboards"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                # Not the user's folder, which may hold a package with the name of a library.
                cwd=Path(__file__).parents[3],
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            request = {
                "path": str(path.absolute()),
                "known": known,
                "without_faults": without_faults,
            }
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            return dict(json.loads(process.stdout.readline()))
        except (OSError, ValueError):
            return {}

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def main() -> None:
    """Serves requests until the input ends."""
    os.nice(POLITE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = _computed(Path(request["path"]), request["known"], request["without_faults"])
        except ParlourError as error:
            reply = {"trouble": str(error)}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()

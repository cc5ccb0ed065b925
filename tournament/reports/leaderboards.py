"""The leaderboard of a save: the stored one while it holds, else computed anew.

For a large save that is the work of a process of its own, so that play and the screen stay free
and their memory small. It is asked by a line on its input (``path``, the input of the
leaderboard that is ``known``, whether it is wanted ``without_faults``) and answers with one on its
output (``input`` and ``board``, or ``trouble``); when the input ends, so does it.
"""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from parlour.games.common.errors import ParlourError
from parlour.ratings.reports.leaderboard import FORMULAS, Leaderboard, leaderboard
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import raise_if_damaged

FEW = 300
"""Finished matches up to which a leaderboard is computed sooner than a process has started."""
POLITE = 10
"""Who watches can wait: play and the screen come first."""


def current_leaderboard(save: Save, *, without_faults: bool = False) -> Leaderboard:
    """The leaderboard of a save: the stored one if it is still true, else computed anew.

    The one ``without_faults`` is never stored.
    """
    stored = None if without_faults else save.stored_leaderboard()
    if stored is not None and stored[0] == _input(save):
        with suppress(ValueError, RecursionError):  # a damaged one is made anew
            return Leaderboard.from_json(stored[1])
    with raise_if_damaged(save):
        return leaderboard(save.records(), without_faults=without_faults)


def _input(save: Save) -> str:
    return f"{FORMULAS} {save.fingerprint()}"


def _computed(path: Path, known: str, without_faults: bool) -> dict[str, str]:
    """What the save's leaderboard was made from, and itself; nothing if the known one holds."""
    with Save(path) as save:
        made_from = _input(save)
        if made_from == known:
            return {}
        board = current_leaderboard(save, without_faults=without_faults)
        return {"input": made_from, "board": board.to_json()}


class Computer:
    """Computes leaderboards, in a process that is started when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._one_by_one = Lock()

    def computed(
        self, path: Path, known: str, *, without_faults: bool = False
    ) -> tuple[str, str] | None:
        """The input of a save's leaderboard, and its JSON; None if the known one still holds.

        None as well if the process was ended meanwhile. Raises ParlourError if the save cannot be
        read.
        """
        with Save(path) as save:
            few = save.match_count().finished <= FEW
        with self._one_by_one:
            compute = _computed if few else self._elsewhere
            found = compute(path, known, without_faults)
        if "trouble" in found:
            raise ParlourError(found["trouble"])
        return (found["input"], found["board"]) if found else None

    def _elsewhere(self, path: Path, known: str, without_faults: bool) -> dict[str, Any]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "parlour.tournament.reports.leaderboards"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                # Not the user's folder, where another package may go by the name of one of ours.
                cwd=Path(__file__).parents[3],
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            asked = {"path": str(path.absolute()), "known": known, "without_faults": without_faults}
            process.stdin.write(json.dumps(asked) + "\n")
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
    """Answers until nobody asks any more."""
    os.nice(POLITE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who asks
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = _computed(Path(asked["path"]), asked["known"], asked["without_faults"])
        except ParlourError as error:
            answer = {"trouble": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()

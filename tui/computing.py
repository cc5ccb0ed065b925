"""The leaderboard of a save, computed in a process of its own: the screen's must stay free.

It is asked by a line on its input (``path``, the ``known`` fingerprint, and whether it is wanted
``without_faults``) and answers with one on its output (``fingerprint`` and ``board``, or
``trouble``); when the input ends, so does it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from games.errors import ParlourError
from tournament.save import Save

POLITE = 10
"""Who watches can wait: play and the screen come first."""


def computed(path: Path, known: str, without_faults: bool) -> dict[str, Any]:
    """The answer for a save; nothing in it if the known leaderboard still holds."""
    from tournament.session import current_leaderboard  # heavy: after the first paint

    try:
        with Save(path) as save:
            fingerprint = save.fingerprint()
            if fingerprint == known:
                return {}
            board = current_leaderboard(save, without_faults=without_faults)
            return {"fingerprint": fingerprint, "board": board.to_json()}
    except ParlourError as error:
        return {"trouble": str(error)}


class Computer:
    """The process; it is started when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def computed(self, path: Path, known: str, without_faults: bool) -> dict[str, Any]:
        """The same as the function, but elsewhere. Nothing if the process was ended meanwhile."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tui.computing"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                # Not the user's folder, where another package may go by the name of one of ours.
                cwd=Path(__file__).parent.parent,
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
    for line in sys.stdin:
        asked = json.loads(line)
        answer = computed(Path(asked["path"]), asked["known"], asked["without_faults"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()

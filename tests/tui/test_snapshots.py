"""Each screen as a picture, at the size of an old terminal, of a window and of a wall.

After a wanted change: ``pytest tests/tui/test_snapshots.py --snapshot-update``, look at every
picture that changed, commit it.
"""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from parlour.tui.app import ParlourApp
from tests.tournaments import tamper
from tests.tui.playing import Driven, saved

SIZES = [(80, 24), (120, 40), (200, 60)]
SAVES = Path("saves")


async def _saves() -> None:
    """An unfinished save, a finished one and a file that is none, in a known order."""
    for age, (name, answers) in enumerate((("begun", 150), ("small", None))):
        path = await saved(SAVES / f"{name}.db", answers)
        os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    await _thinking(SAVES / "inner" / "thinking.db")  # which the list of saves does not show
    (SAVES / "notes.db").write_text("not a save")
    os.utime(SAVES / "notes.db", (1_600_000_000, 1_600_000_000))


async def _thinking(path: Path) -> None:
    """A save whose first match has the beliefs of a model over its clues and its vote."""
    await saved(path, None)
    rows = ([0, 0.5, 0.5], [0.1, 0.2, 0.7], [0.3, 0.36, 0.34])
    for heard, own in enumerate(rows, start=1):
        beliefs = [own, [0.3, 0.4, 0.3], [0.6, 0.4, 0.0]]
        analysis = f"Clue {heard} tells me little, but Player 3 is too exact for my taste."
        notes = {"heard": heard, "analysis": analysis, "beliefs": beliefs, "target": 2}
        sql = (
            "UPDATE answers SET notes = ? WHERE seq = (SELECT seq FROM answers WHERE match = 1"
            " AND seat = 0 AND kind IN ('clue', 'vote') ORDER BY ask LIMIT 1 OFFSET ?)"
        )
        tamper(path, sql, json.dumps(notes), heard - 1)


Step = tuple[str, str | tuple[str, ...]]
"""Keys with blanks between them, and the words that they bring into sight."""
LOOK: Step = ("", "matches")
HOME: Step = ("", "is not a save")  # all saves have been read
BOARD: Step = ("l", "12 finished matches")
SCREENS: dict[str, tuple[str | None, list[Step]]] = {
    "home": (None, [HOME]),
    "live": ("begun.db", [LOOK]),
    "standings": ("begun.db", [LOOK, ("4", "rank")]),
    "leaderboard": ("small.db", [LOOK, BOARD]),
    "agent": ("small.db", [LOOK, BOARD, ("enter", "Faults")]),
    "head-to-head": ("small.db", [LOOK, BOARD, ("m", ())]),
    "replay": ("small.db", [LOOK, ("r left left left", ())]),
    "thoughts": ("inner/thinking.db", [LOOK, ("t", ("whose", "70"))]),
    "help": ("begun.db", [LOOK, ("question_mark", ())]),
    "choice": (None, [HOME, ("p", ())]),
}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SCREENS)
def test_screen(name: str, size: tuple[int, int], snap_compare: Callable[..., bool]) -> None:
    save, steps = SCREENS[name]
    asyncio.run(_saves())
    app = ParlourApp(SAVES / save if save else None)

    async def at_rest(pilot: Pilot[None]) -> None:
        driven = Driven(pilot.app)
        for keys, words in steps:
            await driven.press(*keys.split(), sees=words)
        await driven.pause()

    assert snap_compare(app, run_before=at_rest, terminal_size=size)

"""Each screen as a picture, at the size of an old terminal, of a window and of a wall.

After a wanted change: ``pytest tests/tui/test_snapshots.py --snapshot-update``, look at every
picture that changed, commit it.
"""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
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


async def _thoughts(pilot: Driven) -> None:
    await _look(pilot)
    await pilot.press("t")
    await pilot.until(lambda: "whose" in pilot.shown and "70" in pilot.shown)


async def _look(pilot: Driven) -> None:
    await pilot.sees("matches")


async def _live(pilot: Driven) -> None:
    """The votes of a match that is over, in a tournament that nothing runs."""
    await _look(pilot)


async def _standings(pilot: Driven) -> None:
    """A match in the middle, and the standings beside it."""
    await _look(pilot)
    await pilot.press("4", sees="rank")


async def _help(pilot: Driven) -> None:
    await _look(pilot)
    await pilot.press("question_mark")


async def _home(pilot: Driven) -> None:
    """All saves have been read."""
    await pilot.sees("is not a save")


async def _choice(pilot: Driven) -> None:
    await _home(pilot)
    await pilot.press("p")


async def _leaderboard(pilot: Driven) -> None:
    await _look(pilot)
    await pilot.press("l", sees="12 finished matches")


async def _agent(pilot: Driven) -> None:
    await _leaderboard(pilot)
    await pilot.press("enter", sees="Faults")


async def _head_to_head(pilot: Driven) -> None:
    await _leaderboard(pilot)
    await pilot.press("m")


async def _replay(pilot: Driven) -> None:
    """In the middle of a match, at the players."""
    await _look(pilot)
    await pilot.press("r", "left", "left", "left")


SCREENS: dict[str, tuple[str | None, Callable[[Driven], Awaitable[None]]]] = {
    "home": (None, _home),
    "live": ("begun.db", _live),
    "standings": ("begun.db", _standings),
    "leaderboard": ("small.db", _leaderboard),
    "agent": ("small.db", _agent),
    "head-to-head": ("small.db", _head_to_head),
    "replay": ("small.db", _replay),
    "thoughts": ("inner/thinking.db", _thoughts),
    "help": ("begun.db", _help),
    "choice": (None, _choice),
}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SCREENS)
def test_screen(name: str, size: tuple[int, int], snap_compare: Callable[..., bool]) -> None:
    save, ready = SCREENS[name]
    asyncio.run(_saves())
    app = ParlourApp(SAVES / save if save else None)

    async def at_rest(pilot: Pilot[None]) -> None:
        driven = Driven(pilot.app)
        await ready(driven)
        await driven.pause()

    assert snap_compare(app, run_before=at_rest, terminal_size=size)

"""Each screen as a picture, at the size of an old terminal, of a window and of a wall.

After a wanted change: ``pytest tests/tui/test_snapshots.py --snapshot-update``, look at every
picture that changed, commit it.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.tui.playing import saved, shown, until
from tui.app import ParlourApp

SIZES = [(80, 24), (120, 40), (200, 60)]
SAVES = Path("saves")


async def _saves() -> None:
    """An unfinished save, a finished one and a file that is none, in a known order."""
    for age, (name, answers) in enumerate((("begun", 150), ("small", None))):
        path = await saved(SAVES / f"{name}.db", answers)
        os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    (SAVES / "notes.db").write_text("not a save")
    os.utime(SAVES / "notes.db", (1_600_000_000, 1_600_000_000))


async def _look(pilot: Pilot[None]) -> None:
    await until(pilot, lambda: "matches" in shown(pilot))


async def _live(pilot: Pilot[None]) -> None:
    """The votes of a match that is over, in a tournament that nothing runs."""
    await _look(pilot)
    await pilot.press("g")


async def _standings(pilot: Pilot[None]) -> None:
    """A match in the middle, and the standings beside it."""
    await _look(pilot)
    await pilot.press("5")
    await until(pilot, lambda: "7 matches; l shows all" in shown(pilot))


async def _help(pilot: Pilot[None]) -> None:
    await _look(pilot)
    await pilot.press("question_mark")


async def _choice(pilot: Pilot[None]) -> None:
    await _look(pilot)
    await pilot.press("n")


async def _leaderboard(pilot: Pilot[None]) -> None:
    await _look(pilot)
    await pilot.press("l")
    await until(pilot, lambda: "12 finished matches" in shown(pilot))


async def _agent(pilot: Pilot[None]) -> None:
    await _leaderboard(pilot)
    await pilot.press("enter")


async def _head_to_head(pilot: Pilot[None]) -> None:
    await _leaderboard(pilot)
    await pilot.press("m")


async def _replay(pilot: Pilot[None]) -> None:
    """In the middle of a match, at the players."""
    await _look(pilot)
    await pilot.press("r", "left", "left", "left")


SCREENS: dict[str, tuple[str | None, Callable[[Pilot[None]], Awaitable[None]]]] = {
    "home": (None, _look),
    "live": ("begun.db", _live),
    "standings": ("begun.db", _standings),
    "leaderboard": ("small.db", _leaderboard),
    "agent": ("small.db", _agent),
    "head-to-head": ("small.db", _head_to_head),
    "replay": ("small.db", _replay),
    "help": ("begun.db", _help),
    "choice": (None, _choice),
}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SCREENS)
def test_screen(name: str, size: tuple[int, int], snap_compare: Callable[..., bool]) -> None:
    save, ready = SCREENS[name]
    asyncio.run(_saves())
    app = ParlourApp(SAVES / save if save else None)
    assert snap_compare(app, run_before=ready, terminal_size=size)

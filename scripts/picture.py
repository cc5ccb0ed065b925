"""Draws the pictures in the README from the screens of the program.

.venv/bin/python scripts/picture.py [FOLDER]
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from cells import svg
from textual.pilot import Pilot

from parlour.tournament.plan.loader import read_preset
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.session import run_session
from parlour.tui.app import ParlourApp
from parlour.tui.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
SAVE = Path("saves/demo.db")
PICTURES: dict[str, tuple[Path, tuple[int, int], tuple[str, ...], str]] = {
    "picture.svg": (SAVE, (160, 44), (), "◆ impostor"),
    "leaderboard.svg": (SAVE, (160, 44), ("l",), "strength"),
}
"""Save, size in cells and keys of each picture, and words that are on it once it is drawn."""
MATCH = 16
"""The match of the demo in the first picture."""
SECONDS = 60.0


async def draw(name: str) -> str:
    """A picture as SVG."""
    save, size, keys, words = PICTURES[name]
    app = ParlourApp(save, Settings(Path("none"), theme="parlour-night"))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        if not keys:
            app.screen.show_match(MATCH)  # type: ignore[attr-defined]
        await pilot.press(*keys)
        await _until(pilot, lambda: words in _text(app))
        await _still(pilot, app)
        strips = app.screen._compositor.render_strips()
        return svg([strip._segments for strip in strips[: size[1]]], size[0])


def _text(app: ParlourApp) -> str:
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def _until(pilot: Pilot[None], true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not true():
        if time.monotonic() > deadline:
            sys.exit(f"never came:\n{_text(pilot.app)}")  # type: ignore[arg-type]
        await pilot.pause(0.1)


async def _still(pilot: Pilot[None], app: ParlourApp) -> None:
    """Waits until nothing has changed for two seconds."""
    before, since = _text(app), time.monotonic()
    while time.monotonic() - since < 2:
        await pilot.pause(0.2)
        if _text(app) != before:
            before, since = _text(app), time.monotonic()


def main(target: Path) -> None:
    """Plays the demo and draws every picture into a folder."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ |= {
            "HOME": folder,
            "XDG_CONFIG_HOME": f"{folder}/config",
            "COLORTERM": "truecolor",
        }
        SAVE.parent.mkdir()
        create_save(SAVE, read_preset("demo"))
        # One match after the other: the race shows the order in which matches were over.
        asyncio.run(run_session(SAVE, RunOptions(concurrency=1, workers=1)))
        for name in PICTURES:
            (target / name).write_text(asyncio.run(draw(name)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else ROOT / "docs")

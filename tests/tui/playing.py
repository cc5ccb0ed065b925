"""Small saves that were really played, and the app with or without a runner behind it."""

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from textual.pilot import Pilot
from textual.screen import Screen

from parlour.games.common.errors import ParlourError
from parlour.tournament.control.client import RunnerClient
from parlour.tournament.control.launch import start_detached
from parlour.tournament.plan.loader import read_tournament
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.lock import holder, socket_path
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import Progress, RunOptions
from parlour.tournament.session import SessionHooks, run_session
from parlour.tui.app import ParlourApp
from parlour.tui.screens.live import LiveScreen
from parlour.tui.settings import Settings, read_settings
from parlour.tui.widgets.fields_pane import FieldsPane
from parlour.tui.widgets.panes import Pane
from tests.tournaments import LANES, SMALL, written

T = TypeVar("T")
OF_A_MATCH = 21
"""Answers of a match of SMALL: 3 x 2 clues, own roles and beliefs of 3 seats after each of 2
rounds, 3 votes."""


def patience(seconds: float) -> float:
    """The seconds that a wait may take: the more, the more others want the processors."""
    return seconds * min(10.0, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))


def new_save(path: Path, text: str = SMALL) -> Path:
    """A save in which nothing has been played."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = written(path.parent, text, f"{path.stem}.toml")
    create_save(path, read_tournament(file))
    file.unlink()
    return path


async def play(path: Path, answers: int | None = None) -> None:
    """Plays a save, one match after the other; to its end, or until so many more answers."""

    def begun(runner: Runner, _before: Progress) -> None:
        if answers is not None:
            # In the fast lane many answers would follow before the one that stops it is stored.
            runner.gate.set_pace(LANES["slow"])
            runner._turns.on_answer_stored.append(lambda *_: stop_after(runner))

    def stop_after(runner: Runner) -> None:
        if runner.stats.answers == answers:
            runner.gate.set_pace(None)
            runner.stop()

    await run_session(path, RunOptions(concurrency=1), SessionHooks(on_start=begun))


_played: dict[tuple[int | None, str], Path] = {}
"""Saves made once a test process; every test gets a copy."""
_folder = TemporaryDirectory(prefix="parlour-test-")


async def saved(path: Path, answers: int | None = None, text: str = SMALL) -> Path:
    """A save of SMALL at that path: finished, or with so many answers (0: none)."""
    if (answers, text) not in _played:
        made = new_save(Path(_folder.name, f"{len(_played)}.db"), text)
        if answers != 0:
            await play(made, answers)
        _played[answers, text] = made
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(_played[answers, text], path)
    return path


def answers_in(save: Path) -> int:
    """Number of answers in a save."""
    with Save(save) as opened:
        return opened.progress().answers


# --- Runners


@asynccontextmanager
async def running(
    save: Path, *, concurrency: int = 2, pace: float | None = None, paused: bool = False
) -> AsyncIterator[Runner]:
    """A real runner on the save, in the test's own loop and behind its real socket.

    ``paused``: nothing is played before the gate opens. Stopped at the end.
    """
    begun: asyncio.Future[Runner] = asyncio.get_running_loop().create_future()
    latest: list[Runner] = []

    def started(runner: Runner, _before: Progress) -> None:
        if paused:
            runner.gate.close()
        latest[:] = [runner]  # a save that grows begins again
        if not begun.done():
            begun.set_result(runner)

    session = asyncio.create_task(
        run_session(
            save, RunOptions(concurrency=concurrency, pace=pace), SessionHooks(on_start=started)
        )
    )
    try:
        await asyncio.wait({begun, session}, return_when=asyncio.FIRST_COMPLETED)
        if not begun.done():
            session.result()  # it failed before it began
        runner = await begun
        while not socket_path(save).exists() and not session.done():
            await asyncio.sleep(0.01)
        yield runner
    finally:
        for runner in latest:
            runner.stop()
        await asyncio.wait_for(session, 20)


@contextmanager
def detached(save: Path, *, concurrency: int = 2, pace: float = 4.0) -> Iterator[int]:
    """A runner in a process of its own, ended with the test; gives its pid."""
    pid = start_detached(save, RunOptions(concurrency, pace))
    try:
        yield pid
    finally:
        end(save)


def end(save: Path) -> None:
    """Stops whatever process runs the save, and waits until it has let go."""
    with suppress(ParlourError):
        RunnerClient(save).stop()
    deadline = time.monotonic() + patience(10)
    while (pid := holder(save)) is not None:
        assert time.monotonic() < deadline, f"process {pid} does not stop"
        time.sleep(0.02)


# --- The app


class Driven(Pilot[None]):
    """The app as a test drives it.

    It goes on when all that a key, a click or a new size set off is done, however slow the machine.

    Textual's own takes a process that gets no time on the processor for one with nothing to do,
    and does not wait for what waits for the next drawing.
    """

    async def press(
        self, *keys: str, at: type = Screen, sees: str | tuple[str, ...] = (), says: str = ""
    ) -> None:
        """Presses keys; waits for the screen that they lead to, and for words that come of them.

        ``says`` is the one message that must be in the corner then.
        """
        for key in keys:
            await super().press(key)
        if at is not Screen:
            await self.until(lambda: isinstance(self.app.screen, at))
        for words in (sees,) if isinstance(sees, str) else sees:
            await self.sees(words)
        assert not says or self.toasts == [says]

    def at(self, kind: type[T]) -> T:
        """The screen in sight, which must be of a kind."""
        assert isinstance(self.app.screen, kind)
        return self.app.screen

    async def _wait_for_screen(self, timeout: float = 30.0) -> bool:
        # The way of a key from the driver to the app: behind it, so that it has come.
        behind = asyncio.run_coroutine_threadsafe(asyncio.sleep(0), asyncio.get_running_loop())
        await asyncio.wrap_future(behind)
        deadline = time.monotonic() + patience(timeout)
        at_rest = 0
        while at_rest < 2:  # once may be between a message and what it sets off
            if not await super()._wait_for_screen(timeout):
                return False
            await self.app.animator.wait_until_complete()
            at_rest = 0 if self._more_to_do() else at_rest + 1
            assert time.monotonic() < deadline, f"never at rest; on screen:\n{self.shown}"
        return True

    def _more_to_do(self) -> bool:
        if self.app._exit:
            return False
        screen = self.app.screen
        widgets = screen.walk_children(with_self=True)
        return (
            bool(screen._callbacks or screen._dirty_widgets)
            or any(pump.message_queue_size or pump._next_callbacks for pump in (self.app, *widgets))
            or any(widget._layout_required or widget._scroll_required for widget in widgets)
        )

    async def until(self, true: Callable[[], bool], seconds: float = 20.0) -> None:
        """Waits until something holds. The app's clocks run meanwhile."""
        deadline = time.monotonic() + patience(seconds)
        while not true():
            assert time.monotonic() < deadline, f"never came true; on screen:\n{self.shown}"
            await asyncio.sleep(0.02)

    async def sees(self, words: str) -> None:
        """Waits until words are on the screen."""
        await self.until(lambda: words in self.shown)

    @property
    def shown(self) -> str:
        """All that is on the screen, line by line, as plain text."""
        width, height = self.app.size
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text[:width].rstrip() for strip in strips[:height])

    @property
    def toasts(self) -> list[str]:
        """The messages in the corner."""
        return [notification.message for notification in self.app._notifications]

    @property
    def live(self) -> LiveScreen:
        """The live screen, which must be the one in sight."""
        return self.at(LiveScreen)

    @property
    def focused(self) -> str | None:
        """The id of the widget that has the keys."""
        return None if self.app.focused is None else self.app.focused.id

    @property
    def at_field(self) -> int | None:
        """The place of the field under the cursor, if the pane of a form has the keys."""
        pane = self.app.focused
        if not isinstance(pane, FieldsPane):
            return None
        paths = [field.path for field in pane.fields()]
        return paths.index(pane.at) if pane.at in paths else None


@asynccontextmanager
async def driven(
    save: Path | None, *, size: tuple[int, int] = (80, 24), settings: Settings | None = None
) -> AsyncIterator[Driven]:
    """The app on a save or on the home screen, in a screen of that size."""
    app = ParlourApp(save, settings or read_settings())
    async with app.run_test(size=size, notifications=True):
        pilot = Driven(app)
        await pilot.pause()
        yield pilot


@asynccontextmanager
async def watched(
    save: Path, size: tuple[int, int] = (80, 24), **of_the_runner: Any
) -> AsyncIterator[tuple[Driven, Runner]]:
    """The app on a save, and the runner of it; one that is paused is seen to be so."""
    async with running(save, **of_the_runner) as runner, driven(save, size=size) as pilot:
        if of_the_runner.get("paused"):
            await pilot.until(lambda: pilot.live.watched.state == "paused")
        yield pilot, runner


def pane_text(screen: Screen[None], name: str) -> str:
    """Everything that a pane holds, in sight or not."""
    pane = screen.query_one(name, Pane)
    width = pane.scrollable_content_region.width
    return "\n".join(pane.line(i, width).plain for i in range(pane.virtual_size.height))

"""The terminal of the app: what is written to it, how it is taken again, and when it is gone."""

import asyncio
import os
import signal
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from rich.console import Console
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Event, Key, Resize
from textual.geometry import Size
from textual.screen import ModalScreen, Screen

from parlour.games.common.text import notification
from parlour.tui.models.cadence import ByteBudget
from parlour.tui.widgets.closing import unless_closing
from parlour.tui.widgets.frame import CellFrame

TERMINAL_CHECK_SECONDS = 1.0
"""Seconds between two checks that the terminal still exists."""
FIRST_FRAME_SECONDS = 1.0
"""Seconds after which something is drawn in any case."""
LEFT_SECONDS = 60.0
"""Seconds without a key after which nobody is at the terminal."""
BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"
"""Marks of a frame, which a terminal that knows them shows at once."""


class FramedApp(App[None]):
    """Opens each screen in one frame, and keeps the cells and the bytes of its terminal."""

    def __init__(self) -> None:
        super().__init__(driver_class=TerminalDriver)
        # Textual would print the values of variables on it, and one of them may be a key.
        self.error_console = Console(stderr=True, quiet=True)
        self.failure: BaseException | None = None
        """The unexpected error that has ended the app."""
        self.byte_budget = ByteBudget()
        self.frame = CellFrame()
        self._window: Size | None = None
        self.terminal: TerminalDriver | None = None
        """The driver; None where there is no terminal."""
        self._last_key = time.monotonic()

    async def on_event(self, event: Event) -> None:
        """Handles an event; while the screen in sight closes, widgets may be missing."""
        if isinstance(event, Key):
            self._last_key = time.monotonic()
        with unless_closing(self):
            await super().on_event(event)

    def on_mount(self) -> None:
        """Writes everything after another program had the terminal."""
        self.app_resume_signal.subscribe(self, lambda _app: self.action_redraw())

    def on_resize(self, event: Resize) -> None:
        """Writes everything, since terminals move or wrap lines when their size changes."""
        if self._window not in {None, event.size}:
            self.frame.forget()
        self._window = event.size

    def action_redraw(self) -> None:
        """Writes the whole screen, over what another program may have written."""
        self.frame.forget()
        self.screen.refresh()

    def bell(self) -> None:
        """Rings. Textual does so too when a screen fails: then the error is kept to be told."""
        error = sys.exc_info()[1]
        if error is None:
            super().bell()
        else:
            self.failure = self.failure or error

    def tell_if_left(self, line: str) -> None:
        """Notifies a user who has left: the terminal has no focus, or got no key for a while."""
        if not self.app_focus or time.monotonic() - self._last_key >= LEFT_SECONDS:
            self.send_notification(line)

    def send_notification(self, line: str) -> None:
        """Rings, and sends a notification that the terminal may show elsewhere."""
        if self.terminal is not None:
            self.terminal.write(notification(line))

    def push_screen(self, screen: Any, *arguments: Any, **options: Any) -> Any:
        """Opens a screen. All but dialogs are drawn at once, when they are filled."""
        if isinstance(screen, Screen) and not isinstance(screen, ModalScreen):
            self._in_one_frame(screen)
        return super().push_screen(screen, *arguments, **options)

    def switch_screen(self, screen: Any) -> Any:
        """Opens a screen in place of another one, drawn at once too."""
        if isinstance(screen, Screen):
            self._in_one_frame(screen)
        return super().switch_screen(screen)

    def _in_one_frame(self, screen: Screen[Any]) -> None:
        """Draws nothing until the first layout of a screen is done and its panes are filled."""
        batch = ExitStack()
        batch.enter_context(self.batch_update())

        def draw() -> None:
            screen.refresh()  # what was asked for meanwhile has drawn nothing
            screen.call_after_refresh(batch.close)

        def laid_out(_screen: Screen[Any]) -> None:
            screen.screen_layout_refresh_signal.unsubscribe(self)
            screen.call_after_refresh(draw)

        screen.screen_layout_refresh_signal.subscribe(self, laid_out)
        self.set_timer(FIRST_FRAME_SECONDS, batch.close)


class TerminalDriver(LinuxDriver):
    """Textual's driver, which writes only what changes, with stops handled by the event loop.

    Textual's own handles them within the signal handler, where a lock that the interrupted code
    holds blocks it forever; and after a stop that no handler saw (SIGSTOP) it starts a second
    reader of the keys and takes raw modes for those to restore.
    """

    def __init__(self, app: FramedApp, **options: Any) -> None:
        super().__init__(app, **options)
        self._framed, self._given_back, self._kept_by_app = app, False, False
        self._waiting: list[str] = []
        app.terminal = self
        self._loop_of_app = loop = asyncio.get_running_loop()
        for which, handle in ((signal.SIGTSTP, self._stop), (signal.SIGCONT, self._go_on)):
            signal.signal(which, lambda *_, handle=handle: loop.call_soon_threadsafe(handle))

    def write(self, data: str) -> None:
        """Writes at the end of this turn of the event loop: two drawings in it become one."""
        if data == BEGIN and self._waiting[-1:] == [END]:
            self._waiting.pop()
            return
        if not self._waiting:
            self._loop_of_app.call_soon(self._write_now)
        self._waiting.append(data)

    def _write_now(self) -> None:
        """Writes what changes a cell, and counts it, so that screens can slow down."""
        if not self._waiting:
            return
        changes = "".join(map(self._framed.frame.changes, self._waiting))
        self._waiting.clear()
        self._framed.byte_budget.add(time.monotonic(), len(changes.encode("utf-8", "replace")))
        super().write(changes)

    def close(self) -> None:
        """Writes what is left, and gives the terminal back."""
        self._write_now()
        super().close()

    @contextmanager
    def no_automatic_restart(self) -> Iterator[None]:
        """While the app stops and starts its terminal itself, as for another program."""
        self._kept_by_app = True
        try:
            with super().no_automatic_restart():
                yield
        finally:
            self._kept_by_app = False

    def _stop(self) -> None:
        if not self._kept_by_app:
            self.suspend_application_mode()
            self._given_back = True
        os.kill(os.getpid(), signal.SIGSTOP)

    def _go_on(self) -> None:
        """Takes the terminal again, or sleeps on until it is ours."""
        if self._kept_by_app or self._framed.return_code is not None:
            return
        if self._is_in_background():
            os.kill(os.getpid(), signal.SIGSTOP)
            return
        if not self._given_back:  # stopped unseen: the modes were never given back
            self.suspend_application_mode()
        self._given_back = False
        self.resume_application_mode()
        self._framed.action_redraw()

    def _is_in_background(self) -> bool:
        """True while a shell has given the terminal to another job, or to itself."""
        try:
            return os.tcgetpgrp(self.fileno) != os.getpgrp()
        except OSError:  # not the terminal that controls us: no shell gives it away
            return False


def exit_without_terminal() -> None:
    """Ends the process once its terminal is gone.

    A lost terminal does not always send a signal, and the app would block forever on output that
    nothing reads.
    """
    while True:
        time.sleep(TERMINAL_CHECK_SECONDS)
        try:
            termios.tcgetattr(sys.stdin)
        except termios.error:
            os._exit(128 + signal.SIGHUP)

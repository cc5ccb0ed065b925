"""App that writes little to the terminal: whole screens at once, then the cells that change."""

import os
import signal
import sys
import termios
import time
from contextlib import ExitStack
from typing import Any

from rich.console import RenderableType
from rich.text import Text
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.events import Resize
from textual.geometry import Size
from textual.screen import ModalScreen, Screen

from parlour.agents.llm.keys import traceback_of
from parlour.tui.models.cadence import ByteBudget
from parlour.tui.widgets.frame import Changed, Frame
from parlour.tui.widgets.terminal_driver import TerminalDriver

TERMINAL_CHECK_SECONDS = 1.0
"""Seconds between two checks that the terminal still exists."""
FIRST_FRAME_SECONDS = 1.0
"""Seconds after which something is drawn in any case."""


class FramedApp(App[None]):
    """Keeps the cells of the terminal, and counts the bytes that are written to it."""

    def __init__(self) -> None:
        super().__init__(driver_class=TerminalDriver)
        self.byte_budget = ByteBudget()
        self._frame = Frame()
        self._window: Size | None = None
        self._opening = False
        """True until a screen that opens is written: its first write is the whole of it."""

    def on_mount(self) -> None:
        """Counts bytes, and writes everything after another program had the terminal."""
        self._count_bytes()
        self.app_resume_signal.subscribe(self, lambda _app: self.action_redraw())

    def on_resize(self, event: Resize) -> None:
        """Writes everything, since terminals move or wrap lines when their size changes."""
        if self._window not in {None, event.size}:
            self._frame.forget()
        self._window = event.size

    def action_redraw(self) -> None:
        """Writes the whole screen, over what another program may have written."""
        self._frame.forget()
        self._opening = True
        self.screen.refresh()

    def _fatal_error(self) -> None:
        """Ends the app after an unexpected error. Textual's own traceback would show values."""
        if self._exception is not None:
            self._exit_renderables.append(Text(traceback_of(self._exception)))
        self._close_messages_no_wait()

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

        def end() -> None:
            self._opening = True
            batch.close()
            screen.refresh()  # what was asked for meanwhile has drawn nothing

        def draw() -> None:
            # Behind the refreshes that were asked for meanwhile.
            screen.call_later(end)

        def laid_out(_screen: Screen[Any]) -> None:
            screen.screen_layout_refresh_signal.unsubscribe(self)
            screen.call_after_refresh(draw)

        screen.screen_layout_refresh_signal.subscribe(self, laid_out)
        self.set_timer(FIRST_FRAME_SECONDS, batch.close)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Writes those cells that differ from the ones on the terminal."""
        changes: Any = renderable
        if self._opening and renderable is not None and not self._batch_count:
            self._opening = False
            renderable = screen._compositor.render_full_update()
        if isinstance(renderable, LayoutUpdate | ChopsUpdate):
            changes = Changed(renderable, self._frame)
        super()._display(screen, changes)

    def _count_bytes(self) -> None:
        """Counts all that is written to the terminal, so that screens can slow down."""
        driver = self._driver
        if driver is None:
            return
        write = driver.write

        def counted(data: str) -> None:
            self.byte_budget.add(time.monotonic(), len(data.encode("utf-8", "replace")))
            write(data)

        driver.write = counted  # type: ignore[method-assign]


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

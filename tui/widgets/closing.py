"""Keys that come in a burst to a screen while it opens or closes: its widgets are not there."""

from collections.abc import Iterator
from contextlib import contextmanager

from textual.app import App, ScreenStackError
from textual.css.query import NoMatches
from textual.dom import NoScreen
from textual.widget import Widget


@contextmanager
def unless_closing(app: App[None], of: Widget | None = None) -> Iterator[None]:
    """Lets a missing widget or screen be an error only where a screen was open and still is.

    That is the screen in sight, or the one that a widget is on.
    """
    try:
        screen = app.screen if of is None else of.screen
    except (NoScreen, ScreenStackError):
        screen = None
    try:
        yield
    except (NoMatches, ScreenStackError):
        is_open = screen is not None and screen.is_mounted and screen in app.screen_stack
        if is_open and app.return_code is None:
            raise

"""Lines drawn by a function of width and height, which take no keys."""

from rich.text import Text
from textual.widget import Widget

from parlour.tui.widgets.drawn import Draw


class Drawing(Widget):
    """A part of a screen that is only looked at."""

    ALLOW_SELECT = False

    def __init__(self, draw: Draw, *, id: str) -> None:
        super().__init__(id=id)
        self._draw = draw

    def render(self) -> Text:
        """The lines, one below the other."""
        return Text("\n", no_wrap=True).join(self._draw(self.size.width, self.size.height))

"""Container whose children lie where a function of its size puts them."""

from collections.abc import Callable, Mapping

from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

Places = Callable[[Size], Mapping[str, Region]]
"""Returns the place of each child by its id, from the size of the container."""


class PlacedLayout(Layout):
    """Puts children where a function says; those without a place are not drawn."""

    name = "placed"

    def __init__(self, places: Places) -> None:
        self._places = places

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        """The places of the children."""
        parent.pre_layout(self)
        places = self._places(size)
        placed = [(child, places.get(child.id or "")) for child in children]
        return [
            WidgetPlacement(region, NULL_OFFSET, NULL_SPACING, child)
            for child, region in placed
            if region is not None
        ]


class Placed(Widget):
    """Lays its children out by a function, in one pass; hides those without a place."""

    DEFAULT_CSS = "Placed { width: 1fr; height: 1fr; }"

    def __init__(self, *children: Widget, places: Places, id: str) -> None:
        super().__init__(*children, id=id)
        self._first, self._places = children, places
        self._placed = PlacedLayout(places)

    def hide_others(self, size: Size) -> None:
        """Hides the children that have no place at a size, also before they are mounted."""
        places = self._places(size)
        for child in self.children or self._first:
            if child.display != (child.id in places):
                child.display = child.id in places

    @property
    def layout(self) -> Layout:
        """The layout that asks the function."""
        return self._placed

    def arrange_again(self) -> None:
        """Lays the children out again, since the function says something else now."""
        self.hide_others(self.size)
        for child in self.children:
            child.refresh(layout=True)  # asks its parent for a new place

    def on_resize(self) -> None:
        """Hides the children that have no place at this size."""
        self.hide_others(self.size)

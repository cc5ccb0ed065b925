"""Pane of a chart, which fits into it and never scrolls."""

from parlour.tui.widgets.drawn import DrawnPane


class ChartPane(DrawnPane, inherit_bindings=False):
    """Shows a picture of its own size; the keys that move are those of the screen."""

"""The line of tabs of a narrow terminal."""

from rich.text import Text

from parlour.tui.look.look import Look

TABS = ("Matches", "Match", "Board", "Standings", "Wall")


def tab_line(look: Look, chosen: int) -> Text:
    """The tabs with their keys; the chosen one on a ground of its own."""
    palette = look.palette
    line = Text(" ", no_wrap=True)
    for number, name in enumerate(TABS, start=1):
        ground = f" on {palette.raised}" if number == chosen else ""
        key = palette.accent if number == chosen else palette.faint
        style = f"bold {palette.text}" if number == chosen else palette.soft
        line.append(f" {number}", key + ground).append(f" {name} ", style + ground).append("  ")
    return line

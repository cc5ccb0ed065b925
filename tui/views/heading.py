"""The two lines at the top of a screen that shows no match: its place, and a note at the right."""

from rich.text import Text

from parlour.tui.look.look import Look, fit, spread


def heading(look: Look, place: Text, note: Text, width: int) -> list[Text]:
    """The program and the place on the ground of panels, and a rule below."""
    palette = look.palette
    left = Text.assemble((" Parlour ", f"bold {palette.accent}"), ("│ ", palette.rule), place)
    line = spread(left, note.copy().append(" "), width)
    line.stylize_before(f"on {palette.panel}")
    return [line, fit(Text(look.signs.rule * width, palette.rule), width)]

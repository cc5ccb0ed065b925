"""Fields of a form as lines: ticks, choices, numbers and texts on the ground of panels."""

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.tui.look.look import Look, fit
from parlour.tui.models.new_fields import Field

Rows = list[tuple[Text, str | None]]
"""Lines, each with the id of the field that it belongs to; None for headings and blank lines."""
LABEL, ENTRY = 18, 11
"""Columns of a label and of a number."""
ROOM_FOR_HINT = 28
"""Columns of a text from which its hint is beside it."""
NAMES: dict[object, str] = {
    True: "on",
    False: "off",
    None: "–",
    "round_robin": "round robin",
    "in_turn": "in turn",
}


def edge(look: Look, chosen: bool) -> Text:
    """The sign at the left of the field that has the keys."""
    return Text().append(look.signs.cursor if chosen else " ", f"bold {look.palette.accent}")


def tick(look: Look, field: Field) -> Text:
    """The box of a tick."""
    sign = look.signs.done if field.value else " "
    palette = look.palette
    return Text.assemble(
        ("[", palette.faint), (sign, f"bold {palette.accent}"), ("]", palette.faint)
    )


def heading(look: Look, title: Text | str, width: int, right: str = "") -> tuple[Text, None]:
    """A rule with the title of a section."""
    return look.rule(width, title, Text(right, look.palette.faint)), None


def blank(width: int) -> tuple[Text, None]:
    """An empty line."""
    return fit(Text(), width), None


def option_name(option: object) -> str:
    """An option in words."""
    try:
        return NAMES[option]
    except (KeyError, TypeError):
        return one_line(str(option)).replace("_", " ")


def entry(look: Look, field: Field, width: int, chosen: bool) -> Text:
    """A field with its label: a choice as chips, a number or text with a caret if it is chosen."""
    look = look.on_cursor() if chosen else look
    palette = look.palette
    label = fit(Text(field.label, palette.text if chosen else palette.soft), min(LABEL, width))
    line = edge(look, chosen).append_text(Text(" ")).append_text(label)
    room = width - line.cell_len
    if field.kind == "choice":
        return fit(line.append_text(choice(look, field, room)), width)
    if field.kind == "tick":
        line = edge(look, chosen).append(" ").append_text(tick(look, field))
        return fit(line.append(f" {field.label}", palette.text), width)
    hint = f"  {field.hint}" if field.hint else ""
    whole = room if room < ROOM_FOR_HINT else room - len(hint)
    columns = min(room, ENTRY) if field.kind == "number" else whole
    text = Text(f" {one_line(str(field.value))}", palette.text)
    if chosen:
        text.append(" ", "reverse")
    if not str(field.value):
        text.append(field.unset, palette.faint)
    if text.cell_len > columns:  # the end is where one types
        text = Text("…", palette.faint).append_text(text[len(text) - columns + 1 :])
    box = fit(text, columns)
    box.stylize_before(f"on {palette.raised if chosen else palette.panel}")
    line.append_text(box)
    if line.cell_len + len(hint) <= width:
        line.append(hint, palette.faint)
    return fit(line, width)


def choice(look: Look, field: Field, width: int) -> Text:
    """Options side by side, the chosen one in brackets; it alone with arrows if they do not fit."""
    palette = look.palette
    names = [option_name(option) for option in field.options]
    line = Text(no_wrap=True)
    for option, name in zip(field.options, names, strict=True):
        if option == field.value:
            line.append(f"[{name}]", f"bold {palette.on_chip} on {palette.accent}")
        else:
            line.append(f" {name} ", f"{palette.soft} on {palette.panel}")
        line.append(" ")
    if line.cell_len <= width + 1:
        return line
    arrows = f"bold {palette.accent}"
    value = Text(f" {option_name(field.value)} ", f"{palette.text} on {palette.panel}")
    return Text.assemble((f"{look.signs.left} ", arrows), value, (f" {look.signs.right}", arrows))

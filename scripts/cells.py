"""Writes the cells of a terminal as SVG: boxes, blocks and braille as shapes, the rest as text.

Shapes look alike in every viewer, whatever its font has.
"""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

WIDTH, HEIGHT = 8, 17
"""Size of a cell in pixels."""
FONT = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
BACKGROUND, INK = "#14161c", "#e4e7ef"

_UP, _RIGHT, _DOWN, _LEFT = (0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5)
_ARMS = {
    "─": (0, 1, 0, 1),
    "│": (1, 0, 1, 0),
    "╭": (0, 1, 1, 0),
    "╮": (0, 0, 1, 1),
    "╰": (1, 1, 0, 0),
    "╯": (1, 0, 0, 1),
    "├": (1, 1, 1, 0),
    "┤": (1, 0, 1, 1),
    "┬": (0, 1, 1, 1),
    "┴": (1, 1, 0, 1),
    "┼": (1, 1, 1, 1),
    "┿": (1, 2, 1, 2),
    "━": (0, 2, 0, 2),
    "╸": (0, 0, 0, 2),
    "┃": (2, 0, 2, 0),
    "┏": (0, 2, 2, 0),
    "┓": (0, 0, 2, 2),
    "┗": (2, 2, 0, 0),
    "┛": (2, 0, 0, 2),
    "╵": (1, 0, 0, 0),
}
"""Weight of the lines from the centre of a box sign: up, right, down, left."""
_ROUND = {"╭": "M4,17 Q4,8.5 8,8.5", "╮": "M4,17 Q4,8.5 0,8.5"} | {
    "╰": "M4,0 Q4,8.5 8,8.5",
    "╯": "M4,0 Q4,8.5 0,8.5",
}
_LEFT_EIGHTHS = "▏▎▍▌▋▊▉█"
_LOWER_EIGHTHS = "▁▂▃▄▅▆▇█"
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))

Cell = tuple[str, str, str, str]
"""Character, ink, background, and attributes (b bold, i italic, u underlined)."""


def svg(lines: Sequence[Iterable[Segment]], columns: int) -> str:
    """A picture of lines of segments, each ``columns`` cells wide."""
    height = len(lines) * HEIGHT
    size = f'width="{columns * WIDTH}" height="{height}" viewBox="0 0 {columns * WIDTH} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" font-size="13">',
        f'<rect width="100%" height="100%" fill="{BACKGROUND}"/>',
    ]
    for row, line in enumerate(lines):
        parts += _line(list(_cells(line)), row)
    return "\n".join([*parts, "</svg>", ""])


def _cells(line: Iterable[Segment]) -> Iterator[Cell]:
    """Yields the cells of a line; the second half of a wide character is an empty one."""
    for text, style, _control in line:
        ink, background, attributes = _look(style)
        for sign in text:
            yield sign, ink, background, attributes
            if cell_len(sign) == 2:
                yield "", ink, background, attributes


def _look(style: Style | None) -> tuple[str, str, str]:
    if style is None:
        return INK, BACKGROUND, ""
    ink = style.color.get_truecolor().hex if style.color else INK
    back = style.bgcolor.get_truecolor(foreground=False).hex if style.bgcolor else BACKGROUND
    if style.reverse:
        ink, back = back, ink
    flags = {"b": style.bold, "i": style.italic, "u": style.underline, "d": style.dim}
    return ink, back, "".join(name for name, on in flags.items() if on)


def _line(cells: Sequence[Cell], row: int) -> Iterator[str]:
    top = row * HEIGHT
    column = 0
    for background, same in groupby(cells, key=lambda cell: cell[2]):
        count = len(list(same))
        if background != BACKGROUND:
            place = f'x="{column * WIDTH}" y="{top}" width="{count * WIDTH}" height="{HEIGHT}"'
            yield f'<rect {place} fill="{background}"/>'
        column += count
    column = 0
    for (ink, attributes, shape), same in groupby(cells, key=_kind):
        signs = [cell[0] for cell in same]
        if shape:
            yield from _shapes(signs, column * WIDTH, top, ink)
        elif "".join(signs).strip():
            yield _text("".join(signs), len(signs), column * WIDTH, top, ink, attributes)
        column += len(signs)


def _kind(cell: Cell) -> tuple[str, str, bool]:
    sign, ink, _background, attributes = cell
    return ink, attributes, bool(sign) and _is_shape(sign)


def _is_shape(sign: str) -> bool:
    blocks = _LEFT_EIGHTHS + _LOWER_EIGHTHS + "░▒▀▐┊"
    return sign in _ARMS or sign in blocks or 0x2800 < ord(sign) < 0x2900


def _text(text: str, columns: int, x: int, top: int, ink: str, attributes: str) -> str:
    left = len(text) - len(text.lstrip())
    words = text.strip()
    x, columns = x + left * WIDTH, columns - (len(text) - len(words))
    style = {"b": ' font-weight="bold"', "i": ' font-style="italic"'}
    style |= {"u": ' text-decoration="underline"', "d": ' opacity="0.66"'}
    marks = "".join(style[each] for each in attributes)
    place = f'x="{x}" y="{top + 13}" textLength="{columns * WIDTH}"'
    return f'<text {place} fill="{ink}"{marks} xml:space="preserve">{escape(words)}</text>'


def _shapes(signs: Sequence[str], x: int, top: int, ink: str) -> Iterator[str]:
    """Yields the shapes of signs in a row; those that go on for many cells are one shape."""
    for sign, same in groupby(signs):
        count = len(list(same))
        if sign in "─━":
            weight = 1 if sign == "─" else 2
            path = f"M{x},{top + HEIGHT / 2:g}h{count * WIDTH}"
            yield f'<path d="{path}" stroke="{ink}" stroke-width="{weight}"/>'
        else:
            for offset in range(count):
                yield from _shape(sign, x + offset * WIDTH, top, ink)
        x += count * WIDTH


def _shape(sign: str, x: int, top: int, ink: str) -> Iterator[str]:
    """Yields the shapes of a box, block or braille sign."""
    if sign in _ROUND:
        path = _ROUND[sign]
        yield f'<path transform="translate({x},{top})" d="{path}" fill="none" stroke="{ink}"/>'
    elif sign in _ARMS:
        for weight, (to_x, to_y) in zip(_ARMS[sign], (_UP, _RIGHT, _DOWN, _LEFT), strict=True):
            if weight:
                start = f"M{x + WIDTH / 2:g},{top + HEIGHT / 2:g}"
                end = f"L{x + to_x * WIDTH:g},{top + to_y * HEIGHT:g}"
                yield f'<path d="{start}{end}" stroke="{ink}" stroke-width="{weight}"/>'
    elif sign == "┊":
        start = f"M{x + WIDTH / 2:g},{top} v{HEIGHT}"
        yield f'<path d="{start}" stroke="{ink}" stroke-dasharray="2 2.25"/>'
    elif ord(sign) > 0x2800:
        yield from _braille(ord(sign) - 0x2800, x, top, ink)
    else:
        left, above, width, height, shade = _block(sign)
        place = f'x="{x + left * WIDTH:g}" y="{top + above * HEIGHT:g}"'
        size = f'width="{width * WIDTH:g}" height="{height * HEIGHT:g}"'
        opacity = f' opacity="{shade}"' if shade < 1 else ""
        yield f'<rect {place} {size} fill="{ink}"{opacity}/>'


def _block(sign: str) -> tuple[float, float, float, float, float]:
    """Left, top, width and height of a block in parts of a cell, and its opacity."""
    if sign in _LEFT_EIGHTHS:
        return 0, 0, (_LEFT_EIGHTHS.index(sign) + 1) / 8, 1, 1
    if sign in _LOWER_EIGHTHS:
        part = (_LOWER_EIGHTHS.index(sign) + 1) / 8
        return 0, 1 - part, 1, part, 1
    if sign == "▀":
        return 0, 0, 1, 0.5, 1
    if sign == "▐":
        return 0.5, 0, 0.5, 1, 1
    return 0, 0, 1, 1, 0.25 if sign == "░" else 0.5


def _braille(bits: int, x: int, top: int, ink: str) -> Iterator[str]:
    circles = []
    for row, pair in enumerate(_DOTS):
        for column, bit in enumerate(pair):
            if bits & bit:
                centre_x, centre_y = x + 2 + 4 * column, top + 2.1 + 4.25 * row
                circles.append(
                    f"M{centre_x - 1.3:g},{centre_y:g}a1.3,1.3 0 1,0 2.6,0a1.3,1.3 0 1,0 -2.6,0"
                )
    yield f'<path d="{"".join(circles)}" fill="{ink}"/>'

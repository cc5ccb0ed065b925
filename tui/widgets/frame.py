"""The cells on the terminal, so that only those that change are written.

Textual writes a line of a widget again if anything in it has changed, and the whole screen after
each layout. A live screen changes a few cells of many lines, and over a slow line bytes count.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import COLOR_SYSTEMS, Console
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Size
from textual.strip import Strip

GAP = 6
"""Unchanged cells between two changed ones that are written too: a move costs as much."""
Cell = tuple[str, str]
"""A character with the SGR codes of its style."""
UNKNOWN: Cell = ("", "?")
Piece = tuple[int, int, Strip]
"""Line, column and contents of a part of a line."""
STRAIGHT = frozenset(["4", "7", "9", "21", "51", "52", "53"])
"""Attributes that show on a blank: lines and reverse video."""


class Codes(NamedTuple):
    """SGR codes taken apart: attributes, colour of the text, colour behind it."""

    attributes: tuple[str, ...] = ()
    text: str = "39"
    behind: str = "49"


class Frame:
    """The cells that a terminal shows, as far as they are known."""

    def __init__(self) -> None:
        self._size = Size(0, 0)
        self._lines: list[list[Cell]] = []

    def forget(self) -> None:
        """Takes all cells for unknown, as after another program has written to the terminal."""
        self._size = Size(0, 0)

    def write(self, update: LayoutUpdate | ChopsUpdate, console: Console) -> str:
        """The characters and codes that bring the terminal up to date."""
        size = _size(update)
        if size != self._size:
            self._size = size
            self._lines = [[UNKNOWN] * size.width for _ in range(size.height)]
        pen = _Pen()
        for y, x, strip in _whole(update) if isinstance(update, LayoutUpdate) else _parts(update):
            self._bring_up_to_date(pen, y, x, _cells(strip, console))
        return pen.end()

    def _bring_up_to_date(self, pen: "_Pen", y: int, x: int, cells: list[Cell]) -> None:
        line = self._lines[y]
        known = line[x : x + len(cells)]
        if known == cells:
            return
        line[x : x + len(cells)] = cells
        differ = [
            at for at, pair in enumerate(zip(cells, known, strict=True)) if pair[0] != pair[1]
        ]
        for begin, end in _runs(differ):
            pen.write_at(x + begin, y, cells[begin:end])


class Changed(CompositorUpdate):
    """An update of Textual's of which only the changed cells are written."""

    def __init__(self, update: LayoutUpdate | ChopsUpdate, frame: Frame) -> None:
        self._update, self._frame = update, frame

    def render_segments(self, console: Console) -> str:
        """The characters and codes for the terminal."""
        return self._frame.write(self._update, console)


class _Pen:
    """Writes cells with as few codes as possible."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._now = Codes()

    def write_at(self, x: int, y: int, cells: list[Cell]) -> None:
        """Writes cells from a place on."""
        self._parts.append(f"\x1b[{y + 1};{x + 1}H")
        for codes, same in groupby(cells, key=itemgetter(1)):
            self._take(_apart(codes))
            self._parts.append("".join(map(itemgetter(0), same)))

    def end(self) -> str:
        """Everything that was written; the style is put back to that of the terminal."""
        self._take(Codes())
        return "".join(self._parts)

    def _take(self, wanted: Codes) -> None:
        now, self._now = self._now, wanted
        if now == wanted:
            return
        if wanted.attributes != now.attributes:
            now = Codes(wanted.attributes)
            new = ["0", *wanted.attributes]
        else:
            new = []
        if wanted.text != now.text:
            new.append(wanted.text)
        if wanted.behind != now.behind:
            new.append(wanted.behind)
        self._parts.append(f"\x1b[{';'.join(new)}m")


def _size(update: LayoutUpdate | ChopsUpdate) -> Size:
    if isinstance(update, LayoutUpdate):
        return update.region.size
    return Size(update.chop_ends[0][-1], len(update.chops))


def _whole(update: LayoutUpdate) -> Iterator[Piece]:
    for y, line in enumerate(update.strips, update.region.y):
        x = update.region.x
        for strip in line:
            yield y, x, strip
            x += strip.cell_length


def _parts(update: ChopsUpdate) -> Iterator[Piece]:
    for y, first, last in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if strip is None or x > last or end <= first:
                continue
            inside = last > x >= first and end <= last
            yield y, x, strip if inside else strip.crop(0, min(end, last) - x)


def _cells(strip: Strip, console: Console) -> list[Cell]:
    """The cells of a strip.

    Where characters are not one cell wide, the first cell has them all: terminals do not agree
    on such widths, so a line with one is never written in parts.
    """
    if any(style is not None and style.link for _text, style, _control in strip) or not _narrow(
        strip.text
    ):
        return [(strip.render(console), ""), *[("", "")] * (strip.cell_length - 1)]
    system = COLOR_SYSTEMS.get(console.color_system or "", ColorSystem.TRUECOLOR)
    cells: list[Cell] = []
    for text, style, _control in strip:
        codes = "" if style is None else _codes(style, system)
        blank = _on_blank(codes)
        cells += [(each, blank if each == " " else codes) for each in text]
    return cells


@lru_cache(8192)
def _narrow(text: str) -> bool:
    """True if each character is one cell wide."""
    return text.isascii() or all(cell_len(each) == 1 for each in text)


@lru_cache(4096)
def _codes(style: Style, system: ColorSystem) -> str:
    return Strip.render_ansi(style, system)


@lru_cache(4096)
def _on_blank(codes: str) -> str:
    """The codes that can be seen on a blank."""
    apart = _apart(codes)
    if STRAIGHT.intersection(apart.attributes):
        return codes
    return "" if apart.behind == "49" else apart.behind


@lru_cache(4096)
def _apart(codes: str) -> Codes:
    numbers = codes.split(";") if codes else []
    attributes, text, behind = [], "39", "49"
    while numbers:
        code = numbers[0]
        size = 1
        if code in {"38", "48"}:
            size = 5 if numbers[1] == "2" else 3
        value = ";".join(numbers[:size])
        if code == "38" or (code[0] in "39" and len(code) == 2):
            text = value
        elif code == "48" or (len(code) > 1 and code[:-1] in {"4", "10"}):
            behind = value
        else:
            attributes.append(value)
        numbers = numbers[size:]
    return Codes(tuple(attributes), text, behind)


def _runs(changed: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Begin and end of the runs of changed cells, those close to each other in one."""
    begin = end = -1
    for at in changed:
        if begin >= 0 and at > end + GAP:
            yield begin, end
            begin = -1
        if begin < 0:
            begin = at
        end = at + 1
    if begin >= 0:
        yield begin, end

"""The cells on the terminal, so that only those that change are written.

Textual writes a line of a widget again if anything in it has changed, and the whole screen after
each layout. A live screen changes a few cells of many lines, and over a slow line bytes count: at
160x48 with 64 matches in play this is a seventh of what Textual writes. Only the codes of terminals
are known here, and nothing of Textual: a write of any other form is passed on as it is.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby, repeat
from operator import itemgetter
from typing import NamedTuple

from rich.cells import cell_len

GAP = 6
"""Unchanged cells between two changed ones that are written too: a move costs as much."""
TerminalCell = tuple[str, str]
"""A character with the SGR codes of its style."""
UNKNOWN: TerminalCell = ("", "?")
STRAIGHT = frozenset(["4", "7", "9", "21", "51", "52", "53"])
"""Attributes that show on a blank: lines and reverse video."""
MOVE = r"\x1b\[(\d+);(\d+)H"
DRAWING = re.compile(rf"{MOVE}(?:{MOVE}|\x1b\[[\d;]*m|[^\x00-\x1f\x7f]|\n)*+")
"""A write that draws: it moves the cursor first, and has no code but moves and styles."""
PIECE = re.compile(rf"{MOVE}((?:\x1b\[[\d;]*m|[^\x00-\x1f\x7f])*+)\n?")
STYLED = re.compile(r"\x1b\[([\d;]*)m|([^\x1b]+)")
OTHER_SCREEN = "\x1b[?1049"


class Codes(NamedTuple):
    """SGR codes taken apart: attributes, colour of the text, colour behind it."""

    attributes: tuple[str, ...] = ()
    text: str = "39"
    behind: str = "49"


class CellFrame:
    """The cells that a terminal shows, as far as they are known."""

    def __init__(self) -> None:
        self._lines: dict[int, list[TerminalCell]] = {}

    def forget(self) -> None:
        """Takes all cells for unknown, as after another program has written to the terminal."""
        self._lines.clear()

    def changes(self, written: str) -> str:
        """The part of a write that a terminal needs which shows the known cells.

        Text after a move of the cursor is drawn; the last move, without text, places the cursor.
        """
        if DRAWING.fullmatch(written) is None:
            if OTHER_SCREEN in written or re.search(MOVE, written):
                self.forget()
            return written
        pen = _Pen()
        cursor = ""
        for piece in PIECE.finditer(written):
            row, column, drawn = piece.groups()
            cursor = "" if drawn else piece[0]
            self._bring_up_to_date(pen, int(row) - 1, int(column) - 1, _cells(drawn))
        return pen.end() + cursor

    def _bring_up_to_date(self, pen: "_Pen", y: int, x: int, cells: list[TerminalCell]) -> None:
        line = self._lines.setdefault(y, [])
        end = x + len(cells)
        line.extend(repeat(UNKNOWN, end - len(line)))
        known = line[x:end]
        if known == cells:
            return
        line[x:end] = cells
        differ = [
            at for at, pair in enumerate(zip(cells, known, strict=True)) if pair[0] != pair[1]
        ]
        for first, after in _runs(differ):
            pen.write_at(x + first, y, cells[first:after])


class _Pen:
    """Writes cells with as few codes as possible."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._now = Codes()

    def write_at(self, x: int, y: int, cells: list[TerminalCell]) -> None:
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


def _cells(drawn: str) -> list[TerminalCell]:
    """The cells of text with its styles.

    Where characters are not one cell wide, the first cell has them all: terminals do not agree
    on such widths, so a line with one is never written in parts.
    """
    cells: list[TerminalCell] = []
    codes = blank = ""
    narrow = True
    for style, text in STYLED.findall(drawn):
        if not text:
            # Each style that is no reset is put on none: the one before it has been reset.
            codes = "" if style in {"", "0"} else style
            blank = _on_blank(codes)
            continue
        narrow = narrow and _narrow(text)
        cells += [(each, blank if each == " " else codes) for each in text]
    if narrow:
        return cells
    width = cell_len("".join(map(itemgetter(0), cells)))
    return [(drawn, ""), *repeat(("", ""), width - 1)]


@lru_cache(8192)
def _narrow(text: str) -> bool:
    """True if each character is one cell wide."""
    return text.isascii() or all(cell_len(each) == 1 for each in text)


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

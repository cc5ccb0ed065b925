"""Pieces of lines in the look of a theme: chips, rules, bars, intervals and heat cells.

Every function returns a text of an exact width where it takes one. ``fit`` and ``spread`` give
any line its width.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import ceil, floor
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from parlour.tui.look.cast import ShownIdentity
from parlour.tui.look.palette import FANCY, NIGHT, Palette, Ramp, Signs

if TYPE_CHECKING:
    from rich.console import Console

DIM_INTERVAL, DIM_BORDER, DIM_FILL = 0.35, 0.45, 0.52
"""Shares of the background in a colour: intervals and finished rows, borders, large fills."""
AXIS_STEPS = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0)
"""Steps between the numbers of an axis; the least at which these do not touch is taken."""
AXIS_GAP = 2
"""Blanks between two numbers of an axis; whole numbers may stand closer."""


@dataclass(frozen=True, slots=True)
class ShownInterval:
    """An estimate with the ends of its confidence interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, value: float, low: float | None, high: float | None) -> "ShownInterval":
        """Returns an interval; one without ends is a point."""
        return cls(value, value if low is None else low, value if high is None else high)

    @property
    def is_point(self) -> bool:
        """True if there are too few matches for an interval."""
        return self.low == self.high


def common_scale(intervals: Sequence[ShownInterval | None]) -> tuple[float, float]:
    """The scale on which all intervals fit, with zero in it."""
    known = [interval for interval in intervals if interval is not None]
    low = min((interval.low for interval in known), default=-1.0)
    high = max((interval.high for interval in known), default=1.0)
    return min(low, -0.5), max(high, 0.5)


@dataclass(frozen=True, slots=True)
class Look:
    """A palette and a set of signs, and the pieces drawn with them."""

    palette: Palette = NIGHT
    signs: Signs = FANCY

    def on_cursor(self) -> "Look":
        """The same look on the ground of the cursor, where faint and grid cannot be read."""
        tokens = self.palette
        palette = replace(tokens, faint=tokens.soft, grid=tokens.accent_dim)
        return Look(palette, self.signs)

    # --- People

    def chip(self, who: ShownIdentity, *, width: int = 0, pending: bool = False) -> Text:
        """Letters on the colour of an agent; in its colour on grey while it has not answered.

        ``width`` pads chips of one column to the same width; 0 takes what the letters need.
        """
        letters = f" {who.letters} ".center(max(width, len(who.letters) + 2))
        if pending:
            return Text(letters, f"bold {who.colour} on {self.palette.raised}", no_wrap=True)
        return Text(letters, f"bold {self.palette.on_chip} on {who.colour}", no_wrap=True)

    def letters(self, who: ShownIdentity, *, turn: bool = False, dim: bool = False) -> Text:
        """Letters in the colour of an agent; reversed if it is its turn."""
        if turn:
            return Text(who.letters, f"bold {self.palette.on_chip} on {who.colour}")
        if dim:
            return Text(who.letters, self.palette.dimmed(who.colour, DIM_INTERVAL))
        return Text(who.letters, f"bold {who.colour}")

    def name(self, who: ShownIdentity, *, speaks: bool = False) -> Text:
        """A name in its colour, bold where it speaks."""
        return Text(who.name, f"bold {who.colour}" if speaks else who.colour)

    def person(self, who: ShownIdentity, *, speaks: bool = False, width: int = 0) -> Text:
        """The chip of an agent and its name; ``width`` is that of the chip."""
        chip, name = self.chip(who, width=width), self.name(who, speaks=speaks)
        return Text.assemble(chip, " ", name, no_wrap=True)

    # --- Lines

    def title(self, key: str, words: str, more: str = "") -> Text:
        """The title of a pane: its key, its name, and what it shows now."""
        parts = [(f"{key} ", self.palette.faint)] if key else []
        title = Text.assemble(*parts, (words, f"bold {self.palette.text}"))
        return title.append(f" · {more}", self.palette.soft) if more else title

    def rule(self, width: int, title: Text | str = "", right: Text | str = "") -> Text:
        """A line across with a title at the left and a note at the right."""
        line_style = self.palette.rule
        heading = Text(title, self.palette.soft) if isinstance(title, str) else title
        note = Text(right, self.palette.soft) if isinstance(right, str) else right
        line = Text(no_wrap=True)
        if heading.plain:
            line.append(self.signs.rule * 2 + " ", line_style).append_text(heading).append(" ")
        tail = Text()
        if note.plain:
            tail.append(" ").append_text(note).append(f" {self.signs.rule}", line_style)
        gap = max(0, width - line.cell_len - tail.cell_len)
        line.append(self.signs.rule * gap, line_style).append_text(tail)
        return fit(line, width)

    def progress(self, share: float, width: int, *, playing: float = 0.0) -> Text:
        """Progress as a line: done, playing, and to go, in shares of the whole."""
        palette, signs = self.palette, self.signs
        done = min(1.0, max(0.0, share)) * width
        whole = int(done)
        half = whole < width and done - whole >= 0.5
        line = Text(signs.line * whole + signs.half_line * half, palette.accent, no_wrap=True)
        both = min(width, round((share + playing) * width))
        line.append(signs.line * max(0, both - len(line)), palette.accent_dim)
        return line.append(signs.rest * (width - len(line)), palette.rule)

    def bar(self, share: float, width: int, colour: str, *, empty: str = "") -> Text:
        """A bar in eighths of a cell; ``empty`` is the sign of what is left, blank by default."""
        exact = min(1.0, max(0.0, share)) * width
        whole = int(exact)
        line = Text(self.signs.full * whole, colour, no_wrap=True)
        part = int((exact - whole) * 8)
        if part and whole < width:
            line.append(self.signs.eighths[part], colour)
        left = width - len(line)
        return line.append((empty or " ") * left, self.palette.grid if empty else "")

    def sparkline(self, values: Sequence[float], width: int) -> Text:
        """The last ``width`` values as columns from 0 to the largest."""
        shown = list(values)[-width:]
        most = max(shown, default=0) or 1
        steps = len(self.signs.columns) - 1
        signs = (self.signs.columns[round(steps * max(0, value) / most)] for value in shown)
        text = "".join(signs).rjust(width)
        return Text(text, self.palette.dimmed(self.palette.accent, 0.2), no_wrap=True)

    def forest(
        self, interval: ShownInterval | None, width: int, scale: tuple[float, float], colour: str
    ) -> Text:
        """An estimate with its interval on a common scale, with a sign at zero; hollow without."""
        signs, cells = self.signs, [(" ", "")] * width
        if width and scale[0] < 0 < scale[1]:
            cells[_column(0, width, scale)] = (signs.zero, self.palette.grid)
        return self._over(cells, interval, scale, colour, (signs.low, signs.rest, signs.high))

    def axis(self, width: int, scale: tuple[float, float]) -> Text:
        """The numbers of a common scale, each above its column of ``forest``."""
        low, high = scale
        for step in AXIS_STEPS:
            cells, free, fits = [" "] * width, 0, True
            for number in range(ceil(low / step), floor(high / step) + 1):
                text = f"{number * step:+g}".replace("-", "\u2212") if number else "0"
                at = round((number * step - low) / ((high - low) or 1) * (width - 1))
                start = at - len(text) // 2
                if 0 <= start <= width - len(text):
                    fits = fits and start >= free
                    cells[start : start + len(text)] = text
                    free = start + len(text) + (1 if step >= 1 else AXIS_GAP)
            if fits:
                return Text("".join(cells), self.palette.faint, no_wrap=True)
        return Text(" " * width, no_wrap=True)

    def track(self, interval: ShownInterval | None, width: int, colour: str) -> Text:
        """An estimate from 0 to 1 with its interval on a line."""
        cells = [(self.signs.rest, self.palette.grid)] * width
        return self._over(cells, interval, (0.0, 1.0), colour, (self.signs.line,) * 3)

    def _over(
        self,
        cells: list[tuple[str, str]],
        interval: ShownInterval | None,
        scale: tuple[float, float],
        colour: str,
        signs: tuple[str, str, str],
    ) -> Text:
        """Cells with an estimate over them; ``signs`` are the ends and the middle of its line."""
        if interval is not None and cells:
            ends = (interval.low, interval.high, interval.value)
            first, last, at = (_column(value, len(cells), scale) for value in ends)
            dim = self.palette.dimmed(colour, DIM_INTERVAL)
            cells[first : last + 1] = [(signs[1], dim)] * (last + 1 - first)
            cells[first], cells[last] = (signs[0], dim), (signs[2], dim)
            point = self.signs.hollow if interval.is_point else self.signs.point
            cells[at] = (point, f"bold {colour}")
        return Text.assemble(*cells, no_wrap=True)

    def line(self, share: float, width: int, colour: str) -> Text:
        """A share from 0 to 1 as a line."""
        done = round(min(1.0, max(0.0, share)) * width)
        line = Text(self.signs.line * done, colour, no_wrap=True)
        return line.append(self.signs.rest * (width - done), self.palette.grid)

    def heat(self, share: float | None, width: int, text: str | None = None) -> Text:
        """A cell of a heat table for a share from 0 to 1, with the number of percent in it."""
        if share is None:
            return Text("–".center(width), f"{self.palette.faint} on {self.palette.panel}")
        ramp = self.palette.heat
        step = ramp.step(share)
        number = f"{100 * share:.0f}" if text is None else text
        bold = "bold " if share > 0.5 else ""
        return Text(
            number.center(width)[:width], f"{bold}{ramp.inks[step]} on {ramp.colours[step]}"
        )

    def ramp(self, least: str, ramp: Ramp, most: str) -> Text:
        """The colours of a ramp between words for its ends."""
        line = Text(f"{least} ", self.palette.faint)
        for colour in ramp.colours:
            line.append("  ", f"on {colour}")
        return line.append(f" {most}", self.palette.faint)

    def pill(self, sign: str, word: str, colour: str) -> Text:
        """A state as a word on its colour."""
        return Text(f" {sign} {word} ", f"bold {self.palette.on_chip} on {colour}", no_wrap=True)

    def keys(self, pairs: Sequence[tuple[str, str]]) -> Text:
        """Keys with the words for what they do, as in a footer or a hint."""
        line = Text(no_wrap=True)
        for key, words in pairs:
            line.append("   " if line.plain else "")
            line.append(key, f"bold {self.palette.accent}").append(f" {words}", self.palette.soft)
        return line


def _column(value: float, width: int, scale: tuple[float, float]) -> int:
    """The column of a value on a scale, cut at the ends."""
    low, high = scale
    share = (value - low) / ((high - low) or 1)
    return max(0, min(width - 1, round(share * (width - 1))))


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign; zero is +0."""
    text = f"{value:+.{digits}f}"
    return text.replace("-", "\u2212") if float(text) else f"+{abs(float(text)):.{digits}f}"


JOINING = frozenset(["", "·", "and", "as", "by", "in", "of", "the", "with"])
"""Words at which no text ends."""


def fit(text: Text, width: int, *, align: str = "left") -> Text:
    """A text in exactly ``width`` columns: padded, or cut with an ellipsis."""
    if width < 1:
        return Text()
    line = text.copy()
    line.no_wrap = True
    if line.cell_len > width:
        line.truncate(width, overflow="ellipsis")
    missing = max(0, width - line.cell_len)
    if align == "right":
        return Text(" " * missing, no_wrap=True).append_text(line)
    left = missing // 2 if align == "center" else 0
    return Text(" " * left, no_wrap=True).append_text(line).append(" " * (missing - left))


def whole_words(text: Text, width: int) -> Text:
    """A text in at most ``width`` columns that ends with a whole word, if its first one fits."""
    if text.cell_len <= width:
        return text
    words = text.plain.split(" ")
    while len(words) > 1 and (cell_len(" ".join(words)) > width or words[-1] in JOINING):
        words.pop()
    shorter = text[: len(" ".join(words))]
    shorter.truncate(max(0, width), overflow="ellipsis")
    return shorter


def flowed(parts: Iterable[Text], width: int, gap: int) -> list[Text]:
    """Texts side by side with a gap between two, as many to a line as fit."""
    lines = [Text(no_wrap=True)]
    for part in parts:
        if lines[-1] and lines[-1].cell_len + gap + part.cell_len > width:
            lines.append(Text(no_wrap=True))
        lines[-1].append(" " * gap if lines[-1] else "").append_text(part)
    return lines


def spread(left: Text, right: Text, width: int) -> Text:
    """Two texts at the ends of a line; the left one is cut where both do not fit."""
    room = width - right.cell_len
    if room < 1:
        return fit(right, width)
    if not right.plain:
        return fit(left, width)
    return fit(left, room - 1).append(" ").append_text(right)


def wrapped(text: Text, width: int, indent: int = 0) -> list[Text]:
    """A text wrapped to lines of at most ``width`` columns, each behind an indent."""
    room = max(4, width - indent)
    lines = text.wrap(_console(), room, tab_size=4)
    return [Text(" " * indent, no_wrap=True).append_text(line) for line in lines] or [Text()]


@cache
def _console() -> "Console":
    """A console for Rich's wrapping, which asks it for a tab size alone; it takes long to make."""
    from rich.console import Console

    return Console()

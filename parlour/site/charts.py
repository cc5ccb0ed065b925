"""Figures in SVG: rings, lines and radars, and the intervals and bars in the cells of tables.

Attributes and texts are escaped, and colours are classes of the page. Horizontal places are in
percent where a drawing is as wide as its cell.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil, cos, dist, floor, pi, sin
from operator import attrgetter
from typing import NamedTuple

from markupsafe import Markup, escape

from parlour.games.engine.board import Arrow
from parlour.site.figures import Chart, Entry, Figure, PageCell, PageTable, number, signed
from parlour.tui.look.cast import ShownIdentity

# --- Elements

Point = tuple[float, float]


def tag(name: str, *inside: object, **attributes: object) -> Markup:
    """An element; ``class_`` is the class, ``text_anchor`` the attribute text-anchor.

    An attribute of None is left out. Strings inside are escaped, markup is not.
    """
    parts = []
    for key, value in attributes.items():
        if value is not None:
            word = key.rstrip("_").replace("_", "-")
            parts.append(f' {word}="{escape(short(value))}"')
    body = Markup("").join(map(escape, inside))
    if not inside:
        return Markup(f"<{name}{''.join(parts)}/>")
    return Markup(f"<{name}{''.join(parts)}>{body}</{name}>")


def short(value: object) -> str:
    """A number with at most two decimals, or any other value as text."""
    if isinstance(value, float):
        text = f"{value:.2f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    return str(value)


def path(points: Iterable[Point], *, closed: bool = False) -> str:
    """The data of a path through some points."""
    words = " ".join(f"{short(x)},{short(y)}" for x, y in points)
    return f"M{words}Z" if closed else f"M{words}"


def text(x: object, y: object, words: str, **attributes: object) -> Markup:
    """Words at a place."""
    return tag("text", words, x=x, y=y, **attributes)


def cut(words: str, most: int) -> str:
    """Words of at most so many characters."""
    return words if len(words) <= most else words[: max(1, most - 1)] + "…"


# --- Figures

RADAR = (420.0, 270.0)
LINES = (720.0, 300.0)
RING = (560.0, 400.0)
NODE = (50.0, 16.0)
"""Half the width and half the height of a node of a ring."""
NAME = 16
"""The most characters of a name in a drawing."""


@dataclass(frozen=True, slots=True)
class AxisScale:
    """A linear scale of a horizontal axis, from 0 to 1 between its ends."""

    low: float
    high: float

    def share(self, value: float) -> float:
        """The place of a value, cut at the ends."""
        span = self.high - self.low or 1.0
        return min(1.0, max(0.0, (value - self.low) / span))

    def ticks(self, most: int = 5) -> list[float]:
        """Round numbers between the ends."""
        span = self.high - self.low or 1.0
        for power in range(-4, 12):
            for step in (1, 2, 5):
                size = step * 10.0**power
                if span / size <= most:
                    first, last = ceil(self.low / size), floor(self.high / size)
                    return [size * place for place in range(first, last + 1)]
        return [self.low, self.high]


def scale_of(values: Sequence[float | None], *, margin: float = 0.04) -> AxisScale:
    """A scale that holds all of the values, and 0."""
    present = [0.0, *(value for value in values if value is not None)]
    low, high = min(present), max(present)
    room = margin * (high - low) or 0.5
    return AxisScale(low - room if low < 0 else 0.0, high + room)


def wide_scale(values: Sequence[float | None]) -> AxisScale:
    """A scale of strengths that holds all of the values, rounded out to 0.2."""
    present = [-0.4, 0.4, *(value for value in values if value is not None)]
    return AxisScale(floor(5 * min(present)) / 5, ceil(5 * max(present)) / 5)


SHARES = AxisScale(0.0, 1.0)


def interval_cell(
    scale: AxisScale,
    value: float | None,
    low: float | None,
    high: float | None,
    colour: str,
    height: int = 22,
) -> Markup:
    """An estimate with its interval on a scale, as wide as its cell; a grey line for None.

    A dot without an interval is hollow.
    """
    middle, radius = height / 2, 4.0 if height < 30 else 5.5
    parts = [_upright(scale.share(tick), "grid", height) for tick in scale.ticks(4) if tick]
    parts.append(_upright(scale.share(0.0), "zero", height))
    if value is None:
        parts.append(tag("line", x1="0%", x2="100%", y1=middle, y2=middle, class_="grid"))
        return tag("svg", *parts, class_="cell", height=height, aria_hidden="true")
    words, style = f"{number(value)}, no interval", "dot hollow"
    if low is not None and high is not None:
        style = "dot"
        words = f"{number(value)}, 95 % interval from {number(low)} to {number(high)}"
        ends = _percent(scale.share(low)), _percent(scale.share(high))
        parts.append(tag("line", x1=ends[0], x2=ends[1], y1=middle, y2=middle, class_="whisker"))
    parts.append(tag("circle", cx=_percent(scale.share(value)), cy=middle, r=radius, class_=style))
    return tag("svg", *parts, class_=f"cell {colour}", height=height, role="img", aria_label=words)


def axis_cell(scale: AxisScale, *, plain: bool = False) -> Markup:
    """The ticks of a scale, for the head of a column of intervals."""
    parts = []
    for tick in scale.ticks(4):
        share = scale.share(tick)
        # A number at the end of the axis stays inside of it.
        anchor = "middle"
        if share < 0.06:
            anchor = "start"
        elif share > 0.94:
            anchor = "end"
        words = f"{tick:g}".replace("-", "−") if plain else _signed(tick)
        parts.append(text(_percent(share), 11, words, text_anchor=anchor))
    return tag("svg", *parts, class_="cell ticks", height=14, aria_hidden="true")


class ShareSlice(NamedTuple):
    """A share of a whole with its class, its words, and a label where there is room for one."""

    style: str
    share: float
    words: str
    label: str = ""


def stack_cell(slices: Sequence[ShareSlice], words: str, height: int = 22) -> Markup:
    """Shares of a whole as one bar."""
    body, begin = [], 0.0
    for each in slices:
        if each.share > 0:
            place = {"x": _percent(begin), "width": _percent(each.share)}
            title = [tag("title", each.words)] if each.words else []
            thick = 16 if height > 20 else 6
            rest = {"y": (height - thick) / 2, "height": thick, "class_": each.style}
            body.append(tag("rect", *title, **place, **rest))
        if each.label and each.share >= 0.05 * (len(each.label) + 1):
            middle = _percent(begin + each.share / 2)
            style = f"in {each.style}"
            body.append(text(middle, 15.5, each.label, text_anchor="middle", class_=style))
        begin += each.share
    return tag("svg", *body, class_="cell", height=height, role="img", aria_label=words)


def _upright(share: float, style: str, height: int) -> Markup:
    place = _percent(share)
    return tag("line", x1=place, x2=place, y1=0, y2=height, class_=style)


def _percent(share: float) -> str:
    return f"{short(100 * share)}%"


def _signed(value: float) -> str:
    return signed(value, 2 if abs(value) < 1 else 1).rstrip("0").rstrip(".") or "0"


def radar(names: Sequence[str], values: Sequence[float | None], other: Sequence[float | None],
          colour: str, style: str = "mean") -> Markup:  # fmt: skip
    """The chart of values from 0 to 1, clockwise from the top, over other ones in a ``style``."""
    middle = (RADAR[0] / 2, RADAR[1] / 2 + 4)
    radius, count = 100.0, len(names)

    def at(spoke: int, share: float) -> Point:
        angle = 2 * pi * spoke / count
        return middle[0] + radius * share * sin(angle), middle[1] - radius * share * cos(angle)

    parts = []
    for ring in (0.25, 0.5, 0.75, 1.0):
        web = path([at(spoke, ring) for spoke in range(count)], closed=True)
        parts.append(tag("path", d=web, class_="grid"))
    for spoke, name in enumerate(names):
        (x, y), (u, v) = at(spoke, 1.0), at(spoke, 1.16)
        parts.append(tag("line", x1=middle[0], y1=middle[1], x2=x, y2=y, class_="grid"))
        anchor = "middle"
        if abs(u - middle[0]) > 8:
            anchor = "start" if u > middle[0] else "end"
        parts.append(text(u, v + 4, name, text_anchor=anchor, class_="label"))
    for shape, of in ((other, style), (values, f"shape {colour}")):
        if any(value is not None for value in shape):
            points = [at(spoke, value or 0.0) for spoke, value in enumerate(shape)]
            parts.append(tag("path", d=path(points, closed=True), class_=of))
    for spoke, value in enumerate(values):
        if value is not None:
            x, y = at(spoke, value)
            parts.append(tag("circle", cx=x, cy=y, r=3, class_=f"dot {colour}"))
    return Markup("").join(parts)


@dataclass(frozen=True, slots=True)
class CourseLine:
    """A line of a chart: its places and values, with intervals where they are given."""

    who: ShownIdentity
    points: Sequence[tuple[float, float | None]]
    intervals: Sequence[tuple[float, float]] = ()


def lines(
    courses: Sequence[CourseLine],
    scale: AxisScale,
    unit: str,
    *,
    size: tuple[float, float] = LINES,
    percent: bool = False,
) -> Markup:
    """Lines over numbers from the first on, each with its name at its end."""
    width, height = size
    left, right, top, bottom = 44.0, 26 + 7.0 * NAME, 12.0, height - 34
    points = chain.from_iterable(map(attrgetter("points"), courses))
    places = [place for place, _ in points]
    across = AxisScale(min(places, default=0.0), max(places, default=1.0))

    def x(place: float) -> float:
        return left + across.share(place) * (width - left - right)

    def y(value: float) -> float:
        return bottom - scale.share(value) * (bottom - top)

    parts = []
    for tick in scale.ticks(6):
        style = "axis" if tick == 0 else "grid"
        parts.append(tag("line", x1=left, x2=width - right, y1=y(tick), y2=y(tick), class_=style))
        words = f"{100 * tick:.0f} %" if percent else f"{tick:,.10g}".replace("-", "−")
        parts.append(text(left - 6, y(tick) + 4, words, text_anchor="end"))
    parts += [
        text(x(tick), bottom + 17, f"{tick:,.0f}", text_anchor="middle")
        for tick in across.ticks(6)
        if float(tick).is_integer()
    ]
    middle = left + (width - left - right) / 2
    parts.append(text(middle, height - 2, unit, text_anchor="middle", class_="label"))
    for line in courses:
        for (place, _), (low, high) in zip(line.points, line.intervals, strict=False):
            ends = {"y1": y(low), "y2": y(high)}
            style = f"faded {line.who.colour}"
            parts.append(tag("line", x1=x(place), x2=x(place), **ends, class_=style))
        drawn = [(x(place), y(value)) for place, value in line.points if value is not None]
        if drawn:
            parts.append(tag("path", d=path(drawn), class_=f"line {line.who.colour}"))
        if len(drawn) <= 16:
            for u, v in drawn:
                parts.append(tag("circle", cx=u, cy=v, r=2.6, class_=f"dot {line.who.colour}"))
    ends_of = {
        line.who.name: (line, value) for line in courses if (value := _last(line)) is not None
    }
    heights = apart({name: y(value) for name, (_, value) in ends_of.items()}, top, bottom)
    for name, (line, _) in ends_of.items():
        place = width - right + 10
        words = cut(name, NAME)
        parts.append(text(place, heights[name] + 4, words, class_=f"name {line.who.colour}"))
    return Markup("").join(parts)


def _last(line: CourseLine) -> float | None:
    return line.points[-1][1] if line.points else None


def apart(wanted: Mapping[str, float], top: float, bottom: float) -> dict[str, float]:
    """Heights near the wanted ones that are at least a line of text apart."""
    names = sorted(wanted, key=lambda name: wanted[name])
    step = min(14.0, (bottom - top) / max(1, len(names) - 1))
    heights: list[float] = []
    for name in names:
        heights.append(max(wanted[name], heights[-1] + step) if heights else wanted[name])
    limit = bottom
    for index in range(len(heights) - 1, -1, -1):
        heights[index] = min(heights[index], limit)
        limit = heights[index] - step
    return dict(zip(names, heights, strict=True))


def ring(
    people: Sequence[ShownIdentity],
    arrows: Sequence[Arrow],
    notes: Sequence[str] = (),
    marked: Sequence[int] = (),
) -> tuple[Markup, float]:
    """The graph from the top clockwise, and its height.

    The share of an arrow is its width; one that is not good is a refusal. ``notes`` stand beside
    the nodes, ``marked`` people have a heavy frame.
    """
    middle = (RING[0] / 2, RING[1] / 2 - 12)
    radii = (RING[0] / 2 - (130 if any(notes) else 60), RING[1] / 2 - 40)
    places: list[Point] = []
    for index in range(len(people)):
        angle = 2 * pi * index / max(1, len(people))
        places.append((middle[0] + radii[0] * sin(angle), middle[1] - radii[1] * cos(angle)))
    both = {(arrow.target, arrow.source) for arrow in arrows}
    parts = []
    for arrow in arrows:
        if arrow.target is not None:
            bend = 0.14 if (arrow.source, arrow.target) in both else 0.0
            style = people[arrow.source].colour + (" refused" if arrow.good is False else "")
            width = 0.8 + 3.2 * (arrow.share or 0.0)
            ends = places[arrow.source], places[arrow.target]
            parts.append(_arrow(*ends, bend, width, style))
    for index, (who, (x, y)) in enumerate(zip(people, places, strict=True)):
        heavy = " heavy" if index in marked else ""
        left, top = x - NODE[0], y - NODE[1]
        size = {"width": 2 * NODE[0], "height": 2 * NODE[1], "rx": 8}
        parts.append(tag("rect", x=left, y=top, **size, class_=f"node {who.colour}{heavy}"))
        chip = {"width": 20, "height": 18, "rx": 4, "class_": f"chip-of {who.colour}"}
        parts.append(tag("rect", x=left + 8, y=y - 9, **chip))
        letters = {"text_anchor": "middle", "class_": "on-node"}
        parts.append(text(left + 18, y + 4, cut(who.letters, 3), **letters))
        parts.append(text(left + 34, y + 4.5, cut(who.name, 8), class_=f"name {who.colour}"))
        if index < len(notes) and notes[index]:
            side, anchor = (-1, "end") if x < middle[0] - 1 else (1, "start")
            place = {"text_anchor": anchor, "class_": "label"}
            parts.append(text(x + side * (NODE[0] + 7), y + 4, cut(notes[index], 26), **place))
    lowest = max((y for _, y in places), default=0.0)
    return Markup("").join(parts), lowest + NODE[1] + 20


def _arrow(begin: Point, end: Point, bend: float, width: float, style: str) -> Markup:
    """A line with a head that ends at the border of the node, bent to its left."""
    length = dist(begin, end)
    if length < 1:
        return Markup("")
    along = (end[0] - begin[0]) / length, (end[1] - begin[1]) / length
    aside = (along[1] * bend * length, -along[0] * bend * length)
    control = ((begin[0] + end[0]) / 2 + 2 * aside[0], (begin[1] + end[1]) / 2 + 2 * aside[1])
    start, tip = _border(begin, control, 2), _border(end, control, 2)
    stop = _towards(tip, control, 7)
    back = (tip[0] - stop[0]), (tip[1] - stop[1])
    size = max(dist(tip, stop), 0.1)
    across = (-back[1] / size * 4.5, back[0] / size * 4.5)
    head = [
        tip,
        (stop[0] + across[0], stop[1] + across[1]),
        (stop[0] - across[0], stop[1] - across[1]),
    ]
    curve = f"{path([start])}Q{control[0]:.1f},{control[1]:.1f} {stop[0]:.1f},{stop[1]:.1f}"
    line = tag("path", d=curve, class_=f"tie {style}", stroke_width=width)
    return line + tag("path", d=path(head, closed=True), class_=f"head {style}")


def _border(node: Point, target: Point, margin: float) -> Point:
    """The point on the frame of a node in the direction of the target, a margin outside."""
    across, down = abs(target[0] - node[0]), abs(target[1] - node[1])
    sizes = (NODE[0] + margin, across), (NODE[1] + margin, down)
    shares = [half / length for half, length in sizes if length > 0.01]
    return _towards(node, target, min(shares, default=0.0) * dist(node, target))


def _towards(origin: Point, target: Point, length: float) -> Point:
    """The point so far from the origin in the direction of the target."""
    whole = dist(origin, target) or 1.0
    share = length / whole
    return origin[0] + (target[0] - origin[0]) * share, origin[1] + (target[1] - origin[1]) * share


def picture_of(title: str, lines: Sequence[str], figures: Sequence[Figure]) -> Chart:
    """Figures below each other, each with its title, legend and note; above are title and lines."""
    body = text(0, 14, title, class_="strong")
    for down, words in enumerate(lines, start=1):
        body += text(0, 14 + 18 * down, words)
    width, height = 7.0 * max(map(len, (title, *lines))), 34.0 + 18 * len(lines)
    for figure in figures:
        chart = next(iter(figure.pictures), None) or _written(figure.table)
        parts, right = [text(0, 12, figure.title, class_="strong")], 8.0 * len(figure.title) + 16
        for style, words in figure.legend:
            size = {"y1": 8, "y2": 8, "stroke_width": 3}
            parts.append(tag("line", x1=right, x2=right + 24, **size, class_=f"tie {style}"))
            parts.append(text(right + 30, 12, words))
            right += 48 + 7 * len(words)
        parts.append(text(right, 12, figure.note))
        parts.append(tag("g", chart.body, transform="translate(0 24)"))
        body += tag("g", *parts, transform=f"translate(0 {short(height)})")
        width = max(width, chart.width, right + 7 * len(figure.note))
        height += chart.height + 40
    return Chart(title, ", ".join(each.title for each in figures), width, height, body)


def _written(table: PageTable) -> Chart:
    """A table as a drawing, its entries on one line each."""
    rows = [list(map(_cell_of, row)) for row in (table.titles, *table.rows)]
    widths = [7.0 * max(map(_length, column)) + 18 for column in zip(*rows, strict=True)]
    parts = []
    for down, row in enumerate(rows):
        for place, cell in enumerate(row):
            left, width = sum(widths[:place]), widths[place] - 18
            x, anchor = (left, None) if place < table.lead else (left + width, "end")
            style = f"name {cell.person.colour}" if cell.person else None
            parts.append(text(x, 16 + 22 * down, _line(cell), text_anchor=anchor, class_=style))
            if cell.picture:
                size = {"x": left, "y": 22 * down, "width": width, "height": 22}
                parts.append(tag("svg", cell.picture, **size))
    return Chart("", "", sum(widths), 22.0 * len(rows), Markup().join(parts))


def _cell_of(entry: Entry) -> PageCell:
    return entry if isinstance(entry, PageCell) else PageCell(entry)


def _length(cell: PageCell) -> int:
    """The width of a cell in letters; a picture has that of 29."""
    return 29 if cell.picture else len(_line(cell))


def _line(cell: PageCell) -> str:
    """The words of a cell on one line."""
    who = cut(cell.person.name, NAME) if cell.person else ""
    return " ".join(filter(None, (who, cell.text, cell.small)))

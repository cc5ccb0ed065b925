"""Ratings of an agent over the nights: drawn on the fixed scale, scales never joined."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from math import ceil

from markupsafe import Markup

from parlour.ratings.reference.placing import Level, pool_over
from parlour.ratings.reference.scale import shipped_scale
from parlour.ratings.reports.standings_report import ComparableRatings, Entry
from parlour.site.charts import AxisScale, apart, cut, path, tag, text, wide_scale
from parlour.site.figures import Chart, PageTable, bounds, entries, signed
from parlour.site.figures import Entry as CellEntry
from parlour.tui.look.cast import ShownIdentity

SIZE = (944.0, 236.0)
TOP, BOTTOM = 30.0, SIZE[1] - 40
LEFT, RIGHT = 140.0, 58.0
"""Space for the names of the pool and for their strengths, in each part of the drawing."""
PARTS = 3
"""The most parts that are drawn: the newest groups of ratings that compare."""
DATES, VALUES = 110.0, 48.0
"""The least distance of two dates, and of two strengths in numbers."""


@dataclass(frozen=True, slots=True)
class Nights:
    """The ratings of an agent over the nights: how to read them, drawn, and as a table."""

    words: str
    chart: Chart
    table: PageTable


def nights(agent: str, who: ShownIdentity, groups: Sequence[ComparableRatings]) -> Nights | None:
    """The ratings of an agent in the groups of a store; None if there are none."""
    own = [(group, rated) for group in groups if (rated := group.of(agent))]
    if not own:
        return None
    shown = own[-PARTS:]
    every = [*chain.from_iterable(rated for _, rated in shown)]
    spoken = ", ".join(f"{day_of(entry)} {signed(entry.strength or 0.0)}" for entry in every)
    drawn = Markup("").join(_drawn(shown, who))
    chart = Chart("Over the nights", f"{who.name}: {spoken}.", *SIZE, drawn)
    rows = []
    for group, rated in own:
        rows += [_row(group, entry) for entry in rated]
    heads = entries("date", "on", "version", "strength", "95 % interval", "matches")
    return Nights(_words(shown[-1][0], every, len(own)), chart, PageTable(heads, rows, 3))


def _row(group: ComparableRatings, entry: Entry) -> list[CellEntry]:
    return entries(
        day_of(entry),
        group.title,
        version_of(entry),
        signed(entry.strength or 0.0),
        bounds(entry.strength_low, entry.strength_high),
        f"{entry.finished:,}/{entry.planned:,}",
    )


def _words(newest: ComparableRatings, every: Sequence[Entry], parts: int) -> str:
    """The way to read the drawing."""
    words = f"Rating on the fixed scale {newest.scale}, where {shipped_scale().anchor} is 0, over "
    few = len(newest.games) < 4
    words += f"{', '.join(newest.games) if few else f'{len(newest.games)} games'}."
    if _levels(newest):
        words += " The grey lines are players of the pool."
    words += " Each night is one version of the agent"
    counts = {entry.finished for entry in every}
    words += f"; {counts.pop():,} matches a night." if len(counts) == 1 else "."
    if parts > 1:
        words += " Where a line cuts the drawing, figures do not compare."
    if parts > PARTS:
        words += f" The newest {PARTS} of {parts} parts are drawn."
    return words


def day_of(entry: Entry) -> str:
    """The day on which a rating was begun, such as 9 Nov 2026."""
    return f"{datetime.fromisoformat(entry.date):%-d %b %Y}"


def version_of(entry: Entry) -> str:
    """The names under which an agent was served, or what it plays."""
    return ", ".join(entry.served) or entry.asked


def interval_of(entry: Entry) -> str:
    """The half of the interval of a rating, "" if there is none."""
    if entry.strength_low is None or entry.strength_high is None:
        return ""
    return f"±{(entry.strength_high - entry.strength_low) / 2:.2f}"


def levels_of(games: Sequence[str]) -> tuple[Level, ...]:
    """The players of the pool with their strengths over those of the games that it plays."""
    scale = shipped_scale()
    known = [game for game in games if game in scale.games]
    return pool_over(scale, known) if known else ()


def _levels(group: ComparableRatings) -> tuple[Level, ...]:
    """The pool of a group; that of another scale does not ship."""
    return levels_of(group.games) if group.scale == shipped_scale().version else ()


def _drawn(
    parts: Sequence[tuple[ComparableRatings, list[Entry]]], who: ShownIdentity
) -> Iterator[Markup]:
    values: list[float | None] = []
    for group, rated in parts:
        values += [value for _, value in _levels(group)]
        values += chain.from_iterable(entry.ends for entry in rated)
    scale = wide_scale(values)
    room = SIZE[0] - len(parts) * (LEFT + RIGHT)
    dots, begin, before = sum(len(rated) for _, rated in parts), 0.0, None
    for group, rated in parts:
        width = room * len(rated) / dots
        if before is not None:
            is_other = group.scale != before.scale
            for x in (begin, begin + 4)[: 1 + is_other]:
                yield tag("line", x1=x, x2=x, y1=0, y2=BOTTOM + 20, class_="zero")
            words = f"scale {group.scale} from here" if is_other else group.title
            yield text(begin + 10, 11, words, class_="label")
        yield from _part(group, rated, who, scale, begin + LEFT, width)
        begin, before = begin + LEFT + width + RIGHT, group


def _part(
    group: ComparableRatings,
    rated: Sequence[Entry],
    who: ShownIdentity,
    scale: AxisScale,
    left: float,
    width: float,
) -> Iterator[Markup]:
    """The ratings that compare, over the lines of their pool."""

    def y(value: float) -> float:
        return BOTTOM - scale.share(value) * (BOTTOM - TOP)

    levels = dict(_levels(group)) or {"": 0.0}
    heights = apart({name: y(value) for name, value in levels.items()}, 0, BOTTOM)
    for name, value in levels.items():
        style = "zero" if value == 0 else "grid"
        yield tag("line", x1=left, x2=left + width, y1=y(value), y2=y(value), class_=style)
        at = heights[name] + 4
        yield text(left - 8, at, cut(name, 22), text_anchor="end", class_="label")
        yield text(left + width + 14, at, signed(value), class_="label")
    distance = width / len(rated)
    places = [left + distance * (index + 0.5) for index in range(len(rated))]
    points = [(x, y(each.strength or 0.0)) for x, each in zip(places, rated, strict=True)]
    yield tag("path", d=path(points), class_=f"line dotted {who.colour}")
    most = max(8, int(distance / 6.5) - 8)
    for index, ((x, at), entry) in enumerate(zip(points, rated, strict=True)):
        if entry.strength_low is not None and entry.strength_high is not None:
            ends = {"y1": y(entry.strength_low), "y2": y(entry.strength_high)}
            yield tag("line", x1=x, x2=x, **ends, class_=f"whisker {who.colour}")
        yield tag("circle", cx=x, cy=at, r=5, class_=f"dot {who.colour}")
        later = len(rated) - 1 - index
        if later % ceil(VALUES / distance) == 0:
            words = signed(entry.strength or 0.0)
            yield text(x + 8, at - 7, words, class_=f"label name {who.colour}")
        if later % ceil(DATES / distance) == 0:
            date = tag("tspan", day_of(entry)[:-5], class_="strong")
            version = f" {cut(version_of(entry), most)}"
            yield tag("text", date, version, x=x, y=BOTTOM + 30, text_anchor="middle")

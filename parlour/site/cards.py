"""Cards and badges: pictures of an agent, a tournament or a rating to show elsewhere, as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from parlour.api.store import Figures
from parlour.games.common.forms import NOTHING
from parlour.ratings.reference.scale import shipped_scale
from parlour.ratings.reports import cells
from parlour.ratings.reports.rating_report import place_of
from parlour.ratings.reports.standings_report import Entry
from parlour.ratings.skill.strength import Strength
from parlour.site.charts import AxisScale, cut, scale_of
from parlour.site.figures import signed
from parlour.site.findings import finding
from parlour.site.frame import THEMES, PageFrame, environment
from parlour.site.nights import day_of, interval_of, levels_of, version_of
from parlour.site.source import CLASSES, SiteSource
from parlour.site.standings import ends_of, strength_scale, suit, value_of
from parlour.tui.look.cast import Cast
from parlour.tui.models.game_names import game_title

FITS, CUT = 14, 28
"""Letters of a name from which on it shrinks, and where it is cut."""
ROWS = 9
"""The most rows of a card."""
LEFT, WIDTH = 868.0, 192.0
"""The left edge of the drawings of a card, and their width."""
STRIP = (64.0, 500.0)
"""The same of the scale with the pool on the card of a rating."""
Ends = tuple[float | None, float | None, float | None]
"""An estimate and the ends of its interval."""


@dataclass(frozen=True, slots=True)
class GameLine:
    """A row of a card: a sign, a name, a place and its ends in pixels, and a figure."""

    sign: str
    name: str
    colour: str
    at: float | None
    low: float | None
    high: float | None
    value: str


def agent_card(source: SiteSource, frame: PageFrame, agent: str) -> bytes:
    """The card of an agent in its tournament, from its standings."""
    who = source.cast[agent]
    own = [each for each in source.board.standings if each.agent == agent and not each.role]
    overall = next((each for each in own if each.game is None), None)
    strength = overall.strength if overall else None
    games = [each for each in own if each.game]
    scale = strength_scale(games)
    half = strength.half if strength else None
    words = [
        "" if half is None else f"±{half:.2f}, 95 % interval · 0 is the mean",
        f"rank {cells.rank(strength)} of {_ranked(source)}" if strength else "not ranked",
    ]
    faults = next((each for each in source.conducts if each.agent == agent), None)
    foot = f"{overall.matches if overall else 0:,} matches"
    if faults is not None:
        foot += f" · {faults.faulty:,} of {faults.answers:,} answers faulty"
    lines = [
        _game_line(each.game or "", who.colour, ends_of(each.strength), scale)
        for each in games[:ROWS]
    ]
    return _drawn(
        who.name,
        letters=who.letters,
        colour=who.colour,
        figure=value_of(strength),
        words=words,
        kind=f"strength in {cut(source.name, CUT)}",
        lines=lines,
        ticks=_ticks(scale),
        foot=foot,
        date=frame.time.partition(",")[0],
    )


def tournament_card(source: SiteSource, frame: PageFrame) -> bytes:
    """The card of a tournament: its first line, and its first agents."""
    standings = source.board.by("overall")
    first = finding(source, standings, source.decided)
    scale = strength_scale(standings)
    lines = []
    for each in standings[:ROWS]:
        who = source.cast[each.agent]
        ends = ends_of(each.strength)
        lines.append(_line(who.letters, who.name, who.colour, ends, scale))
    return _drawn(
        source.name,
        letters="",
        colour="accent",
        figure="",
        words=_wrapped(first.line.striptags(), 26),
        kind="tournament",
        lines=lines,
        ticks=_ticks(scale),
        foot="".join(frame.facts),
        date=frame.time.partition(",")[0],
    )


def rating_card(entry: Entry, records: Sequence[Figures]) -> bytes:
    """The card of a rating; ``records`` are its figures in games. One of an older scale is grey."""
    who = Cast([entry.agent], CLASSES)[entry.agent]
    colour = "soft" if _is_old(entry) else who.colour
    games = [(each["game"], _ends(each)) for each in records if each["game"] and not each["role"]]
    scale = scale_of([*chain.from_iterable(ends for _, ends in games)])
    levels = () if _is_old(entry) else levels_of([game for game, _ in games])
    values = [value for _, value in levels]
    values += [end for end in entry.ends if end is not None] or [0.0]
    room = 0.12 * (max(values) - min(values))
    strip = AxisScale(min(values) - room, max(values) + room)
    overall = next((each for each in records if each["game"] is None), None)
    of = "" if entry.finished == entry.planned else f" of {entry.planned:,}"
    foot = f"{entry.finished:,}{of} matches against the reference pool"
    if entry.answers:
        foot += f" · {entry.faults or 0:,} of {entry.answers:,} answers faulty"
    half = interval_of(entry)
    words = f"{half}, 95 % interval" if half else "too few matches for an interval"
    words = words if _is_old(entry) else f"{words} · 0 is {shipped_scale().anchor}"
    pool = [
        (STRIP[0] + strip.share(value) * STRIP[1], _short(name))
        for name, value in sorted(levels, key=lambda level: level[1])
    ]
    return _drawn(
        who.name,
        letters=who.letters,
        colour=colour,
        figure=NOTHING if entry.strength is None else signed(entry.strength),
        words=[words, _like(overall) if overall else ""],
        kind=f"{_kind(entry)} scale {entry.scale}",
        lines=[_game_line(game, colour, ends, scale) for game, ends in games[:ROWS]],
        ticks=_ticks(scale) if games else [],
        foot=f"{foot} · {cut(version_of(entry), 24)} · Parlour {entry.program}",
        date=day_of(entry),
        place=_line("", "", colour, entry.ends, strip, *STRIP),
        pool=pool,
    )


def rating_badge(entry: Entry) -> bytes:
    """The badge of a rating: its figure with its interval. One of an older scale has no figure."""
    if _is_old(entry):
        return badge_svg(f"old scale {entry.scale}", "raised", ink="soft")
    words = "not rated"
    if entry.strength is not None:
        words = f"{signed(entry.strength)} {interval_of(entry) or '(too few)'}"
    return badge_svg(words, Cast([entry.agent], CLASSES)[entry.agent].colour)


def _is_old(entry: Entry) -> bool:
    return entry.scale != shipped_scale().version


def _kind(entry: Entry) -> str:
    if _is_old(entry):
        return "old"
    return "provisional rating on" if entry.provisional else "rating on"


def _ends(record: Figures) -> Ends:
    return record["strength"], record["strength_low"], record["strength_high"]


def _like(overall: Figures) -> str:
    """The place of a rating in the pool: the player that it is like, or those beside it."""
    if alike := overall["alike"]:
        more = f" and {len(alike) - 1} more" if len(alike) > 1 else ""
        return f"like {alike[0]}{more} of the pool"
    return place_of(overall["weaker"], overall["stronger"])


def _short(name: str) -> str:
    """The share of its own answers of a player of the pool, or its strategy."""
    return name[-4:] if name.endswith("%") else name.partition("/")[0]


def badges(source: SiteSource, frame: PageFrame, agent: str | None) -> bytes:
    """The badge of an agent: its possible ranks; of a tournament: its matches."""
    if agent is None:
        return badge_svg(frame.facts[0] + frame.facts[1].partition(" ·")[0], "accent")
    strength = _strength(source, agent)
    ranks = f"{cells.rank(strength)} of {_ranked(source)}" if strength else "not ranked"
    who = source.cast[agent]
    return badge_svg(f"{cut(who.name, CUT)} {ranks}", who.colour)


def badge_svg(words: str, colour: str, *, ink: str = "on-chip") -> bytes:
    """A badge of 20 high, by day and by night; ``colour`` is the token of its ground."""
    template = environment().get_template("badge.svg.j2")
    width = round(7.1 * len(words) + 14)
    shown = {"words": words, "colour": colour, "ink": ink, "width": width}
    return template.render(**shown, themes=THEMES).encode()


def _drawn(name: str, **more: object) -> bytes:
    """A picture of 1200 × 630: a name with its figure, rows with intervals, and a foot.

    That of a rating has its place among the players of the pool: places with short names.
    """
    name = cut(name, CUT)
    size = 58 if len(name) <= FITS else max(30, 58 * FITS // len(name))
    card = {"name": name, "size": size, "place": None, "pool": (), **more}
    template = environment().get_template("card.svg.j2")
    return template.render(card=card, night=THEMES["dark"]).encode()


def _strength(source: SiteSource, agent: str) -> Strength | None:
    of = {each.agent: each.strength for each in source.board.by("overall")}
    return of.get(agent)


def _ranked(source: SiteSource) -> int:
    return sum(each.strength is not None for each in source.board.by("overall"))


def _game_line(game: str, colour: str, ends: Ends, scale: AxisScale) -> GameLine:
    return _line(suit(game), game_title(game), colour, ends, scale)


def _line(
    sign: str,
    name: str,
    colour: str,
    ends: Ends,
    scale: AxisScale,
    left: float = LEFT,
    width: float = WIDTH,
) -> GameLine:
    def place(value: float | None) -> float | None:
        return None if value is None else left + scale.share(value) * width

    at, low, high = map(place, ends)
    value = NOTHING if ends[0] is None else signed(ends[0])
    return GameLine(sign, cut(name, 18), colour, at, low, high, value)


def _ticks(scale: AxisScale) -> list[tuple[float, str]]:
    return [(LEFT + scale.share(tick) * WIDTH, signed(tick, 0 if tick == int(tick) else 1))
            for tick in scale.ticks(4)]  # fmt: skip


def _wrapped(words: str, width: int) -> list[str]:
    lines = [""]
    for word in words.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] += f"{word} "
    return lines[:6]

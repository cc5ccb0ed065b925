"""Cards and badges: pictures of an agent or a tournament to show elsewhere, as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass

from parlour.games.common.forms import NOTHING
from parlour.ratings.reports import cells
from parlour.ratings.reports.leaderboard import Standing
from parlour.ratings.skill.strength import Strength
from parlour.site.charts import Scale
from parlour.site.figures import signed
from parlour.site.findings import finding
from parlour.site.forests import title_of
from parlour.site.frame import Frame, environment
from parlour.site.source import Source
from parlour.site.standings import ends_of, strength_scale, suit
from parlour.site.svg import cut
from parlour.site.theme import THEMES

FITS, CUT = 14, 28
"""Letters of a name from which on it shrinks, and where it is cut."""
ROWS = 9
"""The most rows of a card."""
LEFT, WIDTH = 868.0, 192.0
"""The left edge of the drawings of a card, and their width."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a card: a sign, a name, a place and its ends in pixels, and a figure."""

    sign: str
    name: str
    colour: str
    at: float | None
    low: float | None
    high: float | None
    value: str


@dataclass(frozen=True, slots=True)
class Card:
    """A picture of 1200 × 630: a name with its figure, rows with intervals, and a foot."""

    letters: str
    name: str
    colour: str
    figure: str
    words: Sequence[str]
    kind: str
    lines: Sequence[Line]
    ticks: Sequence[tuple[float, str]]
    foot: str
    date: str

    @property
    def size(self) -> int:
        """The size of the letters of the name."""
        return 58 if len(self.name) <= FITS else max(30, 58 * FITS // len(self.name))


def agent_card(source: Source, frame: Frame, agent: str) -> bytes:
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
    return _drawn(
        Card(
            who.letters,
            cut(who.name, CUT),
            who.colour,
            signed(strength.value) if strength else NOTHING,
            words,
            f"strength in {cut(source.name, CUT)}",
            [_line(suit(each.game or ""), title_of(each.game or ""), who.colour, each, scale)
             for each in games[:ROWS]],
            _ticks(scale),
            foot,
            frame.time.partition(",")[0],
        )
    )  # fmt: skip


def tournament_card(source: Source, frame: Frame) -> bytes:
    """The card of a tournament: its first line, and its first agents."""
    standings = source.board.by("overall")
    first = finding(standings, source.cast, source.decided, over=source.count.done)
    scale = strength_scale(standings)
    lines = []
    for each in standings[:ROWS]:
        who = source.cast[each.agent]
        lines.append(_line(who.letters, who.name, who.colour, each, scale))
    return _drawn(
        Card(
            "",
            cut(source.name, CUT),
            "accent",
            "",
            _wrapped(first.line.striptags(), 26),
            "tournament",
            lines,
            _ticks(scale),
            "".join(frame.facts),
            frame.time.partition(",")[0],
        )
    )


def badges(source: Source, frame: Frame, agent: str | None) -> bytes:
    """The badge of an agent: its possible ranks; of a tournament: its matches."""
    if agent is None:
        return badge_svg(frame.facts[0] + frame.facts[1].partition(" ·")[0], "accent")
    strength = _strength(source, agent)
    ranks = f"{cells.rank(strength)} of {_ranked(source)}" if strength else "not ranked"
    who = source.cast[agent]
    return badge_svg(f"{cut(who.name, CUT)} {ranks}", who.colour)


def badge_svg(words: str, colour: str) -> bytes:
    """A badge of 20 high, by day and by night; ``colour`` is the token of its ground."""
    template = environment().get_template("badge.svg.j2")
    width = round(7.1 * len(words) + 14)
    return template.render(words=words, colour=colour, width=width, themes=THEMES).encode()


def _drawn(card: Card) -> bytes:
    template = environment().get_template("card.svg.j2")
    return template.render(card=card, night=THEMES["dark"]).encode()


def _strength(source: Source, agent: str) -> Strength | None:
    of = {each.agent: each.strength for each in source.board.by("overall")}
    return of.get(agent)


def _ranked(source: Source) -> int:
    return sum(each.strength is not None for each in source.board.by("overall"))


def _line(sign: str, name: str, colour: str, standing: Standing, scale: Scale) -> Line:
    strength = standing.strength

    def place(value: float | None) -> float | None:
        return None if value is None else LEFT + scale.share(value) * WIDTH

    at, low, high = map(place, ends_of(strength))
    value = signed(strength.value) if strength else NOTHING
    return Line(sign, cut(name, 18), colour, at, low, high, value)


def _ticks(scale: Scale) -> list[tuple[float, str]]:
    return [(LEFT + scale.share(tick) * WIDTH, signed(tick, 0 if tick == int(tick) else 1))
            for tick in scale.ticks(4)]  # fmt: skip


def _wrapped(words: str, width: int) -> list[str]:
    lines = [""]
    for word in words.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] += f"{word} "
    return lines[:6]

"""The page of an agent: its values, its games and roles, and its results against each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from parlour.games.common.forms import COUNT, TEXT, percent, percents
from parlour.ratings.measures.capabilities import CAPABILITIES
from parlour.ratings.reports.cells import COUNTS, RANK, counts
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import DIM_FILL, Look, common_scale, fit, signed
from parlour.tui.models.game_names import title_with_suit
from parlour.tui.models.sorting import UNSORTED, Sorting
from parlour.tui.models.tiles import game_place, role_words
from parlour.tui.views.radar import Shape, radar_lines
from parlour.tui.views.standing_details import capability_names, values_of
from parlour.tui.views.standings_table import (
    WON,
    BoardColumn,
    BoardTable,
    half,
    interval_of,
    matches_column,
    measured,
    people,
    picture,
    strength_column,
    strength_of,
    trueskill_columns,
)

if TYPE_CHECKING:
    from parlour.ratings.reports.agent import Page
    from parlour.ratings.reports.leaderboard import Cell, Meeting, Standing


@dataclass(frozen=True, slots=True)
class PageState:
    """The page of an agent as drawn, with that of a second agent over it if there is one.

    ``numbered``: the values bear the numbers of the spokes.
    """

    page: "Page"
    cast: Cast
    look: Look
    against: "Page | None" = None
    numbered: bool = False
    places: Sorting = UNSORTED
    met: Sorting = UNSORTED

    @property
    def pages(self) -> "list[Page]":
        """The page, then the one over it."""
        return [self.page] if self.against is None else [self.page, self.against]


def places_table(state: PageState, width: int) -> "BoardTable[Standing]":
    """The games and roles of the agent, with strengths on one scale."""
    look, palette, page = state.look, state.look.palette, state.page
    colour = state.cast[page.agent].colour
    scale = common_scale([strength_of(each) for each in page.standings])
    flat = state.places.column is not None

    def ink(standing: "Standing") -> str:
        return palette.soft if standing.role else palette.text

    def shade(standing: "Standing") -> str:
        return palette.dimmed(colour, 0.25) if standing.role else colour

    def forest(standing: "Standing", wide: int) -> Text:
        """The interval of the strength on the common scale."""
        interval = strength_of(standing)
        if interval is None:
            return fit(Text("not ranked", f"italic {palette.faint}"), wide, align="center")
        return look.forest(interval, wide, scale, shade(standing))

    def won(standing: "Standing", wide: int) -> Text:
        palette, cell = state.look.palette, standing.measures.get("win_rate")
        line = Text(no_wrap=True).append(percent(cell.value if cell else None), palette.text)
        if width >= 76 and cell is not None and cell.low is not None and cell.high is not None:
            line.append(f" {100 * cell.low:.0f}–{100 * cell.high:.0f}", palette.faint)
        return line

    def faults(standing: "Standing", wide: int) -> Text:
        cell = standing.measures.get("fault_rate")
        return Text(counts(cell), palette.bad if cell and cell.value else palette.faint)

    columns: list[BoardColumn[Standing]] = [
        BoardColumn("", lambda each: _place(look, each, flat=True), TEXT, "place",
                    min(24, max(12, width // 3)),
                    lambda each, wide: Text(_place(look, each, flat=flat), ink(each))),
        picture("forest", 12, forest, grows=30,
                    head=lambda wide: look.axis(wide, scale)),
        strength_column(look, ink, palette.faint, 11),
        BoardColumn("won", measured("win_rate"), WON, "won", 14 if width >= 76 else 5, won,
                    least=44),
        matches_column("n", 5, 54),
        BoardColumn("faults", measured("fault_rate"), COUNTS, "faults", 8, faults, least=84),
        BoardColumn("rank", lambda each: each.strength, RANK, "rank", 5, ink="soft", least=90),
        *trueskill_columns(6, "soft"),
    ]  # fmt: skip
    return BoardTable(look, columns, _places(page), width, state.places, narrow=0)


def _places(page: "Page") -> "list[Standing]":
    """All games, then each game, with its roles where it has several."""
    games = [each.game for each in page.standings if each.role is not None]
    shown = [each for each in page.standings if each.role is None or games.count(each.game) > 1]

    def place(standing: "Standing") -> tuple[bool, tuple[int, str], str]:
        return standing.game is not None, game_place(standing.game or ""), standing.role or ""

    return sorted(shown, key=place)


def places_lines(state: PageState, width: int, height: int) -> list[Text]:
    """The lines of games and roles below their headings."""
    table = places_table(state, width)
    rows = chain.from_iterable(map(table.row, range(len(table.rows))))
    return [*table.headings, *rows]


def _place(look: Look, standing: "Standing", *, flat: bool) -> str:
    if standing.game is None:
        return "All games"
    title = title_with_suit(standing.game, look.signs)
    if standing.role is None:
        return title
    role = role_words(standing.role)
    return f"{title} {role}" if flat else f"  └ {role}"


def sortable_places(state: PageState) -> list[str]:
    """The keys of the columns that can order games and roles."""
    return places_table(state, 120).sortable


def page_radar(state: PageState, width: int, height: int) -> list[Text]:
    """The radar chart of one or two agents."""
    shapes = []
    for page in state.pages:
        who = state.cast[page.agent]
        shapes.append(Shape(who.name, who.colour, values_of(next(iter(page.standings), None))))
    return radar_lines(state.look, capability_names(), shapes, width, height)


def value_lines(state: PageState, width: int, height: int) -> list[Text]:
    """The capabilities as lines with intervals and counts, then radar area, faults, suspicion."""
    names = [*capability_names(), "Radar area", "Faults"]
    keys = [*CAPABILITIES, "radar_area", "fault_rate"]
    if any("suspicion" in page.overall for page in state.pages):
        names, keys = [*names, "Suspicion"], [*keys, "suspicion"]
    if state.numbered:
        names = [f"{i} {name}" if i <= 7 else f"  {name}" for i, name in enumerate(names, start=1)]
    label = min(max(map(cell_len, names)), max(4, width // 2))
    rows = len(names) * len(state.pages)
    spaced = height >= rows + len(names) - 1
    lines = []
    for name, key in zip(names, keys, strict=True):
        for index, page in enumerate(state.pages):
            heading = fit(Text(name if index == 0 else "", state.look.palette.text), label)
            lines.append(_value_line(state, page, key, heading, width))
        if spaced:
            lines.append(Text(" " * max(0, width)))
    return lines


def _value_line(state: PageState, page: "Page", key: str, heading: Text, width: int) -> Text:
    palette, who = state.look.palette, state.cast[page.agent]
    cell = page.overall.get(key)
    line = Text.assemble(heading, " ", state.look.letters(who), " ", no_wrap=True)
    room = max(0, width - line.cell_len - 15 - (10 if width >= 72 else 0))
    if key == "radar_area":
        line.append(" " * room)
        value = "–" if cell is None else f"{cell.value:.2f}"
    else:
        line.append_text(state.look.track(interval_of(cell), room, who.colour))
        value = "–" if cell is None else f"{100 * cell.value:.0f}"
    line.append(f" {value:>4}", f"bold {palette.text}")
    if width >= 72:
        line.append(f" {_interval_words(cell, key):<9}", palette.soft)
    return fit(line.append(f" {counts(cell) if cell else '':>8}", palette.faint), width)


def _interval_words(cell: "Cell | None", key: str) -> str:
    if cell is None or cell.low is None or cell.high is None:
        return ""
    if key == "radar_area":
        return f"±{(cell.high - cell.low) / 2:.2f}"
    return f"{100 * cell.low:.0f} to {100 * cell.high:.0f}"


def met_lines(state: PageState, width: int, height: int) -> list[Text]:
    """A line for each agent it met: the share of matches won as a bar in both colours."""
    palette = state.look.palette
    meetings = list(state.page.meetings)
    if not meetings:
        return [fit(Text("No match against another agent yet.", palette.soft), width)]
    table = _met_table(state, meetings, width)
    count = len(table.rows)
    spaced = height >= 2 * count + 1
    lines = table.headings
    for index in range(count):
        lines += table.row(index)
        if spaced:
            lines.append(Text(" " * max(0, width)))
    return lines


def _met_table(
    state: PageState, meetings: "Sequence[Meeting]", width: int
) -> "BoardTable[Meeting]":
    look, palette, cast = state.look, state.look.palette, state.cast
    own = palette.dimmed(cast[state.page.agent].colour, 0.2)

    def bar(meeting: "Meeting", wide: int) -> Text:
        """The share of matches won in both colours."""
        other = palette.dimmed(cast[meeting.other].colour, DIM_FILL)
        done, signs = round(meeting.share * wide), look.signs
        lost = (signs.full if palette.exact else signs.spared) * (wide - done)
        return Text.assemble((signs.full * done, own), (lost, other), no_wrap=True)

    def share(meeting: "Meeting", wide: int) -> Text:
        low, high = meeting.ends
        ends = "" if low is None or high is None else f" {100 * low:.0f}–{100 * high:.0f}"
        value = (percent(meeting.share), f"bold {palette.text}")
        return Text.assemble(value, (ends.rjust(8), palette.faint), no_wrap=True)

    def results(meeting: "Meeting", wide: int) -> Text:
        return Text(f"{meeting.wins}–{meeting.draws}–{meeting.losses}", palette.soft)

    columns: list[BoardColumn[Meeting]] = [
        people(cast, look, width, of="other"),
        picture("bar", 6, bar, grows=26),
        BoardColumn("share", lambda each: each.share, percents(), "share", 14, share),
        BoardColumn("W–D–L", lambda each: each.n, COUNT, "results", 9, results, least=40),
    ]
    return BoardTable(look, columns, meetings, width, state.met, narrow=0)


def sortable_met(state: PageState) -> list[str]:
    """The keys of the columns that can order the agents it met."""
    return _met_table(state, state.page.meetings, 80).sortable


def subject(state: PageState, rank: str) -> Text:
    """The agents of the page with rank and strength, for the header."""
    palette, line = state.look.palette, Text(no_wrap=True)
    for index, page in enumerate(state.pages):
        line.append(" against " if index else "", palette.soft)
        line.append_text(state.look.person(state.cast[page.agent], speaks=True))
    line.append(f"   {rank}", palette.soft)
    interval = strength_of(state.page.standings[0]) if state.page.standings else None
    if interval is not None:
        line.append("   strength ", palette.soft)
        line.append(signed(interval.value), f"bold {palette.text}")
        line.append(f" {half(interval)}", palette.faint)
    return line

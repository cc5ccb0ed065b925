"""Tables of agents: their columns, of which some scroll sideways; standings; and conduct.

The standings have ranks, strengths on one scale, wins and measures; those of an adaptive tournament
the decided ranks and scores first.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from rich.cells import cell_len
from rich.text import Text

from parlour.games.common.forms import (
    NOTHING,
    TEXT,
    THOUSANDS,
    CellForm,
    by_kind,
    decimals,
    number,
    percent,
    percents,
)
from parlour.games.common.tables import Column
from parlour.games.common.text import one_line
from parlour.ratings.reports.cells import MEASURE, RANK, STRENGTH, counts, rank
from parlour.tournament.reports.conduct import CALLS, NOTES, Conduct
from parlour.tui.look.cast import Cast, ShownIdentity
from parlour.tui.look.look import Look, ShownInterval, common_scale, fit, signed, wrapped
from parlour.tui.models.sorting import UNSORTED, Sorting
from parlour.tui.models.tiles import NO_HALF
from parlour.tui.text import out_of_sight

if TYPE_CHECKING:
    from parlour.ratings.reports.decided_ranks import DecidedRanks
    from parlour.ratings.reports.leaderboard import Cell, Leaderboard, Standing
    from parlour.ratings.skill.strength import Strength


# --- A table of agents

T = TypeVar("T")
Align = Literal["left", "right", "center"]
HIDDEN = "more columns"
"""The words before the numbers of columns out of sight."""
PICTURE = CellForm(str, numeric=False, order=None)
"""The form of a column that is drawn, and orders nothing."""


@dataclass(frozen=True, slots=True)
class BoardColumn(Column[T]):
    """A column on a screen: its key and width, besides what every column has.

    ``draw`` draws its cell; else it is the text in the ``ink`` of the palette. ``grows`` says how
    many columns more it takes where there is room. It is shown from a table of ``least`` columns
    on; one that ``scrolls`` stands at the end. ``head`` draws a heading other than the title.
    """

    key: str = ""
    width: int = 7
    draw: Callable[[T, int], Text] | None = None
    ink: Literal["text", "soft"] = "text"
    align: Align | None = None
    grows: int = 0
    least: int = 0
    scrolls: bool = False
    head: Callable[[int], Text] | None = None

    def placed(self, text: Text, wide: int) -> Text:
        """A text in the width of the column."""
        return fit(text, wide, align=self.align or ("right" if self.form.numeric else "left"))


def picture(key: str, width: int, draw: Callable[[T, int], Text], **more: Any) -> BoardColumn[T]:
    """A column that is drawn, and orders nothing."""
    return BoardColumn(more.pop("title", ""), lambda row: None, PICTURE, key, width, draw, **more)


@dataclass(frozen=True)
class BoardTable(Generic[T]):
    """Rows in the order of ``sorting``, drawn at a width.

    ``first`` of the columns that scroll are out of sight at the left. In a table below ``narrow``,
    they take the place of the one that grows once it is scrolled.
    """

    look: Look
    columns: Sequence[BoardColumn[T]]
    items: Sequence[T]
    width: int
    sorting: Sorting = UNSORTED
    first: int = 0
    narrow: int = 96
    tall: int = 1

    @cached_property
    def rows(self) -> list[T]:
        """The rows in order."""
        column = next((each for each in self.columns if each.key == self.sorting.column), None)
        if column is None or column.form.order is None:
            return Sorting(None, self.sorting.backwards).order(self.items, lambda row: None)
        return self.sorting.order(self.items, column.order)

    @property
    def agents(self) -> list[str]:
        """The agents of the rows."""
        return [str(getattr(row, "agent", "")) for row in self.rows]

    @property
    def sortable(self) -> list[str]:
        """The keys of the columns that can order the table."""
        return [column.key for column in self.columns if column.form.order is not None]

    @cached_property
    def layout(self) -> list[tuple[BoardColumn[T], int]]:
        """The columns in sight with their widths; a blank stands between two."""
        narrow = self.width < self.narrow
        scrolled = narrow and self.first > 0
        fixed = [
            column
            for column in self.columns
            if not column.scrolls and self.width >= column.least and not (scrolled and column.grows)
        ]
        room = self.width - 1 - sum(column.width + 1 for column in fixed)
        shown = []
        start = max(0, self.first - 1) if narrow else self.first
        for column in self._scrolling[start:] if scrolled or not narrow else []:
            if room < column.width + 1:
                break
            room -= column.width + 1
            shown.append(column)
        laid = []
        for column in fixed:
            more = min(column.grows, max(0, room))
            room -= more
            laid.append((column, column.width + more))
        return [*laid, *((column, column.width) for column in shown)]

    @property
    def _scrolling(self) -> list[BoardColumn[T]]:
        return [column for column in self.columns if column.scrolls]

    @property
    def hidden(self) -> str:
        """The number of columns out of sight on either side, as words; "" if there are none."""
        scrolling = self._scrolling
        shown = [column for column, _ in self.layout if column.scrolls]
        before = scrolling.index(shown[0]) if shown else 0
        return out_of_sight(HIDDEN, {"←": before, "→": len(scrolling) - before - len(shown)})

    def shifted(self, by: int) -> int:
        """The columns out of sight after a move, which stops when the last one is in sight."""
        if by > 0 and "→" not in self.hidden:
            return self.first
        return max(0, self.first + by)

    @property
    def headings(self) -> list[Text]:
        """The titles; an arrow stands at the one that orders the table."""
        palette = self.look.palette
        parts = []
        for column, wide in self.layout:
            numeric = column.form.numeric
            arrow = self.sorting.arrow(column.key, self.look.signs, numbers=numeric)
            title = Text(column.title, palette.faint)
            if arrow:
                words = fit(Text(column.title), wide - 2).plain.rstrip()
                title = Text(f"{words} {arrow}".strip(), f"bold {palette.accent}")
            elif column.head is not None:
                title = column.head(wide)
            parts.append(column.placed(title, wide))
        return [fit(Text("  ", no_wrap=True).append_text(_joined(parts)), self.width)]

    def row(self, index: int, *, cursor: bool = False) -> list[Text]:
        """The one line of a row; a sign marks the one under the cursor."""
        line = Text(f"{self.look.signs.cursor} " if cursor else "  ", self.look.palette.accent)
        item = self.rows[index]
        parts = [
            column.placed(self._cell(column, item, wide), wide) for column, wide in self.layout
        ]
        return [fit(Text(no_wrap=True).append_text(line).append_text(_joined(parts)), self.width)]

    def _cell(self, column: BoardColumn[T], item: T, wide: int) -> Text:
        if column.draw is not None:
            return column.draw(item, wide)
        text = column.text(item)
        ink = "faint" if text == NOTHING and column.ink == "text" else column.ink
        return Text(text, getattr(self.look.palette, ink))


def _joined(parts: Sequence[Text]) -> Text:
    return Text(" ", no_wrap=True).join(parts)


# --- Conduct

BAR = 12
WITH_BAR = 64
"""Columns of the table from which on faults have a bar."""


def conduct_board(
    rows: Sequence[Conduct], cast: Cast, look: Look, sorting: Sorting, first: int, width: int
) -> BoardTable[Conduct]:
    """The table of conduct, for a width."""
    palette = look.palette
    most = max((row.repairs for row in rows), default=0) or 1

    def fault_bar(row: Conduct, wide: int) -> Text:
        """The rate of faults on a line with its interval."""
        rate = row.fault_rate
        if rate is None:
            return look.track(None, wide, palette.bad)
        _, low, high = row.interval or (None, rate, rate)
        colour = palette.bad if rate else palette.good
        return look.track(ShownInterval(rate, low, high), wide, colour)

    def faulty(row: Conduct, wide: int) -> Text:
        """The rate of faults in numbers, with its interval."""
        if row.fault_rate is None:
            return Text(NOTHING, palette.faint)
        line = Text(percent(row.fault_rate, 1), palette.text)
        if row.interval is not None:
            _, low, high = row.interval
            line.append(f" [{100 * low:.1f}, {100 * high:.1f}]", palette.faint)
        return line

    def kinds(row: Conduct) -> str:
        """The faults by kind."""
        return one_line(by_kind(row.faults))

    def repair_bar(row: Conduct, wide: int) -> Text:
        """The repairs as a bar against the most of any agent."""
        return look.bar(row.repairs / most, wide, palette.warn)

    columns: list[BoardColumn[Conduct]] = [
        people(cast, look, width),
        BoardColumn("answers", lambda row: row.answers, THOUSANDS, "answers", 8),
        picture("fault bar", BAR, fault_bar, title="faults", grows=BAR, least=WITH_BAR),
        BoardColumn(
            "" if width >= WITH_BAR else "faults",
            lambda row: row.fault_rate,
            percents(1),
            "faulty",
            20,
            faulty,
            align="left",
        ),
        picture("repair bar", 8, repair_bar, least=110),
        BoardColumn("repairs", lambda row: row.repairs, THOUSANDS, "repairs", 7),
    ]
    scrolling: dict[str, Any] = {"ink": "soft", "scrolls": True}
    for column in CALLS:
        title = column.title.lower()
        wide = max(8, len(title))
        columns.append(BoardColumn(title, column.value, column.form, title, wide, **scrolling))
    columns.append(BoardColumn("of which", kinds, PICTURE, "kinds", 24, **scrolling))
    return BoardTable(look, columns, list(rows), width, sorting, first, narrow=90)


def notes_lines(look: Look, width: int, height: int) -> list[Text]:
    """The meaning of the columns."""
    text = Text(" ".join(NOTES), look.palette.soft)
    return [fit(line, width) for line in wrapped(text, width)][:height]


Shows = Literal["values", "intervals", "counts"]
SHOWS: tuple[Shows, ...] = ("values", "intervals", "counts")
"""The forms of a measure in a table, a key apart."""
# --- Standings

CAPABILITY_TITLES = {
    "judgment": ("judge", "judge"),
    "reasoning": ("reason", "reas."),
    "deception": ("deceit", "dec."),
    "self_awareness": ("self", "self"),
    "cooperation": ("coop", "coop"),
    "coordination": ("coord", "coord"),
    "rationality": ("ration", "rat."),
}
"""Headings of the capabilities, long and short."""
NAME_WIDTH = 24
"""The most columns that a name takes in a table."""
LEAST = 132
"""Columns of a table from which on it has the line of wins and the matches."""
NARROW = 96
"""The same for a table of decided ranks, where wins are a number."""
WON = CellForm(lambda cell: percent(cell.value), order=attrgetter("value"))


def true_minus(value: float) -> str:
    """A number with two decimal digits and a true minus sign."""
    return f"{value:.2f}".replace("-", "\u2212")


SIGNED = CellForm(true_minus)


@dataclass(frozen=True, slots=True)
class BoardState:
    """A leaderboard as drawn. ``moves`` has the ranks won since the board was last seen.

    ``decided`` are the ranks of an adaptive tournament, which take the place of strengths.
    """

    board: "Leaderboard"
    cast: Cast
    look: Look
    moves: Mapping[str, int] = field(default_factory=dict)
    sorting: Sorting = UNSORTED
    shows: Shows = "values"
    first: int = 0
    decided: "DecidedRanks | None" = None


def chip_width(cast: Cast) -> int:
    """The columns of the widest chip of a tournament."""
    return max((len(cast[agent].letters) + 2 for agent in cast.agents), default=3)


def chip_and_name(look: Look, who: ShownIdentity, width: int, chip: int = 3) -> Text:
    """The chip and the name of an agent in a width."""
    return fit(look.person(who, width=chip), width)


def people_width(cast: Cast, width: int) -> int:
    """The columns of chip and name for the agents of a tournament, in a table of a width."""
    longest = max((cell_len(cast[agent].name) for agent in cast.agents), default=4)
    return chip_width(cast) + 1 + min(longest, NAME_WIDTH, max(5, width // 6))


def interval_of(cell: "Cell | Strength | None") -> ShownInterval | None:
    """A measure or strength with its interval; one without an interval is a point."""
    return None if cell is None else ShownInterval.of(cell.value, cell.low, cell.high)


def strength_of(standing: "Standing") -> ShownInterval | None:
    """The strength of a standing with its interval."""
    return interval_of(standing.strength)


def half(interval: ShownInterval, scale: int = 1, digits: int = 2) -> str:
    """Half the width of an interval in words; a dash for a point, which has none."""
    if interval.is_point:
        return NO_HALF
    return f"±{scale * (interval.high - interval.low) / 2:.{digits}f}"


def people(cast: Cast, look: Look, width: int, of: str = "agent") -> BoardColumn[Any]:
    """The column of chips and names, in a table of a width; ``of`` is the attribute of a row."""
    chip = chip_width(cast)

    def draw(row: Any, wide: int) -> Text:
        return chip_and_name(look, cast[getattr(row, of)], wide, chip)

    def name(row: Any) -> str:
        return cast[getattr(row, of)].name

    return BoardColumn("", name, TEXT, of, people_width(cast, width), draw)


def strength_column(
    look: Look,
    style: Callable[["Standing"], str],
    of_half: str,
    width: int,
    *,
    scrolls: bool = False,
) -> "BoardColumn[Standing]":
    """The column of strengths, with half their intervals in the style ``of_half``, if any."""

    def draw(standing: "Standing", wide: int) -> Text:
        interval = strength_of(standing)
        if interval is None:
            return Text(NOTHING, look.palette.faint)
        text = Text(no_wrap=True).append(signed(interval.value), style(standing))
        return text.append(f" {half(interval)}", of_half) if of_half else text

    return BoardColumn(
        "strength", lambda each: each.strength, STRENGTH, "strength", width, draw, scrolls=scrolls
    )


def matches_column(title: str, width: int, least: int) -> "BoardColumn[Standing]":
    """The column of the number of matches."""
    return BoardColumn(
        title, lambda each: each.matches, THOUSANDS, "matches", width, ink="soft", least=least
    )


def measured(name: str) -> "Callable[[Standing], Cell | None]":
    """A function that returns a measure of a standing."""
    return lambda standing: standing.measures.get(name)


def trueskill_columns(width: int, ink: Literal["text", "soft"]) -> "list[BoardColumn[Standing]]":
    """TrueSkill's rating with its parts."""
    from parlour.ratings.reports.leaderboard_report import TRUESKILL

    return [
        BoardColumn(column.title.lower(), column.value, SIGNED, name, width, ink=ink, scrolls=True)
        for name, column in zip(("rating", "mu", "sigma"), TRUESKILL, strict=True)
    ]


def overall_table(state: BoardState, width: int) -> "BoardTable[Standing]":
    """The standings of all games: decided ranks and scores first where the schedule is adaptive."""
    if state.decided is None:
        return table_of(state, width)
    palette, look = state.look.palette, state.look
    places = {place.agent: place for place in state.decided.places}
    order = list(places)
    standings = [each for each in state.board.by("overall") if each.agent in places]
    standings.sort(key=lambda each: order.index(each.agent))

    def rank_of(standing: "Standing", wide: int) -> Text:
        own = places[standing.agent]
        is_decided = own.rank == own.last_rank
        return Text(rank(own), f"bold {palette.text}" if is_decided else palette.soft)

    def track(standing: "Standing", wide: int) -> Text:
        """The score with the interval that holds at all times, from 0 to 1."""
        own = places[standing.agent]
        known = None if own.score is None else ShownInterval(own.score, own.low, own.high)
        return look.track(known, wide, state.cast[standing.agent].colour)

    def score(standing: "Standing", wide: int) -> Text:
        value = places[standing.agent].score
        style = palette.faint if value is None else f"bold {palette.text}"
        return Text(number(value, 2), style)

    def always(standing: "Standing", wide: int) -> Text:
        own = places[standing.agent]
        return Text(f"{own.low:.2f}–{own.high:.2f}", palette.soft)

    by_rank = CellForm(str, numeric=True, order=lambda agent: -order.index(agent))
    columns: list[BoardColumn[Standing]] = [
        BoardColumn("rank", lambda each: each.agent, by_rank, "rank",
                    max(4, *(len(rank(each)) for each in places.values())), rank_of, align="left"),
        people(state.cast, look, width),
        picture("forest", 20, track, grows=20,
                    head=lambda wide: Text(f"0{'1':>{wide - 1}}", palette.faint)),
        BoardColumn("score", lambda each: places[each.agent].score, decimals(2), "score", 7, score),
        picture("always", 9, always, title="always in", align="right"),
        BoardColumn("rounds", lambda each: places[each.agent].rounds, THOUSANDS, "rounds", 8,
                    ink="soft"),
        BoardColumn("won", measured("win_rate"), WON, "won", 6, least=NARROW),
        matches_column("matches", 7, NARROW),
        strength_column(look, lambda each: palette.text, palette.soft, 11, scrolls=True),
        *measure_columns(state, width),
    ]  # fmt: skip
    return BoardTable(look, columns, standings, width, state.sorting, state.first)


def table_of(state: BoardState, width: int) -> "BoardTable[Standing]":
    """The standings of all games, for a width."""
    palette, cast, look = state.look.palette, state.cast, state.look
    standings = state.board.by("overall")
    scale = common_scale([strength_of(each) for each in standings])
    broad = width >= 186
    of_half = palette.soft if broad else ""

    def forest(standing: "Standing", wide: int) -> Text:
        return look.forest(strength_of(standing), wide, scale, cast[standing.agent].colour)

    def move(standing: "Standing", wide: int) -> Text:
        return move_text(look, state.moves.get(standing.agent, 0))

    def rate(standing: "Standing", wide: int) -> Text:
        """The share of matches won, with half its interval where there is room."""
        known = standing.measures.get("win_rate")
        cell = interval_of(known)
        if cell is None:
            return Text(NOTHING, palette.faint)
        if state.shows != "values":
            words = counts(known) if state.shows == "counts" else half(cell, 100, 0)
            return Text(words, palette.text)
        text = Text(percent(cell.value), palette.text)
        return (
            text
            if cell.is_point or not broad
            else text.append(f" {half(cell, 100, 0)}", palette.soft)
        )

    def won(standing: "Standing", wide: int) -> Text:
        """The share of matches won as a line."""
        cell = standing.measures.get("win_rate")
        if cell is None:
            return fit(Text(NOTHING, palette.faint), wide, align="center")
        return look.line(cell.value, wide, cast[standing.agent].colour)

    ranks = max([4, *(len(rank(standing.strength)) for standing in standings)])
    columns: list[BoardColumn[Standing]] = [
        BoardColumn("rank", lambda each: each.strength, RANK, "rank", ranks, ink="soft",
                    align="left"),
        people(cast, look, width),
        picture("forest", 24, forest, grows=16,
                    head=lambda wide: look.axis(wide, scale)),
        strength_column(look, lambda each: f"bold {palette.text}", of_half, 11 if broad else 10),
        picture("move", 3, move, align="center"),
        picture("won line", 11, won, title="won", least=LEAST),
        BoardColumn("" if width >= LEAST else "won", measured("win_rate"), WON, "won",
                    9 if broad else 5 + (state.shows == "counts"), rate),
        matches_column("matches", 7, LEAST),
        *measure_columns(state, width),
    ]  # fmt: skip
    return BoardTable(look, columns, standings, width, state.sorting, state.first)


def move_text(look: Look, won: int) -> Text:
    """The ranks that an agent has won or lost."""
    if not won:
        return Text("·", look.palette.faint)
    signs, palette = look.signs, look.palette
    sign, style = (signs.up, palette.good) if won > 0 else (signs.down, palette.bad)
    return Text(f"{sign}{abs(won)}", style)


def measure_columns(state: BoardState, width: int) -> "list[BoardColumn[Standing]]":
    """The capabilities as heat cells, then the other measures that any agent has."""
    from parlour.ratings.reports.leaderboard import column_titles

    standings = state.board.by("overall")
    measured = set(chain.from_iterable(each.measures for each in standings))
    long = width >= 150
    heat = {False: 5, True: 7}[long] if width < 186 else 9
    columns: list[BoardColumn[Standing]] = []
    for name, titles in CAPABILITY_TITLES.items():
        title = titles[not long]
        columns.append(_column(state, name, title, heat, share=True))
    for name, title in column_titles().items():
        if name in measured and name not in CAPABILITY_TITLES and name != "win_rate":
            columns.append(_column(state, name, title.lower(), max(9, len(title)), share=False))
    return [*columns, *trueskill_columns(7, "text")]


def _column(
    state: BoardState, name: str, title: str, width: int, *, share: bool
) -> "BoardColumn[Standing]":
    def draw(standing: "Standing", wide: int) -> Text:
        return measure_cell(state.look, standing.measures.get(name), wide, state.shows, share=share)

    align: Literal["center", "right"] = "center" if share else "right"
    return BoardColumn(title, measured(name), MEASURE, name, width, draw, align=align, scrolls=True)


def measure_cell(look: Look, cell: "Cell | None", width: int, shows: Shows, *, share: bool) -> Text:
    """A measure as a heat cell where it is a share, else as a number."""
    text = None
    interval = interval_of(cell)
    if cell is not None and interval is not None:
        if shows == "counts":
            text = counts(cell)
        elif shows == "intervals":
            scaled = 100 if share else 1
            text = half(interval, scaled, 0 if share else 2)
            text = NOTHING if cell.low is None else text
        elif share and width >= 9 and cell.low is not None:
            text = f"{100 * cell.value:.0f} {half(interval, 100, 0)}"
        elif not share:
            text = true_minus(cell.value)
    if share:
        return look.heat(None if cell is None else cell.value, width, text)
    return Text(text or NOTHING, look.palette.text if text else look.palette.faint)

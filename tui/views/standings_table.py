"""The standings of all games as a table: ranks, strengths on one scale, wins and measures."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Literal

from rich.cells import cell_len
from rich.text import Text

from parlour.tui.look.cast import Cast, Identity
from parlour.tui.look.look import Interval, Look, common_scale, fit, signed
from parlour.tui.models.sorting import UNSORTED, Sorting
from parlour.tui.views.board_table import BoardColumn, BoardTable

if TYPE_CHECKING:
    from parlour.ratings.reports.decided_ranks import DecidedRanks
    from parlour.ratings.reports.leaderboard import Cell, Leaderboard, Standing

Shows = Literal["values", "intervals", "counts"]
SHOWS: tuple[Shows, ...] = ("values", "intervals", "counts")
"""The forms of a measure in a table, a key apart."""
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


def chip_and_name(look: Look, who: Identity, width: int, chip: int = 3) -> Text:
    """The chip and the name of an agent in a width."""
    line = Text(no_wrap=True).append_text(look.chip(who, width=chip)).append(" ")
    return fit(line.append_text(look.name(who)), width)


def people_width(cast: Cast, width: int) -> int:
    """The columns of chip and name for the agents of a tournament, in a table of a width."""
    longest = max((cell_len(cast[agent].name) for agent in cast.agents), default=4)
    return chip_width(cast) + 1 + min(longest, NAME_WIDTH, max(5, width // 6))


def interval_of(cell: "Cell | None") -> Interval | None:
    """A measure with its interval; one without an interval is a point."""
    if cell is None:
        return None
    low = cell.value if cell.low is None else cell.low
    return Interval(cell.value, low, cell.value if cell.high is None else cell.high)


def strength_of(standing: "Standing") -> Interval | None:
    """The strength of a standing with its interval."""
    strength = standing.strength
    if strength is None:
        return None
    half = strength.half or 0.0  # one without an interval is a point
    return Interval(strength.value, strength.value - half, strength.value + half)


def percent(value: float | None) -> str:
    """A share as percent without decimals."""
    return "–" if value is None else f"{100 * value:.0f} %"


def half(interval: Interval) -> float:
    """Half the width of an interval."""
    return (interval.high - interval.low) / 2


def table_of(state: BoardState, width: int) -> "BoardTable[Standing]":
    """The standings of all games, for a width."""
    palette, cast, look = state.look.palette, state.cast, state.look
    standings = state.board.by("overall")
    scale = common_scale([strength_of(each) for each in standings])
    chip, broad = chip_width(cast), width >= 186
    measures = measure_columns(state, width)

    def colour(standing: "Standing") -> str:
        return cast[standing.agent].colour

    def strength(standing: "Standing", wide: int) -> Text:
        """The strength, with half its interval where there is room."""
        interval = strength_of(standing)
        if interval is None:
            return Text("–", palette.faint)
        text = Text().append(signed(interval.value), f"bold {palette.text}")
        return text.append(f" ±{half(interval):.2f}", palette.soft) if broad else text

    def rate(standing: "Standing", wide: int) -> Text:
        """The share of matches won, with half its interval where there is room."""
        cell = interval_of(standing.measures.get("win_rate"))
        if cell is None:
            return Text("–", palette.faint)
        text = Text(percent(cell.value), palette.text)
        exact = cell.low == cell.high
        return (
            text if exact or not broad else text.append(f" ±{100 * half(cell):.0f}", palette.soft)
        )

    def won(standing: "Standing", wide: int) -> Text:
        """The share of matches won as a line."""
        cell = standing.measures.get("win_rate")
        if cell is None:
            return fit(Text("–", palette.faint), wide, align="center")
        return look.line(cell.value, wide, colour(standing))

    columns: list[BoardColumn[Standing]] = [
        BoardColumn("rank", "rank", _rank_width(standings),
                    lambda each, wide: _rank(look, each), _rank_value, align="left"),
        BoardColumn("agent", "", people_width(cast, width),
                    lambda each, wide: chip_and_name(look, cast[each.agent], wide, chip),
                    lambda each: cast[each.agent].name, align="left", texts=True),
        BoardColumn("forest", "", 24,
                    lambda each, wide: look.forest(strength_of(each), wide, scale, colour(each)),
                    grows=16, head=lambda wide: look.axis(wide, scale)),
        BoardColumn("strength", "strength", 11 if broad else 10, strength,
                    lambda each: each.strength.value if each.strength else None),
        BoardColumn("move", "", 3, lambda each, wide: _move(look, state.moves.get(each.agent, 0)),
                    align="left"),
        BoardColumn("won line", "won", 11, won, align="left", least=LEAST),
        BoardColumn("won", "" if width >= LEAST else "won", 9 if broad else 5, rate,
                    lambda each: value_of(each, "win_rate")),
        BoardColumn("matches", "matches", 7,
                    lambda each, wide: Text(f"{each.matches:,}", palette.soft),
                    lambda each: each.matches, least=LEAST),
        *measures,
    ]  # fmt: skip
    return BoardTable(look, columns, standings, state.sorting, state.first)


def _rank_width(standings: "list[Standing]") -> int:
    from parlour.ratings.reports.cells import rank

    return max([4, *(len(rank(standing.strength)) for standing in standings)])


def _rank(look: Look, standing: "Standing") -> Text:
    from parlour.ratings.reports.cells import rank

    return Text(rank(standing.strength), look.palette.soft)


def _rank_value(standing: "Standing") -> float | None:
    strength = standing.strength
    return None if strength is None else -strength.rank - strength.last_rank / 1e4


def value_of(standing: "Standing", name: str) -> float | None:
    """The value of a measure, None where it is not measured."""
    cell = standing.measures.get(name)
    return None if cell is None else cell.value


def _move(look: Look, won: int) -> Text:
    if not won:
        return Text(" · ", look.palette.faint)
    if won > 0:
        return Text(f"{look.signs.up}{won}", look.palette.good)
    return Text(f"{look.signs.down}{-won}", look.palette.bad)


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
    return [*columns, *_ratings(state.look)]


def _column(
    state: BoardState, name: str, title: str, width: int, *, share: bool
) -> "BoardColumn[Standing]":
    def draw(standing: "Standing", wide: int) -> Text:
        return measure_cell(state.look, standing.measures.get(name), wide, state.shows, share=share)

    value = partial(value_of, name=name)
    align: Literal["center", "right"] = "center" if share else "right"
    return BoardColumn(name, title, width, draw, value, align, scrolls=True)


def measure_cell(look: Look, cell: "Cell | None", width: int, shows: Shows, *, share: bool) -> Text:
    """A measure as a heat cell where it is a share, else as a number."""
    from parlour.ratings.reports.cells import counts

    text = None
    interval = interval_of(cell)
    if cell is not None and interval is not None:
        if shows == "counts":
            text = counts(cell)
        elif shows == "intervals":
            scaled = 100 if share else 1
            text = f"±{scaled * half(interval):.{0 if share else 2}f}"
            text = "–" if cell.low is None else text
        elif share and width >= 9 and cell.low is not None:
            text = f"{100 * cell.value:.0f} ±{100 * half(interval):.0f}"
        elif not share:
            text = f"{cell.value:.2f}".replace("-", "−")
    if share:
        return look.heat(None if cell is None else cell.value, width, text)
    return Text(text or "–", look.palette.text if text else look.palette.faint)


def _ratings(look: Look) -> "list[BoardColumn[Standing]]":
    """TrueSkill's rating with its parts."""

    def column(name: str, title: str) -> "BoardColumn[Standing]":
        def value(standing: "Standing") -> float | None:
            number: float | None = getattr(standing, name)
            return number

        def draw(standing: "Standing", wide: int) -> Text:
            number = value(standing)
            if number is None:
                return Text("–", look.palette.faint)
            return Text(f"{number:.2f}".replace("-", "−"), look.palette.text)

        return BoardColumn(name, title, 7, draw, value, scrolls=True)

    return [column("rating", "rating"), column("mu", "μ"), column("sigma", "σ")]

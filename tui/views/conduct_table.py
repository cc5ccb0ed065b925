"""Conduct of the agents as a table: faults and repairs as bars, then calls and costs."""

from collections.abc import Callable, Sequence

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.ratings.reports.report import Column
from parlour.tournament.reports.conduct import COLUMNS, NOTES, Conduct
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Interval, Look, fit, wrapped
from parlour.tui.models.sorting import Sorting, SortValue
from parlour.tui.views.board_table import BoardColumn, BoardTable
from parlour.tui.views.standings_table import chip_and_name, chip_width, people_width

BAR = 12
WITH_BAR = 64
"""Columns of the table from which on faults have a bar."""


def conduct_board(
    rows: Sequence[Conduct], cast: Cast, look: Look, sorting: Sorting, first: int, width: int
) -> BoardTable[Conduct]:
    """The table of conduct, for a width."""
    palette, chip = look.palette, chip_width(cast)
    most = max((row.repairs for row in rows), default=0) or 1

    def fault_bar(row: Conduct, wide: int) -> Text:
        """The rate of faults on a line with its interval."""
        rate = row.fault_rate
        if rate is None:
            return look.track(None, wide, palette.bad)
        low, high = rate, rate
        if row.interval is not None:
            _, low, high = row.interval
        return look.track(Interval(rate, low, high), wide, palette.bad if rate else palette.good)

    def faulty(row: Conduct, wide: int) -> Text:
        """The rate of faults in numbers, with its interval."""
        if row.fault_rate is None:
            return Text("–", palette.faint)
        line = Text(f"{100 * row.fault_rate:.1f} %", palette.text)
        if row.interval is not None:
            _, low, high = row.interval
            line.append(f" [{100 * low:.1f}, {100 * high:.1f}]", palette.faint)
        return line

    def repair_bar(row: Conduct, wide: int) -> Text:
        """The repairs as a bar against the most of any agent."""
        return look.bar(row.repairs / most, wide, palette.warn)

    columns: list[BoardColumn[Conduct]] = [
        BoardColumn(
            "agent",
            "",
            people_width(cast, width),
            lambda row, wide: chip_and_name(look, cast[row.agent], wide, chip),
            lambda row: cast[row.agent].name,
            align="left",
            texts=True,
        ),
        _number(look, "answers", "answers", 8, lambda row: row.answers),
        BoardColumn("fault bar", "faults", BAR, fault_bar, align="left", grows=BAR, least=WITH_BAR),
        BoardColumn(
            "faulty",
            "" if width >= WITH_BAR else "faults",
            20,
            faulty,
            lambda row: row.fault_rate,
            align="left",
        ),
        BoardColumn("repair bar", "", 8, repair_bar, align="left", least=110),
        _number(look, "repairs", "repairs", 7, lambda row: row.repairs),
    ]
    kinds: BoardColumn[Conduct] = BoardColumn(
        "kinds", "of which", 24, lambda row, wide: Text(_kinds(row), palette.soft), scrolls=True
    )
    return BoardTable(
        look, [*columns, *_further(look), kinds], list(rows), sorting, first, narrow=90
    )


def _number(
    look: Look, key: str, title: str, width: int, value: Callable[[Conduct], int]
) -> BoardColumn[Conduct]:
    def draw(row: Conduct, wide: int) -> Text:
        return Text(f"{value(row):,}", look.palette.text)

    return BoardColumn(key, title, width, draw, value)


def _kinds(row: Conduct) -> str:
    return one_line(", ".join(f"{kind} {count}" for kind, count in row.faults.items())) or "–"


def notes_lines(look: Look, width: int, height: int) -> list[Text]:
    """The meaning of the columns."""
    text = Text(" ".join(NOTES), look.palette.soft)
    return [fit(line, width) for line in wrapped(text, width)][:height]


VALUES: dict[str, Callable[[Conduct], SortValue]] = {
    "Calls": lambda row: row.calls,
    "Cached": lambda row: row.cached,
    "Retries": lambda row: row.retries,
    "Refusals": lambda row: row.refused,
    "Tokens in": lambda row: row.prompt_tokens,
    "out": lambda row: row.completion_tokens,
    "Dollars": lambda row: row.dollars,
    "Median s": lambda row: row.latency[0] if row.latency else None,
    "95 % s": lambda row: row.latency[1] if row.latency else None,
}
"""The values behind the columns of calls, which the report puts in words."""


def _further(look: Look) -> list[BoardColumn[Conduct]]:
    """The columns of calls, tokens, dollars and seconds, as in the report."""
    return [_of_report(look, column) for column in COLUMNS if column.title in VALUES]


def _of_report(look: Look, column: Column[Conduct]) -> BoardColumn[Conduct]:
    def draw(row: Conduct, wide: int) -> Text:
        return Text(column.text(row), look.palette.soft)

    title = column.title.lower()
    value = VALUES[column.title]
    return BoardColumn(title, title, max(8, len(title)), draw, value, scrolls=True)

"""Conduct of the agents as a table: faults and repairs as bars, then calls and costs."""

from collections.abc import Sequence

from rich.text import Text

from parlour.games.common.forms import NOTHING, THOUSANDS, by_kind, percent, percents
from parlour.games.common.text import one_line
from parlour.tournament.reports.conduct import CALLS, NOTES, Conduct
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Interval, Look, fit, wrapped
from parlour.tui.models.sorting import Sorting
from parlour.tui.views.board_table import PICTURE, BoardColumn, BoardTable, picture
from parlour.tui.views.standings_table import people

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
        low, high = rate, rate
        if row.interval is not None:
            _, low, high = row.interval
        return look.track(Interval(rate, low, high), wide, palette.bad if rate else palette.good)

    def faulty(row: Conduct, wide: int) -> Text:
        """The rate of faults in numbers, with its interval."""
        if row.fault_rate is None:
            return Text(NOTHING, palette.faint)
        line = Text(percent(row.fault_rate, 1), palette.text)
        if row.interval is not None:
            _, low, high = row.interval
            line.append(f" [{100 * low:.1f}, {100 * high:.1f}]", palette.faint)
        return line

    def repair_bar(row: Conduct, wide: int) -> Text:
        """The repairs as a bar against the most of any agent."""
        return look.bar(row.repairs / most, wide, palette.warn)

    columns: list[BoardColumn[Conduct]] = [
        people(cast, look, width),
        BoardColumn("answers", lambda row: row.answers, THOUSANDS, "answers", 8),
        picture(
            "fault bar",
            BAR,
            fault_bar,
            title="faults",
            grows=BAR,
            least=WITH_BAR,
        ),
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
    for column in CALLS:
        title = column.title.lower()
        columns.append(
            BoardColumn(
                title,
                column.value,
                column.form,
                title,
                max(8, len(title)),
                ink="soft",
                scrolls=True,
            )
        )
    columns.append(
        BoardColumn(
            "of which",
            lambda row: one_line(by_kind(row.faults)),
            PICTURE,
            "kinds",
            24,
            ink="soft",
            scrolls=True,
        )
    )
    return BoardTable(look, columns, list(rows), width, sorting, first, narrow=90)


def notes_lines(look: Look, width: int, height: int) -> list[Text]:
    """The meaning of the columns."""
    text = Text(" ".join(NOTES), look.palette.soft)
    return [fit(line, width) for line in wrapped(text, width)][:height]

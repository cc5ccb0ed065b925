"""The overall standings for a narrow pane."""

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from parlour.tui.models.standings import Standings
from parlour.tui.text import DIM, WARN, fitted, one_line

if TYPE_CHECKING:
    from parlour.ratings.reports.leaderboard import Leaderboard, Standing


def standings_lines(standings: Standings, width: int) -> list[Text]:
    """The leaderboard at a width in columns, or the reason why there is none."""
    if standings.trouble:
        return [Text(standings.trouble, WARN)]
    if standings.board is None:
        return [Text("Computing …", DIM)]
    if not standings.board.by("overall"):
        return [Text("No match is finished yet.", DIM)]
    return _ranking(standings.board, width)


def _ranking(board: "Leaderboard", width: int) -> list[Text]:
    from parlour.ratings.reports.cells import rank

    rows = board.by("overall")
    names = [one_line(row.agent) for row in rows]
    ranks = [rank(row.strength) for row in rows]
    strengths = [_strength(row) for row in rows]
    # The rank and the strength are never cut; the name takes what is left.
    rank_width = max(map(len, ranks))
    strength_width = max(8, *map(len, strengths))
    longest = max(map(cell_len, names))
    name_width = max(4, min(width - rank_width - strength_width - 8, longest))
    with_interval = width >= rank_width + name_width + strength_width + 15
    share_width = 11 if with_interval else 4
    titles = f"{'':{rank_width + name_width + 1}}{'strength':>{strength_width + 1}}"
    titles += "    win rate" if with_interval else " wins"
    lines = [Text(titles, DIM, no_wrap=True)]
    for i, row in enumerate(rows):
        cells = f"{strengths[i]:>{strength_width}} {_win_rate(row, with_interval):>{share_width}}"
        line = f"{ranks[i]:>{rank_width}} {fitted(names[i], name_width)} {cells}"
        lines.append(Text(line, no_wrap=True))
    lines.append(Text(f"{board.matches} matches; l shows all", DIM))
    return lines


def _win_rate(standing: "Standing", with_interval: bool) -> str:
    from parlour.ratings.reports.cells import number

    rate = standing.measures.get("win_rate")
    text = number(rate.value if rate else None, 2)
    if with_interval and rate and rate.low is not None and rate.high is not None:
        text += f" ±{(rate.high - rate.low) / 2:.2f}"
    return text


def _strength(standing: "Standing") -> str:
    from parlour.ratings.reports.cells import number

    strength = standing.strength
    if strength is None:
        return number(None)
    return f"{number(strength.value, 2)} ±{(strength.high - strength.low) / 2:.2f}"

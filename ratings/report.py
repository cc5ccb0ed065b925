"""Leaderboards as text: the same columns as CSV, Markdown, LaTeX and JSON."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict

from ratings.forms import in_latex, latex_table, markdown_table
from ratings.leaderboard import COLUMNS, By, Cell, Leaderboard, Standing
from ratings.magic import CAPABILITIES

TITLES = {
    "win_rate": "Win rate",
    "judgment": "Judgment",
    "reasoning": "Reasoning",
    "deception": "Deception",
    "self_awareness": "Self-awareness",
    "cooperation": "Cooperation",
    "coordination": "Coordination",
    "rationality": "Rationality",
    "radar_area": "Radar area",
    "cost": "Cost",
    "score": "Score",
    "payback": "Payback",
    "contribution": "Contribution",
    "cooperation_ratio": "Cooperates",
    "investment_ratio": "Invests",
    "return_ratio": "Returns",
    "image_score": "Image score",
    "discounted_return": "Return",
    "gini": "Gini",
}
NOTHING = "–"
"""What stands for a number that there is not."""


def number(value: float | None, places: int = 3) -> str:
    """A number with fixed places, or a dash where there is none."""
    return NOTHING if value is None else f"{value:.{places}f}"


def cell(found: Cell | None) -> str:
    """A measure with its interval: ``.652 [.630, .671]``."""
    if found is None:
        return NOTHING
    if found.low is None:
        return number(found.value)
    return f"{number(found.value)} [{number(found.low)}, {number(found.high)}]"


def headings(board: Leaderboard, by: By) -> list[str]:
    """The column titles of a leaderboard."""
    places = {"overall": [], "game": ["Game"], "role": ["Game", "Role"]}[by]
    titles = [TITLES[name] for name in _filled(board, by)]
    return ["#", *places, "Agent", "Rating", "μ", "σ", "Matches", *titles]


def _columns(by: By) -> tuple[str, ...]:
    """A role has a win rate only; the capabilities are not split by role."""
    return COLUMNS[:1] if by == "role" else COLUMNS


def _filled(board: Leaderboard, by: By) -> list[str]:
    """The columns in which anybody has anything; without any match, the capabilities."""
    names = [
        name for name in _columns(by) if any(name in standing.measures for standing in board.by(by))
    ]
    return names or list(_columns(by)[: 1 + len(CAPABILITIES)])


def lines(board: Leaderboard, by: By) -> list[list[str]]:
    """One line of cells a standing; ranks begin anew in each game and role."""
    result = []
    names = _filled(board, by)
    rank, place = 0, None
    for standing in board.by(by):
        rank = rank + 1 if place == (standing.game, standing.role) else 1
        place = (standing.game, standing.role)
        result.append([str(rank), *_cells(standing, by, names)])
    return result


def _cells(standing: Standing, by: By, names: Sequence[str]) -> list[str]:
    where = {"overall": [], "game": [standing.game], "role": [standing.game, standing.role]}[by]
    return [
        *(str(name) for name in where),
        standing.agent,
        number(standing.rating, 2),
        number(standing.mu, 2),
        number(standing.sigma, 2),
        str(standing.matches),
        *(cell(standing.measures.get(name)) for name in names),
    ]


def footnotes(board: Leaderboard) -> list[str]:
    """What a reader must know to trust the numbers."""
    units = sorted(set(board.clusters.values())) or ["match"]
    notes = [
        f"{board.matches} finished matches. Rating = μ - 3σ (TrueSkill). In brackets 95 %"
        f" intervals: win rates and means by bootstrap over each {' or '.join(units)},"
        " the rest Wilson."
    ]
    if board.skipped:
        notes.append(f"{board.skipped} matches were too lopsided for TrueSkill and were skipped.")
    return notes


def inert(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return "'" + text if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text


def as_csv(board: Leaderboard, by: By) -> str:
    """Comma-separated values, each measure with its counts and interval in columns of their own."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    spread = [f"{name}{part}" for name in _columns(by) for part in ("", "_n", "_low", "_high")]
    writer.writerow(["game", "role", "agent", "rating", "mu", "sigma", "matches", *spread])
    for standing in board.by(by):
        values: list[object] = [standing.game, standing.role, inert(standing.agent)]
        values += [standing.rating, standing.mu, standing.sigma, standing.matches]
        for name in _columns(by):
            found = standing.measures.get(name)
            values += [found.value, found.n, found.low, found.high] if found else [None] * 4
        writer.writerow(["" if value is None else value for value in values])
    return text.getvalue()


def as_json(board: Leaderboard, by: By) -> str:
    """The standings as pure JSON."""
    body = {
        "by": by,
        "matches": board.matches,
        "skipped": board.skipped,
        "clusters": board.clusters,
        "standings": [asdict(standing) for standing in board.by(by)],
    }
    return json.dumps(body, indent=2, allow_nan=False) + "\n"


def as_markdown(board: Leaderboard, by: By) -> str:
    """A Markdown table with footnotes."""
    table = markdown_table(headings(board, by), lines(board, by))
    return table + "\n\n" + "\n\n".join(footnotes(board)) + "\n"


def as_latex(board: Leaderboard, by: By) -> str:
    """A LaTeX tabular with footnotes below."""
    table = latex_table(headings(board, by), lines(board, by))
    return "\n".join([table, *map(in_latex, footnotes(board)), ""])

"""Leaderboards as text: the same columns as CSV, Markdown, LaTeX and JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from parlour.games.engine.transcript import counted
from parlour.ratings.counting.magic import CAPABILITIES
from parlour.ratings.reports.formats import csv_table, in_latex, latex_table, markdown_table
from parlour.ratings.reports.leaderboard import COLUMNS, OF_A_ROLE, By, Cell, Leaderboard, Standing
from parlour.ratings.skill.strength import Strength

TITLES = {
    "win_rate": "Win rate",
    "payoff": "Payoff",
    "welfare": "Welfare",
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
_STRENGTH = (
    *("rank", "last_rank", "strength", "strength_n", "strength_se"),
    *("strength_low", "strength_high"),
)
NOTHING = "–"
"""What stands for a number that there is not."""
MANY_FAULTS = 0.1
"""The share of answers from which on a reader is warned that they were faults."""


def number(value: float | None, places: int = 3) -> str:
    """A number with fixed places, or a dash where there is none."""
    if value is None:
        return NOTHING
    text = f"{value:.{places}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def cell(found: Cell | None) -> str:
    """A measure with its interval: ``.652 [.630, .671]``."""
    if found is None:
        return NOTHING
    return with_interval(found.value, found.low, found.high)


def counts(found: Cell | None) -> str:
    """``3/12``; for what is no count the matches behind it: ``of 12``."""
    if found is None:
        return NOTHING
    return f"of {found.n:.0f}" if found.k is None else f"{found.k:.10g}/{found.n:.10g}"


def with_interval(
    value: float | None, low: float | None, high: float | None, digits: int = 3
) -> str:
    """A value with its interval, if there is one."""
    ends = "" if low is None else f" [{number(low, digits)}, {number(high, digits)}]"
    return number(value, digits) + ends


def strength(found: Strength | None) -> str:
    """A strength with its interval: ``0.27 [-0.12, 0.66]``."""
    if found is None:
        return NOTHING
    return with_interval(found.value, found.low, found.high, 2)


def rank(found: Strength | None) -> str:
    """The ranks that a strength may have: ``2–4``, or ``1`` where there is no doubt.

    Agents whose ranks overlap share them.
    """
    if found is None:
        return NOTHING
    only = found.rank == found.last_rank
    return str(found.rank) if only else f"{found.rank}–{found.last_rank}"


def headings(board: Leaderboard, by: By) -> list[str]:
    """The column titles of a leaderboard."""
    places = {"overall": [], "game": ["Game"], "role": ["Game", "Role"]}[by]
    titles = [TITLES[name] for name in _filled(board, by)]
    return ["#", *places, "Agent", "Strength", "Rating", "μ", "σ", "Matches", *titles]


def _columns(by: By) -> tuple[str, ...]:
    """The capabilities are not split by role."""
    return OF_A_ROLE if by == "role" else COLUMNS


def _filled(board: Leaderboard, by: By) -> list[str]:
    """The columns in which anybody has anything; without any match, the capabilities."""
    names = [
        name for name in _columns(by) if any(name in standing.measures for standing in board.by(by))
    ]
    usual = {OF_A_ROLE[0], *CAPABILITIES}
    return names or [name for name in _columns(by) if name in usual]


def lines(board: Leaderboard, by: By) -> list[list[str]]:
    """One line of cells a standing; ranks begin anew in each game and role."""
    names = _filled(board, by)
    return [[rank(each.strength), *_cells(each, by, names)] for each in board.by(by)]


def _cells(standing: Standing, by: By, names: Sequence[str]) -> list[str]:
    where = {"overall": [], "game": [standing.game], "role": [standing.game, standing.role]}[by]
    return [
        *(str(name) for name in where),
        standing.agent,
        strength(standing.strength),
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
        f"{counted(board.matches, 'finished match')}."
        " Strength: 0 is the mean, # every rank it may mean."
        " Rating = μ - 3σ (TrueSkill). In brackets 95 % intervals over each"
        f" {' or '.join(units)}: strength, win rates and means by bootstrap, the rest Wilson."
    ]
    if board.left_out is not None:
        notes.append(f"Left out because of a fault in them: {counted(board.left_out, 'match')}.")
    if board.skipped:
        notes.append(
            f"{counted(board.skipped, 'match')} too lopsided for TrueSkill and skipped there."
        )
    if faulty := _faulty(board):
        notes.append(
            "So many answers could not be used that the rest says little:"
            f" {', '.join(faulty)}. `parlour conduct` counts them by kind, and the notes in an"
            " export say what was wrong."
        )
    return notes


def _faulty(board: Leaderboard) -> list[str]:
    """The agents of which many answers were faults, with how many of how many."""
    rates = (
        (standing.agent, standing.measures.get("fault_rate")) for standing in board.by("overall")
    )
    return [
        f"{agent} ({counts(found)} faults)"
        for agent, found in rates
        if found is not None and found.value >= MANY_FAULTS
    ]


def nothing(board: Leaderboard) -> str:
    """What to say of a leaderboard in which nobody stands."""
    if board.left_out:
        faulty = counted(board.left_out, "match")
        return f"Nothing is left: there was a fault in {faulty}, and no other match is finished."
    return "No match is finished yet."


def as_csv(board: Leaderboard, by: By) -> str:
    """Comma-separated values, each measure with its counts and interval in columns of their own."""
    return csv_table(*rows_of(board, by))


def rows_of(board: Leaderboard, by: By) -> tuple[list[str], list[list[object]]]:
    """Column names and rows for programs, each measure with its counts and interval."""
    spread = [f"{name}{part}" for name in _columns(by) for part in ("", "_n", "_low", "_high")]
    rows = []
    for standing in board.by(by):
        values: list[object] = [standing.game, standing.role, standing.agent]
        values += _of_strength(standing.strength)
        values += [standing.rating, standing.mu, standing.sigma, standing.matches]
        for name in _columns(by):
            found = standing.measures.get(name)
            values += [found.value, found.n, found.low, found.high] if found else [None] * 4
        rows.append(values)
    titles = ["game", "role", "agent", *_STRENGTH, "rating", "mu", "sigma", "matches", *spread]
    return titles, rows


def _of_strength(found: Strength | None) -> list[object]:
    if found is None:
        return [None] * len(_STRENGTH)
    counts = [found.rank, found.last_rank, found.value, found.matches]
    return [*counts, found.se, found.low, found.high]


def as_json(board: Leaderboard, by: By) -> str:
    """The standings as pure JSON."""
    body = {
        "by": by,
        "matches": board.matches,
        "skipped": board.skipped,
        "clusters": board.clusters,
        "left_out": board.left_out,
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
